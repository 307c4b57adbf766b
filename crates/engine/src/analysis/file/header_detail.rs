//! Facts about the whole trace: header, processes, losses, blocks.

use super::blocks::kinds_of_sections;
use super::recording::recording;
use super::trace_facts::{FileSizeAndCompression, trace_facts};
use crate::analysis::intervals::lost_events::losses_by_thread;
use crate::analysis::samples::index::SampleIndex;
use crate::analysis::values::value_text::{filetime_of_unix_ms, value_text};
use crate::clr::manifest::{keyword_names, level_name, opcode_name};
use crate::model::{Process, Store};
use nettrace::{ByteSource, Container, SourceError, Value};
use protocol::base::sort::sort_by_key;
use protocol::format;
use protocol::reply::{Diagnostic, HeaderDetail, NamedValue, ProcessLine};

/// Maximum number of parse issues in an answer, which also has their total number.
const MAX_DIAGNOSTICS: usize = 200;

/// Returns the header and other facts about the whole trace.
///
/// # Errors
/// If the file can't be read.
pub fn header_detail(
    store: &Store,
    source: &dyn ByteSource,
    samples: &SampleIndex,
    around: FileSizeAndCompression<'_>,
) -> Result<HeaderDetail, SourceError> {
    Ok(HeaderDetail {
        groups: trace_facts(store, source, samples, around)?,
        recording: recording(store),
        processes: processes(store),
        losses: losses_by_thread(store),
        loss_reasons: loss_reasons(store),
        diagnostics: diagnostics(store),
        blocks: kinds_of_sections(store, around.bytes),
    })
}

/// Returns the format: "nettrace 4 (+V5 metadata)".
pub fn format_text(store: &Store) -> String {
    let header = &store.header;
    let family = match header.container {
        Container::Nettrace => "nettrace",
        Container::Netperf => "netperf",
    };
    let minor = if header.minor_version > 0 { format!(".{}", header.minor_version) } else { String::new() };
    let has_v5_tags = store.types.iter().any(|event_type| event_type.record.has_v5_tags);
    let tags = if has_v5_tags { " (+V5 metadata)" } else { "" };
    format!("{family} {}{minor}{tags}", header.version)
}

/// Returns the version in terms of the software that writes it.
pub fn format_words(store: &Store) -> &'static str {
    let header = &store.header;
    let has_v5_tags = store.types.iter().any(|event_type| event_type.record.has_v5_tags);
    match (header.container, header.version) {
        (Container::Netperf, 1 | 2) => "written by .NET Core 2.0",
        (Container::Netperf, _) => "written by .NET Core 2.1 and 2.2",
        (Container::Nettrace, 0..=4) if has_v5_tags => "written by .NET 5 and later",
        (Container::Nettrace, 0..=4) => "written by .NET Core 3.0 and later",
        (Container::Nettrace, _) => "used for machine-wide traces (record-trace, dotnet-trace collect-linux)",
    }
}

/// Returns the parse issues.
pub fn diagnostics(store: &Store) -> Vec<Diagnostic> {
    let examples = store.diagnostics.examples.iter().take(MAX_DIAGNOSTICS);
    let copy = |one: &crate::model::Diagnostic| Diagnostic {
        offset: one.offset,
        message: one.message.clone(),
        count: one.count,
    };
    examples.map(copy).collect()
}

/// Returns the date and time in UTC for ticks since the sync point.
pub fn utc_text(store: &Store, ticks: i64) -> String {
    let start = filetime_of_unix_ms(store.header.sync_time_utc.unix_ms());
    let since = store.clock.nanos(ticks).0.div_euclid(100);
    value_text(&Value::DateTime(start.saturating_add(since))).trim_end_matches('Z').replacen('T', " ", 1)
}

/// Returns the level in words.
pub fn level_value(level: u8) -> NamedValue {
    named("Level", level_name(level).map_or_else(|| level.to_string(), str::to_owned), level.to_string())
}

/// Returns the value, or that the file doesn't record it.
pub fn unless_missing(value: NamedValue, is_missing: bool) -> NamedValue {
    if is_missing { named(&value.name, "not recorded".to_owned(), String::new()) } else { value }
}

/// Returns the keywords by name.
pub fn keywords_value(provider: &str, keywords: u64) -> NamedValue {
    let names = keyword_names(provider, keywords).join(" | ");
    let words = match (names.is_empty(), keywords) {
        (false, _) => names,
        (true, 0) => "none".to_owned(),
        (true, _) => "no named keywords".to_owned(),
    };
    named("Keywords", words, format!("{keywords:#x}"))
}

/// Returns the opcode by name.
pub fn opcode_value(opcode: u8) -> NamedValue {
    named("Opcode", opcode_name(opcode).map_or_else(|| opcode.to_string(), str::to_owned), opcode.to_string())
}

/// Returns a value for display with the raw one, unless they are equal.
pub fn named(name: &str, value: String, raw: String) -> NamedValue {
    let raw = if raw == value { String::new() } else { raw };
    NamedValue { name: name.to_owned(), value, raw, ..NamedValue::default() }
}

/// Returns the processes with events, most events first.
pub fn processes(store: &Store) -> Vec<ProcessLine> {
    let mut events = vec![0; store.processes.len()];
    for thread in store.threads.iter() {
        if let Some(sum) = events.get_mut(thread.process.index()) {
            *sum += thread.events;
        }
    }
    let line = |(process, events): (&Process, u64)| ProcessLine {
        os_process: process.os_process,
        name: process.name.clone(),
        runtime: process.runtime.clone(),
        events,
    };
    let mut lines: Vec<ProcessLine> =
        store.processes.iter().zip(events).filter(|(_, events)| *events > 0).map(line).collect();
    sort_by_key(&mut lines, |line| std::cmp::Reverse(line.events));
    lines
}

/// Returns how lost events were counted, and which losses aren't included.
fn loss_reasons(store: &Store) -> String {
    let sum = |is_wanted: fn(&crate::model::Loss) -> bool| -> u64 {
        store.losses.iter().filter(|loss| is_wanted(loss)).map(|loss| loss.count).sum()
    };
    let parts = [
        (sum(|loss| !loss.shown_by_point && loss.after_ticks.is_some()), "between two events of a thread"),
        (sum(|loss| !loss.shown_by_point && loss.after_ticks.is_none()), "before the first event of a thread"),
        (
            sum(|loss| loss.shown_by_point && loss.after_ticks.is_some()),
            "between a thread's last event and a sequence point",
        ),
        (sum(|loss| loss.shown_by_point && loss.after_ticks.is_none()), "from threads whose events were all lost"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, place)| format!("{} {place}", format::count(count)))
        .collect();
    if parts.is_empty() {
        return String::new();
    }
    let at_least = match store.unchecked_threads {
        0 => "The total is exact: sequence points record each thread's last number.".to_owned(),
        1 => "This is a minimum: one thread has no final sequence point, so later losses are unknown.".to_owned(),
        threads => format!(
            "This is a minimum: {} threads have no final sequence point, so later losses are unknown.",
            format::count(threads.into())
        ),
    };
    format!("Counted from gaps in each thread's sequence numbers: {}. {at_least}", parts.join(", "))
}

/// Returns a sentence about what the format version records and what it doesn't.
pub(crate) fn abilities(store: &Store) -> &'static str {
    match (store.header.container, store.header.version) {
        (Container::Netperf, 1) => {
            "Identifies providers by GUID only. Doesn't record lost events, CPU numbers or capture threads."
        }
        (Container::Netperf, _) => "Doesn't record lost events, CPU numbers or capture threads.",
        (Container::Nettrace, 0..=5) => "Records lost events and the capture thread. One process; no thread names.",
        (Container::Nettrace, _) => "Records lost events, multiple processes, thread names and event labels.",
    }
}
