//! Decompression without a browser: parts of files, the [`Decoder`], and a temporary file for the result.

use super::{Coding, MAX_UNPACKED_BYTES, Packed, Platform, damaged_stream, nothing_unpacked, too_large};
use crate::session::{Loader, Progress, unreadable_source};
use decompress::{Damage, Decoder};
use nettrace::{ByteSource, SourceError};
use protocol::{Failure, FailureCode};
use std::fs::{File, OpenOptions};
use std::future::Future;
use std::io::Write;
use std::num::NonZero;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};

/// Number of compressed bytes read at a time.
const PACKED_PIECE_BYTES: usize = 256 << 10;
/// Number of bytes read at a time by one thread.
const PIECE_BYTES: usize = 8 << 20;
/// The same for several threads, which wait for each other at the end of each piece. Larger pieces need more memory.
const THREADS_PIECE_BYTES: usize = 16 << 20;
/// Maximum number of threads that read a trace.
const MAX_THREADS: usize = 8;

/// Returns the number of threads for reading a trace.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS)
}

/// Source that several threads can read.
type SharedSource = Arc<dyn ByteSource + Send + Sync>;

/// Part of a source.
#[derive(Clone)]
pub struct Part {
    source: SharedSource,
    range: Range<u64>,
}

impl Part {
    pub fn whole(source: SharedSource) -> Self {
        let range = 0..source.len();
        Self { source, range }
    }
}

impl ByteSource for Part {
    fn len(&self) -> u64 {
        self.range.end - self.range.start
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), SourceError> {
        let end = offset.checked_add(buffer.len() as u64);
        if end.is_none_or(|end| end > self.len()) {
            return Err(SourceError::out_of_range(offset, buffer.len() as u64, self.len()));
        }
        self.source.read_at(self.range.start + offset, buffer)
    }
}

/// Platform of the local machine.
pub struct Native;

impl Platform for Native {
    type Bytes = Part;

    fn slice(&self, bytes: &Part, range: Range<u64>) -> Result<Part, Failure> {
        let start = bytes.range.start;
        Ok(Part { source: bytes.source.clone(), range: start + range.start..start + range.end })
    }

    fn source(&self, bytes: &Part) -> Result<Box<dyn ByteSource>, Failure> {
        Ok(Box::new(bytes.clone()))
    }

    async fn prefix(&self, bytes: &Part, coding: Coding, most: usize) -> Result<Vec<u8>, Failure> {
        let mut prefix = Vec::new();
        unpack(bytes, coding, most, |piece| {
            prefix.extend_from_slice(&piece[..piece.len().min(most - prefix.len())]);
            Ok(prefix.len() < most)
        })?;
        Ok(prefix)
    }

    async fn keep(&self, bytes: &Part, coding: Coding) -> Result<Part, Failure> {
        let file = TemporaryFile::create()?;
        unpack(bytes, coding, PACKED_PIECE_BYTES, |piece| file.append(piece).map(|()| true))?;
        Ok(Part::whole(Arc::new(file)))
    }
}

/// Decompresses in pieces until `take` returns false. Returns the problem if the stream ends too early.
fn unpack(
    bytes: &Part,
    coding: Coding,
    piece_bytes: usize,
    mut take: impl FnMut(&[u8]) -> Result<bool, Failure>,
) -> Result<Option<Damage>, Failure> {
    let mut decoder = Decoder::new(coding);
    let (mut input, mut output, mut at) = (Vec::new(), Vec::new(), 0);
    while at < bytes.len() {
        input.resize((bytes.len() - at).min(piece_bytes as u64) as usize, 0);
        bytes.read_at(at, &mut input).map_err(|error| unreadable_source(&error))?;
        at += input.len() as u64;
        let mut taken = 0;
        while taken < input.len() {
            let result = decoder.decode(&input[taken..], &mut output);
            if !output.is_empty() && !take(&output)? {
                return Ok(None);
            }
            output.clear();
            match result {
                Ok(count) => taken += count,
                Err(damage) => return Ok(Some(damage)),
            }
        }
    }
    let damage = decoder.finish(&mut output).err();
    if !output.is_empty() {
        take(&output)?;
    }
    Ok(damage)
}

/// Loads a trace, decompressing it if necessary. Returns the loader and the source of the decompressed bytes.
///
/// # Errors
/// Fails if nothing can be read.
pub fn load(mut loader: Loader, packed: Packed<Part>) -> Result<(Loader, Box<dyn ByteSource>), Failure> {
    packed.note_restored(&mut loader);
    let Packed { bytes, coding, checksum, notes, .. } = packed;
    if let Some(checksum) = checksum {
        loader.expect(checksum);
    }
    let source: Box<dyn ByteSource> = if coding == Coding::Stored {
        let is_checked = checksum.is_some();
        read_stored(&mut loader, &bytes, is_checked)?;
        Box::new(bytes)
    } else {
        let file = TemporaryFile::create()?;
        // A thread can read several regions of a large piece while others read theirs.
        let least = if loader.threads() > 1 { piece_bytes(loader.threads()) } else { 0 };
        let mut waiting = 0;
        let damage = unpack(&bytes, coding, PACKED_PIECE_BYTES, |piece| {
            file.append(piece)?;
            loader.append(piece.len(), |space| space.copy_from_slice(piece));
            waiting += piece.len();
            if waiting >= least {
                loader.advance(usize::MAX)?;
                waiting = 0;
            }
            Ok(true)
        })?;
        if let Some(damage) = damage {
            if loader.received_bytes() == 0 {
                return Err(nothing_unpacked(coding));
            }
            loader.note(&damaged_stream(coding, Some(damage.packed_offset), damage.what));
        }
        Box::new(file)
    };
    notes.iter().for_each(|note| loader.note(note));
    Ok((loader, source))
}

/// Returns the number of bytes to read at a time.
fn piece_bytes(threads: usize) -> usize {
    if threads > 1 { THREADS_PIECE_BYTES } else { PIECE_BYTES }
}

/// Reads bytes that aren't compressed; those after the end of the trace only for a checksum.
fn read_stored(loader: &mut Loader, bytes: &Part, is_checked: bool) -> Result<(), Failure> {
    let threads = loader.threads();
    let piece_bytes = piece_bytes(threads);
    let (mut at, mut progress) = (0, Progress::Starved);
    while at < bytes.len() && (progress != Progress::Ended || is_checked) {
        let count = (bytes.len() - at).min(piece_bytes as u64) as usize;
        let mut result = Ok(());
        loader.append(count, |space| result = read_with_threads(bytes, at, space, threads));
        result.map_err(|error| unreadable_source(&error))?;
        at += count as u64;
        progress = loader.advance(usize::MAX)?;
    }
    Ok(())
}

/// Copying from the system's cache takes a tenth of the time of reading a trace, so threads share this work too.
fn read_with_threads(bytes: &Part, at: u64, space: &mut [u8], threads: usize) -> Result<(), SourceError> {
    // Elsewhere, reads of a file share a position.
    let threads = if cfg!(unix) { threads } else { 1 };
    let share = space.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let mut shares = (0..).step_by(share).zip(space.chunks_mut(share));
        let own = shares.next();
        let others: Vec<_> =
            shares.map(|(start, space)| scope.spawn(move || bytes.read_at(at + start as u64, space))).collect();
        let mut result = own.map_or(Ok(()), |(_, space)| bytes.read_at(at, space));
        for other in others {
            result = result.and(other.join().unwrap_or_else(|_| Err(SourceError::new("Can't read the trace file."))));
        }
        result
    })
}

/// Runs a future that never waits, because every step of [`Native`] completes immediately.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}

/// Temporary file with decompressed data, deleted on drop.
struct TemporaryFile {
    file: File,
    path: PathBuf,
    bytes: AtomicU64,
}

impl TemporaryFile {
    fn create() -> Result<Self, Failure> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        loop {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = std::env::temp_dir().join(format!("traceglass-{}-{number}", std::process::id()));
            match OpenOptions::new().read(true).write(true).create_new(true).open(&path) {
                Ok(file) => return Ok(Self { file, path, bytes: AtomicU64::new(0) }),
                // A killed process with the same ID may have left a file behind.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(no_room(&error)),
            }
        }
    }

    fn append(&self, bytes: &[u8]) -> Result<(), Failure> {
        let length = self.bytes.load(Ordering::Relaxed) + bytes.len() as u64;
        if length > MAX_UNPACKED_BYTES {
            return Err(too_large());
        }
        (&self.file).write_all(bytes).map_err(|error| no_room(&error))?;
        self.bytes.store(length, Ordering::Relaxed);
        Ok(())
    }
}

impl ByteSource for TemporaryFile {
    fn len(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), SourceError> {
        self.file.read_at(offset, buffer)
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // If this fails, the system cleans its temporary folder eventually.
        let _ = std::fs::remove_file(&self.path);
    }
}

fn no_room(error: &std::io::Error) -> Failure {
    let folder = std::env::temp_dir();
    let message = format!("Can't store decompressed data in {}: {error}.", folder.display());
    Failure::new(FailureCode::Unreadable, message)
}
