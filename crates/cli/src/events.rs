//! `traceglass events`.

use super::Stop;
use super::text::seconds;
use engine::model::{EventRow, EventType, Store};
use engine::session::export::json::Json;
use engine::session::export::payload;
use engine::session::export::{self, DerivedFields, NamedValues, StackHashes};
use engine::session::{Session, unreadable_source};
use nettrace::{Guid, decode};
use protocol::base::hash::FastMap;
use protocol::base::ids::EventId;
use std::borrow::Cow;
use std::io::Write;

/// So many events of each type come with their payload when not all do.
const SAMPLED: u32 = 20;

/// Prints events in time order, one a line.
pub(super) fn print(
    session: &mut Session,
    filter: &str,
    json: bool,
    limit: Option<u64>,
    payload: bool,
    output: &mut impl Write,
) -> Result<(), Stop> {
    let selected = session.rows_of(filter)?;
    let most = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let events = selected.iter().take(most).map(|row| EventId(row as u32));
    if json { print_json(session, events, payload, output) } else { print_text(session, events, output) }
}

fn print_json(
    session: &Session,
    events: impl Iterator<Item = EventId>,
    all_payloads: bool,
    output: &mut impl Write,
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
        let row = store.events().row(event);
        let Some(event_type) = store.types().get(row.event_type) else { continue };
        let bytes = store.payload(event, session.source()).map_err(|error| unreadable_source(&error))?;
        let with_payload = lines.is_among_first(event_type) || all_payloads;
        lines.write(event, &row, event_type, &bytes, with_payload);
        output.write_all(lines.json.as_str().as_bytes())?;
        lines.json.clear();
    }
    Ok(())
}

struct Lines<'s> {
    store: &'s Store,
    json: Json,
    stacks: StackHashes<'s>,
    derived: DerivedFields,
    /// Events so far by provider, id and version.
    seen: FastMap<(&'s str, u32, u32), u32>,
}

impl<'s> Lines<'s> {
    fn is_among_first(&mut self, event_type: &'s EventType) -> bool {
        let record = &event_type.record;
        let seen = self.seen.entry((&event_type.provider, record.event_id, record.version)).or_default();
        *seen += 1;
        *seen <= SAMPLED
    }

    /// The decoded payload, with what follows from it.
    fn payload(&mut self, event_type: &'s EventType, bytes: &[u8]) -> NamedValues<'s> {
        let fields = &event_type.schema.fields;
        let values = decode(fields, bytes, self.store.header().pointer_size);
        let mut payload = fields.iter().map(|field| Cow::Borrowed(field.name.as_str())).zip(values).collect();
        self.derived.extend(&event_type.provider, event_type.record.event_id, &mut payload);
        payload
    }

    fn write(&mut self, event: EventId, row: &EventRow, event_type: &'s EventType, bytes: &[u8], with_payload: bool) {
        let is_needed = with_payload || self.derived.needs(&event_type.provider, event_type.record.event_id);
        let payload = is_needed.then(|| self.payload(event_type, bytes)).filter(|_| with_payload);
        let (store, stacks) = (self.store, &mut self.stacks);
        let header = store.header();
        let thread = store.threads().get(row.thread);
        let process = thread.and_then(|thread| store.processes().get(thread.process));
        let record = &event_type.record;
        self.json.object(|json| {
            json.key("i").integer(event.0);
            json.key("ns").integer(store.clock().nanos(row.ticks).0);
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
            activity(json, "activity", store.activities().guid(row.activity));
            if let Some(related) = store.related_activity(event) {
                activity(json, "related", store.activities().guid(related));
            }
            json.key("payloadLen").integer(bytes.len() as u64);
            json.key("payloadFnv").plain(format_args!("{:016x}", export::fnv(bytes)));
            if row.stack.0 != 0 {
                json.key("stackFrames").integer(store.stacks().depth(row.stack));
                json.key("stackFnv").plain(format_args!("{:016x}", stacks.of(row.stack)));
            }
            if let Some(payload) = payload {
                payload::write_object(json.key("payload"), payload.iter().map(|(name, value)| (&**name, value)));
            }
        });
        self.json.line();
    }
}

fn activity(json: &mut Json, name: &str, guid: Guid) {
    if !guid.is_zero() {
        json.key(name).plain(guid);
    }
}

fn print_text(session: &Session, events: impl Iterator<Item = EventId>, output: &mut impl Write) -> Result<(), Stop> {
    let store = session.store();
    for event in events {
        let row = store.events().row(event);
        let Some(event_type) = store.types().get(row.event_type) else { continue };
        let bytes = store.payload(event, session.source()).map_err(|error| unreadable_source(&error))?;
        let fields = &event_type.schema.fields;
        let values = decode(fields, &bytes, store.header().pointer_size);
        let line = payload::one_line(fields.iter().map(|field| field.name.as_str()).zip(&values));
        let time = seconds(store.clock().nanos(row.ticks));
        let thread = store.threads().get(row.thread).map_or(0, |thread| thread.os_thread);
        let name = format!("{}/{}", event_type.provider, event_type.display_name);
        writeln!(output, "{}", format!("{time:>14}  thread {thread:<8}  {name:<56}  {line}").trim_end())?;
    }
    Ok(())
}
