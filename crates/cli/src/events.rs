//! `traceglass events`: prints events in time order, or grouped and counted.

use super::arguments::Trace;
use super::text::{Output, line, seconds};
use super::{Stop, field_names, groups, values};
use engine::analysis::values::payload_fit::{fit_words, unread_bytes};
use engine::model::{EventRow, EventType, Store};
use engine::session::Session;
use engine::session::export::payload;
use engine::session::export::{self, DerivedFields, NamedValues, StackHashes};
use nettrace::{Guid, decode};
use protocol::base::hash::FastMap;
use protocol::base::ids::EventId;
use protocol::export::Json;
use protocol::request::{EventColumn, Filter, Measure};
use std::borrow::Cow;

/// Print events in time order, or group and count them
///
/// With --json, payloads are decoded for the first 20 events of each type, or for every event with --payload.
///
/// With --by, each line is a group with its number of events and the times of its first and last event.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  traceglass events app.nettrace --filter 'event:Stop dur>5ms -thread:Finalizer'
  traceglass events app.nettrace --by provider
  traceglass events app.nettrace --by TypeName --sum ObjectSize --filter 'event:AllocationTick'")]
pub struct EventsCommand {
    #[command(flatten)]
    trace: Trace,
    /// Print only matching events
    #[arg(long, value_parser = values::filter, allow_hyphen_values = true)]
    filter: Option<Filter>,
    /// Stop after N events or groups
    #[arg(long, value_name = "N", value_parser = values::number)]
    limit: Option<u64>,
    /// Print JSON, one object per line
    #[arg(long)]
    json: bool,
    /// With --json: decode the payload of every event
    #[arg(long)]
    payload: bool,
    #[arg(long, value_name = "FIELD", value_parser = groups::key, help = groups::key_help())]
    by: Option<EventColumn>,
    /// With --by: add the sum, minimum, p50, p95 and maximum of a numeric payload field or of dur (the duration)
    #[arg(long, value_name = "FIELD", value_parser = groups::measure, requires = "by")]
    sum: Option<Measure>,
}

/// Number of events per type that are printed with their payload by default.
const PAYLOADS_PER_TYPE: u32 = 20;

impl EventsCommand {
    pub(super) fn run(self, output: &mut Output<'_>, notes: &mut Output<'_>) -> Result<(), Stop> {
        let mut session = self.trace.open(notes)?;
        let filter = self.filter.unwrap_or_default();
        field_names::check_filter(&mut session, &filter)?;
        if let Some(key) = self.by {
            field_names::check_key(&mut session, &filter, &key)?;
            if let Some(measure) = &self.sum {
                field_names::check_measure(&mut session, &filter, measure)?;
            }
            let limit = self.limit.unwrap_or(u64::MAX);
            return groups::print(&mut session, &filter, &groups::query(key, self.sum), limit, self.json, output);
        }
        let selected = session.rows_of(&filter.query)?;
        let limit = self.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let events = selected.iter().take(limit).map(|row| EventId(row as u32));
        if self.json {
            print_json(&session, events, self.payload, output)
        } else {
            print_text(&session, events, output)
        }
    }
}

fn print_json(
    session: &Session,
    events: impl Iterator<Item = EventId>,
    all_payloads: bool,
    output: &mut Output<'_>,
) -> Result<(), Stop> {
    let store = session.store();
    let mut lines = Lines {
        store,
        json: Json::default(),
        stacks: StackHashes::new(store),
        derived: DerivedFields::default(),
        seen: FastMap::default(),
    };
    for event in events {
        let row = store.events.row(event);
        let Some(event_type) = store.types.get(row.event_type) else { continue };
        let bytes = store.payload(event, session.source())?;
        let with_payload = lines.is_among_first(event_type) || all_payloads;
        lines.write(event, &row, event_type, &bytes, with_payload);
        output.verbatim(lines.json.as_str())?;
        lines.json.clear();
    }
    Ok(())
}

struct Lines<'s> {
    store: &'s Store,
    json: Json,
    stacks: StackHashes<'s>,
    derived: DerivedFields,
    /// Number of events so far, by provider, ID and version.
    seen: FastMap<(&'s str, u32, u32), u32>,
}

impl<'s> Lines<'s> {
    fn is_among_first(&mut self, event_type: &'s EventType) -> bool {
        let record = &event_type.record;
        let seen = self.seen.entry((&event_type.provider, record.event_id, record.version)).or_default();
        *seen += 1;
        *seen <= PAYLOADS_PER_TYPE
    }

    /// Decodes a payload and adds the fields derived from it.
    fn payload(&mut self, event_type: &'s EventType, bytes: &[u8]) -> NamedValues<'s> {
        let fields = &event_type.schema.fields;
        let values = decode(fields, bytes, self.store.header.pointer_size);
        let mut payload = fields.iter().map(|field| Cow::Borrowed(field.name.as_str())).zip(values).collect();
        self.derived.extend(&event_type.provider, event_type.record.event_id, &mut payload);
        payload
    }

    fn write(&mut self, event: EventId, row: &EventRow, event_type: &'s EventType, bytes: &[u8], with_payload: bool) {
        let is_needed = with_payload || self.derived.needs(&event_type.provider, event_type.record.event_id);
        let payload = is_needed.then(|| self.payload(event_type, bytes)).filter(|_| with_payload);
        let (store, stacks) = (self.store, &mut self.stacks);
        let header = &store.header;
        let thread = store.threads.get(row.thread);
        let process = thread.and_then(|thread| store.processes.get(thread.process));
        let record = &event_type.record;
        self.json.object(|json| {
            json.key("i").integer(event.0);
            json.key("ns").integer(store.clock.nanos(row.ticks).0);
            json.key("qpc").integer(row.ticks.wrapping_add(header.sync_ticks));
            json.key("process").integer(process.map_or(0, |process| process.os_process));
            json.key("thread").integer(thread.map_or(0, |thread| thread.os_thread));
            json.key("meta").integer(record.metadata_id);
            json.key("provider").string(&event_type.provider);
            json.key("id").integer(record.event_id);
            json.key("version").integer(record.version);
            json.key("name").string(&event_type.display_name);
            json.key("level").integer(record.level);
            json.key("keywords").plain(format_args!("{:#x}", record.keywords));
            if let Some(opcode) = record.opcode {
                json.key("opcode").integer(opcode);
            }
            activity(json, "activity", store.activities.guid(row.activity));
            if let Some(related) = store.related_activity(event) {
                activity(json, "related", store.activities.guid(related));
            }
            json.key("payloadLen").integer(bytes.len() as u64);
            json.key("payloadFnv").plain(format_args!("{:016x}", export::fnv(bytes)));
            if row.stack.0 != 0 {
                json.key("stackFrames").integer(store.stacks.depth(row.stack));
                json.key("stackFnv").plain(format_args!("{:016x}", stacks.of(row.stack)));
            }
            if with_payload {
                misfit(json, event_type, bytes, header.pointer_size);
            }
            if let Some(payload) = payload {
                payload::write_object(json.key("payload"), payload.iter().map(|(name, value)| (&**name, value)));
            }
        });
        self.json.line();
    }
}

/// Writes how a payload differs from its schema, and the bytes that belong to no field. Writes nothing if it fits.
fn misfit(json: &mut Json, event_type: &EventType, bytes: &[u8], pointer_size: u8) {
    let fit = event_type.fit_of(bytes, pointer_size);
    if fit.is_exact() {
        return;
    }
    json.key("misfit").string(&fit_words(&fit, &event_type.schema.fields));
    if let Some(unread) = unread_bytes(&fit, bytes) {
        payload::write_object(json.key("undescribed"), [("bytes", &unread)].into_iter());
    }
}

fn activity(json: &mut Json, name: &str, guid: Guid) {
    if !guid.is_zero() {
        json.key(name).plain(guid);
    }
}

fn print_text(session: &Session, events: impl Iterator<Item = EventId>, output: &mut Output<'_>) -> Result<(), Stop> {
    let store = session.store();
    for event in events {
        let row = store.events.row(event);
        let Some(event_type) = store.types.get(row.event_type) else { continue };
        let bytes = store.payload(event, session.source())?;
        let fields = &event_type.schema.fields;
        let values = decode(fields, &bytes, store.header.pointer_size);
        let fit = event_type.fit_of(&bytes, store.header.pointer_size);
        let unread = unread_bytes(&fit, &bytes).filter(|_| !fit.is_exact());
        let unread = unread.iter().map(|unread| ("undescribed", unread));
        let named = fields.iter().map(|field| field.name.as_str()).zip(&values).chain(unread);
        let mut line = payload::one_line(named);
        if !fit.is_exact() {
            line += &format!("  ({})", fit_words(&fit, fields));
        }
        let time = seconds(store.clock.nanos(row.ticks));
        let thread = store.threads.get(row.thread).map_or(0, |thread| thread.os_thread);
        let name = format!("{}/{}", event_type.provider, event_type.display_name);
        line!(output, "{time:>14}  thread {thread:<8}  {name:<56}  {line}")?;
    }
    Ok(())
}
