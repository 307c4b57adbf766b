//! What can be asked of the file itself: its pieces, what they cost, what each byte is.

use crate::model::ids::TypeId;
use serde::{Deserialize, Serialize};

/// Which pieces of the file are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct PieceFilter {
    /// Kinds, a bit each: bit 0 is [`super::file_tables::piece::HEADER`]. 0 for all.
    pub kinds: u16,
    /// Only those with a problem.
    pub only_problems: bool,
}

/// A question about the file itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum FileRequest {
    /// The pieces that the file consists of: header, blocks, and what is neither. → [`super::tables::Pieces`]
    Pieces {
        /// Which of them.
        of: PieceFilter,
        /// First piece wanted, counted in those.
        first: u64,
        /// How many.
        count: u32,
    },
    /// Where, counted in those that are wanted, the piece with a byte stands; without one, the next behind it.
    /// → [`super::Answer::Position`]
    PiecePosition {
        /// Which pieces.
        of: PieceFilter,
        /// Any byte of the piece.
        offset: u64,
    },
    /// A stretch of the file as neighbouring runs of pieces, to be drawn. → [`super::tables::PieceRuns`]
    PieceRuns {
        /// Offset of its first byte.
        start: u64,
        /// Offset behind its last byte.
        end: u64,
        /// About how many runs at most: shorter pieces become one run.
        count: u32,
    },
    /// What the bytes of the file are spent on. → [`super::tables::Costs`]
    Costs,
    /// What the fields of events of a type take, of as many events as a step has. → [`super::tables::FieldCosts`]
    FieldCosts {
        /// Which type.
        event_type: TypeId,
        /// The row to begin with: 0, and then what the last answer says.
        first: u64,
    },
    /// What the bytes of a piece of the file are. → [`super::tables::Structure`]
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
    /// The parts without parts that have bytes in a stretch of one piece. → [`super::tables::Structure`]
    Leaves {
        /// Offset of the first byte; its piece is meant.
        offset: u64,
        /// How many bytes.
        bytes: u32,
    },
    /// Bytes of the file. → [`super::tables::FileBytes`]
    FileBytes {
        /// Offset of the first.
        offset: u64,
        /// How many at most.
        count: u32,
    },
    /// The event that a byte belongs to. → [`super::Answer::Found`]
    EventAt {
        /// Any byte of its header or its payload.
        offset: u64,
    },
}
