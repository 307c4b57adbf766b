//! Detects traces that were damaged by a transfer in text mode: by FTP, Git, a shell or a chat.

use crate::model::Diagnostics;
use nettrace::{Damage, Item, Parser, Step};

/// Number of first bytes that [`TextDamage::of`] needs.
pub const EXAMINED_BYTES: usize = 256 << 10;

/// Damage by a transfer in text mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextDamage {
    /// Every LF became CR LF.
    LineFeeds,
    /// Bytes that aren't text were replaced or encoded.
    Encoding,
}

/// Message about a trace whose added CRs were removed.
pub const RESTORED: &str = "A text-mode transfer changed LF bytes to CR LF. Traceglass restored them and checked the \
    result against the block sizes. Next time, copy traces in binary mode. In Git, add “*.nettrace binary” to \
    .gitattributes before committing a trace.";

/// Returns whether the only issue of a trace is that its added CRs were removed.
pub fn is_restored(issues: &Diagnostics) -> bool {
    issues.total == 1 && issues.examples.first().is_some_and(|first| first.message == RESTORED)
}

/// U+FFFD in UTF-8, with which decoders replace bytes that aren't text.
const REPLACEMENT: &[u8] = b"\xef\xbf\xbd";

impl TextDamage {
    /// Examines the first bytes of a file that can't be read completely.
    ///
    /// Never reports intact traces. Line feeds count as damaged only if more blocks are readable without the added CRs,
    /// and the encoding only if all bytes are text, which is never true for a trace.
    pub fn of(prefix: &[u8]) -> Option<Self> {
        let prefix = &prefix[..prefix.len().min(EXAMINED_BYTES)];
        if is_encoded(prefix) { Some(Self::Encoding) } else { has_added_returns(prefix).then_some(Self::LineFeeds) }
    }

    /// Describes the damage and its fix.
    pub fn message(self) -> &'static str {
        match self {
            Self::LineFeeds => {
                "A text-mode transfer changed LF bytes to CR LF. Copy the trace again in binary mode. In Git, add \
                 “*.nettrace binary” to .gitattributes before committing the trace."
            }
            Self::Encoding => {
                "A text-mode transfer replaced bytes that aren't text. Copy the trace again in binary mode."
            }
        }
    }
}

/// Returns whether the bytes are UTF-8 or UTF-16 text that begins like a trace.
fn is_encoded(prefix: &[u8]) -> bool {
    let utf16 = |unit: fn(u8) -> [u8; 2]| b"Nettrace".iter().copied().flat_map(unit).collect::<Vec<u8>>();
    let after_mark = |mark: &[u8], start: &[u8]| prefix.strip_prefix(mark).is_some_and(|rest| rest.starts_with(start));
    if after_mark(b"\xff\xfe", &utf16(|byte| [byte, 0]))
        || after_mark(b"\xfe\xff", &utf16(|byte| [0, byte]))
        || after_mark(b"\xef\xbb\xbf", b"Nettrace")
    {
        return true;
    }
    let is_text = match std::str::from_utf8(prefix) {
        Ok(_) => true,
        // The prefix may end inside a character.
        Err(error) => error.error_len().is_none(),
    };
    is_text && prefix.windows(REPLACEMENT.len()).any(|window| window == REPLACEMENT)
}

/// Returns whether an LF has no CR before it, which rules out added CRs.
pub fn has_bare_line_feed(bytes: &[u8]) -> bool {
    bytes.windows(2).any(|pair| pair[1] == b'\n' && pair[0] != b'\r')
}

/// Returns whether every LF follows a CR, and the block sizes match only without these CRs.
fn has_added_returns(prefix: &[u8]) -> bool {
    let mut restored = Vec::with_capacity(prefix.len());
    for &byte in prefix {
        if byte == b'\n' && restored.pop_if(|before| *before == b'\r').is_none() {
            return false;
        }
        restored.push(byte);
    }
    if restored.len() == prefix.len() {
        return false;
    }
    let without = Chain::of(&restored);
    without.is_sound && without.items > Chain::of(prefix).items
}

/// Items at the start of a file, up to the first damage.
struct Chain {
    items: usize,
    /// True if there is no damage, except for missing bytes at the end.
    is_sound: bool,
}

impl Chain {
    fn of(bytes: &[u8]) -> Self {
        let (mut parser, mut rest, mut items) = (Parser::new(), bytes, 0);
        let is_sound = loop {
            match parser.parse(rest, true) {
                Ok(Step::Parsed { item: Item::Damage(Damage { error, .. }), .. }) => break error.is_truncation(),
                Ok(Step::Parsed { consumed, .. }) => rest = rest.get(consumed..).unwrap_or_default(),
                Ok(_) => break true,
                Err(error) => break error.is_truncation(),
            }
            items += 1;
        };
        Self { items, is_sound }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn fixture(name: &str) -> Vec<u8> {
        let path = format!("{}/../../tests/fixtures/{name}.gz", env!("CARGO_MANIFEST_DIR"));
        let mut bytes = Vec::new();
        let packed = std::fs::File::open(path).expect("a fixture");
        flate2::read::GzDecoder::new(packed).read_to_end(&mut bytes).expect("a fixture");
        bytes
    }

    fn with_returns(bytes: &[u8]) -> Vec<u8> {
        let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
        lines.join(&b"\r\n"[..])
    }

    const TRACES: [&str; 4] =
        ["orders-net31.nettrace", "short-net10.nettrace", "cpu-v6-net10.nettrace", "orders-net21.netperf"];

    #[test]
    fn added_carriage_returns_are_found_in_every_version() {
        let bytes = include_bytes!("../../../../../tests/fixtures/cases/crlf.nettrace");
        assert_eq!(TextDamage::of(bytes), Some(TextDamage::LineFeeds));
        for name in TRACES {
            assert_eq!(TextDamage::of(&with_returns(&fixture(name))), Some(TextDamage::LineFeeds), "{name}");
        }
    }

    #[test]
    fn text_decoded_traces_are_found() {
        for name in TRACES {
            let text = String::from_utf8_lossy(&fixture(name)).into_owned();
            assert_eq!(TextDamage::of(text.as_bytes()), Some(TextDamage::Encoding), "{name}");
        }
        let text = String::from_utf8_lossy(&fixture(TRACES[0])).into_owned();
        let utf16: Vec<u8> = [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        assert_eq!(TextDamage::of(&utf16), Some(TextDamage::Encoding));
    }

    #[test]
    fn intact_and_otherwise_damaged_traces_are_not_text_damage() {
        for name in [&TRACES[..], &["cut-net10.nettrace", "aborted-net31.nettrace"]].concat() {
            let mut bytes = fixture(name);
            assert_eq!(TextDamage::of(&bytes), None, "{name}");
            for at in (200..bytes.len()).step_by(97) {
                bytes[at] ^= 0x5a;
            }
            assert_eq!(TextDamage::of(&bytes), None, "{name}, damaged");
        }
        for bytes in [&b""[..], b"Nettrace", b"Nettrace\r\n", b"\r\n\r\n", b"Nettrace\xef\xbf", &[b'\r'; 64], b"\n"] {
            assert_eq!(TextDamage::of(bytes), None, "{bytes:?}");
        }
    }
}
