//! What is said of a page with a trace in it, and of a part of a trace, before they are saved.

use crate::format;

/// What of a trace is saved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Saved {
    /// All of it, as it is.
    #[default]
    Whole,
    /// Some of its events.
    Part(PartSize),
}

/// How much a part of a trace has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PartSize {
    /// Events, including those that record names.
    pub events: u64,
    /// Bytes.
    pub bytes: u64,
    /// Bytes of the trace that could not be read, and are in no part.
    pub damaged_bytes: u64,
}

impl PartSize {
    /// "have 12,345 events, 3.4 MB.", after the name of the file and "will".
    pub fn words(&self) -> String {
        let damage = match self.damaged_bytes {
            0 => String::new(),
            bytes => format!(" {} of damaged data is excluded.", format::bytes(bytes)),
        };
        format!("have {}, {}.{damage}", format::counted(self.events, "event"), format::bytes(self.bytes))
    }
}

/// Sizes of a page with a trace, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PageSizes {
    /// What shows the trace.
    pub viewer: u64,
    /// The trace, as a file.
    pub trace: u64,
    /// The trace, in the page.
    pub packed: u64,
}

impl PageSizes {
    /// "be 14.3 MB: this viewer (1.3 MB) and the whole trace (23.4 MB, stored as 13.0 MB)."
    pub fn words(&self, what: Saved) -> String {
        let [whole, viewer, trace, packed] =
            [self.viewer + self.packed, self.viewer, self.trace, self.packed].map(format::bytes);
        let what = match what {
            Saved::Whole => "the whole trace".to_owned(),
            Saved::Part(part) => format!("a part of the trace with {}", format::counted(part.events, "event")),
        };
        format!("be {whole}: this viewer ({viewer}) and {what} ({trace}, stored as {packed}).")
    }
}

/// What a part of a trace is called: "app-part.nettrace" of "app.nettrace.gz".
pub fn part_name(trace: &str) -> String {
    let kind = if trace.to_ascii_lowercase().contains(".netperf") { "netperf" } else { "nettrace" };
    format!("{}-part.{kind}", stem(trace))
}

/// What the page of a trace is called: "app.html" of "app.nettrace.gz".
pub fn file_name(trace: &str) -> String {
    format!("{}.html", stem(trace))
}

/// Returns a trace's name without its extensions.
fn stem(trace: &str) -> &str {
    let lower = trace.to_ascii_lowercase();
    let end = [".nettrace", ".netperf"].iter().find_map(|kind| lower.find(kind)).or_else(|| trace.rfind('.'));
    end.and_then(|end| trace.get(..end)).filter(|stem| !stem.is_empty()).unwrap_or(trace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_the_sizes_of_viewer_and_trace() {
        let sizes = PageSizes { viewer: 1_300_000, trace: 23_400_000, packed: 13_000_000 };
        let words = "be 14.3 MB: this viewer (1.3 MB) and the whole trace (23.4 MB, stored as 13.0 MB).";
        assert_eq!(sizes.words(Saved::Whole), words);
        let part = PartSize { events: 1234, bytes: 23_400_000, damaged_bytes: 70 };
        let words = words.replace("the whole trace", "a part of the trace with 1,234 events");
        assert_eq!(sizes.words(Saved::Part(part)), words);
        assert_eq!(part.words(), "have 1,234 events, 23.4 MB. 70 B of damaged data is excluded.");
    }

    #[test]
    fn a_page_is_called_like_its_trace() {
        let names = [
            ("web-net10.nettrace", "web-net10.html"),
            ("App.v2.NETTRACE.gz", "App.v2.html"),
            ("old.netperf.te2", "old.html"),
            ("day.zip", "day.html"),
            ("trace", "trace.html"),
            (".nettrace", ".nettrace.html"),
        ];
        for (trace, page) in names {
            assert_eq!(file_name(trace), page);
        }
        assert_eq!(part_name("App.v2.NETTRACE.gz"), "App.v2-part.nettrace");
        assert_eq!(part_name("old.netperf.te2"), "old-part.netperf");
    }
}
