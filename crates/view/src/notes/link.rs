//! Notes in a URL.

use super::{MAX_NAME, Note, Place, clean};
use crate::url::percent::{escape_dots, unescape};
use crate::url::tracks::TrackLink;
use protocol::base::time::Span;

impl Note {
    /// Returns the note as part of a URL: a word for the kind of place, the place, then the text.
    pub fn encode(&self) -> String {
        let parts = match &self.place {
            Place::Moment(at) => vec!["at".to_owned(), at.to_string()],
            Place::Track { track, name } => vec!["on".to_owned(), track.encode(), name.clone()],
            Place::Item { track, span, name } => {
                let [start, end] = [span.start, span.end].map(|time| time.0.to_string());
                vec!["item".to_owned(), track.encode(), start, end, name.clone()]
            }
        };
        let mut text = String::new();
        for part in parts {
            escape_dots(&part, &mut text);
            text.push('.');
        }
        text.push_str(&self.text);
        text
    }

    /// Reads a note from part of a URL; `None` if its place is unknown, or if it has no text.
    pub fn decode(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once('.')?;
        let count = match kind {
            "at" => 2,
            "on" => 3,
            "item" => 5,
            _ => return None,
        };
        let mut parts = rest.splitn(count, '.');
        let mut next = || unescape(parts.next()?);
        let place = match kind {
            "at" => Place::Moment(next()?.parse().ok()?),
            "on" => Place::Track { track: TrackLink::decode(&next()?)?, name: clean(&next()?, MAX_NAME) },
            _ => {
                let track = TrackLink::decode(&next()?)?;
                let (start, end) = (next()?.parse().ok()?, next()?.parse().ok()?);
                let span = (start <= end).then(|| Span::new(start, end))?;
                Place::Item { track, span, name: clean(&next()?, MAX_NAME) }
            }
        };
        Self::new(place, parts.next()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notes::MAX_TEXT;
    use crate::timeline::track_key::TrackKey;
    use crate::url::state::ThreadLink;

    #[test]
    fn note_is_readable_in_url() {
        let thread = TrackLink::Thread(ThreadLink { os_thread: 4711, nth: 1 });
        let name = "Cache.Get(a, b)".to_owned();
        let item = Place::Item { track: thread, span: Span::new(-5, 1_000), name };
        for (place, encoded) in [
            (Place::Moment(1_500), "at.1500.why? a.b <b>"),
            (Place::Track { track: thread, name: "Main".to_owned() }, "on.thread%2E4711%2E1.Main.why? a.b <b>"),
            (
                Place::Track { track: TrackLink::Other(TrackKey::Runtime(0)), name: String::new() },
                "on.runtime..why? a.b <b>",
            ),
            (item, "item.thread%2E4711%2E1.-5.1000.Cache%2EGet%28a%2C%20b%29.why? a.b <b>"),
        ] {
            let note = Note { place, text: "why? a.b <b>".to_owned() };
            assert_eq!(note.encode(), encoded);
            assert_eq!(Note::decode(encoded), Some(note));
        }
    }

    #[test]
    fn malformed_notes_are_ignored() {
        for text in [
            "",
            "at",
            "at.1",
            "at.1.",
            "at.x.text",
            "on.thread.7.text",
            "item.runtime.2.1.a.text",
            "by.1.text",
            "at.1. \n",
        ] {
            assert_eq!(Note::decode(text), None, "{text}");
        }
        let long = format!("on.runtime.{}.{}", "n".repeat(9_000), "t".repeat(9_000));
        let note = Note::decode(&long).unwrap();
        assert_eq!((note.text.len(), note.place.words(&Default::default()).len()), (MAX_TEXT, MAX_NAME));
    }
}
