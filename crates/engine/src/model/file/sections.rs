//! The sections that a file consists of, from its first byte to its last: header, blocks, and what is neither.

use super::blocks::{Block, BlockDirectory};
use super::damages::DamagedStretch;
use nettrace::{BlockKind, Error};

/// What a section is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileSectionKind {
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

/// A section of a file. Every byte belongs to exactly one.
#[derive(Clone, Copy, Debug)]
pub struct FileSection<'s> {
    /// What it is.
    pub kind: FileSectionKind,
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
        Self { kind: FileSectionKind::Block(block.kind), offset: block.offset, bytes, block: Some(block), error: None }
    }
}

/// The sections of a file in order.
#[derive(Clone, Debug)]
pub struct Sections<'s> {
    blocks: &'s [Block],
    damages: &'s [DamagedStretch],
    position: u64,
    file_bytes: u64,
    is_ended: bool,
}

impl BlockDirectory {
    /// The sections of the file, which has so many bytes.
    pub fn sections(&self, file_bytes: u64) -> Sections<'_> {
        Sections {
            blocks: self.blocks(),
            damages: self.damages().stretches(),
            position: 0,
            file_bytes,
            is_ended: self.end_of_stream().is_some(),
        }
    }

    /// The section that a byte belongs to.
    pub fn section_at(&self, offset: u64, file_bytes: u64) -> Option<FileSection<'_>> {
        match self.at(offset).filter(|block| block.offset + block.bytes <= file_bytes) {
            Some(block) => Some(FileSection::of_block(block, file_bytes)),
            None => self
                .sections(file_bytes)
                .find(|section| section.offset <= offset && offset - section.offset < section.bytes),
        }
    }
}

impl<'s> Sections<'s> {
    /// What lies between the last section and the next block or damage.
    fn gap(&self, end: u64) -> FileSection<'s> {
        let kind = match (self.position, self.blocks.is_empty(), self.is_ended) {
            (0, _, _) => FileSectionKind::Header,
            (_, true, true) => FileSectionKind::BehindEnd,
            (_, true, false) if self.damages.is_empty() => FileSectionKind::Unread,
            _ => FileSectionKind::Damage,
        };
        FileSection { kind, offset: self.position, bytes: end - self.position, block: None, error: None }
    }
}

impl<'s> Iterator for Sections<'s> {
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
        let section = if self.position < next {
            self.gap(next)
        } else if let Some(block) = block.filter(|block| block.offset == next) {
            self.blocks = self.blocks.get(1..).unwrap_or_default();
            FileSection::of_block(block, self.file_bytes)
        } else {
            let damage = damage?;
            self.damages = self.damages.get(1..).unwrap_or_default();
            FileSection {
                kind: FileSectionKind::Damage,
                offset: damage.offset,
                bytes: damage.bytes.min(self.file_bytes - damage.offset),
                block: None,
                error: Some(&damage.error),
            }
        };
        self.position = section.offset + section.bytes;
        Some(section)
    }
}
