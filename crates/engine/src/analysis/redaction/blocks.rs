//! Texts outside of events: in the header, the thread table and the label lists.

use nettrace::{Item, LabelList, LabelValue};
use protocol::redaction::TextKind;

/// Keys of the header whose values are numbers of the recording.
const NUMBERS: [&str; 3] = ["HardwareThreadCount", "ExpectedCPUSamplingRate", "ProcessId"];
/// Names of threads that the runtime chose.
const RUNTIME_THREADS: [&str; 2] = [".NET", "dotnet-"];

/// Name of a block's texts, in place of an event.
const HEADER: &str = "File header";
const THREADS: &str = "Thread table";
const LABELS: &str = "Label lists";

/// Calls `visit` with the kind, the block, the key and the text of each text in a block without events.
pub(super) fn visit_block(item: &Item<'_>, mut visit: impl FnMut(TextKind, &'static str, &str, &str)) {
    match item {
        Item::Header(header) => {
            visit_header(&header.pairs, &mut visit);
        }
        Item::Threads(block) => {
            for row in block.rows().filter_map(Result::ok) {
                visit_thread(row.name.as_deref(), &row.attributes, &mut visit);
            }
        }
        Item::Labels(block) => {
            block.lists().filter_map(Result::ok).for_each(|(_, list)| visit_labels(&list, &mut visit));
        }
        _ => {}
    }
}

/// Does the same for the pairs of the header.
pub(super) fn visit_header(pairs: &[(String, String)], visit: &mut impl FnMut(TextKind, &'static str, &str, &str)) {
    let is_number = |key: &str, value: &str| NUMBERS.contains(&key) && value.bytes().all(|byte| byte.is_ascii_digit());
    let texts = pairs.iter().filter(|(key, value)| !is_number(key, value));
    texts.for_each(|(key, value)| visit(TextKind::Header, HEADER, key, value));
}

/// Does the same for a thread. Names that the runtime chose aren't private.
pub(super) fn visit_thread(
    name: Option<&str>,
    attributes: &[(String, String)],
    visit: &mut impl FnMut(TextKind, &'static str, &str, &str),
) {
    if let Some(name) = name.filter(|name| !RUNTIME_THREADS.iter().any(|start| name.starts_with(start))) {
        visit(TextKind::Label, THREADS, "Name", name);
    }
    attributes.iter().for_each(|(key, value)| visit(TextKind::Label, THREADS, key, value));
}

/// Does the same for a label list.
pub(super) fn visit_labels(list: &LabelList, visit: &mut impl FnMut(TextKind, &'static str, &str, &str)) {
    for (key, value) in &list.pairs {
        if let LabelValue::Text(text) = value {
            visit(TextKind::Label, LABELS, key, text);
        }
    }
}
