//! Finds the trace in a file, through compression and archives.

use super::{Archive, Checksum, Coding, Entry, MAX_LAYERS, MAX_UNPACKED_BYTES, Wrapping, declared_bytes, failures};
use crate::session::Loader;
use crate::session::open::file_kind::{FileKind, PREFIX_BYTES};
use crate::session::open::text_transfer::{self, EXAMINED_BYTES, RESTORED, TextDamage};
use nettrace::ByteSource;
use protocol::Failure;
use protocol::base::sort::{sort_by, sort_by_key};
use protocol::format;
use protocol::reply::TraceEntry;
use std::future::Future;
use std::ops::Range;

/// Maximum number of files to examine in an archive.
const MAX_LOOKED_INTO: usize = 1000;
/// Maximum number of files that a failure lists.
const MAX_LISTED: usize = 12;

/// Access to bytes and decompression, which differ between a browser and the command-line tool.
pub trait Platform {
    /// Handle to bytes: a file, or a part of one.
    type Bytes: Clone;

    /// Returns a part of the bytes. The range must be valid.
    ///
    /// # Errors
    /// Fails if they can't be accessed.
    fn slice(&self, bytes: &Self::Bytes, range: Range<u64>) -> Result<Self::Bytes, Failure>;

    /// Returns a source for random access.
    ///
    /// # Errors
    /// Fails if the bytes can't be accessed.
    fn source(&self, bytes: &Self::Bytes) -> Result<Box<dyn ByteSource>, Failure>;

    /// Returns at most the first `most` decompressed bytes, up to the end or damage.
    fn prefix(
        &self,
        bytes: &Self::Bytes,
        coding: Coding,
        most: usize,
    ) -> impl Future<Output = Result<Vec<u8>, Failure>>;

    /// Decompresses and stores the bytes, up to the end or damage.
    fn keep(&self, bytes: &Self::Bytes, coding: Coding) -> impl Future<Output = Result<Self::Bytes, Failure>>;
}

/// Content of a file.
pub enum Unwrapped<B> {
    /// A trace, or another uncompressed file, which the parser will reject.
    One(Packed<B>),
    /// Several traces, one of which must be chosen.
    Several(Vec<TraceEntry>),
}

/// Possibly compressed trace.
pub struct Packed<B> {
    pub bytes: B,
    /// Remaining compression.
    pub coding: Coding,
    /// Decompressed size, if declared.
    pub declared_bytes: Option<u64>,
    /// Expected checksum, if declared.
    pub checksum: Option<Checksum>,
    /// Description of the layers, outermost first; empty for an uncompressed file.
    pub packing: String,
    /// Problems with the layers, one sentence each.
    pub notes: Vec<String>,
}

impl<B> Packed<B> {
    /// Adds a note that the trace's bytes were restored, as the cause of further issues.
    pub fn note_restored(&self, loader: &mut Loader) {
        if self.coding == Coding::AddedReturns {
            loader.note_cause(RESTORED);
        }
    }
}

/// Finds the trace in `file`, or the one at `path` in an archive.
///
/// # Errors
/// Fails if there is no trace, or it can't be decompressed.
pub async fn unwrap<P: Platform>(
    platform: &P,
    file: P::Bytes,
    path: Option<&str>,
) -> Result<Unwrapped<P::Bytes>, Failure> {
    let mut walk = Walk {
        platform,
        packed: Packed {
            bytes: file,
            coding: Coding::Stored,
            declared_bytes: None,
            checksum: None,
            packing: String::new(),
            notes: Vec::new(),
        },
        wanted: path.map(str::to_owned),
        inside: String::new(),
    };
    for _ in 0..MAX_LAYERS {
        let content = platform.prefix(&walk.packed.bytes, walk.packed.coding, PREFIX_BYTES).await?;
        let Some(wrapping) = Wrapping::of(&content) else {
            if has_added_returns(platform, &walk.packed, &content).await? {
                walk.make_stored().await?;
                walk.enter_stream(Coding::AddedReturns, None)?;
                walk.packed.checksum = None;
            }
            return walk.arrived();
        };
        // Nested containers must be decompressed completely first.
        walk.make_stored().await?;
        match wrapping {
            Wrapping::Stream(coding) => walk.enter_stream(coding, declared_bytes(coding, &content))?,
            Wrapping::Archive => {
                if let Some(candidates) = walk.enter_archive().await? {
                    return Ok(Unwrapped::Several(candidates));
                }
            }
        }
    }
    let content = platform.prefix(&walk.packed.bytes, walk.packed.coding, PREFIX_BYTES).await?;
    if Wrapping::of(&content).is_none() { walk.arrived() } else { Err(failures::too_deep()) }
}

struct Walk<'p, P: Platform> {
    platform: &'p P,
    packed: Packed<P::Bytes>,
    /// Remaining path.
    wanted: Option<String>,
    /// Path of the enclosing archives, each with a `!` after it.
    inside: String,
}

/// Returns whether a text-mode transfer added CRs to a trace that begins with `start`. The first bytes of most traces
/// show that none did.
async fn has_added_returns<P: Platform>(
    platform: &P,
    packed: &Packed<P::Bytes>,
    start: &[u8],
) -> Result<bool, Failure> {
    if !is_trace(start) || text_transfer::has_bare_line_feed(start) {
        return Ok(false);
    }
    let prefix = platform.prefix(&packed.bytes, packed.coding, EXAMINED_BYTES).await?;
    Ok(TextDamage::of(&prefix) == Some(TextDamage::LineFeeds))
}

impl<P: Platform> Walk<'_, P> {
    /// Decompresses the current layer, so that the next one can be entered.
    async fn make_stored(&mut self) -> Result<(), Failure> {
        if self.packed.coding != Coding::Stored {
            self.packed.bytes = self.platform.keep(&self.packed.bytes, self.packed.coding).await?;
            (self.packed.coding, self.packed.checksum) = (Coding::Stored, None);
        }
        Ok(())
    }

    fn arrived(self) -> Result<Unwrapped<P::Bytes>, Failure> {
        match self.wanted {
            Some(path) => Err(failures::not_an_archive(&path)),
            None => Ok(Unwrapped::One(self.packed)),
        }
    }

    fn add_packing(&mut self, words: &str) {
        if !self.packed.packing.is_empty() {
            self.packed.packing.push_str(", ");
        }
        self.packed.packing.push_str(words);
    }

    fn enter_stream(&mut self, coding: Coding, declared: Option<u64>) -> Result<(), Failure> {
        if declared.is_some_and(|bytes| bytes > MAX_UNPACKED_BYTES) {
            return Err(failures::too_large());
        }
        self.add_packing(coding.name());
        (self.packed.coding, self.packed.declared_bytes) = (coding, declared);
        Ok(())
    }

    /// Enters a file of an archive, or returns the candidates to choose from.
    async fn enter_archive(&mut self) -> Result<Option<Vec<TraceEntry>>, Failure> {
        let source = self.platform.source(&self.packed.bytes)?;
        let Archive { entries, notes } = Archive::read(&*source)?;
        self.packed.notes.extend(notes);
        let chosen = match self.wanted.take() {
            Some(path) => {
                let (entry, rest) = find(&entries, &path).ok_or_else(|| failures::no_such_entry(&path, &entries))?;
                self.wanted = rest;
                entry
            }
            None => {
                let found = self.look_into(&*source, &entries).await?;
                match found.as_slice() {
                    [] => return Err(self.nothing(&*source, &entries).await?),
                    [only] => *only,
                    _ => {
                        let candidate = |entry: &&Entry| TraceEntry {
                            path: format!("{}{}", self.inside, entry.path),
                            bytes: entry.bytes,
                            packed_bytes: entry.packed_bytes,
                        };
                        return Ok(Some(found.iter().map(candidate).collect()));
                    }
                }
            }
        };
        self.enter_file(&*source, chosen)?;
        Ok(None)
    }

    fn enter_file(&mut self, source: &dyn ByteSource, entry: &Entry) -> Result<(), Failure> {
        let coding = entry.coding()?;
        if entry.bytes.is_some_and(|bytes| bytes > MAX_UNPACKED_BYTES && coding != Coding::Stored) {
            return Err(failures::too_large());
        }
        let range = entry.content(source).map_err(|error| super::super::unreadable_source(&error))?;
        let range = range.ok_or_else(|| failures::nothing_unpacked(coding))?;
        if range.end - range.start < entry.packed_bytes {
            let missing = format::counted(entry.packed_bytes - (range.end - range.start), "compressed byte");
            self.packed.notes.push(format!("The archive is truncated inside this trace ({missing} missing)."));
        }
        self.packed.bytes = self.platform.slice(&self.packed.bytes, range)?;
        self.packed.coding = coding;
        self.packed.declared_bytes = entry.bytes;
        self.packed.checksum = entry.bytes.zip(entry.crc32).map(|(bytes, crc32)| Checksum { bytes, crc32 });
        self.add_packing(&format!("ZIP file {}", entry.path));
        self.inside = format!("{}{}!", self.inside, entry.path);
        Ok(())
    }

    /// Returns the files that are traces or compressed.
    async fn look_into<'e>(&self, source: &dyn ByteSource, entries: &'e [Entry]) -> Result<Vec<&'e Entry>, Failure> {
        let mut order: Vec<&Entry> = entries.iter().collect();
        // Files named like traces come first, because not all files of a large archive are examined.
        sort_by_key(&mut order, |entry| !is_named_like_a_trace(&entry.path));
        let mut found = Vec::new();
        for entry in order.into_iter().take(MAX_LOOKED_INTO) {
            let prefix = self.prefix_of(source, entry).await?;
            if is_trace(&prefix) || Wrapping::of(&prefix).is_some() {
                found.push(entry);
            }
        }
        sort_by(&mut found, |one, other| one.path.cmp(&other.path));
        Ok(found)
    }

    /// Returns the first bytes of a file; empty if it can't be decompressed.
    async fn prefix_of(&self, source: &dyn ByteSource, entry: &Entry) -> Result<Vec<u8>, Failure> {
        let range = entry.content(source).map_err(|error| super::super::unreadable_source(&error))?;
        match (range, entry.coding()) {
            (Some(range), Ok(coding)) => {
                let bytes = self.platform.slice(&self.packed.bytes, range)?;
                self.platform.prefix(&bytes, coding, PREFIX_BYTES).await
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Creates the failure for an archive without a trace: its files can't be decompressed, or aren't traces.
    async fn nothing(&self, source: &dyn ByteSource, entries: &[Entry]) -> Result<Failure, Failure> {
        if entries.is_empty() {
            return Ok(failures::empty_archive());
        }
        let named = entries.iter().filter(|entry| is_named_like_a_trace(&entry.path));
        if let Some(failure) = named.chain(entries).find_map(|entry| entry.coding().err()) {
            return Ok(failure);
        }
        let mut contents = Vec::new();
        for entry in entries.iter().take(MAX_LISTED) {
            let kind = FileKind::of(&self.prefix_of(source, entry).await?);
            contents.push(format!("{}: {}", entry.path, kind.map_or("unknown".to_owned(), |kind| kind.what)));
        }
        if entries.len() > MAX_LISTED {
            contents.push(format!("and {} more", entries.len() - MAX_LISTED));
        }
        Ok(failures::no_trace_in_archive(entries.len(), &contents))
    }
}

/// Returns the entry at a path or a prefix of it, and the rest of the path.
fn find<'e>(entries: &'e [Entry], path: &str) -> Option<(&'e Entry, Option<String>)> {
    let rest_behind = |entry: &Entry| match path.strip_prefix(&entry.path)? {
        "" => Some(None),
        rest => rest.strip_prefix('!').map(|rest| Some(rest.to_owned())),
    };
    entries.iter().find_map(|entry| Some((entry, rest_behind(entry)?)))
}

fn is_named_like_a_trace(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    [".nettrace", ".netperf", ".zip", ".gz", ".zst"].iter().any(|end| path.ends_with(end))
}

/// Returns whether these are the first bytes of a trace of any version.
fn is_trace(prefix: &[u8]) -> bool {
    let is_netperf = prefix.starts_with(b"\x14\0\0\0!FastSerialization.1") && FileKind::of_relative(prefix).is_none();
    prefix.starts_with(b"Nettrace") || is_netperf
}
