//! Output of `events` and `schema`.

use super::shape::Shape::{Anything, List, Object, Word};
use super::shape::{Member, Shape, integer, member, number, text};

pub(super) const EVENT: Shape = Object(&[
    integer("i", "Position in the trace"),
    integer("ns", "Time"),
    integer("qpc", "Time in clock ticks"),
    integer("process", ""),
    integer("thread", ""),
    integer("meta", "Metadata ID"),
    text("provider", ""),
    integer("id", "Event ID"),
    integer("version", ""),
    text("name", ""),
    integer("level", ""),
    text("keywords", "Hexadecimal"),
    integer("opcode", "").optional(),
    text("activity", "Activity ID").optional(),
    text("related", "Related activity ID").optional(),
    integer("payloadLen", "Bytes"),
    text("payloadFnv", "Checksum of the payload"),
    integer("stackFrames", "Number of frames").optional(),
    text("stackFnv", "Checksum of the stack").optional(),
    text("misfit", "How the payload differs from the schema").optional(),
    member("undescribed", Anything, "Bytes that belong to no field").optional(),
    member("payload", Anything, "Fields, in the order of the schema").optional(),
]);

pub(super) const GROUP: Shape = Object(&[
    text("of", "Value that the events share").optional(),
    member("without", Word(&["true"]), "The events without the field").optional(),
    member("others", Word(&["true"]), "All further groups in one").optional(),
    integer("events", ""),
    integer("firstNs", ""),
    integer("lastNs", ""),
    integer("measured", "Number of events with a number, with --sum").optional(),
    number("sum", "").optional(),
    number("min", "").optional(),
    number("p50", "").optional(),
    number("p95", "").optional(),
    number("max", "").optional(),
]);

const FIELD: &[Member] = &[
    text("name", ""),
    text("type", "Type in the file"),
    text("csharpType", ""),
    integer("offset", "Only if the same in all payloads").optional(),
    integer("bytes", "Only if the same in all payloads").optional(),
];

const SCHEMA: &[Member] = &[
    text("provider", ""),
    text("providerGuid", ""),
    integer("eventId", ""),
    integer("version", ""),
    text("name", ""),
    text("metadataName", "Name in the file; may be empty"),
    integer("metadataId", ""),
    integer("offset", "Position of the metadata record in the file"),
    integer("level", ""),
    text("keywords", "Hexadecimal"),
    text("keywordNames", ""),
    integer("opcode", "").optional(),
    text("task", "").optional(),
    text("messageTemplate", "").optional(),
    text("description", "").optional(),
    text("payloads", "How payloads differ from the schema").optional(),
    text("source", "Source of the fields"),
    member("fields", List(&Object(FIELD)), ""),
    member(
        "declaredFields",
        List(&Object(&[text("name", ""), text("type", "")])),
        "Fields in the file, if they differ",
    )
    .optional(),
    integer("count", "Number of events"),
    integer("payloadBytes", ""),
    integer("fileBytes", "Bytes in the file, with headers and metadata"),
    integer("withStackInFile", "Number of events with a stack"),
    integer("threads", "Number of threads"),
    number("perSecond", "").optional(),
    integer("firstNs", "").optional(),
    integer("lastNs", "").optional(),
];

pub(super) const SCHEMAS: Shape =
    Object(&[text("file", ""), integer("fileBytes", ""), member("schemas", List(&Object(SCHEMA)), "Event types")]);

const FACT: &[Member] = &[text("name", ""), text("before", ""), text("after", "")];

const FIELD_CHANGE: &[Member] = &[text("change", ""), text("before", "").optional(), text("after", "").optional()];

const KIND: &[Member] = &[
    text("change", ""),
    text("provider", ""),
    text("name", ""),
    integer("eventId", ""),
    integer("version", ""),
    member("facts", List(&Object(FACT)), "Changed properties").optional(),
    member("fields", List(&Object(FIELD_CHANGE)), "Changed fields").optional(),
];

pub(super) const SCHEMA_CHANGES: Shape = Object(&[
    member("kinds", List(&Object(KIND)), "Added, removed and changed event types"),
    integer("same", "Number of unchanged event types"),
]);
