//! A local file in a URL: its name and a fingerprint.
//!
//! Whoever opens the link must provide the file, so the page must say which file it is, and recognize a different one.

use crate::format;
use std::ops::Range;

/// Number of hashed bytes at either end of a file: headers and totals there differ between any two recordings.
const EDGE_BYTES: u64 = 64 * 1024;

/// Identity of a file that doesn't require reading all of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fingerprint {
    /// Size in bytes.
    pub bytes: u64,
    /// FNV-1a of the first and the last 64 KiB.
    hash: u64,
}

impl Fingerprint {
    /// Returns the byte ranges of a file that are hashed: its first bytes, and its last bytes without the first ones.
    pub fn edges(bytes: u64) -> [Range<u64>; 2] {
        let head = 0..bytes.min(EDGE_BYTES);
        let tail = bytes.saturating_sub(EDGE_BYTES).max(head.end)..bytes;
        [head, tail]
    }

    /// Returns the fingerprint of a file of this size, with the content of its [`Self::edges`].
    pub fn new(bytes: u64, edges: [&[u8]; 2]) -> Self {
        const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
        const PRIME: u64 = 0x0000_0100_0000_01b3;
        let add = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(PRIME);
        Self { bytes, hash: edges.into_iter().flatten().fold(BASIS, add) }
    }

    /// Returns the fingerprint as part of a URL: "23400000.00ab…".
    pub fn encode(&self) -> String {
        format!("{}.{:016x}", self.bytes, self.hash)
    }

    /// Reads a fingerprint from part of a URL.
    pub fn decode(text: &str) -> Option<Self> {
        let (bytes, hash) = text.split_once('.')?;
        let is_hash = hash.len() == 16 && hash.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
        let hash = u64::from_str_radix(hash, 16).ok().filter(|_| is_hash)?;
        Some(Self { bytes: bytes.parse().ok()?, hash })
    }
}

/// Local file.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FileLink {
    /// Name when the link was created.
    pub name: String,
    /// Fingerprint; `None` in URLs that were typed.
    pub print: Option<Fingerprint>,
}

impl FileLink {
    /// Returns whether both are the same file, as far as is known. The name may differ.
    pub fn is(&self, other: &Self) -> bool {
        match (self.print, other.print) {
            (Some(print), Some(others)) => print == others,
            _ => self.name == other.name,
        }
    }

    /// Returns the formatted size: "23.4 MB"; `None` if the link doesn't have it.
    pub fn size(&self) -> Option<String> {
        self.print.map(|print| format::bytes(print.bytes))
    }

    /// Describes in a sentence how `found` differs from this file.
    pub fn difference(&self, found: &Self) -> String {
        let name = &found.name;
        match (self.print, found.print) {
            (Some(meant), Some(found)) if meant.bytes != found.bytes => {
                let (meant, found) = (sizes(meant.bytes, found.bytes), sizes(found.bytes, meant.bytes));
                format!("{name} is a different file: {found}, expected {meant}.")
            }
            (Some(_), Some(_)) => format!("{name} is a different file: same size, different content."),
            _ => format!("{name} is a different file: this link is for {}.", self.name),
        }
    }
}

/// Formats a size, in bytes if it would otherwise look the same as `other`.
fn sizes(bytes: u64, other: u64) -> String {
    let rounded = format::bytes(bytes);
    if rounded == format::bytes(other) { format!("{} bytes", format::count(bytes)) } else { rounded }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(content: &[u8]) -> Fingerprint {
        let bytes = content.len() as u64;
        let edges = Fingerprint::edges(bytes).map(|edge| &content[edge.start as usize..edge.end as usize]);
        Fingerprint::new(bytes, edges)
    }

    fn link(name: &str, content: &[u8]) -> FileLink {
        FileLink { name: name.to_owned(), print: Some(print(content)) }
    }

    #[test]
    fn edges_cover_both_ends_without_overlap() {
        for (bytes, head, tail) in [
            (0, 0..0, 0..0),
            (10, 0..10, 10..10),
            (65_536, 0..65_536, 65_536..65_536),
            (65_540, 0..65_536, 65_536..65_540),
            (1_000_000, 0..65_536, 934_464..1_000_000),
        ] {
            assert_eq!(Fingerprint::edges(bytes), [head, tail], "{bytes}");
        }
        // Published test values of FNV-1a.
        assert_eq!(print(b"").encode(), "0.cbf29ce484222325");
        assert_eq!(print(b"foobar").encode(), "6.85944171f73967e8");
        let mut content = vec![7; 300_000];
        let before = print(&content);
        for (at, changes) in
            [(0, true), (65_535, true), (65_536, false), (234_463, false), (234_464, true), (299_999, true)]
        {
            content[at] = 8;
            assert_eq!(print(&content) != before, changes, "byte {at}");
            content[at] = 7;
        }
    }

    #[test]
    fn fingerprint_round_trips_and_other_text_is_rejected() {
        let print = print(b"a trace");
        assert_eq!(Fingerprint::decode(&print.encode()), Some(print));
        for text in [
            "",
            "7",
            "7.",
            "7.1",
            ".85944171f73967e8",
            "x.85944171f73967e8",
            "7.+5944171f73967e8",
            "7.85944171F73967E8",
        ] {
            assert_eq!(Fingerprint::decode(text), None, "{text}");
        }
    }

    #[test]
    fn renamed_file_is_same_and_other_content_differs() {
        let meant = link("app.nettrace", &[1; 23_400]);
        assert!(meant.is(&link("copy.nettrace", &[1; 23_400])));
        assert_eq!(meant.size().as_deref(), Some("23.4 kB"));
        let differences = [
            (link("b.nettrace", &[1; 5_000]), "b.nettrace is a different file: 5.00 kB, expected 23.4 kB."),
            (link("b.nettrace", &[1; 23_401]), "b.nettrace is a different file: 23,401 bytes, expected 23,400 bytes."),
            (link("app.nettrace", &[2; 23_400]), "app.nettrace is a different file: same size, different content."),
        ];
        for (found, words) in differences {
            assert!(!meant.is(&found));
            assert_eq!(meant.difference(&found), words);
        }
        let typed = FileLink { name: "app.nettrace".to_owned(), print: None };
        assert!(typed.is(&meant) && !typed.is(&link("b.nettrace", &[1; 23_400])));
        let words = "b.nettrace is a different file: this link is for app.nettrace.";
        assert_eq!((typed.difference(&link("b.nettrace", &[1])), typed.size()), (words.to_owned(), None));
    }
}
