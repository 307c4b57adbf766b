//! A file of the user's as an address names it: by its name, and by a fingerprint.
//!
//! Whoever gets the link has to drop the file themselves, so the page must be able to say which one it is about, and to
//! notice another one.

use crate::format;
use std::ops::Range;

/// So much is hashed of either end of a file: headers and totals differ there between any two recordings.
const EDGE_BYTES: u64 = 64 * 1024;

/// What identifies a file without reading all of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fingerprint {
    /// Size in bytes.
    pub bytes: u64,
    /// FNV-1a of the first and the last 64 KiB.
    hash: u64,
}

impl Fingerprint {
    /// Which bytes of a file of this size are hashed: its beginning, and what of its end lies behind that.
    pub fn edges(bytes: u64) -> [Range<u64>; 2] {
        let head = 0..bytes.min(EDGE_BYTES);
        let tail = bytes.saturating_sub(EDGE_BYTES).max(head.end)..bytes;
        [head, tail]
    }

    /// Of a file of this size with these [`Self::edges`].
    pub fn new(bytes: u64, edges: [&[u8]; 2]) -> Self {
        const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
        const PRIME: u64 = 0x0000_0100_0000_01b3;
        let add = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(PRIME);
        Self { bytes, hash: edges.into_iter().flatten().fold(BASIS, add) }
    }

    /// As a part of an address: "23400000.00ab…".
    pub fn encode(&self) -> String {
        format!("{}.{:016x}", self.bytes, self.hash)
    }

    /// From a part of an address.
    pub fn decode(text: &str) -> Option<Self> {
        let (bytes, hash) = text.split_once('.')?;
        let is_hash = hash.len() == 16 && hash.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
        let hash = u64::from_str_radix(hash, 16).ok().filter(|_| is_hash)?;
        Some(Self { bytes: bytes.parse().ok()?, hash })
    }
}

/// A file of the user's.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FileLink {
    /// Its name when the link was made.
    pub name: String,
    /// What distinguishes it from others of that name; none in addresses that were typed.
    pub print: Option<Fingerprint>,
}

impl FileLink {
    /// Whether both are the same file, as far as is known. One that was renamed is.
    pub fn is(&self, other: &Self) -> bool {
        match (self.print, other.print) {
            (Some(print), Some(others)) => print == others,
            _ => self.name == other.name,
        }
    }

    /// Its size as people read it: "23.4 MB"; none if the link doesn't have it.
    pub fn size(&self) -> Option<String> {
        self.print.map(|print| format::bytes(print.bytes))
    }

    /// Says in a sentence how `found` differs from this, the file that was meant.
    pub fn difference(&self, found: &Self) -> String {
        let name = &found.name;
        match (self.print, found.print) {
            (Some(meant), Some(found)) if meant.bytes != found.bytes => {
                let (meant, found) = (sizes(meant.bytes, found.bytes), sizes(found.bytes, meant.bytes));
                format!("{name} is a different file: {found} instead of {meant}.")
            }
            (Some(_), Some(_)) => format!("{name} is a different file: same size, different content."),
            _ => format!("{name} is a different file: this link is for {}.", self.name),
        }
    }
}

/// A size, to the byte if it would read like `other`.
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
    fn both_ends_are_hashed_and_no_byte_twice() {
        for (bytes, head, tail) in [
            (0, 0..0, 0..0),
            (10, 0..10, 10..10),
            (65_536, 0..65_536, 65_536..65_536),
            (65_540, 0..65_536, 65_536..65_540),
            (1_000_000, 0..65_536, 934_464..1_000_000),
        ] {
            assert_eq!(Fingerprint::edges(bytes), [head, tail], "{bytes}");
        }
        // The published values of FNV-1a.
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
    fn an_address_keeps_it_and_nothing_else_reads_as_one() {
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
    fn renamed_file_is_the_same_and_another_one_differs() {
        let meant = link("app.nettrace", &[1; 23_400]);
        assert!(meant.is(&link("copy.nettrace", &[1; 23_400])));
        assert_eq!(meant.size().as_deref(), Some("23.4 kB"));
        let differences = [
            (link("b.nettrace", &[1; 5_000]), "b.nettrace is a different file: 5.0 kB instead of 23.4 kB."),
            (link("b.nettrace", &[1; 23_401]), "b.nettrace is a different file: 23,401 bytes instead of 23,400 bytes."),
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
