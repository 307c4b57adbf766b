//! Notes about a moment, a track, or an item of a track. A note about a time range belongs to its
//! [saved range](crate::timeline::saved_range).

mod link;
pub mod placed;

use crate::draw::tooltip::DECIMALS;
use crate::timeline::clock::ClockFace;
use crate::url::tracks::TrackLink;
use protocol::base::time::Span;

/// Maximum number of characters of a note.
pub const MAX_TEXT: usize = 500;
/// Maximum number of characters of the name of a track or an item.
pub const MAX_NAME: usize = 200;
/// Maximum number of notes, and of saved ranges, in a view.
pub const MAX_NOTES: usize = 100;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// What it is about.
    pub place: Place,
    /// Text in one line; never empty.
    pub text: String,
}

/// What a note is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// Moment, in nanoseconds since the sync point.
    Moment(i64),
    /// Whole track, such as a thread.
    Track { track: TrackLink, name: String },
    /// Item of a track, such as a slice or a GC.
    Item {
        track: TrackLink,
        /// Start and end, the same if it has no duration.
        span: Span,
        name: String,
    },
}

impl Place {
    pub fn track(&self) -> Option<TrackLink> {
        match self {
            Self::Moment(_) => None,
            Self::Track { track, .. } | Self::Item { track, .. } => Some(*track),
        }
    }

    /// Returns the time, without a duration for a moment; `None` for a track.
    pub fn time(&self) -> Option<Span> {
        match self {
            Self::Moment(at) => Some(Span::new(*at, *at)),
            Self::Track { .. } => None,
            Self::Item { span, .. } => Some(*span),
        }
    }

    /// Returns what the note is about, in words.
    pub fn words(&self, face: &ClockFace) -> String {
        match self {
            Self::Moment(at) => face.moment(*at, DECIMALS),
            Self::Track { name, .. } => name.clone(),
            Self::Item { span, name, .. } => format!("{name}, {}", face.moment(span.start.0, DECIMALS)),
        }
    }
}

impl Note {
    /// Creates a note; `None` without a text.
    pub fn new(place: Place, text: &str) -> Option<Self> {
        let text = clean(text, MAX_TEXT);
        (!text.is_empty()).then_some(Self { place, text })
    }
}

/// Returns a text in one line, with at most `most` characters, and without spaces around it.
pub fn clean(text: &str, most: usize) -> String {
    let plain = text.chars().map(|one| if one.is_control() { ' ' } else { one });
    plain.take(most).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_one_line_of_limited_length() {
        assert_eq!(clean(" a\nb\t\0c \u{7f}", 99), "a b  c");
        assert_eq!(clean("äöü", 2), "äö");
        assert_eq!(Note::new(Place::Moment(1), " \n"), None);
        let long = clean(&"ab ".repeat(1_000), MAX_TEXT);
        assert_eq!(long.chars().count(), 500);
        assert_eq!(clean(&long, MAX_TEXT), long);
    }
}
