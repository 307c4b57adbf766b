//! Random access to the bytes of a trace.

use crate::error::Grouped;
use std::fmt;
use std::ops::Range;

/// Source of bytes with random access (a file, blob or buffer), for reading payloads after parsing.
pub trait ByteSource {
    /// Returns the size in bytes.
    fn len(&self) -> u64;

    /// Reads the bytes starting at `offset` into `buffer`.
    ///
    /// # Errors
    /// If the range isn't completely inside the source, or reading fails.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), SourceError>;

    /// Announces that these bytes will be read soon, so that a slow source can start fetching them.
    fn announce(&self, _range: Range<u64>) {}

    /// Returns whether announced bytes are still being fetched, so that reading them would block.
    fn is_coming(&self, _range: Range<u64>) -> bool {
        false
    }

    /// Returns whether the source has no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Failure to read bytes from a source. `Display` writes a sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceError {
    message: String,
}

impl SourceError {
    /// Creates a failure with this sentence as its cause.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }

    /// Creates a failure for a range that isn't inside the source.
    pub fn out_of_range(offset: u64, bytes: u64, source_bytes: u64) -> Self {
        Self::new(format!(
            "Can't read bytes {} to {} of the trace: it has only {} bytes.",
            Grouped(offset),
            Grouped(offset.saturating_add(bytes)),
            Grouped(source_bytes)
        ))
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SourceError {}

impl ByteSource for [u8] {
    fn len(&self) -> u64 {
        <[u8]>::len(self) as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), SourceError> {
        let range = usize::try_from(offset).ok().and_then(|start| Some(start..start.checked_add(buffer.len())?));
        match range.and_then(|range| self.get(range)) {
            Some(bytes) => {
                buffer.copy_from_slice(bytes);
                Ok(())
            }
            None => Err(SourceError::out_of_range(offset, buffer.len() as u64, ByteSource::len(self))),
        }
    }
}

impl ByteSource for Vec<u8> {
    fn len(&self) -> u64 {
        ByteSource::len(self.as_slice())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), SourceError> {
        self.as_slice().read_at(offset, buffer)
    }
}

macro_rules! pointers {
    ($($pointer:ty),*) => {$(
        impl<S: ByteSource + ?Sized> ByteSource for $pointer {
            fn len(&self) -> u64 {
                (**self).len()
            }

            fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), SourceError> {
                (**self).read_at(offset, buffer)
            }

            fn announce(&self, range: Range<u64>) {
                (**self).announce(range);
            }

            fn is_coming(&self, range: Range<u64>) -> bool {
                (**self).is_coming(range)
            }
        }
    )*};
}
pointers!(&S, std::rc::Rc<S>);

#[cfg(not(target_family = "wasm"))]
impl ByteSource for std::fs::File {
    fn len(&self) -> u64 {
        self.metadata().map_or(0, |metadata| metadata.len())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), SourceError> {
        read_exact_at(self, offset, buffer)
            .map_err(|error| SourceError::new(format!("Can't read the trace file: {error}.")))
    }
}

/// Reads without a shared position, so that several threads can read a file.
#[cfg(unix)]
fn read_exact_at(file: &std::fs::File, offset: u64, buffer: &mut [u8]) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

#[cfg(not(any(unix, target_family = "wasm")))]
fn read_exact_at(mut file: &std::fs::File, offset: u64, buffer: &mut [u8]) -> std::io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(buffer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_outside_source_is_an_error() {
        let source = vec![1u8, 2, 3, 4];
        let mut two = [0; 2];
        source.read_at(2, &mut two).unwrap();
        assert_eq!(two, [3, 4]);
        assert!(source.read_at(3, &mut two).is_err());
        assert!(source.read_at(u64::MAX, &mut two).is_err());
        assert_eq!(ByteSource::len(&source), 4);
    }
}
