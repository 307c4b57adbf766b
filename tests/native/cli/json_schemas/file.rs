//! Output of `info`, `check`, `blocks` and `dump`.

use super::shape::Shape::{Boolean, Either, Integer, List, Map, Object, OrNull, Text, Word};
use super::shape::{Member, Shape, integer, member, text};

const LOST: Member = member("eventsLost", OrNull(&Integer), "Null if the format doesn't record it");

const TYPE: &[Member] = &[
    text("provider", ""),
    integer("eventId", ""),
    integer("version", ""),
    text("metadataName", "Name in the file; may be empty"),
    integer("level", ""),
    text("keywords", "Hexadecimal"),
    integer("opcode", "").optional(),
    integer("count", "Number of events"),
    integer("payloadBytes", ""),
    integer("withStackInFile", "Number of events with a stack"),
    integer("threads", "Number of threads"),
    integer("firstNs", "Time of the first event"),
    integer("lastNs", "Time of the last event"),
];

const THREAD: &[Member] = &[
    integer("process", ""),
    integer("thread", "ID of the operating system"),
    integer("events", "Number of events"),
    integer("firstNs", ""),
    integer("lastNs", ""),
    text("name", "").optional(),
];

const LOSS: &[Member] = &[
    integer("thread", ""),
    integer("afterNs", "The events were lost after this time").optional(),
    integer("beforeNs", "And before this time"),
    integer("count", "Number of lost events"),
];

const REQUESTED: &[Member] = &[
    text("provider", ""),
    integer("level", ""),
    text("keywords", "Hexadecimal"),
    text("perhapsKeywords", "Hexadecimal; some of these may have been enabled, too"),
    integer("events", ""),
];

const RECORDING: &[Member] = &[
    member(
        "collectors",
        List(&Object(&[text("concluded", "Inferred tool"), text("from", "Evidence")])),
        "Tools that may have recorded the trace",
    ),
    member("requestedAtLeast", List(&Object(REQUESTED)), "Enabled providers, inferred minimum"),
];

pub(super) const INFO: Shape = Object(&[
    member("container", Word(&["nettrace", "netperf"]), "File format"),
    integer("formatVersion", ""),
    integer("pointerSize", "Bytes"),
    integer("qpcFrequency", "Clock ticks per second"),
    integer("syncQpc", "Clock ticks at time 0"),
    text("syncTimeUtc", "Wall-clock time at time 0"),
    integer("processId", ""),
    integer("processorCount", ""),
    integer("expectedSamplingRate", "Nanoseconds"),
    member("headerPairs", Map(&Text), "Key/value pairs of version 6").optional(),
    integer("eventCount", ""),
    LOST,
    integer("firstEventNs", "").optional(),
    integer("lastEventNs", "").optional(),
    member("digest", Object(&[text("ordered", ""), text("unordered", "")]), "Checksums, with --digest").optional(),
    member("losses", List(&Object(LOSS)), "").optional(),
    member(
        "indexed",
        Object(&[
            integer("rows", ""),
            integer("startNs", ""),
            integer("endNs", ""),
            member("providers", List(&Text), ""),
        ]),
        "Part of a very large trace that is indexed",
    )
    .optional(),
    member("memory", Map(&Integer), "Bytes by use"),
    member("recording", Object(RECORDING), ""),
    member("types", List(&Object(TYPE)), "Event types"),
    member("threads", List(&Object(THREAD)), ""),
]);

const PROCESS: &[Member] = &[
    integer("process", ""),
    text("name", ""),
    text("commandLine", ""),
    text("runtime", ""),
    text("operatingSystem", ""),
    text("architecture", ""),
];

const THREAD_LOSS: &[Member] = &[
    integer("thread", ""),
    integer("count", "Number of lost events"),
    integer("gaps", "Number of gaps"),
    member("notBeforeNs", OrNull(&Integer), ""),
    integer("notAfterNs", ""),
];

const MISFIT: &[Member] = &[
    text("provider", ""),
    text("event", ""),
    integer("eventId", ""),
    integer("version", ""),
    text("payloads", "How payloads differ from the schema"),
];

const READABLE: Shape = Object(&[
    member("verdict", Word(&["whole", "damaged", "lossy"]), ""),
    text("file", ""),
    integer("bytes", ""),
    text("packing", "Compression or archive; may be empty"),
    text("format", ""),
    text("formatInWords", ""),
    member("processes", List(&Object(PROCESS)), ""),
    integer("events", ""),
    LOST,
    member("losses", List(&Object(THREAD_LOSS)), "By thread"),
    member("misfits", List(&Object(MISFIT)), "Payloads that differ from their schema"),
    integer("bytesAfterEnd", "Bytes after the end-of-stream marker"),
    integer("problemCount", ""),
    member(
        "problems",
        List(&Object(&[integer("offset", ""), text("message", ""), integer("count", "")])),
        "Parse issues, at most a few of each kind",
    ),
]);

const UNREADABLE: Shape = Object(&[
    member("verdict", Word(&["unreadable"]), ""),
    text("code", ""),
    text("reason", ""),
    text("detail", ""),
    integer("offset", "").optional(),
]);

pub(super) const CHECK: Shape = Either(&[READABLE, UNREADABLE]);

const SEQUENCE: &[Member] = &[integer("thread", ""), integer("sequence", "")];

const PIECE: &[Member] = &[
    integer("offset", ""),
    integer("bytes", ""),
    text("kind", ""),
    integer("items", "Number of events, records or stacks"),
    member("compressed", Boolean, "True if event headers are compressed").optional(),
    integer("firstNs", "").optional(),
    integer("lastNs", "").optional(),
    integer("declaredFirstNs", "According to the block header").optional(),
    integer("declaredLastNs", "").optional(),
    member(
        "threads",
        Either(&[Integer, List(&Object(SEQUENCE))]),
        "Number of threads; for a sequence point, the threads",
    )
    .optional(),
    integer("types", "").optional(),
    integer("firstNumber", "First stack or label list ID").optional(),
    integer("flags", "").optional(),
    text("problem", "").optional(),
];

const COST: &[Member] = &[
    member("of", Word(&["pieces", "provider", "event", "thread", "rest"]), ""),
    text("name", ""),
    text("event", "").optional(),
    integer("count", ""),
    integer("headerBytes", ""),
    integer("payloadBytes", ""),
    integer("descriptionBytes", "Bytes of metadata records"),
    integer("paddingBytes", ""),
    integer("bytes", ""),
];

const COMPRESSION: &[Member] =
    &[integer("events", ""), integer("headerBytes", ""), integer("fullHeaderBytes", "Without compression")];

pub(super) const BLOCKS: Shape = Object(&[
    integer("fileBytes", ""),
    member("pieces", List(&Object(PIECE)), "Header, blocks, damaged ranges and end"),
    member("costs", List(&Object(COST)), "Bytes by kind; each \"of\" adds up to the file"),
    member("headerCompression", Object(COMPRESSION), "").optional(),
]);

const PART: &[Member] = &[
    integer("offset", ""),
    integer("bytes", ""),
    integer("depth", "Level in the tree of parts"),
    member("is", Word(&["group", "leaf", "inherited", "unknown", "damage"]), ""),
    integer("item", "").optional(),
    text("name", ""),
    text("value", ""),
    text("section", "Section of the format's specification"),
    text("meaning", ""),
];

pub(super) const DUMP: Shape = Object(&[
    integer("offset", ""),
    text("bytes", "Hexadecimal"),
    member("parts", List(&Object(PART)), "Parts that contain these bytes"),
]);
