//! gzip (RFC 1952): members, each a header, a deflate stream, a checksum and a size.

use super::inflate::Inflate;
use super::{CUT, PIECE_BYTES};
use crc32fast::Hasher;

/// Maximum size of a header with file name, comment and extra fields.
const MAX_HEADER_BYTES: usize = 256 << 10;
const TRAILER_BYTES: usize = 8;

/// Stream decoder.
#[derive(Default)]
pub(super) struct Gzip {
    part: Part,
    /// Received part of a header or trailer.
    pending: Vec<u8>,
    crc: Hasher,
    member_bytes: u32,
    members: u32,
}

#[derive(Default)]
enum Part {
    #[default]
    Header,
    Body(Inflate),
    Trailer,
    /// After the last member.
    Rest,
}

impl Gzip {
    pub(super) fn decode(&mut self, input: &[u8], output: &mut Vec<u8>) -> (usize, Result<(), &'static str>) {
        let (mut taken, start) = (0, output.len());
        while taken < input.len() && output.len() - start < PIECE_BYTES {
            let (count, result) = self.step(&input[taken..], output);
            taken += count;
            if result.is_err() {
                return (taken, result);
            }
        }
        (taken, Ok(()))
    }

    fn step(&mut self, input: &[u8], output: &mut Vec<u8>) -> (usize, Result<(), &'static str>) {
        match &mut self.part {
            Part::Header => self.header(input),
            Part::Body(inflate) => {
                let start = output.len();
                let (taken, result) = inflate.decode(input, output);
                self.crc.update(&output[start..]);
                self.member_bytes = self.member_bytes.wrapping_add((output.len() - start) as u32);
                if inflate.has_ended() {
                    self.part = Part::Trailer;
                } else if result.is_ok() && taken == 0 && output.len() == start {
                    return (taken, Err("it is damaged"));
                }
                (taken, result)
            }
            Part::Trailer => self.trailer(input),
            Part::Rest => (input.len(), Ok(())),
        }
    }

    fn header(&mut self, input: &[u8]) -> (usize, Result<(), &'static str>) {
        let before = self.pending.len();
        let count = input.len().min(MAX_HEADER_BYTES - before);
        self.pending.extend_from_slice(&input[..count]);
        match header_bytes(&self.pending) {
            Header::Complete(bytes) => {
                self.pending.clear();
                self.part = Part::Body(Inflate::new());
                (self.crc, self.member_bytes) = (Hasher::new(), 0);
                self.members += 1;
                // The pending bytes weren't sufficient, so the header ends in this input.
                (bytes.saturating_sub(before), Ok(()))
            }
            Header::Incomplete if before + count < MAX_HEADER_BYTES => (count, Ok(())),
            // Tapes are padded with zeros; gzip itself ignores any other trailing data.
            Header::None if self.members > 0 => {
                self.pending.clear();
                self.part = Part::Rest;
                (count, Ok(()))
            }
            _ => (count, Err("its header is damaged")),
        }
    }

    fn trailer(&mut self, input: &[u8]) -> (usize, Result<(), &'static str>) {
        let count = input.len().min(TRAILER_BYTES - self.pending.len());
        self.pending.extend_from_slice(&input[..count]);
        let Ok(trailer) = <[u8; TRAILER_BYTES]>::try_from(self.pending.as_slice()) else { return (count, Ok(())) };
        self.pending.clear();
        self.part = Part::Header;
        let [a, b, c, d, e, f, g, h] = trailer;
        let is_right = u32::from_le_bytes([a, b, c, d]) == self.crc.clone().finalize()
            && u32::from_le_bytes([e, f, g, h]) == self.member_bytes;
        (count, if is_right { Ok(()) } else { Err("checksum mismatch, so any byte may be wrong") })
    }

    pub(super) fn finish(&self) -> Result<(), &'static str> {
        let is_complete = match self.part {
            Part::Header => self.members > 0 && self.pending.is_empty(),
            Part::Rest => true,
            Part::Body(_) | Part::Trailer => false,
        };
        if is_complete { Ok(()) } else { Err(CUT) }
    }
}

enum Header {
    Complete(usize),
    Incomplete,
    None,
}

/// Parses a header (section 2.3).
fn header_bytes(bytes: &[u8]) -> Header {
    let is_like_one = bytes.iter().zip([0x1f, 0x8b, 8]).all(|(found, expected)| *found == expected);
    if !is_like_one {
        return Header::None;
    }
    let length = || -> Option<usize> {
        let flags = *bytes.get(3)?;
        let mut at = 10;
        if flags & 4 != 0 {
            at += 2 + usize::from(u16::from_le_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
        }
        for text in [8, 16] {
            if flags & text != 0 {
                at += bytes.get(at..)?.iter().position(|byte| *byte == 0)? + 1;
            }
        }
        at += if flags & 2 != 0 { 2 } else { 0 };
        (bytes.len() >= at).then_some(at)
    };
    length().map_or(Header::Incomplete, Header::Complete)
}
