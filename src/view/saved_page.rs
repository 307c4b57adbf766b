//! What is said of a page with a trace in it before it is saved.

use super::format;

/// Sizes of such a page, in bytes.
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
    /// "14.3 MB: this viewer (1.3 MB) and the whole trace, 23.4 MB, which takes 13.0 MB in there."
    pub fn words(&self) -> String {
        let [whole, viewer, trace, packed] =
            [self.viewer + self.packed, self.viewer, self.trace, self.packed].map(format::bytes);
        format!("{whole}: this viewer ({viewer}) and the whole trace, {trace}, which takes {packed} in there.")
    }
}

/// What the page of a trace is called: "app.html" of "app.nettrace.gz".
pub fn file_name(trace: &str) -> String {
    let lower = trace.to_ascii_lowercase();
    let end = [".nettrace", ".netperf"].iter().find_map(|kind| lower.find(kind)).or_else(|| trace.rfind('.'));
    let stem = end.and_then(|end| trace.get(..end)).filter(|stem| !stem.is_empty()).unwrap_or(trace);
    format!("{stem}.html")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_told_apart() {
        let sizes = PageSizes { viewer: 1_300_000, trace: 23_400_000, packed: 13_000_000 };
        let words = "14.3 MB: this viewer (1.3 MB) and the whole trace, 23.4 MB, which takes 13.0 MB in there.";
        assert_eq!(sizes.words(), words);
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
    }
}
