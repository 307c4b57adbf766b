//! Sections of a file: header, blocks, and other ranges. They cover the whole file.

use super::blocks::{Block, BlockDirectory};
use super::damages::DamagedStretch;
use nettrace::{BlockKind, Error};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileSectionKind {
    Header,
    Block(BlockKind),
    /// Damaged range.
    Damage,
    /// Bytes after the end-of-stream marker, which aren't parsed.
    BehindEnd,
    /// Bytes that haven't been read yet.
    Unread,
}

/// Section of a file. Every byte belongs to exactly one.
#[derive(Clone, Copy, Debug)]
pub struct FileSection<'s> {
    pub kind: FileSectionKind,
    /// Absolute offset of the first byte.
    pub offset: u64,
    /// Number of bytes.
    pub bytes: u64,
    /// Block, if the section is one.
    pub block: Option<&'s Block>,
    /// Cause of the damage, if known.
    pub error: Option<&'s Error>,
}

impl<'s> FileSection<'s> {
    fn of_block(block: &'s Block, file_bytes: u64) -> Self {
        let bytes = block.bytes.min(file_bytes.saturating_sub(block.offset));
        Self { kind: FileSectionKind::Block(block.kind), offset: block.offset, bytes, block: Some(block), error: None }
    }
}

/// Sections of a file, in order.
#[derive(Clone, Debug)]
pub struct Sections<'s> {
    blocks: &'s [Block],
    damages: &'s [DamagedStretch],
    position: u64,
    file_bytes: u64,
    is_ended: bool,
}

impl BlockDirectory {
    /// Returns the sections of the file, which has `file_bytes` bytes.
    pub fn sections(&self, file_bytes: u64) -> Sections<'_> {
        Sections {
            blocks: &self.blocks,
            damages: &self.damages.stretches,
            position: 0,
            file_bytes,
            is_ended: self.end_of_stream().is_some(),
        }
    }

    /// Returns the section that contains a byte.
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
    /// Returns the section between the last section and the next block or damage.
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
        // The metadata of a netperf block is part of its events.
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
