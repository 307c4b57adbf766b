//! Undoes text-mode transfers, which turn every LF into CR LF.

const CR: u8 = b'\r';
const LF: u8 = b'\n';

/// Removes the CR before each LF.
#[derive(Debug, Default)]
pub(super) struct Returns {
    /// True if the last byte was a CR, which belongs to the output unless an LF follows.
    is_pending: bool,
}

impl Returns {
    /// Decodes all of `input`.
    pub fn decode(&mut self, input: &[u8], output: &mut Vec<u8>) {
        for &byte in input {
            if self.is_pending && byte != LF {
                output.push(CR);
            }
            self.is_pending = byte == CR;
            if !self.is_pending {
                output.push(byte);
            }
        }
    }

    /// Ends the stream.
    pub fn finish(&mut self, output: &mut Vec<u8>) {
        if std::mem::take(&mut self.is_pending) {
            output.push(CR);
        }
    }
}
