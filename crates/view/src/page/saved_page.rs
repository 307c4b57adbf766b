//! Descriptions of a saved page or an excerpt, shown before it is saved.

use crate::format;
use protocol::file_names::{copy_name, stem};

/// Content of a saved page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Saved {
    #[default]
    Whole,
    Copy {
        size: PartSize,
        contents: CopyContents,
    },
}

/// What a copy of the trace contains.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CopyContents {
    /// True for the filtered events only.
    pub is_part: bool,
    /// True if private text is masked.
    pub is_masked: bool,
}

impl Saved {
    /// Returns the content of a page with this trace and another one.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Copy { size, contents }, Self::Copy { size: more, .. }) => {
                Self::Copy { size: size.and(more), contents }
            }
            _ => Self::Whole,
        }
    }
}

impl CopyContents {
    /// Returns whether the page has the whole trace instead of a copy.
    pub fn is_whole(self) -> bool {
        self == Self::default()
    }

    /// Describes the trace: "a masked part of the trace".
    fn words(self, traces: u64) -> String {
        match (self.is_part, self.is_masked) {
            (false, true) if traces > 1 => format!("{traces} masked traces"),
            (false, false) => "the trace".to_owned(),
            (false, true) => "the masked trace".to_owned(),
            (true, false) => "a part of the trace".to_owned(),
            (true, true) => "a masked part of the trace".to_owned(),
        }
    }

    /// Returns the file name of a copy: "app-part.nettrace" for "app.nettrace.gz".
    pub fn file_name(self, trace: &str) -> String {
        copy_name(trace, self.is_part, self.is_masked)
    }
}

/// Size of an excerpt.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PartSize {
    /// Number of events, including those with names of methods and threads.
    pub events: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// Unreadable bytes of the trace, which are excluded.
    pub damaged_bytes: u64,
}

impl PartSize {
    fn and(self, other: Self) -> Self {
        Self {
            events: self.events + other.events,
            bytes: self.bytes + other.bytes,
            damaged_bytes: self.damaged_bytes + other.damaged_bytes,
        }
    }

    /// Describes the size, after the file name and "will": "have 12,345 events, 3.40 MB."
    pub fn words(&self) -> String {
        let damage = match self.damaged_bytes {
            0 => String::new(),
            bytes => format!(" {} of damaged data is excluded.", format::bytes(bytes)),
        };
        format!("have {}, {}.{damage}", format::counted(self.events, "event"), format::bytes(self.bytes))
    }
}

/// Sizes of the parts of a saved page, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PageSizes {
    pub viewer: u64,
    pub traces: u64,
    /// The traces as files.
    pub trace: u64,
    /// The traces as stored in the page.
    pub packed: u64,
}

impl PageSizes {
    /// Describes the size, after "will": "be 14.3 MB: this viewer (1.30 MB) and the whole trace (23.4 MB, stored as 13.0
    /// MB)."
    pub fn words(&self, what: Saved) -> String {
        let [whole, viewer, trace, packed] =
            [self.viewer + self.packed, self.viewer, self.trace, self.packed].map(format::bytes);
        let what = match what {
            Saved::Whole if self.traces > 1 => format!("{} whole traces", self.traces),
            Saved::Whole => "the whole trace".to_owned(),
            Saved::Copy { size, contents } => {
                format!("{} with {}", contents.words(self.traces), format::counted(size.events, "event"))
            }
        };
        format!("be {whole}: this viewer ({viewer}) and {what} ({trace}, stored as {packed}).")
    }
}

/// Returns the file name of a saved page: "app.html" for "app.nettrace.gz", with the names of both of two traces.
pub fn file_name(traces: &[String]) -> String {
    match traces {
        [first, second] => format!("{}-{}.html", stem(first), stem(second)),
        traces => format!("{}.html", traces.first().map_or("", |first| stem(first))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_sizes_of_viewer_and_trace() {
        let sizes = PageSizes { viewer: 1_300_000, traces: 1, trace: 23_400_000, packed: 13_000_000 };
        let words = "be 14.3 MB: this viewer (1.30 MB) and the whole trace (23.4 MB, stored as 13.0 MB).";
        assert_eq!(sizes.words(Saved::Whole), words);
        let part = PartSize { events: 1234, bytes: 23_400_000, damaged_bytes: 70 };
        let words = words.replace("the whole trace", "a part of the trace with 1,234 events");
        let contents = CopyContents { is_part: true, is_masked: false };
        assert_eq!(sizes.words(Saved::Copy { size: part, contents }), words);
        let contents = CopyContents { is_part: false, is_masked: true };
        let words = words.replace("a part of the trace", "the masked trace");
        assert_eq!(sizes.words(Saved::Copy { size: part, contents }), words);
        let sizes = PageSizes { traces: 2, ..sizes };
        let both = Saved::Copy { size: part, contents }.and(Saved::Copy { size: part, contents });
        let words = words.replace("the masked trace with 1,234", "2 masked traces with 2,468");
        assert_eq!(sizes.words(both), words);
        assert_eq!(sizes.words(Saved::Whole), words.replace("masked traces with 2,468 events", "whole traces"));
        assert_eq!(part.words(), "have 1,234 events, 23.4 MB. 70 B of damaged data is excluded.");
    }

    #[test]
    fn page_file_name_follows_from_trace() {
        let names = [
            ("web-net10.nettrace", "web-net10.html"),
            ("App.v2.NETTRACE.gz", "App.v2.html"),
            ("old.netperf.te2", "old.html"),
            ("day.zip", "day.html"),
            ("trace", "trace.html"),
            (".nettrace", ".nettrace.html"),
        ];
        for (trace, page) in names {
            assert_eq!(file_name(&[trace.to_owned()]), page);
        }
        assert_eq!(file_name(&["old.nettrace".to_owned(), "new.nettrace".to_owned()]), "old-new.html");
        let copy = |is_part, is_masked| CopyContents { is_part, is_masked };
        assert_eq!(copy(true, false).file_name("App.v2.NETTRACE.gz"), "App.v2-part.nettrace");
        assert_eq!(copy(true, true).file_name("old.netperf.te2"), "old-part-masked.netperf");
        assert_eq!(copy(false, true).file_name("app.nettrace"), "app-masked.nettrace");
    }
}
