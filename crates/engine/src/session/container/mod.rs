//! Traces in compressed files and archives (S113: compression wraps the whole stream).
//!
//! A file's content determines its format; its name is ignored. [`unwrap`] finds the trace in it, through several
//! layers if necessary, with a [`Platform`] that only moves bytes: the browser's streams in the worker, [`decompress`]
//! natively.

mod archive;
mod failures;
#[cfg(not(target_family = "wasm"))]
pub mod native;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod unwrap;

pub use archive::{Archive, Entry};
pub use decompress::Coding;
pub use failures::{damaged_stream, nothing_unpacked, too_large};
pub use unwrap::{Packed, Platform, Unwrapped, unwrap};

/// Maximum decompressed size. Decompressed data is stored, because payloads are read again.
pub const MAX_UNPACKED_BYTES: u64 = 4 << 30;

/// Maximum number of layers around a trace. A compressed file in a nested archive is plausible; more isn't.
const MAX_LAYERS: usize = 4;

/// Number of first bytes that [`Wrapping::of`] needs.
pub const WRAPPING_BYTES: usize = 4;

/// Size and checksum that an archive declares for a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checksum {
    /// Size in bytes.
    pub bytes: u64,
    /// CRC-32.
    pub crc32: u32,
}

/// Outermost layer of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrapping {
    /// Compressed stream.
    Stream(Coding),
    /// ZIP archive.
    Archive,
}

impl Wrapping {
    /// Detects the layer from the first bytes.
    pub fn of(prefix: &[u8]) -> Option<Self> {
        let magic: [u8; WRAPPING_BYTES] = prefix.get(..WRAPPING_BYTES)?.try_into().ok()?;
        match magic {
            [0x1f, 0x8b, 8, _] => Some(Self::Stream(Coding::Gzip)),
            // Magic numbers of a frame and of skippable frames.
            [0x28, 0xb5, 0x2f, 0xfd] | [0x50..=0x5f, 0x2a, 0x4d, 0x18] => Some(Self::Stream(Coding::Zstd)),
            // Signatures of a file, of the end of an empty archive, and of a formerly split archive.
            [b'P', b'K', 3, 4] | [b'P', b'K', 5, 6] | [b'P', b'K', 7, 8] => Some(Self::Archive),
            _ => None,
        }
    }
}

/// Returns the decompressed size of a stream, if its first bytes declare it (RFC 8878, 3.1.1.1: frame header).
pub fn declared_bytes(coding: Coding, prefix: &[u8]) -> Option<u64> {
    if coding != Coding::Zstd || !prefix.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        return None;
    }
    let descriptor = *prefix.get(4)?;
    let is_single_segment = descriptor & 0x20 != 0;
    let dictionary_bytes = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let at = 5 + usize::from(!is_single_segment) + dictionary_bytes;
    let field = |bytes: usize| prefix.get(at..at + bytes);
    match descriptor >> 6 {
        0 if is_single_segment => field(1).map(|bytes| u64::from(bytes[0])),
        0 => None,
        1 => Some(u64::from(u16::from_le_bytes(field(2)?.try_into().ok()?)) + 256),
        2 => Some(u64::from(u32::from_le_bytes(field(4)?.try_into().ok()?))),
        _ => Some(u64::from_le_bytes(field(8)?.try_into().ok()?)),
    }
}

#[cfg(test)]
mod layers_tests;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapping_is_detected_by_first_bytes() {
        assert_eq!(Wrapping::of(b"\x1f\x8b\x08\0"), Some(Wrapping::Stream(Coding::Gzip)));
        assert_eq!(Wrapping::of(b"\x28\xb5\x2f\xfd\0"), Some(Wrapping::Stream(Coding::Zstd)));
        assert_eq!(Wrapping::of(b"\x5a\x2a\x4d\x18"), Some(Wrapping::Stream(Coding::Zstd)));
        assert_eq!(Wrapping::of(b"PK\x03\x04"), Some(Wrapping::Archive));
        assert_eq!(Wrapping::of(b"PK\x05\x06"), Some(Wrapping::Archive));
        assert_eq!(Wrapping::of(b"Nettrace"), None);
        assert_eq!(Wrapping::of(b"\x1f\x8b"), None);
    }

    #[test]
    fn declared_bytes_are_read_from_frame() {
        let declared = |rest: &[u8]| declared_bytes(Coding::Zstd, &[&[0x28, 0xb5, 0x2f, 0xfd], rest].concat());
        assert_eq!(declared(&[0x20, 77]), Some(77));
        assert_eq!(declared(&[0x00, 0x58]), None);
        assert_eq!(declared(&[0x60, 1, 0]), Some(257));
        assert_eq!(declared(&[0x84, 0x58, 0, 0, 0, 1]), Some(1 << 24));
        assert_eq!(declared(&[0xe1, 9, 0, 0, 0, 0, 1, 0, 0, 0]), Some(1 << 32));
        assert_eq!(declared(&[0xe0, 0, 0]), None, "cut");
        assert_eq!(declared_bytes(Coding::Gzip, b"\x1f\x8b\x08"), None);
    }
}
