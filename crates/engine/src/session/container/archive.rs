//! Directory of a ZIP archive, including zip64 (PKWARE APPNOTE 6.3.10; numbers in comments are its sections).
//!
//! Archives are untrusted: reads are bounded, and declared sizes are checked against the file.

use super::{Coding, failures};
use nettrace::{ByteSource, SourceError};
use protocol::Failure;
use std::ops::Range;

/// End of central directory record (4.3.16).
const END: &[u8; 4] = b"PK\x05\x06";
const END_BYTES: usize = 22;
/// Maximum length of the record with its comment of at most 65,535 bytes.
const END_WINDOW_BYTES: u64 = 22 + 65_535;
/// Zip64 end of central directory locator (4.3.15) and record (4.3.14).
const LOCATOR64: &[u8; 4] = b"PK\x06\x07";
const LOCATOR64_BYTES: usize = 20;
const END64: &[u8; 4] = b"PK\x06\x06";
const END64_BYTES: usize = 56;
/// Central directory header (4.3.12).
const CENTRAL: &[u8; 4] = b"PK\x01\x02";
const CENTRAL_BYTES: usize = 46;
/// Local file header (4.3.7).
const LOCAL: &[u8; 4] = b"PK\x03\x04";
const LOCAL_BYTES: usize = 30;
/// Extra field with 64-bit sizes (4.5.3).
const EXTRA64: u16 = 1;

/// Maximum number of bytes read from a directory. The rest of a larger one is ignored.
const MAX_DIRECTORY_BYTES: u64 = 16 << 20;
/// Maximum number of files found by scanning, in an archive without a directory.
const MAX_WITHOUT_DIRECTORY: usize = 1000;

/// File in an archive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    pub path: String,
    /// Compressed size in bytes.
    pub packed_bytes: u64,
    /// Decompressed size in bytes, if declared.
    pub bytes: Option<u64>,
    /// Checksum of the decompressed data, if declared.
    pub crc32: Option<u32>,
    method: u16,
    flags: u16,
    header_at: u64,
}

/// Files of an archive.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Archive {
    /// Entries, except folders and empty files.
    pub entries: Vec<Entry>,
    /// Problems with the archive, one sentence each.
    pub notes: Vec<String>,
}

impl Entry {
    /// Returns the compression of the entry.
    ///
    /// # Errors
    /// Fails if it is encrypted, or the method is unknown.
    pub fn coding(&self) -> Result<Coding, Failure> {
        const ENCRYPTED: u16 = 1;
        if self.flags & ENCRYPTED != 0 {
            return Err(failures::encrypted(&self.path));
        }
        match self.method {
            0 => Ok(Coding::Stored),
            8 => Ok(Coding::Deflate),
            93 => Ok(Coding::Zstd),
            method => Err(failures::unknown_method(&self.path, method)),
        }
    }

    /// Returns the range of the compressed bytes, as far as they are in the file; `None` if none are.
    ///
    /// # Errors
    /// Fails if the archive can't be read.
    pub fn content(&self, source: &dyn ByteSource) -> Result<Option<Range<u64>>, SourceError> {
        // The local header has its own name and extra fields, whose sizes may differ (4.3.7).
        let Some(header) = bytes_at(source, self.header_at, LOCAL_BYTES)? else { return Ok(None) };
        if !header.starts_with(LOCAL) {
            return Ok(None);
        }
        let names = u64::from(u16_at(&header, 26)) + u64::from(u16_at(&header, 28));
        let start = self.header_at + LOCAL_BYTES as u64 + names;
        let end = start.saturating_add(self.packed_bytes).min(source.len());
        Ok((start < end).then_some(start..end))
    }
}

impl Archive {
    /// Reads the directory. If it is missing, scans the archive from its start for files.
    ///
    /// # Errors
    /// Fails if the archive can't be read, is part of a split archive, or ends before its first file.
    pub fn read(source: &dyn ByteSource) -> Result<Self, Failure> {
        let found = find_directory(source).map_err(|error| super::super::unreadable_source(&error))?;
        let has_directory = !matches!(found, Found::Nothing);
        let archive = match found {
            Found::Directory(directory) => read_directory(source, &directory),
            Found::Split => return Err(failures::split_archive()),
            Found::Nothing => walk(source),
        };
        let mut archive = archive.map_err(|error| super::super::unreadable_source(&error))?;
        archive.entries.retain(|entry| !entry.path.ends_with('/') && entry.packed_bytes > 0);
        if !has_directory && archive.entries.is_empty() {
            return Err(failures::no_directory());
        }
        Ok(archive)
    }
}

struct Directory {
    range: Range<u64>,
    /// Number of bytes before the archive, which its offsets don't count.
    shift: u64,
}

enum Found {
    Directory(Directory),
    Split,
    Nothing,
}

fn find_directory(source: &dyn ByteSource) -> Result<Found, SourceError> {
    let window = source.len().min(END_WINDOW_BYTES);
    let window_at = source.len() - window;
    let mut tail = vec![0; window as usize];
    source.read_at(window_at, &mut tail)?;
    let mut is_split = false;
    let places = tail.len().checked_sub(END_BYTES).map_or(0, |last| last + 1);
    for at in (0..places).rev() {
        let record = &tail[at..];
        if !record.starts_with(END) {
            continue;
        }
        let end_at = window_at + at as u64;
        let (disk, disk_of_directory) = (u16_at(record, 4), u16_at(record, 6));
        let mut bytes = u64::from(u32_at(record, 12));
        let mut start = u64::from(u32_at(record, 16));
        let mut directory_end = end_at;
        let locator_at = end_at.checked_sub(LOCATOR64_BYTES as u64);
        if let Some(large) = locator_at.map(|at| find_end64(source, at)).transpose()?.flatten() {
            (bytes, start, directory_end) = (large.bytes, large.start, large.at);
        } else if disk != disk_of_directory || (disk != 0 && disk != u16::MAX) {
            // A comment may look the same, but the end record extends to the end of the file.
            is_split |= at + END_BYTES + usize::from(u16_at(record, 20)) == tail.len();
            continue;
        }
        // The directory ends at the end record; offsets may not include data before the archive.
        let Some(real_start) = directory_end.checked_sub(bytes) else { continue };
        let Some(shift) = real_start.checked_sub(start) else { continue };
        let is_directory = bytes == 0 || bytes_at(source, real_start, 4)?.is_some_and(|mark| mark.starts_with(CENTRAL));
        if is_directory {
            return Ok(Found::Directory(Directory { range: real_start..directory_end, shift }));
        }
    }
    Ok(if is_split { Found::Split } else { Found::Nothing })
}

struct End64 {
    at: u64,
    bytes: u64,
    start: u64,
}

fn find_end64(source: &dyn ByteSource, locator_at: u64) -> Result<Option<End64>, SourceError> {
    let Some(locator) = bytes_at(source, locator_at, LOCATOR64_BYTES)? else { return Ok(None) };
    if !locator.starts_with(LOCATOR64) {
        return Ok(None);
    }
    // The record is directly before its locator; the offset in the locator may not include data before the archive.
    for at in [locator_at.checked_sub(END64_BYTES as u64), Some(u64_at(&locator, 8))].into_iter().flatten() {
        let Some(record) = bytes_at(source, at, END64_BYTES)? else { continue };
        if record.starts_with(END64) {
            return Ok(Some(End64 { at, bytes: u64_at(&record, 40), start: u64_at(&record, 48) }));
        }
    }
    Ok(None)
}

fn read_directory(source: &dyn ByteSource, directory: &Directory) -> Result<Archive, SourceError> {
    let whole = directory.range.end - directory.range.start;
    let mut bytes = vec![0; whole.min(MAX_DIRECTORY_BYTES) as usize];
    source.read_at(directory.range.start, &mut bytes)?;
    let mut archive = Archive::default();
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        let Some((mut entry, length)) = central_entry(rest) else {
            archive.notes.push("The archive's directory is damaged. Some files may not be listed.".to_owned());
            break;
        };
        entry.header_at = entry.header_at.saturating_add(directory.shift);
        archive.entries.push(entry);
        rest = &rest[length..];
    }
    Ok(archive)
}

/// Parses the first entry of the directory, and returns it with its length.
fn central_entry(bytes: &[u8]) -> Option<(Entry, usize)> {
    let header = bytes.get(..CENTRAL_BYTES)?;
    if !header.starts_with(CENTRAL) {
        return None;
    }
    let name_end = CENTRAL_BYTES + usize::from(u16_at(header, 28));
    let extra_end = name_end + usize::from(u16_at(header, 30));
    let length = extra_end + usize::from(u16_at(header, 32));
    let (name, extra) = (bytes.get(CENTRAL_BYTES..name_end)?, bytes.get(name_end..extra_end)?);
    bytes.get(..length)?;
    let mut wide = Wide::of(extra);
    let size = wide.or(u32_at(header, 24));
    let packed_bytes = wide.or(u32_at(header, 20));
    let header_at = wide.or(u32_at(header, 42));
    let entry = Entry {
        path: path(name),
        packed_bytes,
        bytes: Some(size),
        crc32: Some(u32_at(header, 16)),
        method: u16_at(header, 10),
        flags: u16_at(header, 8),
        header_at,
    };
    Some((entry, length))
}

/// Scans a truncated archive, which has no directory, from file to file.
fn walk(source: &dyn ByteSource) -> Result<Archive, SourceError> {
    let note = "The archive is truncated and has no directory. Only files that start before the cut are listed.";
    let mut archive = Archive { entries: Vec::new(), notes: vec![note.to_owned()] };
    // Signature of an archive that used to be split.
    let mut at = if bytes_at(source, 0, 4)?.is_some_and(|mark| mark == b"PK\x07\x08") { 4 } else { 0 };
    while archive.entries.len() < MAX_WITHOUT_DIRECTORY {
        let Some(header) = bytes_at(source, at, LOCAL_BYTES)?.filter(|header| header.starts_with(LOCAL)) else { break };
        let (name_bytes, extra_bytes) = (usize::from(u16_at(&header, 26)), usize::from(u16_at(&header, 28)));
        let Some(names) = bytes_at(source, at + LOCAL_BYTES as u64, name_bytes + extra_bytes)? else { break };
        let (name, extra) = names.split_at(name_bytes);
        let start = at + (LOCAL_BYTES + names.len()) as u64;
        let flags = u16_at(&header, 6);
        const SIZES_FOLLOW: u16 = 8;
        let mut wide = Wide::of(extra);
        let size = wide.or(u32_at(&header, 22));
        let packed_bytes = wide.or(u32_at(&header, 18));
        let sizes_follow = flags & SIZES_FOLLOW != 0 && packed_bytes == 0;
        archive.entries.push(Entry {
            path: path(name),
            packed_bytes: if sizes_follow { source.len().saturating_sub(start) } else { packed_bytes },
            bytes: (!sizes_follow).then_some(size),
            crc32: (!sizes_follow).then_some(u32_at(&header, 14)),
            method: u16_at(&header, 8),
            flags,
            header_at: at,
        });
        // Only decompressing this file would reveal where the next one starts.
        if sizes_follow {
            break;
        }
        at = start.saturating_add(packed_bytes);
    }
    Ok(archive)
}

/// Values of the zip64 extra field, in the order of the header fields that are all ones.
struct Wide<'d>(&'d [u8]);

impl<'d> Wide<'d> {
    fn of(mut extra: &'d [u8]) -> Self {
        while extra.len() >= 4 {
            let (id, length) = (u16_at(extra, 0), usize::from(u16_at(extra, 2)));
            let content = extra.get(4..4 + length).unwrap_or_default();
            if id == EXTRA64 {
                return Self(content);
            }
            extra = extra.get(4 + length..).unwrap_or_default();
        }
        Self(&[])
    }

    fn or(&mut self, narrow: u32) -> u64 {
        match self.0.split_first_chunk::<8>() {
            Some((wide, rest)) if narrow == u32::MAX => {
                self.0 = rest;
                u64::from_le_bytes(*wide)
            }
            _ => u64::from(narrow),
        }
    }
}

/// Decodes a name in UTF-8, or in an older code page of which only ASCII is unambiguous.
fn path(name: &[u8]) -> String {
    String::from_utf8_lossy(name).replace('\\', "/")
}

/// Reads `count` bytes; `None` if the file has fewer.
fn bytes_at(source: &dyn ByteSource, at: u64, count: usize) -> Result<Option<Vec<u8>>, SourceError> {
    if at.checked_add(count as u64).is_none_or(|end| end > source.len()) {
        return Ok(None);
    }
    let mut bytes = vec![0; count];
    source.read_at(at, &mut bytes)?;
    Ok(Some(bytes))
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).and_then(|bytes| bytes.try_into().ok()).map_or(0, u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes)
}
