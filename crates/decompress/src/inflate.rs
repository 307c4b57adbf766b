//! Deflate stream (RFC 1951).

use super::{CUT, PIECE_BYTES};
use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZError, MZFlush, MZStatus};

/// Size of the output buffer: twice the window, so that all data before damage fits.
const ROOM_BYTES: usize = 64 << 10;

/// Stream decoder.
pub(super) struct Inflate {
    state: Box<InflateState>,
    has_ended: bool,
}

impl Inflate {
    pub(super) fn new() -> Self {
        Self { state: InflateState::new_boxed(DataFormat::Raw), has_ended: false }
    }

    /// Returns whether the last block has been decoded.
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Decodes input up to the end of the stream. Returns the number of consumed bytes.
    pub(super) fn decode(&mut self, input: &[u8], output: &mut Vec<u8>) -> (usize, Result<(), &'static str>) {
        let (mut taken, start) = (0, output.len());
        while !self.has_ended {
            let filled = output.len();
            output.resize(filled + ROOM_BYTES, 0);
            let result = inflate(&mut self.state, &input[taken..], &mut output[filled..], MZFlush::None);
            output.truncate(filled + result.bytes_written);
            taken += result.bytes_consumed;
            match result.status {
                Ok(MZStatus::StreamEnd) => self.has_ended = true,
                Ok(_) | Err(MZError::Buf) => {}
                Err(_) => return (taken, Err("it is damaged")),
            }
            // If the buffer is full, the decoder may have more output, which the next call must request.
            let is_full = result.bytes_written == ROOM_BYTES;
            let is_drained = taken == input.len() && !is_full;
            let is_enough = taken < input.len() && output.len() - start >= PIECE_BYTES;
            let is_stuck = result.bytes_consumed == 0 && result.bytes_written == 0;
            if is_drained || is_enough || is_stuck {
                break;
            }
        }
        (taken, Ok(()))
    }

    /// Decodes input of a stream without trailing data.
    pub(super) fn decode_to_the_end(
        &mut self,
        input: &[u8],
        output: &mut Vec<u8>,
    ) -> (usize, Result<(), &'static str>) {
        match self.decode(input, output) {
            (_, Ok(())) if self.has_ended => (input.len(), Ok(())),
            (0, Ok(())) if !input.is_empty() => (0, Err("it is damaged")),
            other => other,
        }
    }

    pub(super) fn finish(&self) -> Result<(), &'static str> {
        if self.has_ended { Ok(()) } else { Err(CUT) }
    }
}
