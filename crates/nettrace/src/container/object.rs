//! Framing of netperf 3 and nettrace 4 and 5: objects of a general serialization library
//! (EventSerialization; NetTraceFormat_v5 "Objects").

use crate::block::BlockKind;
use crate::error::Result;
use crate::framing::NotFound;
use crate::limits::MAX_TYPE_NAME_BYTES;
use crate::listener::{Off, Trace, terms};
use crate::wire::byte_reader::ByteReader;

/// Start of every file of objects, after the magic bytes of nettrace.
pub(crate) const STREAM_HEADER: &[u8; 24] = b"\x14\0\0\0!FastSerialization.1";

/// End of an object, and of the description of its type.
pub(crate) const END_OBJECT: u8 = 6;
/// In place of an object: end-of-stream marker.
pub(crate) const NULL_REFERENCE: u8 = 1;
/// Start of an object in nettrace files.
pub(crate) const BEGIN_PRIVATE_OBJECT: u8 = 5;
/// Start of an object in netperf files.
pub(crate) const BEGIN_OBJECT: u8 = 4;

/// Newest version of block readers that this crate implements. A block that needs a newer one is unknown.
const KNOWN_BLOCK_VERSION: u32 = 2;

/// Size of the longest head of a known block: three tags, two versions, the length of the name, the name, a tag.
pub(crate) const LONGEST_KNOWN_HEAD: usize = 3 + 12 + 13 + 1;

/// Head of an object, which contains its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head<'d> {
    /// Version of the type.
    pub version: u32,
    /// Minimum reader version.
    pub oldest_reader: u32,
    /// Name of the type.
    pub name: &'d [u8],
    /// Bytes of the head.
    pub bytes: usize,
}

impl<'d> Head<'d> {
    /// Reads recognized bytes: three tags, the type, a tag.
    fn read<T: Trace>(reader: &mut ByteReader<'d, T>) -> Result<Self> {
        let start = reader.offset();
        reader.u8(terms::OBJECT_TAG)?;
        let opened = reader.open(terms::TYPE);
        reader.u8(terms::TYPE_TAG)?;
        reader.u8(terms::TYPE_OF_TYPE)?;
        let version = reader.u32(terms::TYPE_VERSION)?;
        let oldest_reader = reader.u32(terms::TYPE_OLDEST_READER)?;
        let name_bytes = reader.u32(terms::TYPE_NAME_LENGTH)? as usize;
        let name = reader.ascii(terms::TYPE_NAME, name_bytes)?;
        reader.u8(terms::END_TYPE)?;
        reader.close(opened);
        Ok(Self { version, oldest_reader, name, bytes: (reader.offset() - start) as usize })
    }

    /// Returns the kind of block.
    pub fn kind(&self) -> BlockKind {
        match self.name {
            _ if self.oldest_reader > KNOWN_BLOCK_VERSION => BlockKind::Unknown,
            b"EventBlock" => BlockKind::Events,
            b"MetadataBlock" => BlockKind::Metadata,
            b"StackBlock" => BlockKind::Stacks,
            b"SPBlock" => BlockKind::SequencePoint,
            _ => BlockKind::Unknown,
        }
    }
}

/// Result of reading the head of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found<'d> {
    /// An object.
    Object(Head<'d>),
    /// End-of-stream marker.
    EndOfStream,
    /// Incomplete head, with the length of data needed.
    Incomplete(usize),
    /// Something else.
    Other,
}

/// Reads the head of an object that begins with `tag`.
pub(crate) fn read_head<'d, T: Trace>(mut reader: ByteReader<'d, T>, tag: u8) -> Found<'d> {
    let data = reader.rest();
    if data.first() == Some(&NULL_REFERENCE) {
        return Found::EndOfStream;
    }
    let tags = [tag, tag, NULL_REFERENCE];
    let Some((found_tags, rest)) = data.split_first_chunk::<3>() else {
        return if tags.starts_with(data) { Found::Incomplete(3) } else { Found::Other };
    };
    if *found_tags != tags {
        return Found::Other;
    }
    let Some(([.., l0, l1, l2, l3], rest)) = rest.split_first_chunk::<12>() else {
        return Found::Incomplete(15);
    };
    let name_bytes = u32::from_le_bytes([*l0, *l1, *l2, *l3]) as usize;
    if name_bytes == 0 || name_bytes > MAX_TYPE_NAME_BYTES {
        return Found::Other;
    }
    let bytes = 15 + name_bytes + 1;
    match rest.split_at_checked(name_bytes) {
        Some((name, _)) if !name.iter().all(u8::is_ascii_graphic) && !name.contains(&b' ') => Found::Other,
        Some((_, [END_OBJECT, ..])) => Head::read(&mut reader).map_or(Found::Other, Found::Object),
        Some((_, [])) | None => Found::Incomplete(bytes),
        Some(_) => Found::Other,
    }
}

/// Finds the next object of a known kind between `from` and `limit`. `eof` means that no data follows.
pub(crate) fn find_head(
    data: &[u8],
    from: usize,
    limit: usize,
    tag: u8,
    eof: bool,
) -> std::result::Result<usize, NotFound> {
    let limit = limit.min(data.len());
    let mut position = from;
    while let Some(distance) = data.get(position..limit).and_then(|rest| rest.iter().position(|&byte| byte == tag)) {
        position += distance;
        match read_head(ByteReader::traced(data.get(position..).unwrap_or_default(), 0, Off), tag) {
            Found::Object(head) if head.kind() != BlockKind::Unknown => return Ok(position),
            Found::Incomplete(bytes) if !eof && bytes <= LONGEST_KNOWN_HEAD => {
                return Err(NotFound { searched: position, wanted: position + bytes });
            }
            _ => position += 1,
        }
    }
    let searched = limit.max(from);
    Err(NotFound { searched, wanted: searched + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(data: &[u8], tag: u8) -> Found<'_> {
        read_head(ByteReader::new(data, 0), tag)
    }

    const STACK_BLOCK: &[u8] = b"\x05\x05\x01\x02\0\0\0\x02\0\0\0\x0a\0\0\0StackBlock\x06";

    #[test]
    fn object_head_is_incomplete_until_last_byte() {
        for length in 0..STACK_BLOCK.len() {
            assert!(matches!(head(&STACK_BLOCK[..length], 5), Found::Incomplete(wanted) if wanted > length));
        }
        let Found::Object(found) = head(STACK_BLOCK, 5) else { panic!("not an object") };
        assert_eq!((found.kind(), found.bytes), (BlockKind::Stacks, STACK_BLOCK.len()));
        assert_eq!(head(STACK_BLOCK, BEGIN_OBJECT), Found::Other, "the tag of the other container");
    }

    #[test]
    fn invalid_name_length_is_not_an_object() {
        for length in [[0xFF; 4], [0xFF, 0, 0, 0], [0; 4]] {
            let mut data = STACK_BLOCK.to_vec();
            data[11..15].copy_from_slice(&length);
            assert_eq!(head(&data, 5), Found::Other);
        }
    }

    #[test]
    fn next_object_head_is_found_in_any_data() {
        let mut data = vec![5, 5, 5, 1, 5, 5, 1, 7];
        data.extend_from_slice(STACK_BLOCK);
        let find = |length: usize, from, limit, eof| {
            find_head(&data[..length], from, limit, 5, eof).map_err(|not_found| not_found.searched)
        };
        assert_eq!(find(34, 0, 34, false), Ok(8));
        assert_eq!(find(34, 0, 8, false), Err(8), "behind the limit");
        assert_eq!(find(22, 5, 22, false), Err(8), "the search goes on where a head may begin");
        assert_eq!(find(22, 5, 22, true), Err(22));
        assert_eq!(find(34, 9, 34, false), Err(34));
    }
}
