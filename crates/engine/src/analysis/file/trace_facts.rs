//! Builds the Metadata › Trace view: header fields and values inferred from events, grouped by subject.

use super::header_detail::{abilities, format_text, format_words, named, utc_text};
use crate::analysis::samples::index::SampleIndex;
use crate::analysis::samples::thread_samples::Sampling;
use crate::analysis::values::payload_text::Owner;
use crate::analysis::values::value_text::value_text;
use crate::clr::KnownEvent;
use crate::model::{EventType, Store};
use nettrace::{ByteSource, Field, SourceError, Value};
use protocol::base::ids::EventId;
use protocol::base::sort::sort_by_key;
use protocol::format;
use protocol::reply::{FactGroup, NamedValue};
use std::collections::BTreeMap;

/// File size and compression, which the parser doesn't know.
#[derive(Clone, Copy, Debug)]
pub struct FileSizeAndCompression<'f> {
    /// Uncompressed size in bytes.
    pub bytes: u64,
    /// Archive or compression around it; empty for a plain file.
    pub packing: &'f str,
}

/// Returns trace-level facts grouped by subject. Empty groups are omitted.
///
/// # Errors
/// If the file cannot be read.
pub fn trace_facts(
    store: &Store,
    source: &dyn ByteSource,
    samples: &SampleIndex,
    around: FileSizeAndCompression<'_>,
) -> Result<Vec<FactGroup>, SourceError> {
    let groups = [
        ("File", file(store, around)),
        ("Clock", clock(store)),
        ("Process", process(store)),
        ("Runtime", runtime(store, source)?),
        ("Sampling", sampling(store, samples)),
        ("Header key/value pairs", pairs(store)),
    ];
    let groups = groups.into_iter().filter(|(_, facts)| !facts.is_empty());
    Ok(groups.map(|(title, facts)| FactGroup { title: title.to_owned(), facts }).collect())
}

fn plain(name: &str, value: String) -> NamedValue {
    named(name, value, String::new())
}

fn explained(name: &str, value: String, meaning: &str) -> NamedValue {
    NamedValue { meaning: meaning.to_owned(), ..plain(name, value) }
}

fn file(store: &Store, around: FileSizeAndCompression<'_>) -> Vec<NamedValue> {
    let header = &store.header;
    let words = format::capitalized(format_words(store));
    let format = match (header.minor_version, store.unknown_blocks) {
        (0, _) => format!("{words}."),
        (_, 0) => {
            format!("{words}. This file is newer than this version of Traceglass, but everything in it was read.")
        }
        (_, skipped) => format!(
            "{words}. This file is newer than this version of Traceglass: skipped {}.",
            format::counted(skipped.into(), "unknown block")
        ),
    };
    let mut facts = vec![explained("Format", format_text(store), &format!("{format} {}", abilities(store)))];
    if !around.packing.is_empty() {
        facts.push(plain("Encoding", around.packing.to_owned()));
    }
    let blocks = store.blocks.sections(around.bytes).count() as u64;
    facts.push(plain("Size", format!("{} bytes", format::count(around.bytes))));
    facts.push(explained(
        "Blocks",
        format::count(blocks),
        "Includes the header and the end-of-stream marker, so the blocks add up to the file size.",
    ));
    facts.push(plain("Events", format::count(store.total_events)));
    if store.rundown_events > 0 {
        facts.push(explained(
            "Rundown events",
            format::count(store.rundown_events),
            "Written when the session stopped: loaded modules and compiled methods, used to resolve symbols.",
        ));
    }
    facts.push(end_of_trace(store, around.bytes));
    facts
}

/// Returns whether the trace has its end-of-stream marker, and how many bytes follow it.
fn end_of_trace(store: &Store, file_bytes: u64) -> NamedValue {
    let value = match bytes_after_end(store, file_bytes) {
        None => "missing: the trace was not closed properly".to_owned(),
        Some(0) => "present".to_owned(),
        Some(bytes) => format!("present; {}", bytes_after_end_words(bytes)),
    };
    explained("End of stream", value, "Bytes after the end-of-stream marker are ignored.")
}

/// Returns the number of bytes after the end-of-stream marker; `None` if the trace has no marker.
pub fn bytes_after_end(store: &Store, file_bytes: u64) -> Option<u64> {
    store.blocks.end_of_stream().map(|end| file_bytes.saturating_sub(end))
}

/// Returns a sentence: "950 bytes follow the end of the stream"
pub fn bytes_after_end_words(bytes: u64) -> String {
    let follow = if bytes == 1 { "follows" } else { "follow" };
    format!("{} {follow} the end of the stream", format::counted(bytes, "byte"))
}

fn clock(store: &Store) -> Vec<NamedValue> {
    let header = &store.header;
    let frequency = header.tick_frequency;
    let step = if frequency > 0 { format!(" One tick is {} ns.", 1e9 / frequency as f64) } else { String::new() };
    let mut facts = vec![
        NamedValue {
            meaning: "Wall-clock time of trace time 0.".to_owned(),
            ..named(
                "Sync time (UTC)",
                // The header has no more digits than milliseconds.
                utc_text(store, 0).chars().take("2026-11-20 14:22:33.593".len()).collect(),
                format!("{} ms since 1970", header.sync_time_utc.unix_ms()),
            )
        },
        explained("Sync timestamp", header.sync_ticks.to_string(), "Clock ticks (SyncTimeQPC) at trace time 0."),
        explained("Clock frequency", frequency_text(frequency), &format!("Timestamp resolution.{step}")),
    ];
    let with_events = || store.types.iter().filter(|one| one.count > 0);
    let first = with_events().map(|one| one.first_ticks).min();
    let last = with_events().map(|one| one.last_ticks).max();
    if let (Some(first), Some(last)) = (first, last) {
        facts.push(plain("First event (UTC)", utc_text(store, first)));
        facts.push(plain("Last event (UTC)", utc_text(store, last)));
        let nanos = store.clock.nanos(last).0.saturating_sub(store.clock.nanos(first).0);
        let user = store.user_span;
        let user = user.end.0.saturating_sub(user.start.0);
        let meaning = if user < nanos { format!("{} excluding rundown.", in_seconds(user)) } else { String::new() };
        facts.push(explained("Duration", in_seconds(nanos), &meaning));
    }
    facts
}

/// Formats a frequency: "1,000,000,000 Hz".
fn frequency_text(frequency: i64) -> String {
    let sign = if frequency < 0 { "-" } else { "" };
    format!("{sign}{} Hz", format::count(frequency.unsigned_abs()))
}

/// Formats seconds: "7.753382 s".
fn in_seconds(nanos: i64) -> String {
    format!("{:.6} s", nanos as f64 / 1e9)
}

fn process(store: &Store) -> Vec<NamedValue> {
    let header = &store.header;
    let mut facts = vec![plain("Process ID", recorded(header.process_id))];
    if let Some(process) = store.processes.main() {
        if header.process_id == 0 && process.os_process != 0 {
            facts = vec![explained(
                "Process ID",
                process.os_process.to_string(),
                "The header has no process ID; this is the process with the most events.",
            )];
        }
        let texts = [
            ("Name", &process.name),
            ("Command line", &process.command_line),
            ("Operating system", &process.operating_system),
            ("Architecture", &process.architecture),
        ];
        facts.extend(
            texts.into_iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| plain(name, value.clone())),
        );
    }
    facts.push(plain("Pointer size", format!("{} bytes", header.pointer_size)));
    facts.push(explained(
        "CPUs",
        recorded(header.known_processor_count().unwrap_or(0)),
        "Logical CPUs on the machine.",
    ));
    facts
}

/// Returns the runtime and what it reported about itself at startup or in the rundown.
fn runtime(store: &Store, source: &dyn ByteSource) -> Result<Vec<NamedValue>, SourceError> {
    let Some(process) = store.processes.main() else { return Ok(Vec::new()) };
    let mut facts = Vec::new();
    if !process.runtime.is_empty() {
        facts.push(plain("Runtime", process.runtime.clone()));
    }
    if !process.runtime_path.is_empty() {
        facts.push(plain("Runtime library", process.runtime_path.clone()));
    }
    if let Some((event_type, event)) = first_of(store, KnownEvent::RuntimeInformation) {
        let decoded = store.decode(event, source)?;
        let owner = Owner { provider: &event_type.provider, event_id: event_type.record.event_id };
        facts.extend(versions(&decoded));
        for (name, field) in
            [("Runtime flavor", "Sku"), ("Startup mode", "StartupMode"), ("Startup flags", "StartupFlags")]
        {
            facts.extend(in_words(owner, &decoded, name, field));
        }
    }
    facts.extend(frameworks(store));
    Ok(facts)
}

/// Returns the two versions that the runtime reports.
fn versions(decoded: &[(&Field, Value)]) -> Vec<NamedValue> {
    let version = |parts: [&str; 4]| {
        let numbers =
            parts.map(|part| decoded.iter().find(|(field, _)| field.name == part).map(|(_, value)| value_text(value)));
        let numbers: Option<Vec<String>> = numbers.into_iter().collect();
        numbers.map(|numbers| numbers.join("."))
    };
    let components = [
        ("BCL version", ["BclMajorVersion", "BclMinorVersion", "BclBuildNumber", "BclQfeNumber"]),
        ("VM version", ["VMMajorVersion", "VMMinorVersion", "VMBuildNumber", "VMQfeNumber"]),
    ];
    components.into_iter().filter_map(|(name, parts)| Some(plain(name, version(parts)?))).collect()
}

fn in_words(owner: Owner<'_>, decoded: &[(&Field, Value)], name: &str, field: &str) -> Option<NamedValue> {
    let (_, value) = decoded.iter().find(|(one, _)| one.name == field)?;
    let number = value_text(value);
    Some(named(name, owner.words(field, value).unwrap_or_else(|| number.clone()), number))
}

/// Returns the first event of a known type, if it has a row.
fn first_of(store: &Store, known: KnownEvent) -> Option<(&EventType, EventId)> {
    let event_type = store.types.of_known(known).find(|one| one.count > 0)?;
    let first = store.events.lower_bound(event_type.first_ticks);
    let events = (first..store.events.len()).map(|row| EventId(row as u32));
    let at_once = events.take_while(|event| store.events.row(*event).ticks == event_type.first_ticks);
    let event = at_once.into_iter().find(|event| store.events.row(*event).event_type == event_type.id)?;
    Some((event_type, event))
}

/// Returns the versions of shared frameworks, from paths of modules:
/// ".../shared/Microsoft.NETCore.App/10.0.1/System.Runtime.dll".
fn frameworks(store: &Store) -> Vec<NamedValue> {
    let mut modules: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for module in store.modules.iter() {
        let path = store.strings.get(module.path);
        let mut parts = path.rsplit(['/', '\\']).skip(1);
        if let (Some(version), Some(framework), Some("shared")) = (parts.next(), parts.next(), parts.next()) {
            *modules.entry((framework, version)).or_default() += 1;
        }
    }
    let fact = |((framework, version), modules): ((&str, &str), u64)| {
        let meaning = format!("Inferred from the paths of {}.", format::counted(modules, "loaded module"));
        explained(framework, version.to_owned(), &meaning)
    };
    modules.into_iter().map(fact).collect()
}

fn sampling(store: &Store, samples: &SampleIndex) -> Vec<NamedValue> {
    let declared = store.header.expected_sampling_rate_nanos;
    let of_threads = samples.iter().filter(|(_, thread)| thread.kind == Sampling::WallClock);
    let mut periods: Vec<i64> = of_threads.map(|(_, thread)| thread.period).filter(|&period| period > 0).collect();
    sort_by_key(&mut periods, |&period| period);
    let late = samples.iter().filter_map(|(_, thread)| thread.late).max();
    let late = late.map_or_else(String::new, |nanos| format!(" median, p95 {}", format::duration(nanos)));
    let measured = match periods.get(periods.len() / 2) {
        Some(nanos) => explained(
            "Measured sampling interval",
            format::duration(*nanos) + &late,
            &format!(
                "Median gap between samples of one thread, across {}{}. Sampled times use this value.",
                format::counted(periods.len() as u64, "thread"),
                longer(*nanos, declared)
            ),
        ),
        None if samples.count() == 0 => plain("Measured sampling interval", "no samples".to_owned()),
        None => explained(
            "Measured sampling interval",
            "not measured".to_owned(),
            "CPU samples: a thread is sampled only while it runs, so there is no fixed interval.",
        ),
    };
    vec![
        explained(
            "Expected sampling interval",
            if declared == 0 { "not recorded".to_owned() } else { interval(declared.into()) },
            "As configured. Actual intervals are longer by the time each sampling pass takes.",
        ),
        measured,
        plain("Samples", format::count(samples.count())),
    ]
}

/// Formats an interval: "1.32 ms".
fn interval(nanos: i64) -> String {
    let text = format!("{:.3}", nanos as f64 / 1e6);
    format!("{} ms", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Returns a note about a longer interval: " (1.2× the configured interval)".
fn longer(measured: i64, declared: u32) -> String {
    if declared == 0 {
        return String::new();
    }
    format!(" ({:.1}× the configured interval)", measured as f64 / f64::from(declared))
}

/// Returns the header key/value pairs (version 6). Writers can add any names; some are known.
fn pairs(store: &Store) -> Vec<NamedValue> {
    let meaning = |key: &str| match key {
        "HardwareThreadCount" => "Logical CPUs on the machine.",
        "ExpectedCPUSamplingRate" => "Nanoseconds between two samples, as configured.",
        "SystemPageSize" => "Memory page size, in bytes.",
        "ProcessId" => "Traced process.",
        _ => "",
    };
    store.header.pairs.iter().map(|(key, value)| explained(key, value.clone(), meaning(key))).collect()
}

/// Formats a header number. 0 means the format doesn't record it.
fn recorded(number: u32) -> String {
    if number == 0 { "not recorded".to_owned() } else { number.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{What, store_of};

    #[test]
    fn facts_are_grouped_by_subject_with_units() {
        let happenings: Vec<_> = (0..5).map(|at| (at * 2_000_000, 5, What::Sample(true, vec![1]))).collect();
        let (store, bytes) = store_of(&happenings);
        let around = FileSizeAndCompression { bytes: bytes.len() as u64, packing: "gzip" };
        let groups = trace_facts(&store, &bytes, &SampleIndex::build(&store).expect("memory"), around).expect("a file");
        let titles: Vec<&str> = groups.iter().map(|group| group.title.as_str()).collect();
        assert_eq!(titles, ["File", "Clock", "Process", "Sampling"]);
        let fact = |name: &str| {
            let found = groups.iter().flat_map(|group| &group.facts).find(|fact| fact.name == name);
            found.unwrap_or_else(|| panic!("{name}")).value.clone()
        };
        assert_eq!(fact("Encoding"), "gzip");
        assert_eq!(fact("Clock frequency"), "1,000,000,000 Hz");
        assert_eq!(fact("Measured sampling interval"), "2.00 ms");
        assert_eq!(fact("Samples"), "5");
    }
}
