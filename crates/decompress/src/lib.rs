//! Decompresses gzip, deflate and Zstandard streams incrementally: natively, and in the program that a worker loads for
//! codings that the browser doesn't support and for damaged streams. Also undoes text-mode transfers.

mod gzip;
mod inflate;
mod returns;
mod zstd;

/// Compression format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Coding {
    /// Not compressed.
    Stored,
    /// Bare deflate stream (RFC 1951), as in archives.
    Deflate,
    /// gzip (RFC 1952), possibly with several members.
    Gzip,
    /// Zstandard (RFC 8878), possibly with several frames.
    Zstd,
    /// Uncompressed, transferred in text mode, which added a CR before each LF.
    AddedReturns,
}

impl Coding {
    /// Returns the display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stored => "stored",
            Self::Deflate => "deflate",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::AddedReturns => "CR LF",
        }
    }

    /// Returns the coding with a display name.
    pub fn of_name(name: &str) -> Option<Self> {
        let all = [Self::Stored, Self::Deflate, Self::Gzip, Self::Zstd, Self::AddedReturns];
        all.into_iter().find(|coding| coding.name() == name)
    }
}

/// Approximate maximum size of the output per call.
const PIECE_BYTES: usize = 1 << 20;

/// Offset and cause of damage. The output before it is correct.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Damage {
    /// Offset in the compressed data.
    pub packed_offset: u64,
    /// Cause: "it is truncated".
    pub what: &'static str,
}

/// Stream decoder.
pub struct Decoder {
    inner: Inner,
    taken: u64,
}

enum Inner {
    Stored,
    Deflate(inflate::Inflate),
    Gzip(Box<gzip::Gzip>),
    Zstd(Box<zstd::Zstd>),
    AddedReturns(returns::Returns),
}

impl Decoder {
    /// Creates a decoder at the start of a stream.
    pub fn new(coding: Coding) -> Self {
        let inner = match coding {
            Coding::Stored => Inner::Stored,
            Coding::Deflate => Inner::Deflate(inflate::Inflate::new()),
            Coding::Gzip => Inner::Gzip(Box::default()),
            Coding::Zstd => Inner::Zstd(Box::default()),
            Coding::AddedReturns => Inner::AddedReturns(returns::Returns::default()),
        };
        Self { inner, taken: 0 }
    }

    /// Decodes `input` and appends about a megabyte at most to `output`. Returns the number of consumed bytes of
    /// `input`; if some remain, call again with the rest.
    ///
    /// # Errors
    /// Fails if nothing more can be decoded. `output` contains the data before the damage.
    pub fn decode(&mut self, input: &[u8], output: &mut Vec<u8>) -> Result<usize, Damage> {
        let (taken, result) = match &mut self.inner {
            Inner::Stored => {
                let count = input.len().min(PIECE_BYTES);
                output.extend_from_slice(&input[..count]);
                (count, Ok(()))
            }
            Inner::Deflate(inflate) => inflate.decode_to_the_end(input, output),
            Inner::Gzip(gzip) => gzip.decode(input, output),
            Inner::Zstd(zstd) => zstd.decode(input, output),
            Inner::AddedReturns(returns) => {
                let count = input.len().min(PIECE_BYTES);
                returns.decode(&input[..count], output);
                (count, Ok(()))
            }
        };
        self.taken += taken as u64;
        result.map(|()| taken).map_err(|what| Damage { packed_offset: self.taken, what })
    }

    /// Ends the stream, after all input has been consumed.
    ///
    /// # Errors
    /// Fails if the stream is incomplete. `output` contains the data before its end.
    pub fn finish(&mut self, output: &mut Vec<u8>) -> Result<(), Damage> {
        let result = match &mut self.inner {
            Inner::Stored => Ok(()),
            Inner::Deflate(inflate) => inflate.finish(),
            Inner::Gzip(gzip) => gzip.finish(),
            Inner::Zstd(zstd) => zstd.finish(output),
            Inner::AddedReturns(returns) => {
                returns.finish(output);
                Ok(())
            }
        };
        result.map_err(|what| Damage { packed_offset: self.taken, what })
    }
}

/// Cause of damage in a stream that ends too early.
const CUT: &str = "it is truncated";

#[cfg(test)]
mod tests;
