//! Meanings of numbers in the file's structure.

use crate::clr::manifest::{level_name, opcode_name};
use nettrace::structure::Role;
use protocol::format;

/// Source of names for numbers.
pub(super) trait Names {
    fn time(&self, raw_ticks: i128) -> String;
    fn event(&self, metadata_id: u32) -> Option<String>;
    fn thread(&self, index: u64) -> Option<String>;
}

/// Parts of a compressed event header by bit, up to version 5.
const EVENT_FLAGS_4: [&str; 8] = [
    "MetadataId",
    "SequenceNumber, CaptureThreadId and ProcessorNumber",
    "ThreadId",
    "StackId",
    "ActivityId",
    "RelatedActivityId",
    "sorted",
    "PayloadSize",
];
/// The same in version 6.
const EVENT_FLAGS_6: [&str; 8] = [
    "MetadataId",
    "SequenceNumber, CaptureThreadIndex and ProcessorNumber",
    "ThreadIndex",
    "StackId",
    "LabelListId",
    "unused",
    "sorted",
    "PayloadSize",
];
const TAGS: [(u64, &str); 4] = [(1, "NullReference"), (4, "BeginObject"), (5, "BeginPrivateObject"), (6, "EndObject")];
const BLOCK_KINDS: [&str; 9] =
    ["EndOfStream", "Trace", "Event", "Metadata", "SequencePoint", "StackBlock", "Thread", "RemoveThread", "LabelList"];
const TYPE_CODES: [(u64, &str); 25] = [
    (1, "Object"),
    (3, "Boolean32"),
    (4, "UTF16CodeUnit"),
    (5, "SByte"),
    (6, "Byte"),
    (7, "Int16"),
    (8, "UInt16"),
    (9, "Int32"),
    (10, "UInt32"),
    (11, "Int64"),
    (12, "UInt64"),
    (13, "Single"),
    (14, "Double"),
    (15, "Decimal"),
    (16, "DateTime"),
    (17, "Guid"),
    (18, "NullTerminatedUTF16String"),
    (19, "Array"),
    (20, "VarInt"),
    (21, "VarUInt"),
    (22, "FixedLengthArray"),
    (23, "UTF8CodeUnit"),
    (24, "RelLoc"),
    (25, "DataLoc"),
    (26, "Boolean8"),
];
const TAG_KINDS: [(u64, &str); 2] = [(1, "OpCode"), (2, "V2Params")];
const OPTIONAL_KINDS: [(u64, &str); 8] = [
    (1, "OpCode"),
    (3, "Keywords"),
    (4, "MessageTemplate"),
    (5, "Description"),
    (6, "KeyValue"),
    (7, "ProviderGuid"),
    (8, "Level"),
    (9, "Version"),
];
const THREAD_FACTS: [(u64, &str); 4] = [(1, "Name"), (2, "OSProcessId"), (3, "OSThreadId"), (4, "KeyValue")];
const LABELS: [(u64, &str); 10] = [
    (1, "ActivityId"),
    (2, "RelatedActivityId"),
    (3, "TraceId"),
    (4, "SpanId"),
    (5, "text"),
    (6, "number"),
    (7, "OpCode"),
    (8, "Keywords"),
    (9, "Level"),
    (10, "Version"),
];

/// Returns a number with its meaning. `result` is the sum if the number is a difference from the previous one.
pub(super) fn number_words(role: Role, value: i128, result: Option<i128>, names: &dyn Names) -> String {
    let unsigned = u64::try_from(value).unwrap_or(u64::MAX);
    let small = u32::try_from(value).unwrap_or(u32::MAX);
    let after = |words: String| if words.is_empty() { value.to_string() } else { format!("{value} ({words})") };
    let named = |table: &[(u64, &'static str)]| after(name_in(table, unsigned).unwrap_or("unknown").to_owned());
    match role {
        Role::Tag => named(&TAGS),
        Role::BlockKind => after(BLOCK_KINDS.get(unsigned as usize).copied().unwrap_or("unknown").to_owned()),
        Role::BlockFlags => {
            let not = if unsigned & 1 == 0 { "not " } else { "" };
            let others = match unsigned & !1 {
                0 => String::new(),
                others => format!(", {}", bits(others, &[], "")),
            };
            after(format!("event headers are {not}compressed{others}"))
        }
        Role::PointFlags => after(bits(unsigned, &["flush threads", "flush metadata"], "no flush")),
        Role::EventFlags4 => after(bits(unsigned, &EVENT_FLAGS_4, "all inherited")),
        Role::EventFlags6 => after(bits(unsigned, &EVENT_FLAGS_6, "all inherited")),
        Role::Ticks => format!("{value} ticks: {}", ticks_words(value, names)),
        Role::TickDelta => {
            // Negative differences are encoded as huge numbers.
            let delta = unsigned as i64;
            result.map_or_else(|| format!("{delta:+} ticks"), |at| format!("{delta:+} ticks: {}", names.time(at)))
        }
        Role::SequenceDelta => result.map_or_else(|| format!("+{value}"), |result| format!("+{value} + 1: {result}")),
        Role::MetadataId if value == 0 => after("metadata".to_owned()),
        Role::MetadataId => after(names.event(small).unwrap_or_default()),
        Role::SortedMetadataId => {
            let id = small & 0x7FFF_FFFF;
            let sorted = if small == id { "sorted" } else { "not sorted" };
            let event = names.event(id).map_or(String::new(), |event| format!(", {event}"));
            format!("{id} ({sorted}{event})")
        }
        Role::ThreadIndex => after(names.thread(unsigned).unwrap_or_default()),
        Role::Processor if small == u32::MAX => after("unknown".to_owned()),
        Role::StackId | Role::LabelListId if value == 0 => after("none".to_owned()),
        Role::TypeCode => named(&TYPE_CODES),
        Role::TagKind => named(&TAG_KINDS),
        Role::OptionalKind => named(&OPTIONAL_KINDS),
        Role::ThreadFactKind => named(&THREAD_FACTS),
        Role::LabelKind => {
            let name = name_in(&LABELS, unsigned & 0x7F).unwrap_or("unknown");
            after(if unsigned & 0x80 == 0 { name.to_owned() } else { format!("{name}, last in list") })
        }
        Role::Level => after(u8::try_from(value).ok().and_then(level_name).unwrap_or_default().to_owned()),
        Role::Opcode => after(u8::try_from(value).ok().and_then(opcode_name).unwrap_or_default().to_owned()),
        Role::Keywords => format!("{unsigned:#x}"),
        Role::ZigZag => {
            let signed = (unsigned >> 1) as i64 ^ -((unsigned & 1) as i64);
            format!("{signed} (zig-zag {unsigned})")
        }
        Role::Size if unsigned == 1 => "1 byte".to_owned(),
        Role::Size => format!("{} bytes", format::count(unsigned)),
        _ => value.to_string(),
    }
}

/// Returns the time of ticks; writers use 0 if unknown, and the largest number for the end.
fn ticks_words(value: i128, names: &dyn Names) -> String {
    match value {
        0 => "not recorded".to_owned(),
        _ if value == i64::MAX.into() => "end of trace".to_owned(),
        _ => names.time(value),
    }
}

fn name_in(table: &[(u64, &'static str)], number: u64) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == number).map(|(_, name)| *name)
}

/// Returns the names of the bits that are set, from the lowest.
fn bits(number: u64, names: &[&str], none: &str) -> String {
    let set: Vec<String> = (0..64)
        .filter(|bit| number >> bit & 1 != 0)
        .map(|bit| names.get(bit).map_or_else(|| format!("unknown bit {bit}"), |name| (*name).to_owned()))
        .collect();
    if set.is_empty() { none.to_owned() } else { set.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nobody;

    impl Names for Nobody {
        fn time(&self, raw_ticks: i128) -> String {
            format!("time {raw_ticks}")
        }

        fn event(&self, metadata_id: u32) -> Option<String> {
            (metadata_id == 7).then(|| "Shop/Order".to_owned())
        }

        fn thread(&self, _: u64) -> Option<String> {
            None
        }
    }

    fn words(role: Role, value: i128, result: Option<i128>) -> String {
        number_words(role, value, result, &Nobody)
    }

    #[test]
    fn numbers_have_meanings() {
        assert_eq!(words(Role::EventFlags4, 0x89, None), "137 (MetadataId, StackId, PayloadSize)");
        assert_eq!(words(Role::EventFlags6, 0x20, None), "32 (unused)");
        assert_eq!(words(Role::EventFlags6, 0, None), "0 (all inherited)");
        assert_eq!(words(Role::TickDelta, 5, Some(105)), "+5 ticks: time 105");
        assert_eq!(words(Role::TickDelta, i128::from(u64::MAX), Some(99)), "-1 ticks: time 99");
        assert_eq!(words(Role::SequenceDelta, 0, Some(4)), "+0 + 1: 4");
        assert_eq!(words(Role::SortedMetadataId, 0x8000_0007, None), "7 (not sorted, Shop/Order)");
        assert_eq!(words(Role::LabelKind, 0x83, None), "131 (TraceId, last in list)");
        assert_eq!(words(Role::BlockFlags, 5, None), "5 (event headers are compressed, unknown bit 2)");
        assert_eq!(words(Role::ZigZag, 3, None), "-2 (zig-zag 3)");
        assert_eq!(words(Role::Tag, 9, None), "9 (unknown)");
        assert_eq!(words(Role::PointFlags, 5, None), "5 (flush threads, unknown bit 2)");
        assert_eq!(words(Role::Ticks, i128::from(i64::MAX), None), format!("{} ticks: end of trace", i64::MAX));
    }
}
