//! Zstandard (RFC 8878): frames of blocks, each of which is decoded in one step.

use super::{CUT, PIECE_BYTES};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Maximum size of a block (3.1.1.2.4).
const MAX_BLOCK_BYTES: usize = 128 << 10;
const BLOCK_HEADER_BYTES: usize = 3;
const CHECKSUM_BYTES: usize = 4;

/// Stream decoder.
#[derive(Default)]
pub(super) struct Zstd {
    frames: FrameDecoder,
    part: Part,
    /// Received part of a header or block.
    pending: Vec<u8>,
    frames_seen: u32,
    has_checksum: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Frame,
    Block,
    /// Remaining bytes of a skippable frame (3.1.2).
    Skipped(u32),
    /// After the last frame.
    Rest,
}

impl Zstd {
    pub(super) fn decode(&mut self, input: &[u8], output: &mut Vec<u8>) -> (usize, Result<(), &'static str>) {
        let (mut taken, start) = (0, output.len());
        while taken < input.len() && output.len() - start < PIECE_BYTES {
            match self.part {
                Part::Rest => taken = input.len(),
                Part::Skipped(left) => {
                    let count = (input.len() - taken).min(left as usize);
                    taken += count;
                    let left = left - count as u32;
                    self.part = if left == 0 { Part::Frame } else { Part::Skipped(left) };
                }
                Part::Frame | Part::Block => {
                    // Takes only the needed bytes, so that no complete header or block stays pending.
                    let missing = self.wanted() - self.pending.len();
                    let count = missing.min(input.len() - taken);
                    self.pending.extend_from_slice(&input[taken..taken + count]);
                    taken += count;
                    if count < missing || self.wanted() > self.pending.len() {
                        continue;
                    }
                    let result = if self.part == Part::Frame { self.frame() } else { self.block(output) };
                    self.pending.clear();
                    if let Err(what) = result {
                        self.drain(output);
                        return (taken, Err(what));
                    }
                }
            }
        }
        (taken, Ok(()))
    }

    pub(super) fn finish(&mut self, output: &mut Vec<u8>) -> Result<(), &'static str> {
        let is_complete = match self.part {
            Part::Frame => self.frames_seen > 0 && self.pending.is_empty(),
            Part::Rest => true,
            Part::Block | Part::Skipped(_) => false,
        };
        if is_complete {
            return Ok(());
        }
        self.drain(output);
        Err(CUT)
    }

    /// Returns the number of bytes for the next step, as far as the received ones determine it.
    fn wanted(&self) -> usize {
        let pending = self.pending.as_slice();
        match self.part {
            Part::Block => match pending.first_chunk::<BLOCK_HEADER_BYTES>() {
                None => BLOCK_HEADER_BYTES,
                Some(header) => {
                    let header = BlockHeader::of(*header);
                    let checksum = if header.is_last && self.has_checksum { CHECKSUM_BYTES } else { 0 };
                    BLOCK_HEADER_BYTES + header.content_bytes.min(MAX_BLOCK_BYTES) + checksum
                }
            },
            // The magic number, then either the descriptor or the size of the skippable frame.
            _ if pending.len() < 4 => 4,
            _ if !pending.starts_with(&MAGIC) => {
                if is_skippable(pending) {
                    8
                } else {
                    4
                }
            }
            _ => match pending.get(4) {
                None => 5,
                Some(descriptor) => {
                    let is_single_segment = descriptor & 0x20 != 0;
                    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
                    let size = match descriptor >> 6 {
                        0 => usize::from(is_single_segment),
                        power => 1 << power,
                    };
                    5 + usize::from(!is_single_segment) + dictionary + size
                }
            },
        }
    }

    fn frame(&mut self) -> Result<(), &'static str> {
        if is_skippable(&self.pending) {
            let length = self.pending.get(4..8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_le_bytes);
            self.part = if length == 0 { Part::Frame } else { Part::Skipped(length) };
            return Ok(());
        }
        if !self.pending.starts_with(&MAGIC) {
            self.part = Part::Rest;
            return if self.frames_seen > 0 { Ok(()) } else { Err("its header is damaged") };
        }
        use ruzstd::decoding::errors::FrameDecoderError;
        self.frames.reset(self.pending.as_slice()).map_err(|error| match error {
            FrameDecoderError::WindowSizeTooBig { .. } => "its window is larger than 128 MiB",
            FrameDecoderError::DictNotProvided { .. } => "it needs a dictionary that isn't in the file",
            _ => "its header is damaged",
        })?;
        self.has_checksum = self.pending.get(4).is_some_and(|descriptor| descriptor & 4 != 0);
        self.frames_seen += 1;
        self.part = Part::Block;
        Ok(())
    }

    fn block(&mut self, output: &mut Vec<u8>) -> Result<(), &'static str> {
        let header = self.pending.first_chunk().map(|header| BlockHeader::of(*header));
        if header.is_none_or(|header| header.content_bytes > MAX_BLOCK_BYTES) {
            return Err("it is damaged");
        }
        let one = BlockDecodingStrategy::UptoBlocks(1);
        let has_ended = self.frames.decode_blocks(self.pending.as_slice(), one).map_err(|_| "it is damaged")?;
        // Writing to memory can't fail.
        let _ = self.frames.collect_to_writer(&mut *output);
        if has_ended {
            self.part = Part::Frame;
            let expected = self.frames.get_checksum_from_data();
            if expected.is_some() && expected != self.frames.get_calculated_checksum() {
                return Err("checksum mismatch, so any byte may be wrong");
            }
        }
        Ok(())
    }

    /// Returns the data that the decoder holds for references of later blocks, by adding an empty last block.
    fn drain(&mut self, output: &mut Vec<u8>) {
        const LAST_BLOCK: [u8; BLOCK_HEADER_BYTES + CHECKSUM_BYTES] = [1, 0, 0, 0, 0, 0, 0];
        let is_inside = self.part == Part::Block && self.frames_seen > 0;
        if is_inside && self.frames.decode_blocks(LAST_BLOCK.as_slice(), BlockDecodingStrategy::All).is_ok() {
            // Writing to memory can't fail.
            let _ = self.frames.collect_to_writer(output);
        }
        self.part = Part::Rest;
    }
}

struct BlockHeader {
    is_last: bool,
    content_bytes: usize,
}

impl BlockHeader {
    /// Parses a block header (3.1.1.2): one bit, two bits of type, 21 bits of size.
    fn of(bytes: [u8; BLOCK_HEADER_BYTES]) -> Self {
        let [low, middle, high] = bytes;
        let header = u32::from_le_bytes([low, middle, high, 0]);
        const REPEATED_BYTE: u32 = 1;
        let content_bytes = if (header >> 1) & 3 == REPEATED_BYTE { 1 } else { (header >> 3) as usize };
        Self { is_last: header & 1 == 1, content_bytes }
    }
}

fn is_skippable(bytes: &[u8]) -> bool {
    matches!(bytes, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}
