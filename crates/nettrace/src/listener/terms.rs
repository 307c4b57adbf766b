//! Terms: names of the parts of a file, as in the format documents, and their meanings.

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
    /// Ticks since the previous event.
    TickDelta,
    /// Difference of sequence numbers, less one.
    SequenceDelta,
    /// Sequence number.
    Sequence,
    /// Metadata ID.
    MetadataId,
    /// Metadata ID, with a high bit that marks an unsorted event.
    SortedMetadataId,
    /// OS thread ID.
    ThreadId,
    /// Index of the thread table.
    ThreadIndex,
    /// CPU.
    Processor,
    /// Stack ID.
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

/// Returns the section of the format documents about a term, and its meaning. Texts are separate from terms, so that
/// programs that don't display them don't contain them.
pub fn texts(number: u16) -> (&'static str, &'static str) {
    TEXTS.get(usize::from(number)).copied().unwrap_or_default()
}

terms! {
    // All formats.
    PADDING: Plain, "Padding", "Alignment", "Padding to a 4-byte boundary in the file.";
    STRING_LENGTH: Size, "Length", "Primitives", "Number of UTF-8 bytes that follow, as a varint.";
    UNEXPLAINED: Unknown, "Unknown data", "Versioning", "Unknown data, skipped using the enclosing size.";
    UNREADABLE: Damage, "Unreadable data", "Versioning", "Data that contradicts the format, skipped using the enclosing size.";
    DAMAGE: Damage, "Damage", "Blocks", "Bytes in place of a block header, skipped up to the next block.";
    AFTER_END: Unknown, "After end of stream", "Ending the stream", "Bytes after the end-of-stream marker are ignored.";

    // The start of a file.
    MAGIC: Text, "Magic", "First Bytes: NetTrace Magic", "Signature of nettrace files: eight letters.";
    STREAM_NAME_LENGTH: Size, "Length", "Stream Header", "Number of text bytes that follow.";
    STREAM_NAME: Text, "Serialization", "Stream Header", "Name of the serialization format.";
    RESERVED: Plain, "Reserved", "First Bytes: NetTrace Magic", "Zero in version 6 and later; earlier versions have a length here.";
    MAJOR_VERSION: Plain, "MajorVersion", "First Bytes: NetTrace Magic", "Format version; readers of a lower version can't read the file.";
    MINOR_VERSION: Plain, "MinorVersion", "First Bytes: NetTrace Magic", "Counts changes that earlier readers can ignore.";

    // Objects, up to version 5.
    OBJECT_TAG: Tag, "Begin object", "Objects", "Start of an object.";
    TYPE: Group, "Type", "Objects", "Type of the object, serialized as an object.";
    TYPE_TAG: Tag, "Begin object", "Objects", "Start of the type object.";
    TYPE_OF_TYPE: Tag, "NullReference", "Objects", "Type of the type object: none.";
    TYPE_VERSION: Plain, "Version", "Objects", "Layout version of the object.";
    TYPE_OLDEST_READER: Plain, "MinimumReaderVersion", "Objects", "Lowest reader version that can read the object.";
    TYPE_NAME_LENGTH: Size, "Length", "Objects", "Length of the type name in bytes.";
    TYPE_NAME: Text, "TypeName", "Objects", "Type name, which identifies the block kind.";
    END_TYPE: Tag, "EndObject", "Objects", "End of the type object.";
    END_OBJECT: Tag, "EndObject", "Objects", "End of the object.";
    END_OF_STREAM: Tag, "NullReference", "Ending the stream", "End-of-stream marker: the file is complete.";
    BLOCK_SIZE: Size, "BlockSize", "The EventBlock Object", "Bytes of the block after this number and the padding.";
    ADDED_FIELDS: Unknown, "Added fields", "Forward compatibility", "Fields of a later version, skipped.";

    // Blocks of version 6.
    BLOCK_SIZE_6: Size, "BlockSize", "Blocks", "Bytes of the block after its header: the low 24 bits of the header.";
    BLOCK_KIND: BlockKind, "BlockKind", "Blocks", "Kind of the block: the high 8 bits of its header.";

    // The header.
    SYNC_TIME: Group, "SyncTimeUTC", "The First Object: The Trace Object", "Wall-clock time at time 0, in UTC.";
    YEAR: Plain, "Year", "The First Object: The Trace Object", "Year.";
    MONTH: Plain, "Month", "The First Object: The Trace Object", "Month, from 1.";
    DAY_OF_WEEK: Plain, "DayOfWeek", "The First Object: The Trace Object", "Day of the week, 0 for Sunday.";
    DAY: Plain, "Day", "The First Object: The Trace Object", "Day of the month.";
    HOUR: Plain, "Hour", "The First Object: The Trace Object", "Hour.";
    MINUTE: Plain, "Minute", "The First Object: The Trace Object", "Minute.";
    SECOND: Plain, "Second", "The First Object: The Trace Object", "Second.";
    MILLISECOND: Plain, "Millisecond", "The First Object: The Trace Object", "Milliseconds.";
    SYNC_TICKS: Plain, "SyncTimeQPC", "The First Object: The Trace Object", "Clock ticks at time 0.";
    TICK_FREQUENCY: Plain, "QPCFrequency", "The First Object: The Trace Object", "Clock ticks per second.";
    POINTER_SIZE: Plain, "PointerSize", "The First Object: The Trace Object", "Bytes per address.";
    PROCESS_ID: Plain, "ProcessId", "The First Object: The Trace Object", "OS process ID.";
    PROCESSORS: Plain, "NumberOfProcessors", "The First Object: The Trace Object", "Logical CPUs on the machine.";
    SAMPLING_RATE: Plain, "ExpectedCPUSamplingRate", "The First Object: The Trace Object", "Nanoseconds between two samples, as configured.";
    FORWARD_REFERENCE: Plain, "Forward reference", "Random access streams", "Index of the entry with the end of the events, in the table at the end of the file.";
    TRACE_TICKS: Plain, "SyncTimeTicks", "TraceBlock", "Clock ticks at time 0.";
    TRACE_FREQUENCY: Plain, "TickFrequency", "TraceBlock", "Clock ticks per second.";
    TRACE_POINTER_SIZE: Plain, "PointerSize", "TraceBlock", "Bytes per address.";
    PAIR_COUNT: Count, "KeyValueCount", "TraceBlock", "Number of key/value pairs that follow.";
    KEY: Text, "Key", "TraceBlock", "Key.";
    VALUE: Text, "Value", "TraceBlock", "Value.";
    TABLE_COUNT: Count, "Count", "Random access streams", "Number of positions in the table.";
    TABLE_LABEL: Plain, "Position", "Random access streams", "Offset of the end of the events.";
    TABLE_POSITION: Plain, "Table", "Random access streams", "Offset of the table.";
    TABLE_END: Plain, "Table reference", "Random access streams", "Offset of the table's position.";

    // Event blocks.
    BLOCK_HEADER: Group, "Header", "EventBlock", "Header of the block.";
    HEADER_SIZE: Size, "HeaderSize", "EventBlock", "Bytes of the block header, including these two.";
    BLOCK_FLAGS: BlockFlags, "Flags", "EventBlock", "Bit 1: event headers are compressed.";
    MIN_TIMESTAMP: Ticks, "Min Timestamp", "EventBlock", "Earliest timestamp in the block, as declared by the writer.";
    MAX_TIMESTAMP: Ticks, "Max Timestamp", "EventBlock", "Latest timestamp in the block, as declared by the writer.";
    HEADER_RESERVED: Unknown, "Reserved", "EventBlock", "Fields of later versions, skipped using the header size.";

    // Events, header compression.
    EVENT: Event, "Event", "Event blobs", "Event: header and payload.";
    FLAGS_4: EventFlags4, "Flags", "Header compression", "Bit mask of the header fields present; the others repeat the previous event.";
    FLAGS_6: EventFlags6, "Flags", "Header compression", "Bit mask of the header fields present; the others repeat the previous event.";
    METADATA_ID: MetadataId, "MetadataId", "Header compression", "Metadata record of the event.";
    SEQUENCE_DELTA: SequenceDelta, "SequenceNumber", "Header compression", "Sequence number delta: previous + value + 1.";
    SEQUENCE_KEPT: Sequence, "SequenceNumber", "Header compression", "Sequence number of the previous event; metadata events don't increment it.";
    CAPTURE_THREAD_ID: ThreadId, "CaptureThreadId", "Header compression", "Thread that wrote the event.";
    CAPTURE_THREAD_INDEX: ThreadIndex, "CaptureThreadIndex", "Header compression", "Thread that wrote the event.";
    PROCESSOR: Processor, "ProcessorNumber", "Header compression", "CPU that the writing thread ran on.";
    THREAD_ID: ThreadId, "ThreadId", "Header compression", "Thread that the event is about.";
    THREAD_INDEX: ThreadIndex, "ThreadIndex", "Header compression", "Thread that the event is about.";
    STACK_ID: StackId, "StackId", "Header compression", "Call stack of the event, 0 for none.";
    TIME_DELTA: TickDelta, "TimeStamp", "Header compression", "Ticks since the previous event; wraps around for an earlier time.";
    ACTIVITY_ID: Plain, "ActivityId", "Header compression", "Activity of the event.";
    RELATED_ACTIVITY_ID: Plain, "RelatedActivityId", "Header compression", "Related activity of the event.";
    LABEL_LIST_ID: LabelListId, "LabelListId", "Header compression", "Labels of the event, 0 for none.";
    PAYLOAD_SIZE: Size, "PayloadSize", "Header compression", "Bytes of the payload.";

    // Events, fixed headers.
    EVENT_SIZE: Size, "EventSize", "Uncompressed events", "Bytes of the event after this number.";
    FIXED_METADATA_ID: SortedMetadataId, "MetadataId", "Uncompressed events", "Metadata record of the event; the high bit marks an unsorted event.";
    FIXED_SEQUENCE: Sequence, "SequenceNumber", "Uncompressed events", "Sequence number of the event on its thread.";
    FIXED_THREAD_ID: ThreadId, "ThreadId", "Uncompressed events", "Thread that the event is about.";
    FIXED_CAPTURE_THREAD_ID: ThreadId, "CaptureThreadId", "Uncompressed events", "Thread that wrote the event.";
    FIXED_THREAD_INDEX: ThreadIndex, "ThreadIndex", "Uncompressed events", "Thread that the event is about.";
    FIXED_CAPTURE_THREAD_INDEX: ThreadIndex, "CaptureThreadIndex", "Uncompressed events", "Thread that wrote the event.";
    FIXED_PROCESSOR: Processor, "ProcessorNumber", "Uncompressed events", "CPU that the writing thread ran on.";
    FIXED_STACK_ID: StackId, "StackId", "Uncompressed events", "Call stack of the event, 0 for none.";
    FIXED_TIME: Ticks, "TimeStamp", "Uncompressed events", "Time of the event.";
    FIXED_ACTIVITY_ID: Plain, "ActivityId", "Uncompressed events", "Activity of the event.";
    FIXED_RELATED_ACTIVITY_ID: Plain, "RelatedActivityId", "Uncompressed events", "Related activity of the event.";
    FIXED_LABEL_LIST_ID: LabelListId, "LabelListId", "Uncompressed events", "Labels of the event, 0 for none.";
    FIXED_PAYLOAD_SIZE: Size, "PayloadSize", "Uncompressed events", "Bytes of the payload.";
    EVENT_PADDING: Plain, "Padding", "Uncompressed events", "Padding included in the size of the event.";

    // Events of netperf.
    NETPERF_SIZE: Size, "EventSize", "Structure of Events", "Bytes of the event after this number, including payload and stack.";
    NETPERF_METADATA_ID: MetadataId, "MetaDataId", "Structure of Events", "Metadata record of the event; 0 for a metadata event.";
    NETPERF_THREAD: ThreadId, "ThreadId", "Structure of Events", "Thread of the event.";
    NETPERF_TIME: Ticks, "TimeStamp", "Structure of Events", "Time of the event.";
    NETPERF_ACTIVITY_ID: Plain, "ActivityID", "Structure of Events", "Activity of the event.";
    NETPERF_RELATED_ACTIVITY_ID: Plain, "RelatedActivityID", "Structure of Events", "Related activity of the event.";
    NETPERF_PAYLOAD_SIZE: Size, "PayloadSize", "Structure of Events", "Bytes of the payload.";
    NETPERF_STACK_SIZE: Size, "Stack size", "Structure of Events", "Bytes of the call stack, 0 for none.";
    NETPERF_STACK: Address, "Stack", "Structure of Events", "Addresses of the event's call stack, innermost frame first.";

    // Payloads.
    PAYLOAD: Group, "Payload", "Event blobs", "Data of the event, laid out as its metadata declares.";
    PAYLOAD_BYTES: Unknown, "Bytes", "Event blobs", "Data without a declared field.";
    FIELD: Field, "Field", "Deserializing Payloads", "Field of the payload.";
    FIELD_PARTS: Field, "Field", "Deserializing Payloads", "Field of the payload with nested parts.";
    ARRAY_COUNT: Count, "Count", "Deserializing Payloads", "Number of elements that follow.";
    FIELD_LENGTH: Size, "Length", "Deserializing Payloads", "Number of text bytes that follow.";
    ELEMENTS: Plain, "Elements", "Deserializing Payloads", "Sequence of bytes or characters.";
    FIELD_DATA: Plain, "Data", "RelLoc and DataLoc", "Data that an earlier field refers to.";

    // Metadata, up to version 5.
    DESCRIPTION: Description, "Metadata", "Metadata event encoding", "Metadata record: provider, event name and fields.";
    DESCRIBED_ID: Plain, "MetaDataId", "Metadata event encoding", "Number by which events refer to this metadata record.";
    PROVIDER: Text, "ProviderName", "Metadata event encoding", "Provider.";
    PROVIDER_GUID: Plain, "Provider", "Metadata event encoding", "Provider.";
    EVENT_ID: Plain, "EventId", "Metadata event encoding", "Event ID within the provider.";
    EVENT_NAME: Text, "EventName", "Metadata event encoding", "Name of the event; empty for runtime events.";
    KEYWORDS: Keywords, "Keywords", "Metadata event encoding", "Keyword bit mask.";
    VERSION: Plain, "Version", "Metadata event encoding", "Version of the event's layout.";
    LEVEL: Level, "Level", "Metadata event encoding", "Verbosity level: 0 LogAlways, 1 Critical … 5 Verbose.";
    FIELD_COUNT: Count, "FieldCount", "Metadata event encoding", "Number of fields in the payload.";
    FIELD_DESCRIPTION: Group, "Field", "Metadata event encoding", "Field of the payload: type and name.";
    TYPE_CODE: TypeCode, "TypeCode", "Metadata event encoding", "Type of the field.";
    FIELD_NAME: Text, "FieldName", "Metadata event encoding", "Name of the field.";
    TAG: Group, "Tag", "Metadata event encoding", "Extension of version 5.";
    TAG_SIZE: Size, "TagPayloadBytes", "Metadata event encoding", "Bytes of the tag after its kind.";
    TAG_KIND: TagKind, "TagKind", "Metadata event encoding", "Kind of the tag.";
    OPCODE: Opcode, "OpCode", "Metadata event encoding", "Opcode.";
    FIELD_SIZE: Size, "FieldSize", "Metadata event encoding", "Bytes of the field's metadata, including these four.";
    DESCRIPTION_SIZE: Size, "Size", "Structure of MetaData", "Bytes of the field list that follow, 0 for runtime events.";
    REPEATED: Plain, "Repeated", "Structure of MetaData", "Repeats the previous number.";

    // Metadata of version 6.
    METADATA_HEADER_SIZE: Size, "HeaderSize", "MetadataBlock", "Bytes of the header after these two.";
    METADATA_RESERVED: Unknown, "Reserved", "MetadataBlock", "Fields of later versions, skipped.";
    ROW_SIZE: Size, "Size", "MetadataBlock", "Bytes of the row after these two.";
    ROW_ID: Plain, "MetadataId", "MetadataBlock", "Number by which events refer to this metadata record.";
    ROW_PROVIDER: Text, "ProviderName", "MetadataBlock", "Provider.";
    ROW_EVENT_ID: Plain, "EventId", "MetadataBlock", "Event ID within the provider, 0 for none.";
    ROW_EVENT_NAME: Text, "EventName", "MetadataBlock", "Name of the event.";
    ROW_FIELD_COUNT: Count, "Count", "FieldDescriptions", "Number of fields that follow.";
    ROW_FIELD: Group, "Field", "FieldDescriptions", "Field of the payload: name and type.";
    ROW_FIELD_SIZE: Size, "Size", "FieldDescriptions", "Bytes of the field's metadata after these two.";
    ROW_FIELD_NAME: Text, "FieldName", "FieldDescriptions", "Name of the field.";
    ROW_TYPE_CODE: TypeCode, "TypeCode", "Type", "Type of the field.";
    ELEMENT_COUNT: Count, "ElementCount", "Type", "Number of elements in each value.";
    OPTIONAL_SIZE: Size, "Size", "OptionalMetadata", "Bytes of the optional parts.";
    OPTIONAL_KIND: OptionalKind, "Kind", "OptionalMetadata", "Kind of the part.";
    OPTIONAL_OPCODE: Opcode, "OpCode", "OptionalMetadata", "Opcode.";
    OPTIONAL_KEYWORDS: Keywords, "Keywords", "OptionalMetadata", "Keyword bit mask.";
    OPTIONAL_TEMPLATE: Text, "MessageTemplate", "OptionalMetadata", "Message template with placeholders for the fields.";
    OPTIONAL_DESCRIPTION: Text, "Description", "OptionalMetadata", "Description of the event.";
    OPTIONAL_KEY: Text, "Key", "OptionalMetadata", "Key.";
    OPTIONAL_VALUE: Text, "Value", "OptionalMetadata", "Value.";
    OPTIONAL_GUID: Plain, "ProviderGuid", "OptionalMetadata", "GUID of the provider.";
    OPTIONAL_LEVEL: Level, "Level", "OptionalMetadata", "Verbosity level: 1 Critical … 5 Verbose.";
    OPTIONAL_VERSION: Plain, "Version", "OptionalMetadata", "Version of the event's layout.";

    // Stacks.
    FIRST_STACK_ID: Plain, "First Id", "StackBlock", "ID of the first stack; the IDs of the others follow it.";
    STACK_COUNT: Count, "Count", "StackBlock", "Number of stacks that follow.";
    STACK: Stack, "Stack", "StackBlock", "Call stack.";
    STACK_SIZE: Size, "StackSize", "StackBlock", "Bytes of the addresses.";
    ADDRESSES: Address, "Addresses", "StackBlock", "Addresses of the call stack, innermost frame first.";

    // Sequence points.
    POINT_TIME: Ticks, "TimeStamp", "SequencePointBlock", "Time that separates the events before and after this point of the file.";
    POINT_FLAGS: PointFlags, "Flags", "SequencePointBlock", "Scopes that end here: thread indices and metadata IDs.";
    POINT_THREADS: Count, "ThreadCount", "SequencePointBlock", "Number of threads that follow.";
    POINT_THREAD: Group, "Thread", "SequencePointBlock", "Thread and its last sequence number.";
    POINT_THREAD_ID: ThreadId, "ThreadId", "SequencePointBlock", "Thread that can write events.";
    POINT_THREAD_INDEX: ThreadIndex, "ThreadIndex", "SequencePointBlock", "Thread that can write events.";
    POINT_SEQUENCE: Sequence, "SequenceNumber", "SequencePointBlock", "Sequence number of the last event that the thread tried to write.";

    // Threads of version 6.
    THREAD: Thread, "Thread", "ThreadBlock", "Thread: name, IDs and other properties.";
    THREAD_SIZE: Size, "Size", "ThreadBlock", "Bytes of the row after these two.";
    THREAD_ROW_INDEX: Plain, "Index", "ThreadBlock", "Number by which events refer to this thread.";
    THREAD_KIND: ThreadFactKind, "Kind", "ThreadBlock", "Kind of the part.";
    THREAD_NAME: Text, "Name", "ThreadBlock", "Name of the thread.";
    THREAD_PROCESS: Plain, "OSProcessId", "ThreadBlock", "OS process ID.";
    THREAD_OS_ID: Plain, "OSThreadId", "ThreadBlock", "OS thread ID.";
    THREAD_KEY: Text, "Key", "ThreadBlock", "Key.";
    THREAD_VALUE: Text, "Value", "ThreadBlock", "Value.";
    REMOVED_THREAD: Thread, "Thread", "RemoveThreadBlock", "Thread that no later event refers to.";
    REMOVED_INDEX: ThreadIndex, "Index", "RemoveThreadBlock", "Index of the thread.";
    REMOVED_SEQUENCE: Sequence, "SequenceNumber", "RemoveThreadBlock", "Sequence number of the last event that the thread tried to write.";

    // Labels of version 6.
    FIRST_LABEL_LIST: Plain, "firstIndex", "LabelListBlock", "Index of the first list; the indices of the others follow it.";
    LABEL_LIST_COUNT: Count, "count", "LabelListBlock", "Number of lists that follow.";
    LABEL_LIST: LabelList, "Labels", "LabelListBlock", "Labels attached to events.";
    LABEL_KIND: LabelKind, "Kind", "LabelListBlock", "Kind of the label; the high bit ends the list.";
    LABEL_ACTIVITY: Plain, "ActivityId", "LabelListBlock", "Activity of the events.";
    LABEL_RELATED: Plain, "RelatedActivityId", "LabelListBlock", "Related activity of the events.";
    LABEL_TRACE: Plain, "TraceId", "LabelListBlock", "W3C trace ID.";
    LABEL_SPAN: Plain, "SpanId", "LabelListBlock", "W3C span ID.";
    LABEL_KEY: Text, "Key", "LabelListBlock", "Name of the label.";
    LABEL_TEXT: Text, "Value", "LabelListBlock", "Text of the label.";
    LABEL_NUMBER: ZigZag, "Value", "LabelListBlock", "Number of the label.";
    LABEL_OPCODE: Opcode, "OpCode", "LabelListBlock", "Overrides the opcode of the metadata record.";
    LABEL_KEYWORDS: Keywords, "Keywords", "LabelListBlock", "Overrides the keywords of the metadata record.";
    LABEL_LEVEL: Level, "Level", "LabelListBlock", "Overrides the level of the metadata record.";
    LABEL_VERSION: Plain, "Version", "LabelListBlock", "Overrides the version of the metadata record.";
}
