//! The pieces that a file consists of, from its first byte to its last: header, blocks, and what is neither.

use super::blocks::{Block, BlockDirectory};
use super::damages::DamagedStretch;
use nettrace::{BlockKind, Error};

/// What a piece is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PieceKind {
    /// The start of the file.
    Header,
    /// A block.
    Block(BlockKind),
    /// What cannot be read.
    Damage,
    /// What follows the end mark, which is not read.
    BehindEnd,
    /// What was not read yet.
    Unread,
}

/// A piece of a file. Every byte belongs to exactly one.
#[derive(Clone, Copy, Debug)]
pub struct FileSection<'s> {
    /// What it is.
    pub kind: PieceKind,
    /// Absolute offset of its first byte.
    pub offset: u64,
    /// How many bytes.
    pub bytes: u64,
    /// The block, if it is one.
    pub block: Option<&'s Block>,
    /// Why it cannot be read, if it cannot and that is known.
    pub error: Option<&'s Error>,
}

impl<'s> FileSection<'s> {
    fn of_block(block: &'s Block, file_bytes: u64) -> Self {
        let bytes = block.bytes.min(file_bytes.saturating_sub(block.offset));
        Self { kind: PieceKind::Block(block.kind), offset: block.offset, bytes, block: Some(block), error: None }
    }
}

/// The pieces of a file in order.
#[derive(Clone, Debug)]
pub struct Pieces<'s> {
    blocks: &'s [Block],
    damages: &'s [DamagedStretch],
    position: u64,
    file_bytes: u64,
    is_ended: bool,
}

impl BlockDirectory {
    /// The pieces of the file, which has so many bytes.
    pub fn pieces(&self, file_bytes: u64) -> Pieces<'_> {
        Pieces {
            blocks: self.blocks(),
            damages: self.damages().stretches(),
            position: 0,
            file_bytes,
            is_ended: self.end_mark().is_some(),
        }
    }

    /// The piece that a byte belongs to.
    pub fn piece_at(&self, offset: u64, file_bytes: u64) -> Option<FileSection<'_>> {
        match self.at(offset).filter(|block| block.offset + block.bytes <= file_bytes) {
            Some(block) => Some(FileSection::of_block(block, file_bytes)),
            None => self.pieces(file_bytes).find(|piece| piece.offset <= offset && offset - piece.offset < piece.bytes),
        }
    }
}

impl<'s> Pieces<'s> {
    /// What lies between the last piece and the next block or damage.
    fn gap(&self, end: u64) -> FileSection<'s> {
        let kind = match (self.position, self.blocks.is_empty(), self.is_ended) {
            (0, _, _) => PieceKind::Header,
            (_, true, true) => PieceKind::BehindEnd,
            (_, true, false) if self.damages.is_empty() => PieceKind::Unread,
            _ => PieceKind::Damage,
        };
        FileSection { kind, offset: self.position, bytes: end - self.position, block: None, error: None }
    }
}

impl<'s> Iterator for Pieces<'s> {
    type Item = FileSection<'s>;

    fn next(&mut self) -> Option<FileSection<'s>> {
        // The metadata of a netperf block has no bytes of its own.
        while let Some((_, rest)) = self.blocks.split_first().filter(|(block, _)| block.bytes == 0) {
            self.blocks = rest;
        }
        let block = self.blocks.first().filter(|block| block.offset < self.file_bytes);
        let damage = self.damages.first().filter(|damage| damage.offset < self.file_bytes);
        let next_block = block.map_or(self.file_bytes, |block| block.offset);
        let next = damage.map_or(next_block, |damage| damage.offset.min(next_block));
        let piece = if self.position < next {
            self.gap(next)
        } else if let Some(block) = block.filter(|block| block.offset == next) {
            self.blocks = self.blocks.get(1..).unwrap_or_default();
            FileSection::of_block(block, self.file_bytes)
        } else {
            let damage = damage?;
            self.damages = self.damages.get(1..).unwrap_or_default();
            FileSection {
                kind: PieceKind::Damage,
                offset: damage.offset,
                bytes: damage.bytes.min(self.file_bytes - damage.offset),
                block: None,
                error: Some(&damage.error),
            }
        };
        self.position = piece.offset + piece.bytes;
        Some(piece)
    }
}
