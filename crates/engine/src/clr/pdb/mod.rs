//! Portable PDB files: source lines of methods.
//!
//! The format is the metadata of ECMA-335 with additional tables ("Portable PDB v1.0"). Only documents and the sequence
//! points of methods are read. Files are untrusted: missing or inconsistent data is ignored.

mod blob_reader;
mod sequence_points;
#[cfg(test)]
pub mod testing;

use blob_reader::BlobReader;
use nettrace::Guid;
pub use sequence_points::SequencePoint;
use sequence_points::sequence_points;

const DOCUMENT: u32 = 0x30;
const METHOD_DEBUG_INFORMATION: u32 = 0x31;
const TABLES: usize = 64;
/// Tables of the type system, which only assemblies contain.
const TYPE_SYSTEM: u64 = (1 << DOCUMENT) - 1;
/// Table of method tokens.
const METHOD: u32 = 0x06;

/// Reason why a file isn't a readable portable PDB.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PdbError {
    /// Windows PDB, an older format.
    OfWindows,
    /// Not a PDB.
    NoPdb,
    /// Damaged PDB.
    Damaged,
}

/// Portable PDB file.
#[derive(Clone, Debug)]
pub struct Pdb {
    data: Vec<u8>,
    id: Guid,
    blobs: (usize, usize),
    /// Offsets of document names in the blob heap.
    documents: Vec<u32>,
    /// Document and sequence points of methods, by row.
    methods: Vec<(u32, u32)>,
}

#[derive(Clone, Copy, Default)]
struct Streams {
    pdb: Option<(usize, usize)>,
    tables: Option<(usize, usize)>,
    blobs: (usize, usize),
}

impl Pdb {
    /// Reads a file.
    ///
    /// # Errors
    /// Fails if it isn't a readable portable PDB.
    pub fn read(data: Vec<u8>) -> Result<Self, PdbError> {
        if data.starts_with(b"Microsoft C/C++ MSF 7.00") {
            return Err(PdbError::OfWindows);
        }
        if !data.starts_with(b"BSJB") {
            return Err(PdbError::NoPdb);
        }
        let streams = streams(&data).ok_or(PdbError::Damaged)?;
        let (Some(pdb), Some(tables)) = (streams.pdb, streams.tables) else { return Err(PdbError::NoPdb) };
        let id = part(&data, pdb).get(..16).and_then(|id| id.try_into().ok()).map(Guid).ok_or(PdbError::Damaged)?;
        let (documents, methods) = rows(part(&data, tables)).ok_or(PdbError::Damaged)?;
        Ok(Self { id, blobs: streams.blobs, documents, methods, data })
    }

    /// Returns the ID by which the assembly refers to the PDB.
    pub fn id(&self) -> Guid {
        self.id
    }

    pub fn methods(&self) -> usize {
        self.methods.len()
    }

    /// Returns the source lines of a method by its token; `None` if the PDB has none for it.
    pub fn lines(&self, token: u32) -> Option<Vec<SequencePoint>> {
        let row = (token & 0x00ff_ffff).checked_sub(1).filter(|_| token >> 24 == METHOD)?;
        let &(document, blob) = self.methods.get(row as usize)?;
        let blob = self.blob(blob).filter(|blob| !blob.is_empty())?;
        sequence_points(blob, document).filter(|points| !points.is_empty())
    }

    /// Returns the path of a document by its row, from 1.
    pub fn document(&self, row: u32) -> Option<String> {
        let &name = self.documents.get(row.checked_sub(1)? as usize)?;
        let mut bytes = BlobReader::new(self.blob(name)?);
        let separator = char::from(bytes.u8()?);
        let mut path = String::new();
        let mut is_first = true;
        while !bytes.is_empty() {
            if !is_first && separator != '\0' {
                path.push(separator);
            }
            is_first = false;
            path.push_str(&String::from_utf8_lossy(self.blob(bytes.compressed()?)?));
            // Names share parts, so a crafted file could expand to very long names.
            if path.len() > LONGEST_PATH {
                return None;
            }
        }
        Some(path)
    }

    fn blob(&self, offset: u32) -> Option<&[u8]> {
        let mut bytes = BlobReader::at(part(&self.data, self.blobs), offset as usize)?;
        let length = bytes.compressed()?;
        bytes.take(length as usize)
    }
}

/// Maximum length of a document's path in bytes.
const LONGEST_PATH: usize = 32_768;

fn part(data: &[u8], (offset, length): (usize, usize)) -> &[u8] {
    data.get(offset..).and_then(|data| data.get(..length)).unwrap_or_default()
}

fn streams(data: &[u8]) -> Option<Streams> {
    let mut bytes = BlobReader::at(data, 12)?;
    let version = bytes.u32()?;
    bytes.take(version as usize)?;
    let _flags = bytes.u16()?;
    let mut streams = Streams::default();
    for _ in 0..bytes.u16()? {
        let place = (bytes.u32()? as usize, bytes.u32()? as usize);
        match bytes.padded_text()? {
            b"#Pdb" => streams.pdb = Some(place),
            b"#~" => streams.tables = Some(place),
            b"#Blob" => streams.blobs = place,
            _ => {}
        }
    }
    Some(streams)
}

type Rows = (Vec<u32>, Vec<(u32, u32)>);

/// Returns the names of documents, and documents and sequence points of methods.
fn rows(stream: &[u8]) -> Option<Rows> {
    const WIDE_GUIDS: u8 = 2;
    const WIDE_BLOBS: u8 = 4;
    let mut bytes = BlobReader::new(stream);
    let _reserved = (bytes.u32()?, bytes.u16()?);
    let sizes = bytes.u8()?;
    let _reserved = bytes.u8()?;
    let present = bytes.u64()?;
    let _sorted = bytes.u64()?;
    let mut rows = [0u32; TABLES];
    for (table, rows) in rows.iter_mut().enumerate() {
        if present >> table & 1 != 0 {
            *rows = bytes.u32()?;
        }
    }
    // Tables of the type system would have to be skipped, but only assemblies contain them.
    if present & TYPE_SYSTEM != 0 {
        return None;
    }
    let (wide_guids, wide_blobs) = (sizes & WIDE_GUIDS != 0, sizes & WIDE_BLOBS != 0);
    let (documents, methods) = (rows[DOCUMENT as usize], rows[METHOD_DEBUG_INFORMATION as usize]);
    let mut names = Vec::new();
    for _ in 0..documents {
        names.push(bytes.index(wide_blobs)?);
        let _algorithm = bytes.index(wide_guids)?;
        let _hash = bytes.index(wide_blobs)?;
        let _language = bytes.index(wide_guids)?;
    }
    let mut points = Vec::new();
    for _ in 0..methods {
        points.push((bytes.index(documents > u16::MAX.into())?, bytes.index(wide_blobs)?));
    }
    Some((names, points))
}

#[cfg(test)]
mod tests {
    use super::testing::{PdbBuilder, method_token};
    use super::*;

    fn example() -> Vec<u8> {
        let mut builder = PdbBuilder::new([7; 16]);
        let program = builder.document("/src/Shop/Program.cs");
        builder.method(program, &[(0, Some((12, 14))), (4, None), (9, Some((10, 10))), (300, Some((2000, 2000)))]);
        builder.method(program, &[]);
        builder.finish()
    }

    #[test]
    fn method_lines_are_found_by_token() {
        let pdb = Pdb::read(example()).expect("a PDB");
        assert_eq!((pdb.id(), pdb.methods()), (Guid([7; 16]), 2));
        let lines = pdb.lines(method_token(1)).expect("lines");
        let lines: Vec<_> = lines.iter().map(|point| (point.il_offset, point.start_line, point.end_line)).collect();
        assert_eq!(lines, [(0, 12, 14), (9, 10, 10), (300, 2000, 2000)], "hidden sequence points are excluded");
        assert_eq!(pdb.document(1).as_deref(), Some("/src/Shop/Program.cs"));
        assert_eq!((pdb.lines(method_token(2)), pdb.lines(method_token(3)), pdb.document(2)), (None, None, None));
        assert_eq!((pdb.lines(0), pdb.lines(0x0a00_0001), pdb.document(0)), (None, None, None));
    }

    #[test]
    fn other_files_are_rejected_by_kind() {
        let of = |data: &[u8]| Pdb::read(data.to_vec()).map(|_| ());
        assert_eq!(of(b"Microsoft C/C++ MSF 7.00\r\n\x1aDS"), Err(PdbError::OfWindows));
        assert_eq!(of(b"MZ"), Err(PdbError::NoPdb));
        assert_eq!(of(b""), Err(PdbError::NoPdb));
        assert_eq!(of(b"BSJB"), Err(PdbError::Damaged));
    }

    #[test]
    fn damaged_file_never_panics() {
        let whole = example();
        let look = |data: Vec<u8>| {
            if let Ok(pdb) = Pdb::read(data) {
                for row in 0..4 {
                    pdb.lines(method_token(row));
                    pdb.document(row);
                }
            }
        };
        (0..whole.len()).for_each(|length| look(whole[..length].to_vec()));
        for position in 0..whole.len() {
            for value in [0, 1, 0x7f, 0x80, 0xc0, 0xff] {
                let mut changed = whole.clone();
                changed[position] = value;
                look(changed);
            }
        }
    }
}
