//! Framing of blocks, read from one file and written to another.

use crate::block::BlockInfo;
use crate::container::block_chain::{HEADER_BYTES, read_header};
use crate::container::object::{self, BEGIN_OBJECT, BEGIN_PRIVATE_OBJECT, END_OBJECT, Found, NULL_REFERENCE};
use crate::container::{Container, Header};
use crate::listener::Off;
use crate::wire::byte_reader::ByteReader;

/// Framing of the blocks of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// Objects that begin with this tag: netperf 3, nettrace 4 and 5.
    Objects(u8),
    /// Event records without blocks: netperf 1 and 2.
    Records,
    /// Blocks with size and kind: nettrace 6.
    Blocks,
}

/// Start of a block, besides its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// Head of the object.
    Object(Vec<u8>),
    /// Block kind.
    Kind(u8),
}

impl Framing {
    /// Returns the framing of the blocks after a header.
    pub fn of(header: &Header) -> Self {
        match (header.container, header.version) {
            (Container::Netperf, 1 | 2) => Self::Records,
            (Container::Netperf, _) => Self::Objects(BEGIN_OBJECT),
            (Container::Nettrace, ..6) => Self::Objects(BEGIN_PRIVATE_OBJECT),
            (Container::Nettrace, _) => Self::Blocks,
        }
    }

    /// Returns whether events have fixed headers, followed by their stacks.
    pub fn is_netperf(self) -> bool {
        matches!(self, Self::Records | Self::Objects(BEGIN_OBJECT))
    }

    /// Reads the start of a block. Returns it with the position of the content; `None` if this isn't a block.
    pub fn open(self, info: &BlockInfo, raw: &[u8]) -> Option<(Frame, usize)> {
        match self {
            Self::Objects(tag) => {
                let Found::Object(head) = object::read_head(ByteReader::traced(raw, info.offset, Off), tag) else {
                    return None;
                };
                let size_end = head.bytes + 4;
                let padding = (info.offset + size_end as u64).wrapping_neg() & 3;
                Some((Frame::Object(raw.get(..head.bytes)?.to_vec()), size_end + padding as usize))
            }
            Self::Blocks => {
                let (kind, content, _) = read_header(raw, 0)?;
                Some((Frame::Kind(kind), content))
            }
            Self::Records => None,
        }
    }

    /// Writes the end-of-stream marker at this offset of the file.
    pub fn write_end(self, offset: u64, out: &mut Vec<u8>) {
        match self {
            Self::Objects(_) => out.push(NULL_REFERENCE),
            Self::Blocks => out.extend_from_slice(&[0; HEADER_BYTES]),
            Self::Records => {
                // An end tag, a table with one forward reference (to the end tag), and the positions of both.
                let label = offset as u32;
                out.push(END_OBJECT);
                for number in [1, label, label.wrapping_add(1), label.wrapping_add(9)] {
                    out.extend_from_slice(&number.to_le_bytes());
                }
            }
        }
    }
}

impl Frame {
    /// Writes a block at this offset of the file. In version 6 the content must be shorter than 16 MiB.
    pub fn write(&self, content: &[u8], offset: u64, out: &mut Vec<u8>) {
        match self {
            Self::Object(head) => {
                out.extend_from_slice(head);
                out.extend_from_slice(&(content.len() as u32).to_le_bytes());
                let end = offset + head.len() as u64 + 4;
                let padding = (end.wrapping_neg() & 3) as usize;
                out.extend_from_slice(&[0; 3][..padding]);
                out.extend_from_slice(content);
                out.push(END_OBJECT);
            }
            Self::Kind(kind) => {
                debug_assert!(content.len() < 1 << 24, "the size has three bytes");
                out.extend_from_slice(&(u32::from(*kind) << 24 | content.len() as u32).to_le_bytes());
                out.extend_from_slice(content);
            }
        }
    }
}
