//! Tables of the file: blocks, sizes, bytes.

use crate::columns::Strings;
use crate::packed_table;

/// Kinds of blocks and other ranges of a file.
pub mod section_kind {
    pub const HEADER: u8 = 0;
    pub const EVENTS: u8 = 1;
    pub const METADATA: u8 = 2;
    pub const STACKS: u8 = 3;
    pub const SEQUENCE_POINT: u8 = 4;
    pub const THREADS: u8 = 5;
    pub const REMOVED_THREADS: u8 = 6;
    /// Label-list block.
    pub const LABELS: u8 = 7;
    /// Block of an unknown kind.
    pub const UNKNOWN: u8 = 8;
    /// End-of-stream marker.
    pub const END_OF_STREAM: u8 = 9;
    /// Damaged range.
    pub const DAMAGE: u8 = 10;
    /// Bytes after the end-of-stream marker.
    pub const BEHIND_END: u8 = 11;
    /// Bytes that haven't been read yet.
    pub const UNREAD: u8 = 12;

    /// Returns the display name.
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

/// Compression of event headers.
pub mod compression {
    /// No events.
    pub const NONE: u8 = 0;
    /// Full headers.
    pub const FIXED: u8 = 1;
    /// Compressed headers, which contain only changed fields.
    pub const COMPRESSED: u8 = 2;
}

/// Marks a missing time.
pub const NO_TIME: i64 = i64::MIN;
/// Marks a missing number.
pub const NO_NUMBER: u32 = u32::MAX;

packed_table!(
    /// Blocks of the file in order. Every byte belongs to exactly one.
    Sections {
        /// Number of matching blocks: one value.
        total: Vec<u64>,
        /// Bytes of the file: one value.
        file_bytes: Vec<u64>,
        /// Absolute offset.
        offset: Vec<u64>,
        bytes: Vec<u64>,
        /// One of [`section_kind`].
        kind: Vec<u8>,
        /// Number of events, metadata records, stacks, threads or label lists.
        items: Vec<u32>,
        /// One of [`compression`].
        compression: Vec<u8>,
        /// Declared earliest time of the events, or time of a sequence point; or [`NO_TIME`].
        declared_first: Vec<i64>,
        /// Declared latest time of the events; or [`NO_TIME`].
        declared_last: Vec<i64>,
        /// Earliest time of the events; or [`NO_TIME`].
        first: Vec<i64>,
        /// Latest time of the events; or [`NO_TIME`].
        last: Vec<i64>,
        /// Number of threads with events.
        threads: Vec<u32>,
        /// Number of event types.
        types: Vec<u32>,
        /// Number of the first stack or label list; or [`NO_NUMBER`].
        first_number: Vec<u32>,
        /// Flags of a sequence point.
        flags: Vec<u32>,
        /// Problem for display; empty if none is known.
        problem: Strings,
    }
);

packed_table!(
    /// Part of the file as runs of adjacent blocks. Short blocks are merged.
    SectionRuns {
        /// Absolute offset.
        offset: Vec<u64>,
        bytes: Vec<u64>,
        /// Number of blocks that begin in the run.
        sections: Vec<u32>,
        /// Kind with the most bytes, one of [`section_kind`].
        kind: Vec<u8>,
        /// All kinds, one bit each.
        kinds: Vec<u16>,
        /// Number of blocks with a problem.
        problems: Vec<u32>,
    }
);

/// Subjects of rows of [`Costs`].
pub mod cost {
    /// Block kind, one of [`super::section_kind`]. The rows add up to the file.
    pub const PIECES: u8 = 0;
    /// Events and metadata of a provider. With [`REST`], the rows add up to the file.
    pub const PROVIDER: u8 = 1;
    /// Events and metadata of an event type. With [`REST`], the rows add up to the file.
    pub const EVENT_TYPE: u8 = 2;
    /// Other bytes of a block kind.
    pub const REST: u8 = 3;
    /// Headers and payloads of a thread's events. Together with all metadata, its padding, and [`REST`], the rows add
    /// up to the file.
    pub const THREAD: u8 = 4;
}

packed_table!(
    /// Bytes of the file by purpose, largest first within each subject.
    Costs {
        /// Bytes of the file: one value.
        file_bytes: Vec<u64>,
        /// Number of events in blocks with compressed headers, and in blocks with full headers: two values.
        events_by_header: Vec<u64>,
        /// Bytes of a full header in this format version: one value.
        full_header_bytes: Vec<u64>,
        /// One of [`cost`].
        of: Vec<u8>,
        /// Provider, thread, or block kind.
        name: Strings,
        /// Event name of an event type.
        event: Strings,
        /// [`crate::base::ids::TypeId`] of an event type; or [`NO_NUMBER`].
        event_type: Vec<u32>,
        /// Number of events, or of blocks for a block kind.
        count: Vec<u64>,
        header_bytes: Vec<u64>,
        payload_bytes: Vec<u64>,
        /// Bytes of metadata records.
        description_bytes: Vec<u64>,
        /// Bytes of padding after events and metadata records; for a block kind and [`cost::REST`], before the content
        /// of blocks.
        padding_bytes: Vec<u64>,
        /// Total bytes.
        bytes: Vec<u64>,
    }
);

packed_table!(
    /// Bytes of the fields of an event type in some of its events.
    FieldCosts {
        /// Row of the next step: one value; empty after the last step.
        next: Vec<u64>,
        /// Number of events in the step: one value.
        events: Vec<u64>,
        /// Bytes of their payloads, the sum of the bytes of the fields: one value.
        payload_bytes: Vec<u64>,
        name: Strings,
        bytes: Vec<u64>,
    }
);

/// Kinds of parts of a block.
pub mod part {
    /// Group of the following parts.
    pub const GROUP: u8 = 0;
    /// Bytes with a value.
    pub const LEAF: u8 = 1;
    /// No bytes: the value is inherited from the previous event.
    pub const INHERITED: u8 = 2;
    /// Bytes without a known meaning.
    pub const UNKNOWN: u8 = 3;
    /// Unreadable bytes.
    pub const DAMAGE: u8 = 4;
    /// Bytes with a value: a payload field, or an element of one.
    pub const FIELD: u8 = 5;
}

packed_table!(
    /// Parts of a block in file order, each before its inner parts. Every byte belongs to exactly one part that isn't a
    /// group.
    Structure {
        /// Offset and size of the block: two values.
        section: Vec<u64>,
        /// One of [`section_kind`]: one value.
        kind: Vec<u8>,
        /// Number of parts: one value.
        total: Vec<u64>,
        /// Number of items of the block: one value.
        items: Vec<u32>,
        /// Item at the requested offset, or [`NO_NUMBER`]: one value.
        item_there: Vec<u32>,
        /// Index of the innermost part at the requested offset: one value; empty if there is none.
        row_there: Vec<u64>,
        /// Absolute offset.
        offset: Vec<u64>,
        bytes: Vec<u64>,
        /// Nesting depth.
        depth: Vec<u32>,
        /// One of [`part`].
        part: Vec<u8>,
        /// Number of the item, or [`NO_NUMBER`].
        item: Vec<u32>,
        name: Strings,
        /// Displayed value.
        value: Strings,
        /// Term of the part: row of `term_section` and `term_meaning`.
        term: Vec<u16>,
        /// By term: section of the format document.
        term_section: Strings,
        /// By term: meaning, one sentence.
        term_meaning: Strings,
        /// Type of a payload field, one sentence; empty for other parts.
        type_words: Strings,
        /// Format document of the file: one value.
        document: Strings,
    }
);

impl Structure {
    /// Returns the section of the format document about the part in a row.
    pub fn section(&self, row: usize) -> String {
        format!("{}, “{}”", self.document.get(0), self.term_section.get(self.term_of(row)))
    }

    /// Returns the meaning of the part in a row, with the type of a payload field.
    pub fn meaning(&self, row: usize) -> String {
        let meaning = self.term_meaning.get(self.term_of(row));
        format!("{meaning} {}", self.type_words.get(row)).trim_end().to_owned()
    }

    fn term_of(&self, row: usize) -> usize {
        self.term.get(row).copied().unwrap_or(u16::MAX).into()
    }
}

packed_table!(
    /// Next bytes of an excerpt.
    ExcerptPart {
        bytes: Vec<u8>,
        /// Offset in the file up to which it has been processed: one value.
        next: Vec<u64>,
        /// Bytes of the file: one value.
        file_bytes: Vec<u64>,
        /// Number of events in the excerpt so far: one value.
        events: Vec<u64>,
        /// Unreadable bytes that were excluded: one value.
        damaged_bytes: Vec<u64>,
        /// 1 if the excerpt is complete: one value.
        is_done: Vec<u8>,
    }
);

packed_table!(
    /// Raw bytes of the file.
    FileBytes {
        /// Bytes of the file: one value.
        file_bytes: Vec<u64>,
        /// Absolute offset of the first byte: one value.
        offset: Vec<u64>,
        /// Bytes, fewer than requested at the end of the file.
        bytes: Vec<u8>,
    }
);
