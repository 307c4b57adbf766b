//! Unpacks gzip, deflate and Zstandard streams that arrive in pieces, without any other machinery: natively, and in
//! the program that a worker loads when its browser does not know a coding or gives up on a damaged stream.

mod gzip;
mod inflate;
mod zstd;

/// How bytes are packed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Coding {
    /// Not at all.
    Stored,
    /// A bare deflate stream (RFC 1951), as in archives.
    Deflate,
    /// gzip (RFC 1952), possibly of several members.
    Gzip,
    /// Zstandard (RFC 8878), possibly of several frames.
    Zstd,
}

impl Coding {
    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stored => "stored",
            Self::Deflate => "deflate",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }

    /// The coding that people call this.
    pub fn of_name(name: &str) -> Option<Self> {
        [Self::Stored, Self::Deflate, Self::Gzip, Self::Zstd].into_iter().find(|coding| coding.name() == name)
    }
}

/// About so much is given out at once, however much a piece of input holds.
const PIECE_BYTES: usize = 1 << 20;

/// Where and why unpacking ended before its end. What was given out before is right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Damage {
    /// Position in what is packed.
    pub packed_offset: u64,
    /// What is wrong: "it is cut".
    pub what: &'static str,
}

/// A stream on its way.
pub struct Decoder {
    inner: Inner,
    taken: u64,
}

enum Inner {
    Stored,
    Deflate(inflate::Inflate),
    Gzip(Box<gzip::Gzip>),
    Zstd(Box<zstd::Zstd>),
}

impl Decoder {
    /// A stream of which nothing was seen.
    pub fn new(coding: Coding) -> Self {
        let inner = match coding {
            Coding::Stored => Inner::Stored,
            Coding::Deflate => Inner::Deflate(inflate::Inflate::new()),
            Coding::Gzip => Inner::Gzip(Box::default()),
            Coding::Zstd => Inner::Zstd(Box::default()),
        };
        Self { inner, taken: 0 }
    }

    /// Unpacks from the beginning of `input` to the end of `output`, about a megabyte at most. How many bytes of
    /// `input` were taken: if not all, call again with the rest.
    ///
    /// # Errors
    /// If nothing more can be unpacked. What could be is in `output`.
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
        };
        self.taken += taken as u64;
        result.map(|()| taken).map_err(|what| Damage { packed_offset: self.taken, what })
    }

    /// Ends the stream, after everything was taken.
    ///
    /// # Errors
    /// If it should go on. What could be unpacked is in `output`.
    pub fn finish(&mut self, output: &mut Vec<u8>) -> Result<(), Damage> {
        let result = match &mut self.inner {
            Inner::Stored => Ok(()),
            Inner::Deflate(inflate) => inflate.finish(),
            Inner::Gzip(gzip) => gzip.finish(),
            Inner::Zstd(zstd) => zstd.finish(output),
        };
        result.map_err(|what| Damage { packed_offset: self.taken, what })
    }
}

/// Reason for a stream that ends too early.
const CUT: &str = "it is truncated";

#[cfg(test)]
mod tests;
