//! Tables about the file itself: the pieces it consists of, what they cost, and what each byte is.

use crate::columns::Strings;
use crate::packed_table;

/// What a piece of a file is.
pub mod piece {
    /// The start of the file.
    pub const HEADER: u8 = 0;
    /// A block of events.
    pub const EVENTS: u8 = 1;
    /// A block of descriptions of events.
    pub const METADATA: u8 = 2;
    /// A block of call stacks.
    pub const STACKS: u8 = 3;
    /// A sequence point.
    pub const SEQUENCE_POINT: u8 = 4;
    /// A block of threads.
    pub const THREADS: u8 = 5;
    /// A block of threads that are gone.
    pub const REMOVED_THREADS: u8 = 6;
    /// A block of labels.
    pub const LABELS: u8 = 7;
    /// A block of a kind that is not known.
    pub const UNKNOWN: u8 = 8;
    /// The end mark.
    pub const END_OF_STREAM: u8 = 9;
    /// What cannot be read.
    pub const DAMAGE: u8 = 10;
    /// What follows the end mark.
    pub const BEHIND_END: u8 = 11;
    /// What was not read yet.
    pub const UNREAD: u8 = 12;

    /// What it is called.
    pub fn name(kind: u8) -> &'static str {
        match kind {
            HEADER => "Header",
            EVENTS => "Events",
            METADATA => "Metadata",
            STACKS => "Stacks",
            SEQUENCE_POINT => "Sequence point",
            THREADS => "Threads",
            REMOVED_THREADS => "Removed threads",
            LABELS => "Labels",
            END_OF_STREAM => "End of stream",
            DAMAGE => "Damage",
            BEHIND_END => "After end of stream",
            UNREAD => "Not read yet",
            _ => "Unknown",
        }
    }
}

/// Whether the event headers of a block are compressed.
pub mod compression {
    /// It has no events.
    pub const NONE: u8 = 0;
    /// They are as wide as they can be.
    pub const FIXED: u8 = 1;
    /// They tell what changed.
    pub const COMPRESSED: u8 = 2;
}

/// The time of what has none.
pub const NO_TIME: i64 = i64::MIN;
/// The number of what has none.
pub const NO_NUMBER: u32 = u32::MAX;

packed_table!(
    /// Pieces of the file in order: every byte belongs to exactly one.
    Pieces {
        /// How many there are in all: one value.
        total: Vec<u64>,
        /// Bytes of the file: one value.
        file_bytes: Vec<u64>,
        /// Absolute offset.
        offset: Vec<u64>,
        /// Bytes.
        bytes: Vec<u64>,
        /// One of [`piece`].
        kind: Vec<u8>,
        /// Events, descriptions, stacks, threads or lists of labels in it.
        items: Vec<u32>,
        /// One of [`compression`].
        compression: Vec<u8>,
        /// The smallest time of its events as the writer says, of a sequence point its time; or [`NO_TIME`].
        declared_first: Vec<i64>,
        /// The largest time of its events as the writer says; or [`NO_TIME`].
        declared_last: Vec<i64>,
        /// The smallest time of its events; or [`NO_TIME`].
        first: Vec<i64>,
        /// The largest time of its events; or [`NO_TIME`].
        last: Vec<i64>,
        /// Threads with events in it.
        threads: Vec<u32>,
        /// Types of events in it.
        types: Vec<u32>,
        /// The number of its first stack or list of labels; or [`NO_NUMBER`].
        first_number: Vec<u32>,
        /// Flags of a sequence point.
        flags: Vec<u32>,
        /// What is wrong with it, in words; empty if nothing is known to be.
        problem: Strings,
    }
);

packed_table!(
    /// A stretch of the file as runs of neighbouring pieces. What is too short to be told apart is one run.
    PieceRuns {
        /// Absolute offset.
        offset: Vec<u64>,
        /// Bytes.
        bytes: Vec<u64>,
        /// How many pieces begin in it.
        pieces: Vec<u32>,
        /// The kind with most bytes in it, one of [`piece`].
        kind: Vec<u8>,
        /// All kinds in it, a bit each.
        kinds: Vec<u16>,
        /// Pieces with a problem in it.
        problems: Vec<u32>,
    }
);

/// What a row of costs is about.
pub mod cost {
    /// A kind of piece, [`super::piece`]. Their sum is the file.
    pub const PIECES: u8 = 0;
    /// Events and descriptions of a provider. With [`REST`], their sum is the file.
    pub const PROVIDER: u8 = 1;
    /// Events and descriptions of a type. With [`REST`], their sum is the file.
    pub const EVENT_TYPE: u8 = 2;
    /// What is neither event nor description, of a kind of piece.
    pub const REST: u8 = 3;
    /// Events of a thread, headers and payloads in one. With all descriptions, the padding behind
    /// those, and [`REST`], their sum is the file.
    pub const THREAD: u8 = 4;
}

packed_table!(
    /// What the bytes of the file are spent on, largest first within each kind of row.
    Costs {
        /// Bytes of the file: one value.
        file_bytes: Vec<u64>,
        /// Events in blocks with compressed headers, and in blocks with full ones: two values.
        events_by_header: Vec<u64>,
        /// Bytes of a full header in this version of the format: one value.
        full_header_bytes: Vec<u64>,
        /// One of [`cost`].
        of: Vec<u8>,
        /// Provider, thread, or kind of piece.
        name: Strings,
        /// Name of the event, for a type.
        event: Strings,
        /// [`crate::base::ids::TypeId`], for a type; or [`NO_NUMBER`].
        event_type: Vec<u32>,
        /// Events; of a kind of piece, pieces.
        count: Vec<u64>,
        /// Bytes of headers of events.
        header_bytes: Vec<u64>,
        /// Bytes of payloads.
        payload_bytes: Vec<u64>,
        /// Bytes of descriptions.
        description_bytes: Vec<u64>,
        /// Bytes of padding behind events and descriptions; of a kind of piece, and of [`cost::REST`], in front of the content of
        /// blocks.
        padding_bytes: Vec<u64>,
        /// All of them.
        bytes: Vec<u64>,
    }
);

packed_table!(
    /// What the fields of events of a type take, of a part of all rows.
    FieldCosts {
        /// The row to go on from: one value; none behind the last.
        next: Vec<u64>,
        /// Events of the type in this part: one value.
        events: Vec<u64>,
        /// Bytes of their payloads, which those of the fields add up to: one value.
        payload_bytes: Vec<u64>,
        /// Name of the field.
        name: Strings,
        /// Bytes of it in these events.
        bytes: Vec<u64>,
    }
);

/// What a part of the structure is.
pub mod part {
    /// Several parts, which follow.
    pub const GROUP: u8 = 0;
    /// Bytes with a value.
    pub const LEAF: u8 = 1;
    /// No bytes: the value is that of the event before.
    pub const INHERITED: u8 = 2;
    /// Bytes without a meaning that is known.
    pub const UNKNOWN: u8 = 3;
    /// Bytes that cannot be read.
    pub const DAMAGE: u8 = 4;
    /// Bytes with a value: a field of a payload, or an element of one.
    pub const FIELD: u8 = 5;
}

packed_table!(
    /// What the bytes of a piece of the file are: parts in the order of the file, each before its own parts. Every byte
    /// belongs to exactly one part that is not a group.
    Structure {
        /// Offset and bytes of the piece: two values.
        piece: Vec<u64>,
        /// One of [`piece`]: one value.
        kind: Vec<u8>,
        /// How many parts there are: one value.
        total: Vec<u64>,
        /// How many items the piece has: one value.
        items: Vec<u32>,
        /// The item that the asked offset lies in, or [`NO_NUMBER`]: one value.
        item_there: Vec<u32>,
        /// The innermost part that has the byte at the asked offset, counted as they are asked for: one value; none if no
        /// part has it.
        row_there: Vec<u64>,
        /// Absolute offset.
        offset: Vec<u64>,
        /// Bytes.
        bytes: Vec<u64>,
        /// How many parts it is inside of.
        depth: Vec<u32>,
        /// One of [`part`].
        part: Vec<u8>,
        /// The number of the item that it is, or [`NO_NUMBER`].
        item: Vec<u32>,
        /// What it is called.
        name: Strings,
        /// Its value in words.
        value: Strings,
        /// What it is: a row of `term_section` and `term_meaning`.
        term: Vec<u16>,
        /// The section of the format document about each term.
        term_section: Strings,
        /// What each term is for, in a sentence.
        term_meaning: Strings,
        /// The type of a field of a payload in a sentence; empty for everything else.
        type_words: Strings,
        /// The format document that describes the file: one value.
        document: Strings,
    }
);

impl Structure {
    /// The section of the format documents about the part in a row.
    pub fn section(&self, row: usize) -> String {
        format!("{}, “{}”", self.document.get(0), self.term_section.get(self.term_of(row)))
    }

    /// What the part in a row is for; of a field of a payload also its type.
    pub fn meaning(&self, row: usize) -> String {
        let meaning = self.term_meaning.get(self.term_of(row));
        format!("{meaning} {}", self.type_words.get(row)).trim_end().to_owned()
    }

    fn term_of(&self, row: usize) -> usize {
        self.term.get(row).copied().unwrap_or(u16::MAX).into()
    }
}

packed_table!(
    /// The next bytes of a trace that is a part of this one.
    ExcerptPart {
        /// The bytes.
        bytes: Vec<u8>,
        /// How much of the file was gone through: one value.
        next: Vec<u64>,
        /// Bytes of the file: one value.
        file_bytes: Vec<u64>,
        /// Events in the part so far: one value.
        events: Vec<u64>,
        /// Bytes that are left out since they could not be read: one value.
        damaged_bytes: Vec<u64>,
        /// 1 if nothing follows: one value.
        is_done: Vec<u8>,
    }
);

packed_table!(
    /// Bytes of the file as they are.
    FileBytes {
        /// Bytes of the file: one value.
        file_bytes: Vec<u64>,
        /// Absolute offset of the first: one value.
        offset: Vec<u64>,
        /// The bytes, fewer than asked for at the end of the file.
        bytes: Vec<u8>,
    }
);
