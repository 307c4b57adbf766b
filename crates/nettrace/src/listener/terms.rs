//! Terms: the names of the parts of a file in the format documents, and their meaning.

/// Meaning of a part of a file.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// Name in the format documents.
    pub name: &'static str,
    /// Argument of [`texts`].
    pub number: u16,
    /// Meaning of the value.
    pub role: Role,
}

/// Meaning of a value, for display.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The value itself.
    Plain,
    /// Group of parts.
    Group,
    /// Event.
    Event,
    /// Metadata record.
    Description,
    /// Call stack.
    Stack,
    /// Thread (version 6).
    Thread,
    /// Label list.
    LabelList,
    /// Tag: one byte that begins or ends a part.
    Tag,
    /// Number of following bytes.
    Size,
    /// Number of following rows or elements.
    Count,
    /// Text.
    Text,
    /// Block kind of version 6.
    BlockKind,
    /// Flags of an event block.
    BlockFlags,
    /// Flags of a sequence point.
    PointFlags,
    /// Flags of a compressed event header, up to version 5.
    EventFlags4,
    /// Flags of a compressed event header of version 6.
    EventFlags6,
    /// Timestamp in ticks.
    Ticks,
    /// Ticks since the event before.
    TickDelta,
    /// Difference of sequence numbers, less one.
    SequenceDelta,
    /// Sequence number.
    Sequence,
    /// Metadata id.
    MetadataId,
    /// Metadata id, with a high bit that says that the event isn't sorted.
    SortedMetadataId,
    /// OS thread id.
    ThreadId,
    /// Index of the thread table.
    ThreadIndex,
    /// CPU.
    Processor,
    /// Stack id.
    StackId,
    /// Index of a label list.
    LabelListId,
    /// Type code of a field.
    TypeCode,
    /// Kind of a tag of version 5.
    TagKind,
    /// Kind of an optional part of a metadata record (version 6).
    OptionalKind,
    /// Kind of an optional part of a thread (version 6).
    ThreadFactKind,
    /// Kind of a label, with a bit that marks the last one.
    LabelKind,
    /// Level.
    Level,
    /// Keywords, one bit each.
    Keywords,
    /// Opcode.
    Opcode,
    /// Addresses of code.
    Address,
    /// Signed number in zig-zag encoding.
    ZigZag,
    /// Field of a payload.
    Field,
    /// Bytes without a known meaning.
    Unknown,
    /// Unreadable bytes.
    Damage,
}

macro_rules! terms {
    ($($id:ident: $role:ident, $name:literal, $section:literal, $meaning:literal;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Number { $($id),* }

        $(pub(crate) const $id: &Term = &Term { name: $name, number: Number::$id as u16, role: Role::$role };)*

        const TEXTS: &[(&str, &str)] = &[$(($section, $meaning)),*];
    };
}

/// Returns the section of the format documents about a term, and a sentence about its purpose. The texts are separate from the
/// terms, so programs that don't display them don't contain them.
pub fn texts(number: u16) -> (&'static str, &'static str) {
    TEXTS.get(usize::from(number)).copied().unwrap_or_default()
}

terms! {
    // What is the same everywhere.
    PADDING: Plain, "Padding", "Alignment", "Zeros that bring what follows to a multiple of four bytes in the file.";
    STRING_LENGTH: Size, "Length", "Primitives", "How many bytes of UTF-8 follow, as a number of variable length.";
    UNEXPLAINED: Unknown, "Not understood", "Versioning", "No part of the format that is known; skipped by the size around it.";
    UNREADABLE: Damage, "Not readable", "Versioning", "Contradicts the format, so that nothing up to here can be read.";
    DAMAGE: Damage, "Damage", "Blocks", "Where a block has to begin there is something else; skipped up to the next block.";
    AFTER_END: Unknown, "Behind the end mark", "Ending the stream", "Nothing behind the end mark is read.";

    // The start of a file.
    MAGIC: Text, "Magic", "First Bytes: NetTrace Magic", "Every nettrace file begins with these eight letters.";
    STREAM_NAME_LENGTH: Size, "Length", "Stream Header", "How many bytes of text follow.";
    STREAM_NAME: Text, "Serialization", "Stream Header", "The library whose conventions the rest of the file follows.";
    RESERVED: Plain, "Reserved", "First Bytes: NetTrace Magic", "Zero since version 6; earlier versions have a length here.";
    MAJOR_VERSION: Plain, "MajorVersion", "First Bytes: NetTrace Magic", "A reader of a lower version must not go on.";
    MINOR_VERSION: Plain, "MinorVersion", "First Bytes: NetTrace Magic", "Counts changes that earlier readers may skip.";

    // Objects, up to version 5.
    OBJECT_TAG: Tag, "Begin object", "Objects", "An object begins.";
    TYPE: Group, "Type", "Objects", "What the object is, itself written as an object.";
    TYPE_TAG: Tag, "Begin object", "Objects", "The object's type begins.";
    TYPE_OF_TYPE: Tag, "NullReference", "Objects", "A type has no type itself.";
    TYPE_VERSION: Plain, "Version", "Objects", "The version of the layout of this object.";
    TYPE_OLDEST_READER: Plain, "MinimumReaderVersion", "Objects", "Readers of a lower version must not read this object.";
    TYPE_NAME_LENGTH: Size, "Length", "Objects", "How many bytes the name of the type has.";
    TYPE_NAME: Text, "TypeName", "Objects", "The name of the type, by which blocks are told apart.";
    END_TYPE: Tag, "EndObject", "Objects", "The type ends.";
    END_OBJECT: Tag, "EndObject", "Objects", "The object ends.";
    END_OF_STREAM: Tag, "NullReference", "Ending the stream", "No object follows: the file is complete.";
    BLOCK_SIZE: Size, "BlockSize", "The EventBlock Object", "Bytes of the block behind this number and the padding.";
    ADDED_FIELDS: Unknown, "Added fields", "Forward compatibility", "Fields of a later version, skipped up to the end of the object.";

    // Blocks of version 6.
    BLOCK_SIZE_6: Size, "BlockSize", "Blocks", "Bytes of the block behind its header: the low 24 bits of the header.";
    BLOCK_KIND: BlockKind, "BlockKind", "Blocks", "What the block holds: the high 8 bits of its header.";

    // The header.
    SYNC_TIME: Group, "SyncTimeUTC", "The First Object: The Trace Object", "The wall-clock time at time 0, in UTC.";
    YEAR: Plain, "Year", "The First Object: The Trace Object", "The year.";
    MONTH: Plain, "Month", "The First Object: The Trace Object", "The month, from 1.";
    DAY_OF_WEEK: Plain, "DayOfWeek", "The First Object: The Trace Object", "The day of the week, 0 for Sunday.";
    DAY: Plain, "Day", "The First Object: The Trace Object", "The day of the month.";
    HOUR: Plain, "Hour", "The First Object: The Trace Object", "The hour.";
    MINUTE: Plain, "Minute", "The First Object: The Trace Object", "The minute.";
    SECOND: Plain, "Second", "The First Object: The Trace Object", "The second.";
    MILLISECOND: Plain, "Millisecond", "The First Object: The Trace Object", "The thousandths of the second.";
    SYNC_TICKS: Plain, "SyncTimeQPC", "The First Object: The Trace Object", "What the trace's clock shows at time 0.";
    TICK_FREQUENCY: Plain, "QPCFrequency", "The First Object: The Trace Object", "Ticks of the trace's clock in a second.";
    POINTER_SIZE: Plain, "PointerSize", "The First Object: The Trace Object", "Bytes of an address.";
    PROCESS_ID: Plain, "ProcessId", "The First Object: The Trace Object", "The operating system's id of the process.";
    PROCESSORS: Plain, "NumberOfProcessors", "The First Object: The Trace Object", "Threads that the machine runs at once.";
    SAMPLING_RATE: Plain, "ExpectedCPUSamplingRate", "The First Object: The Trace Object", "Nanoseconds between two samples, as configured.";
    FORWARD_REFERENCE: Plain, "Forward reference", "Random access streams", "Which entry of the table at the end of the file tells where the events end.";
    TRACE_TICKS: Plain, "SyncTimeTicks", "TraceBlock", "What the trace's clock shows at time 0.";
    TRACE_FREQUENCY: Plain, "TickFrequency", "TraceBlock", "Ticks of the trace's clock in a second.";
    TRACE_POINTER_SIZE: Plain, "PointerSize", "TraceBlock", "Bytes of an address.";
    PAIR_COUNT: Count, "KeyValueCount", "TraceBlock", "How many facts with a name follow.";
    KEY: Text, "Key", "TraceBlock", "The name of a fact.";
    VALUE: Text, "Value", "TraceBlock", "The fact.";
    TABLE_COUNT: Count, "Count", "Random access streams", "How many positions the table at the end of the file has.";
    TABLE_LABEL: Plain, "Position", "Random access streams", "Where the events end.";
    TABLE_POSITION: Plain, "Table", "Random access streams", "Where the table begins.";
    TABLE_END: Plain, "Table reference", "Random access streams", "Where the position of the table stands.";

    // Event blocks.
    BLOCK_HEADER: Group, "Header", "EventBlock", "What is true of the block as a whole.";
    HEADER_SIZE: Size, "HeaderSize", "EventBlock", "Bytes of the header of the block, these two included.";
    BLOCK_FLAGS: BlockFlags, "Flags", "EventBlock", "Bit 1 says that event headers are compressed.";
    MIN_TIMESTAMP: Ticks, "Min Timestamp", "EventBlock", "The smallest time of an event in the block, by the writer.";
    MAX_TIMESTAMP: Ticks, "Max Timestamp", "EventBlock", "The largest time of an event in the block, by the writer.";
    HEADER_RESERVED: Unknown, "Reserved", "EventBlock", "Room for fields of later versions, skipped by the size of the header.";

    // Events, header compression.
    EVENT: Event, "Event", "Event blobs", "An event: its header and its payload.";
    FLAGS_4: EventFlags4, "Flags", "Header compression", "Which parts of the header are there; what is missing is as in the event before.";
    FLAGS_6: EventFlags6, "Flags", "Header compression", "Which parts of the header are there; what is missing is as in the event before.";
    METADATA_ID: MetadataId, "MetadataId", "Header compression", "The description of this kind of event.";
    SEQUENCE_DELTA: SequenceDelta, "SequenceNumber", "Header compression", "Added to the number of the event before, and one more.";
    SEQUENCE_KEPT: Sequence, "SequenceNumber", "Header compression", "Descriptions are not counted.";
    CAPTURE_THREAD_ID: ThreadId, "CaptureThreadId", "Header compression", "The thread that wrote the event.";
    CAPTURE_THREAD_INDEX: ThreadIndex, "CaptureThreadIndex", "Header compression", "The thread that wrote the event.";
    PROCESSOR: Processor, "ProcessorNumber", "Header compression", "The processor that the writer ran on.";
    THREAD_ID: ThreadId, "ThreadId", "Header compression", "The thread that the event is about.";
    THREAD_INDEX: ThreadIndex, "ThreadIndex", "Header compression", "The thread that the event is about.";
    STACK_ID: StackId, "StackId", "Header compression", "The call stack of the event, 0 for none.";
    TIME_DELTA: TickDelta, "TimeStamp", "Header compression", "Ticks since the event before; wraps, so that it may lead back.";
    ACTIVITY_ID: Plain, "ActivityId", "Header compression", "The activity that the event belongs to.";
    RELATED_ACTIVITY_ID: Plain, "RelatedActivityId", "Header compression", "The activity that the event refers to.";
    LABEL_LIST_ID: LabelListId, "LabelListId", "Header compression", "The labels of the event, 0 for none.";
    PAYLOAD_SIZE: Size, "PayloadSize", "Header compression", "Bytes of the payload.";

    // Events, fixed headers.
    EVENT_SIZE: Size, "EventSize", "Uncompressed events", "Bytes of the event behind this number.";
    FIXED_METADATA_ID: SortedMetadataId, "MetadataId", "Uncompressed events", "The description of this kind of event; the high bit says that the event is not sorted.";
    FIXED_SEQUENCE: Sequence, "SequenceNumber", "Uncompressed events", "The number of the event on the thread that wrote it.";
    FIXED_THREAD_ID: ThreadId, "ThreadId", "Uncompressed events", "The thread that the event is about.";
    FIXED_CAPTURE_THREAD_ID: ThreadId, "CaptureThreadId", "Uncompressed events", "The thread that wrote the event.";
    FIXED_THREAD_INDEX: ThreadIndex, "ThreadIndex", "Uncompressed events", "The thread that the event is about.";
    FIXED_CAPTURE_THREAD_INDEX: ThreadIndex, "CaptureThreadIndex", "Uncompressed events", "The thread that wrote the event.";
    FIXED_PROCESSOR: Processor, "ProcessorNumber", "Uncompressed events", "The processor that the writer ran on.";
    FIXED_STACK_ID: StackId, "StackId", "Uncompressed events", "The call stack of the event, 0 for none.";
    FIXED_TIME: Ticks, "TimeStamp", "Uncompressed events", "When the event happened.";
    FIXED_ACTIVITY_ID: Plain, "ActivityId", "Uncompressed events", "The activity that the event belongs to.";
    FIXED_RELATED_ACTIVITY_ID: Plain, "RelatedActivityId", "Uncompressed events", "The activity that the event refers to.";
    FIXED_LABEL_LIST_ID: LabelListId, "LabelListId", "Uncompressed events", "The labels of the event, 0 for none.";
    FIXED_PAYLOAD_SIZE: Size, "PayloadSize", "Uncompressed events", "Bytes of the payload.";
    EVENT_PADDING: Plain, "Padding", "Uncompressed events", "What the size of the event counts beyond it.";

    // Events of netperf.
    NETPERF_SIZE: Size, "EventSize", "Structure of Events", "Bytes of the event behind this number, with payload and stack.";
    NETPERF_METADATA_ID: MetadataId, "MetaDataId", "Structure of Events", "The description of this kind of event; 0 for what is a description itself.";
    NETPERF_THREAD: ThreadId, "ThreadId", "Structure of Events", "The thread of the event.";
    NETPERF_TIME: Ticks, "TimeStamp", "Structure of Events", "When the event happened.";
    NETPERF_ACTIVITY_ID: Plain, "ActivityID", "Structure of Events", "The activity that the event belongs to.";
    NETPERF_RELATED_ACTIVITY_ID: Plain, "RelatedActivityID", "Structure of Events", "The activity that the event refers to.";
    NETPERF_PAYLOAD_SIZE: Size, "PayloadSize", "Structure of Events", "Bytes of the payload.";
    NETPERF_STACK_SIZE: Size, "Stack size", "Structure of Events", "Bytes of the call stack, 0 for none.";
    NETPERF_STACK: Address, "Stack", "Structure of Events", "Where the methods of the event's call stack were, innermost first.";

    // Payloads.
    PAYLOAD: Group, "Payload", "Event blobs", "The data of the event, laid out as its description says.";
    PAYLOAD_BYTES: Unknown, "Bytes", "Event blobs", "Data that no description covers.";
    FIELD: Field, "Field", "Deserializing Payloads", "A field of the payload.";
    FIELD_PARTS: Field, "Field", "Deserializing Payloads", "A field of the payload that has parts.";
    ARRAY_COUNT: Count, "Count", "Deserializing Payloads", "How many elements follow.";
    FIELD_LENGTH: Size, "Length", "Deserializing Payloads", "How many bytes of text follow.";
    ELEMENTS: Plain, "Elements", "Deserializing Payloads", "Bytes or characters, one after the other.";
    FIELD_DATA: Plain, "Data", "RelLoc and DataLoc", "Data that a field before this place refers to.";

    // Descriptions, up to version 5.
    DESCRIPTION: Description, "Metadata", "Metadata event encoding", "The description of a kind of event.";
    DESCRIBED_ID: Plain, "MetaDataId", "Metadata event encoding", "The number by which events refer to this description.";
    PROVIDER: Text, "ProviderName", "Metadata event encoding", "Who writes these events.";
    PROVIDER_GUID: Plain, "Provider", "Metadata event encoding", "Who writes these events.";
    EVENT_ID: Plain, "EventId", "Metadata event encoding", "The number of the event within its provider.";
    EVENT_NAME: Text, "EventName", "Metadata event encoding", "The name of the event; empty for events of the runtime.";
    KEYWORDS: Keywords, "Keywords", "Metadata event encoding", "The groups of events it belongs to, one bit each.";
    VERSION: Plain, "Version", "Metadata event encoding", "Counts changes of the layout.";
    LEVEL: Level, "Level", "Metadata event encoding", "How important it is: 1 critical to 5 verbose, 0 always.";
    FIELD_COUNT: Count, "FieldCount", "Metadata event encoding", "How many fields the payload has.";
    FIELD_DESCRIPTION: Group, "Field", "Metadata event encoding", "A field of the payload: its type and its name.";
    TYPE_CODE: TypeCode, "TypeCode", "Metadata event encoding", "The type of the field.";
    FIELD_NAME: Text, "FieldName", "Metadata event encoding", "The name of the field.";
    TAG: Group, "Tag", "Metadata event encoding", "Something that version 5 adds.";
    TAG_SIZE: Size, "TagPayloadBytes", "Metadata event encoding", "Bytes of the tag behind its kind.";
    TAG_KIND: TagKind, "TagKind", "Metadata event encoding", "What the tag adds.";
    OPCODE: Opcode, "OpCode", "Metadata event encoding", "What the event means for its task.";
    FIELD_SIZE: Size, "FieldSize", "Metadata event encoding", "Bytes of this field's description, these four included.";
    DESCRIPTION_SIZE: Size, "Size", "Structure of MetaData", "Bytes of the description that follow, 0 for events of the runtime.";
    REPEATED: Plain, "Repeated", "Structure of MetaData", "A number that says again what stands before.";

    // Descriptions of version 6.
    METADATA_HEADER_SIZE: Size, "HeaderSize", "MetadataBlock", "Bytes of the header behind these two.";
    METADATA_RESERVED: Unknown, "Reserved", "MetadataBlock", "Room for fields of later versions.";
    ROW_SIZE: Size, "Size", "MetadataBlock", "Bytes of the row behind these two.";
    ROW_ID: Plain, "MetadataId", "MetadataBlock", "The number by which events refer to this description.";
    ROW_PROVIDER: Text, "ProviderName", "MetadataBlock", "Who writes these events.";
    ROW_EVENT_ID: Plain, "EventId", "MetadataBlock", "The number of the event within its provider, 0 for none.";
    ROW_EVENT_NAME: Text, "EventName", "MetadataBlock", "The name of the event.";
    ROW_FIELD_COUNT: Count, "Count", "FieldDescriptions", "How many fields follow.";
    ROW_FIELD: Group, "Field", "FieldDescriptions", "A field of the payload: its name and its type.";
    ROW_FIELD_SIZE: Size, "Size", "FieldDescriptions", "Bytes of this field's description behind these two.";
    ROW_FIELD_NAME: Text, "FieldName", "FieldDescriptions", "The name of the field.";
    ROW_TYPE_CODE: TypeCode, "TypeCode", "Type", "The type of the field.";
    ELEMENT_COUNT: Count, "ElementCount", "Type", "How many elements every value has.";
    OPTIONAL_SIZE: Size, "Size", "OptionalMetadata", "Bytes of the optional parts.";
    OPTIONAL_KIND: OptionalKind, "Kind", "OptionalMetadata", "What the part says.";
    OPTIONAL_OPCODE: Opcode, "OpCode", "OptionalMetadata", "What the event means for its task.";
    OPTIONAL_KEYWORDS: Keywords, "Keywords", "OptionalMetadata", "The groups of events it belongs to, one bit each.";
    OPTIONAL_TEMPLATE: Text, "MessageTemplate", "OptionalMetadata", "A sentence with places for the fields.";
    OPTIONAL_DESCRIPTION: Text, "Description", "OptionalMetadata", "What the event is about.";
    OPTIONAL_KEY: Text, "Key", "OptionalMetadata", "The name of a fact.";
    OPTIONAL_VALUE: Text, "Value", "OptionalMetadata", "The fact.";
    OPTIONAL_GUID: Plain, "ProviderGuid", "OptionalMetadata", "The provider's GUID.";
    OPTIONAL_LEVEL: Level, "Level", "OptionalMetadata", "How important it is: 1 critical to 5 verbose.";
    OPTIONAL_VERSION: Plain, "Version", "OptionalMetadata", "Counts changes of the layout.";

    // Stacks.
    FIRST_STACK_ID: Plain, "First Id", "StackBlock", "The number of the first stack; the others count on.";
    STACK_COUNT: Count, "Count", "StackBlock", "How many stacks follow.";
    STACK: Stack, "Stack", "StackBlock", "A call stack.";
    STACK_SIZE: Size, "StackSize", "StackBlock", "Bytes of the addresses.";
    ADDRESSES: Address, "Addresses", "StackBlock", "Where the methods of the stack were, innermost first.";

    // Sequence points.
    POINT_TIME: Ticks, "TimeStamp", "SequencePointBlock", "Everything before this place of the file is earlier, everything behind later.";
    POINT_FLAGS: PointFlags, "Flags", "SequencePointBlock", "What of threads and descriptions ends here.";
    POINT_THREADS: Count, "ThreadCount", "SequencePointBlock", "How many threads follow.";
    POINT_THREAD: Group, "Thread", "SequencePointBlock", "A thread and the last number that it gave to an event.";
    POINT_THREAD_ID: ThreadId, "ThreadId", "SequencePointBlock", "A thread that may write events.";
    POINT_THREAD_INDEX: ThreadIndex, "ThreadIndex", "SequencePointBlock", "A thread that may write events.";
    POINT_SEQUENCE: Sequence, "SequenceNumber", "SequencePointBlock", "The number of the last event that the thread tried to write.";

    // Threads of version 6.
    THREAD: Thread, "Thread", "ThreadBlock", "What is known of a thread.";
    THREAD_SIZE: Size, "Size", "ThreadBlock", "Bytes of the row behind these two.";
    THREAD_ROW_INDEX: Plain, "Index", "ThreadBlock", "The number by which events refer to this thread.";
    THREAD_KIND: ThreadFactKind, "Kind", "ThreadBlock", "What the part says.";
    THREAD_NAME: Text, "Name", "ThreadBlock", "The thread's name.";
    THREAD_PROCESS: Plain, "OSProcessId", "ThreadBlock", "The operating system's id of its process.";
    THREAD_OS_ID: Plain, "OSThreadId", "ThreadBlock", "The operating system's id of the thread.";
    THREAD_KEY: Text, "Key", "ThreadBlock", "The name of a fact.";
    THREAD_VALUE: Text, "Value", "ThreadBlock", "The fact.";
    REMOVED_THREAD: Thread, "Thread", "RemoveThreadBlock", "A thread that no later event refers to.";
    REMOVED_INDEX: ThreadIndex, "Index", "RemoveThreadBlock", "Which thread.";
    REMOVED_SEQUENCE: Sequence, "SequenceNumber", "RemoveThreadBlock", "The number of the last event that it tried to write.";

    // Labels of version 6.
    FIRST_LABEL_LIST: Plain, "firstIndex", "LabelListBlock", "The number of the first list; the others count on.";
    LABEL_LIST_COUNT: Count, "count", "LabelListBlock", "How many lists follow.";
    LABEL_LIST: LabelList, "Labels", "LabelListBlock", "What is attached to events besides their payloads.";
    LABEL_KIND: LabelKind, "Kind", "LabelListBlock", "What the label says; the high bit ends the list.";
    LABEL_ACTIVITY: Plain, "ActivityId", "LabelListBlock", "The activity that events belong to.";
    LABEL_RELATED: Plain, "RelatedActivityId", "LabelListBlock", "The activity that they refer to.";
    LABEL_TRACE: Plain, "TraceId", "LabelListBlock", "The W3C trace id.";
    LABEL_SPAN: Plain, "SpanId", "LabelListBlock", "The W3C span id.";
    LABEL_KEY: Text, "Key", "LabelListBlock", "The name of the label.";
    LABEL_TEXT: Text, "Value", "LabelListBlock", "Its text.";
    LABEL_NUMBER: ZigZag, "Value", "LabelListBlock", "Its number.";
    LABEL_OPCODE: Opcode, "OpCode", "LabelListBlock", "Goes before the opcode of the description.";
    LABEL_KEYWORDS: Keywords, "Keywords", "LabelListBlock", "Go before the keywords of the description.";
    LABEL_LEVEL: Level, "Level", "LabelListBlock", "Goes before the level of the description.";
    LABEL_VERSION: Plain, "Version", "LabelListBlock", "Goes before the version of the description.";
}
