//! What can be asked of the file itself: its pieces, what they cost, what each byte is.

use crate::base::ids::TypeId;
use serde::{Deserialize, Serialize};

/// Which pieces of the file are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct PieceFilter {
    /// Kinds, a bit each: bit 0 is [`super::tables::piece::HEADER`]. 0 for all.
    pub kinds: u16,
    /// Only those with a problem.
    pub only_problems: bool,
}

/// A question about the file itself. It travels as numbers: what reads them is fetched before the first trace, and a
/// tenth of what reads names of kinds and of their parts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Numbers", into = "Numbers")]
pub enum FileRequest {
    /// The pieces that the file consists of: header, blocks, and what is neither. → [`crate::tables::Pieces`]
    Pieces {
        /// Which of them.
        of: PieceFilter,
        /// First piece wanted, counted in those.
        first: u64,
        /// How many.
        count: u32,
    },
    /// Where, counted in those that are wanted, the piece with a byte stands; without one, the next behind it.
    /// → [`crate::Answer::Position`]
    PiecePosition {
        /// Which pieces.
        of: PieceFilter,
        /// Any byte of the piece.
        offset: u64,
    },
    /// A stretch of the file as neighbouring runs of pieces, to be drawn. → [`crate::tables::PieceRuns`]
    PieceRuns {
        /// Offset of its first byte.
        start: u64,
        /// Offset behind its last byte.
        end: u64,
        /// About how many runs at most: shorter pieces become one run.
        count: u32,
    },
    /// What the bytes of the file are spent on. → [`crate::tables::Costs`]
    Costs,
    /// What the fields of events of a type take, of as many events as a step has. → [`crate::tables::FieldCosts`]
    FieldCosts {
        /// Which type.
        event_type: TypeId,
        /// The row to begin with: 0, and then what the last answer says.
        first: u64,
    },
    /// What the bytes of a piece of the file are. → [`crate::tables::Structure`]
    Structure {
        /// Any byte of the piece.
        offset: u64,
        /// One of the events, descriptions, stacks or other items of the piece with all its parts; without it the parts
        /// of the piece itself, of which each item is one.
        item: Option<u32>,
        /// First part wanted.
        first: u64,
        /// How many.
        count: u32,
    },
    /// The parts without parts that have bytes in a stretch of one piece. → [`crate::tables::Structure`]
    Leaves {
        /// Offset of the first byte; its piece is meant.
        offset: u64,
        /// How many bytes.
        bytes: u32,
    },
    /// Bytes of the file. → [`crate::tables::FileBytes`]
    FileBytes {
        /// Offset of the first.
        offset: u64,
        /// How many at most.
        count: u32,
    },
    /// The event that a byte belongs to. → [`crate::Answer::Found`]
    EventAt {
        /// Any byte of its header or its payload.
        offset: u64,
    },
}

/// Which question it is, in the order of [`FileRequest`], and its parts in their order. Kinds of a [`PieceFilter`] have
/// [`ONLY_PROBLEMS`] besides them; an item is one more than its number, and 0 none.
type Numbers = (u8, [u64; 4]);

const ONLY_PROBLEMS: u64 = 1 << 16;

impl PieceFilter {
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
            FileRequest::Pieces { of, first, count } => (0, [of.number(), first, count.into(), 0]),
            FileRequest::PiecePosition { of, offset } => (1, [of.number(), offset, 0, 0]),
            FileRequest::PieceRuns { start, end, count } => (2, [start, end, count.into(), 0]),
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
            0 => Self::Pieces { of: PieceFilter::of(a), first: b, count: c as u32 },
            1 => Self::PiecePosition { of: PieceFilter::of(a), offset: b },
            2 => Self::PieceRuns { start: a, end: b, count: c as u32 },
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
    fn every_question_arrives_as_it_was_sent() {
        let (of, most) = (PieceFilter { kinds: 0b101, only_problems: true }, u64::MAX);
        let structure = |item| FileRequest::Structure { offset: 1 << 40, item, first: most, count: u32::MAX };
        let questions = [
            FileRequest::Pieces { of, first: 7, count: 8 },
            FileRequest::PiecePosition { of: PieceFilter::default(), offset: most },
            FileRequest::PieceRuns { start: 1, end: most, count: 3 },
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
