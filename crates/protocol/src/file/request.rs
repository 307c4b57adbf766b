//! Requests about the file: blocks, sizes, bytes.

use crate::base::ids::TypeId;
use serde::{Deserialize, Serialize};

/// Filter of blocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct SectionFilter {
    /// Kinds, one bit each: bit 0 is [`super::tables::section_kind::HEADER`]. 0 for all.
    pub kinds: u16,
    /// True to include only blocks with a problem.
    pub only_problems: bool,
}

/// Request about the file. It is encoded as numbers: that decoder is downloaded before the first trace, and has a tenth
/// of the size of one that decodes names of variants and fields.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Numbers", into = "Numbers")]
pub enum FileRequest {
    /// Blocks of the file, including the header and damaged ranges. → [`crate::tables::Sections`]
    Sections {
        /// Filter.
        of: SectionFilter,
        /// Index of the first block among the matching ones.
        first: u64,
        /// Number of blocks.
        count: u32,
    },
    /// Index of the block with a byte among the matching blocks, or of the next one. → [`crate::Answer::Position`]
    SectionPosition {
        /// Filter.
        of: SectionFilter,
        /// Offset of any byte of the block.
        offset: u64,
    },
    /// Part of the file as runs of adjacent blocks, for drawing. → [`crate::tables::SectionRuns`]
    SectionRuns {
        /// Offset of the first byte.
        start: u64,
        /// Offset after the last byte.
        end: u64,
        /// Approximate maximum number of runs; short blocks are merged.
        count: u32,
    },
    /// Bytes of the file by purpose. → [`crate::tables::Costs`]
    Costs,
    /// Bytes of the payload fields of an event type, in steps. → [`crate::tables::FieldCosts`]
    FieldCosts {
        event_type: TypeId,
        /// First row of the step: 0, then [`crate::tables::FieldCosts::next`] of the previous answer.
        first: u64,
    },
    /// Parts of a block. → [`crate::tables::Structure`]
    Structure {
        /// Offset of any byte of the block.
        offset: u64,
        /// Item of the block (event, metadata record, stack, …), with all its parts; `None` for the outline of the
        /// block, with one part per item.
        item: Option<u32>,
        /// Index of the first part.
        first: u64,
        /// Number of parts.
        count: u32,
    },
    /// Leaf parts of a byte range in one block. → [`crate::tables::Structure`]
    Leaves {
        /// Offset of the first byte, which determines the block.
        offset: u64,
        /// Number of bytes.
        bytes: u32,
    },
    /// Bytes of the file. → [`crate::tables::FileBytes`]
    FileBytes {
        /// Offset of the first byte.
        offset: u64,
        /// Maximum number of bytes.
        count: u32,
    },
    /// Event that contains a byte. → [`crate::Answer::Found`]
    EventAt {
        /// Offset of any byte of the header or payload.
        offset: u64,
    },
}

/// Encoded request: the variant in the order of [`FileRequest`], and its fields in order. The kinds of a
/// [`SectionFilter`] include [`ONLY_PROBLEMS`]. An item is encoded as its number plus one, and 0 for none.
type Numbers = (u8, [u64; 4]);

const ONLY_PROBLEMS: u64 = 1 << 16;

impl SectionFilter {
    fn number(self) -> u64 {
        u64::from(self.kinds) | if self.only_problems { ONLY_PROBLEMS } else { 0 }
    }

    fn of(number: u64) -> Self {
        Self { kinds: number as u16, only_problems: number & ONLY_PROBLEMS != 0 }
    }
}

impl From<FileRequest> for Numbers {
    fn from(request: FileRequest) -> Self {
        match request {
            FileRequest::Sections { of, first, count } => (0, [of.number(), first, count.into(), 0]),
            FileRequest::SectionPosition { of, offset } => (1, [of.number(), offset, 0, 0]),
            FileRequest::SectionRuns { start, end, count } => (2, [start, end, count.into(), 0]),
            FileRequest::Costs => (3, [0; 4]),
            FileRequest::FieldCosts { event_type, first } => (4, [event_type.0.into(), first, 0, 0]),
            FileRequest::Structure { offset, item, first, count } => {
                (5, [offset, item.map_or(0, |item| u64::from(item) + 1), first, count.into()])
            }
            FileRequest::Leaves { offset, bytes } => (6, [offset, bytes.into(), 0, 0]),
            FileRequest::FileBytes { offset, count } => (7, [offset, count.into(), 0, 0]),
            FileRequest::EventAt { offset } => (8, [offset, 0, 0, 0]),
        }
    }
}

impl TryFrom<Numbers> for FileRequest {
    type Error = &'static str;

    fn try_from((kind, [a, b, c, d]): Numbers) -> Result<Self, Self::Error> {
        Ok(match kind {
            0 => Self::Sections { of: SectionFilter::of(a), first: b, count: c as u32 },
            1 => Self::SectionPosition { of: SectionFilter::of(a), offset: b },
            2 => Self::SectionRuns { start: a, end: b, count: c as u32 },
            3 => Self::Costs,
            4 => Self::FieldCosts { event_type: TypeId(a as u32), first: b },
            5 => {
                Self::Structure { offset: a, item: b.checked_sub(1).map(|item| item as u32), first: c, count: d as u32 }
            }
            6 => Self::Leaves { offset: a, bytes: b as u32 },
            7 => Self::FileBytes { offset: a, count: b as u32 },
            8 => Self::EventAt { offset: a },
            _ => return Err("unknown request about the file"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_request_round_trips() {
        let (of, most) = (SectionFilter { kinds: 0b101, only_problems: true }, u64::MAX);
        let structure = |item| FileRequest::Structure { offset: 1 << 40, item, first: most, count: u32::MAX };
        let questions = [
            FileRequest::Sections { of, first: 7, count: 8 },
            FileRequest::SectionPosition { of: SectionFilter::default(), offset: most },
            FileRequest::SectionRuns { start: 1, end: most, count: 3 },
            FileRequest::Costs,
            FileRequest::FieldCosts { event_type: TypeId(u32::MAX), first: 9 },
            structure(None),
            structure(Some(0)),
            structure(Some(u32::MAX)),
            FileRequest::Leaves { offset: 5, bytes: 6 },
            FileRequest::FileBytes { offset: 7, count: 8 },
            FileRequest::EventAt { offset: 9 },
        ];
        for question in questions {
            assert_eq!(FileRequest::try_from(Numbers::from(question.clone())), Ok(question));
        }
        assert!(FileRequest::try_from((9, [0; 4])).is_err());
    }
}
