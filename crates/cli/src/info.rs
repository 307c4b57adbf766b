//! `traceglass info`: prints the header, event types and threads of a trace.

use super::Stop;
use super::arguments::Trace;
use super::check::print_losses;
use super::open::indexed_words;
use super::text::{Output, line, records};
use engine::analysis::intervals::lost_events::losses_by_thread;
use engine::model::Loss;
use engine::session::Session;
use engine::session::export::{self, Digest, ThreadTotals, TypeTotals};
use nettrace::{Container, SystemTime};
use protocol::base::ids::thread_number;
use protocol::base::indexed_part::Indexed;
use protocol::base::time::Nanos;
use protocol::export::{Json, write_records};
use protocol::format;
use protocol::memory::MemoryUse;
use protocol::queries;
use protocol::reply::{HeaderDetail, Summary};
use protocol::table::{Column, Unit};

/// Print the header, event types and threads
#[derive(clap::Args, Debug)]
pub struct InfoCommand {
    #[command(flatten)]
    trace: Trace,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Add checksums over all events, to compare two parsers
    #[arg(long)]
    digest: bool,
}

/// Data of both output formats.
struct Inventory {
    types: Vec<TypeTotals>,
    threads: Vec<ThreadTotals>,
    first: Option<Nanos>,
    last: Option<Nanos>,
    digest: Option<Digest>,
    header: HeaderDetail,
}

/// Columns of event types: those with a title in the text, those with a key in JSON.
const TYPE_COLUMNS: [Column<TypeTotals>; 14] = [
    Column::text("provider", "Provider", |row, _| row.provider.as_str().into()),
    Column::text("event", "Event", |row: &TypeTotals, _| row.display_name.as_str().into()).json(""),
    Column::number("eventId", "ID", Unit::Identity, |row, _| row.event_id.into()),
    Column::number("version", "Version", Unit::Identity, |row, _| row.version.into()),
    Column::text("metadataName", "", |row, _| row.metadata_name.as_str().into()),
    Column::number("level", "", Unit::Identity, |row, _| u32::from(row.level).into()),
    Column::text("keywords", "", |row, _| format!("{:#x}", row.keywords).into()),
    Column::number("opcode", "", Unit::Identity, |row, _| row.opcode.map(u32::from).into()),
    Column::number("count", "Count", Unit::Count, |row, _| row.count.into()),
    Column::number("payloadBytes", "Payload", Unit::Bytes, |row, _| row.payload_bytes.into()),
    Column::number("withStackInFile", "With stack", Unit::Count, |row, _| row.with_stack.into()),
    Column::number("threads", "Threads", Unit::Count, |row, _| row.threads.into()),
    Column::number("firstNs", "", Unit::Moment, |row, _| row.first.0.into()),
    Column::number("lastNs", "", Unit::Moment, |row, _| row.last.0.into()),
];

/// Columns of threads.
const THREAD_COLUMNS: [Column<ThreadTotals>; 8] = [
    Column::number("process", "Process", Unit::Identity, |row, _| row.os_process.into()),
    Column::number("id", "Thread", Unit::Identity, |row: &ThreadTotals, _| thread_number(row.os_thread).into())
        .json(""),
    Column::number("thread", "", Unit::Identity, |row, _| row.os_thread.into()),
    Column::text("label", "Name", |row: &ThreadTotals, _| row.label.as_str().into()).json(""),
    Column::number("events", "Events", Unit::Count, |row, _| row.events.into()),
    Column::number("firstNs", "First", Unit::Moment, |row, _| row.first.0.into()),
    Column::number("lastNs", "Last", Unit::Moment, |row, _| row.last.0.into()),
    Column::text("name", "", |row, _| row.name.as_deref().into()),
];

impl InfoCommand {
    pub(super) fn run(self, output: &mut Output<'_>, notes: &mut Output<'_>) -> Result<(), Stop> {
        let mut session = self.trace.open(notes)?;
        let types = export::types(session.store());
        let digest = match self.digest {
            true => Some(export::digest(session.store(), session.source())?),
            false => None,
        };
        let inventory = Inventory {
            first: types.iter().map(|row| row.first).min(),
            last: types.iter().map(|row| row.last).max(),
            threads: export::threads(session.store()),
            types,
            digest,
            header: session.ask(&queries::Header)?,
        };
        if self.json { print_json(&session, &inventory, output) } else { print_text(&session, &inventory, output) }
    }
}

fn print_json(session: &Session, inventory: &Inventory, output: &mut Output<'_>) -> Result<(), Stop> {
    Ok(output.json(|json| {
        header(json, session);
        json.key("eventCount").integer(session.store().total_events);
        match session.store().lost_events {
            Some(lost) => json.key("eventsLost").integer(lost),
            None => json.key("eventsLost").null(),
        }
        for (name, time) in [("firstEventNs", inventory.first), ("lastEventNs", inventory.last)] {
            if let Some(time) = time {
                json.key(name).integer(time.0);
            }
        }
        if let Some(digest) = inventory.digest {
            json.key("digest").object(|json| {
                json.key("ordered").plain(format_args!("{:016x}", digest.ordered));
                json.key("unordered").plain(format_args!("{:016x}", digest.unordered));
            });
        }
        if session.store().lost_events.is_some() {
            json.key("losses")
                .array(|json| session.store().losses.iter().for_each(|loss| loss_row(json, session, loss)));
        }
        if let Some(indexed) = &session.store().indexed {
            json.key("indexed").object(|json| indexed_part(json, indexed));
        }
        json.key("memory").object(|json| {
            for (name, bytes) in session.memory().parts() {
                json.key(name).integer(bytes);
            }
        });
        json.key("recording").object(|json| recording(json, &inventory.header));
        json.key("types").array(|json| write_records(json, &TYPE_COLUMNS, &inventory.types));
        json.key("threads").array(|json| write_records(json, &THREAD_COLUMNS, &inventory.threads));
    })?)
}

fn header(json: &mut Json, session: &Session) {
    let header = &session.store().header;
    json.key("container").string(match header.container {
        Container::Nettrace => "nettrace",
        Container::Netperf => "netperf",
    });
    json.key("formatVersion").integer(header.version);
    json.key("pointerSize").integer(header.pointer_size);
    json.key("qpcFrequency").integer(header.tick_frequency);
    json.key("syncQpc").integer(header.sync_ticks);
    json.key("syncTimeUtc").plain(utc(&header.sync_time_utc));
    json.key("processId").integer(header.process_id);
    json.key("processorCount").integer(header.processor_count);
    json.key("expectedSamplingRate").integer(header.expected_sampling_rate_nanos);
    if !header.pairs.is_empty() {
        json.key("headerPairs").object(|json| {
            header.pairs.iter().for_each(|(name, value)| json.key(name).string(value));
        });
    }
}

/// Writes the inferred recording tool and the inferred minimum of enabled providers.
fn recording(json: &mut Json, header: &HeaderDetail) {
    json.key("collectors").array(|json| {
        for one in &header.recording.collectors {
            json.object(|json| {
                json.key("concluded").string(&one.words);
                json.key("from").string(&one.evidence);
            });
        }
    });
    json.key("requestedAtLeast").array(|json| {
        for one in &header.recording.requested {
            json.object(|json| {
                json.key("provider").string(&one.name);
                json.key("level").integer(one.level);
                json.key("keywords").plain(format_args!("{:#x}", one.keywords));
                json.key("perhapsKeywords").plain(format_args!("{:#x}", one.perhaps));
                json.key("events").integer(one.events);
            });
        }
    });
}

fn indexed_part(json: &mut Json, indexed: &Indexed) {
    json.key("rows").integer(indexed.rows);
    json.key("startNs").integer(indexed.span.start.0);
    json.key("endNs").integer(indexed.span.end.0);
    json.key("providers").array(|json| indexed.providers.iter().for_each(|name| json.string(name)));
}

fn loss_row(json: &mut Json, session: &Session, loss: &Loss) {
    let clock = session.store().clock;
    json.object(|json| {
        json.key("thread").integer(loss.os_thread);
        if let Some(after) = loss.after_ticks {
            json.key("afterNs").integer(clock.nanos(after).0);
        }
        json.key("beforeNs").integer(clock.nanos(loss.before_ticks).0);
        json.key("count").integer(loss.count);
    });
}

fn utc(time: &SystemTime) -> String {
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}0000Z",
        time.year, time.month, time.day, time.hour, time.minute, time.second, time.millisecond
    )
}

fn print_text(session: &Session, inventory: &Inventory, output: &mut Output<'_>) -> Result<(), Stop> {
    let summary = session.summary();
    for (name, value) in facts(session, &summary) {
        line!(output, "{name:<16} {value}")?;
    }
    if let Some(digest) = inventory.digest {
        line!(output, "{:<16} {:016x} in order, {:016x} in any order", "Digest", digest.ordered, digest.unordered)?;
    }
    print_header(&inventory.header, output)?;
    line!(output)?;
    line!(output, "Event types ({})", inventory.types.len())?;
    records(output, &TYPE_COLUMNS, &inventory.types)?;
    line!(output)?;
    line!(output, "Threads ({})", inventory.threads.len())?;
    records(output, &THREAD_COLUMNS, &inventory.threads)?;
    print_losses(&losses_by_thread(session.store()), output)
}

fn facts(session: &Session, summary: &Summary) -> Vec<(&'static str, String)> {
    let lost = summary.lost.map_or("not recorded in this format".to_owned(), format::count);
    let mut facts = vec![
        ("Trace", format!("{}, {}", summary.file_name, format::bytes(summary.file_bytes))),
        ("Indexed", summary.indexed.as_ref().map_or(String::new(), |indexed| indexed_words(indexed, summary.events))),
        ("Lost events", lost),
        ("Load time", format!("{:.0} ms", summary.load_ms)),
        ("Memory", memory_words(&session.memory())),
    ];
    facts.retain(|(_, value)| !value.is_empty());
    facts
}

fn print_header(header: &HeaderDetail, output: &mut Output<'_>) -> Result<(), Stop> {
    for group in &header.groups {
        line!(output)?;
        line!(output, "{}", group.title)?;
        for fact in &group.facts {
            let raw = if fact.raw.is_empty() { String::new() } else { format!(" ({})", fact.raw) };
            line!(output, "  {:<28} {}{raw}", fact.name, fact.value)?;
        }
    }
    if !header.recording.collectors.is_empty() {
        line!(output)?;
        line!(output, "Recorded by (inferred)")?;
        for one in &header.recording.collectors {
            line!(output, "  {}", one.words)?;
            line!(output, "      {}", one.evidence)?;
        }
    }
    if !header.recording.requested.is_empty() {
        line!(output)?;
        line!(output, "Enabled providers, inferred minimum (provider:keywords:level)")?;
        for one in &header.recording.requested {
            let perhaps =
                if one.perhaps == 0 { String::new() } else { format!(", and possibly some of {:#x}", one.perhaps) };
            line!(output, "  {}{perhaps}", one.argument())?;
        }
    }
    Ok(())
}

/// Formats memory use by part: "1.20 GB: event columns 1.10 GB, strings 2.00 MB, …".
fn memory_words(memory: &MemoryUse) -> String {
    let parts = memory.parts().map(|(name, size)| format!("{name} {}", format::bytes(size)));
    format!("{}: {}", format::bytes(memory.total()), parts.join(", "))
}
