//! Text of the tooltip for the item under the pointer.

use super::palette::Fill;
use crate::timeline::clock::ClockFace;
use protocol::base::ids::ThreadId;
use protocol::events::connections::Moment;
use protocol::tables::{Threads, interval_flag};
use std::borrow::Cow;

/// Decimals of a second in a tooltip.
pub const DECIMALS: usize = 6;

/// Content of a tooltip.
#[derive(Clone, PartialEq, Debug)]
pub struct Tooltip {
    /// Color of the item.
    pub swatch: Fill,
    pub title: String,
    /// Duration or time.
    pub value: String,
    /// Further facts, as name and value.
    pub lines: Vec<(Cow<'static, str>, String)>,
}

impl Tooltip {
    /// Returns the content as one sentence, for screen readers.
    pub fn sentence(&self) -> String {
        let mut text = format!("{}, {}", self.title, self.value);
        for (name, value) in &self.lines {
            text.push_str(&format!("; {name} {value}"));
        }
        text
    }
}

/// Converts lines with fixed names to those of a tooltip.
pub fn fixed_names(lines: Vec<(&'static str, String)>) -> Vec<(Cow<'static, str>, String)> {
    lines.into_iter().map(|(name, value)| (name.into(), value)).collect()
}

/// Data for the text of tooltips.
#[derive(Clone, Copy)]
pub struct TooltipContext<'a> {
    /// Threads by ID.
    pub threads: &'a Threads,
    /// Format of times.
    pub face: ClockFace,
}

impl<'a> TooltipContext<'a> {
    /// Formats a time in nanoseconds.
    pub fn moment(&self, at: i64) -> String {
        self.face.moment(at, DECIMALS)
    }

    /// Returns the label and ID of a thread.
    pub fn thread(&self, thread: ThreadId) -> String {
        let name = thread_name(self.threads, thread);
        // For an unnamed thread, the number replaces the label "Thread".
        let number = name.strip_prefix("Thread (").and_then(|rest| rest.strip_suffix(')'));
        number.map(str::to_owned).unwrap_or(name)
    }
}

/// Returns the name, thread and time of the end of a link.
pub fn moment_words(moment: &Moment, face: &ClockFace) -> String {
    let name = if moment.name.is_empty() { String::new() } else { format!("{}, ", moment.name) };
    format!("{name}{}, {}", moment.thread_label, face.moment(moment.time, DECIMALS))
}

/// Returns the lines about a missing start or stop, by the flags of an interval.
pub fn open_ends(flags: u8) -> impl Iterator<Item = (&'static str, String)> {
    let ended = match flags & interval_flag::UNSURE_END {
        0 => "after the trace ended (or end event lost)",
        _ => "unknown (events have no activity IDs)",
    };
    let ends = [
        (interval_flag::OPEN_START, "Start", "before the trace started (or start event lost)"),
        (interval_flag::OPEN_END, "End", ended),
    ];
    let open = ends.into_iter().filter(move |(flag, ..)| flags & flag != 0);
    open.map(|(_, name, words)| (name, words.to_owned()))
}

/// Returns the label and ID of a thread.
pub fn thread_name(threads: &Threads, thread: ThreadId) -> String {
    match threads.thread.iter().position(|present| *present == thread.0) {
        Some(row) => match threads.number.get(row) {
            "" => threads.label.get(row).to_owned(),
            number => format!("{} ({number})", threads.label.get(row)),
        },
        None => "–".to_owned(),
    }
}

/// Truncates a text to 160 characters, the maximum of a tooltip.
pub fn shorten(text: &str) -> String {
    const LONGEST: usize = 160;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crate::timeline::hit::Target;
    use crate::timeline::hit::samples::small;
    use crate::timeline::track_key::RuntimeKey;
    use protocol::timeline::track::TrackKind;

    fn sentence(target: Target) -> String {
        let small = small();
        small.scene(500.0).tooltip(&target, &small.context()).unwrap().sentence()
    }

    #[test]
    fn tooltip_has_name_duration_and_thread() {
        let small = small();
        let scene = small.scene(500.0);
        let thread = small.layout.tracks.iter().find(|track| track.parts.is_some()).unwrap().top;
        assert_eq!(
            sentence(scene.hit(250.0, thread + 30.0)),
            "System.Threading.Monitor.Enter, 200 ns; Kind framework; Self 200 ns of 200 ns; Managed 0% of its time; \
             Start 0.000000 s; Thread Thread 1 (4001)"
        );
        assert_eq!(
            sentence(scene.hit(250.0, thread + 9.0)),
            "Waiting for a lock, 100 ns; Lock 0x7f08; Held by App.PriceFeed · 928; Start 0.000000 s; Thread Thread 1 (4001)"
        );
        assert_eq!(
            sentence(scene.hit(280.0, thread + 9.0)),
            "Idle, 200 ns; Meaning waiting for work; Start 0.000000 s; Thread Thread 1 (4001)"
        );
    }

    #[test]
    fn exception_sentence_has_message() {
        assert_eq!(
            sentence(Target::Item { track: RuntimeKey::only(TrackKind::Exceptions), item: 0 }),
            "System.Net.Http.HttpRequestException, 0.000001 s; Message Connection refused; Thread Thread 1 (4001)"
        );
    }
}
