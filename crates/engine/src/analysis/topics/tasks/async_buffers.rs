//! What the async profiler of .NET 11 records, as far as the headers of its buffers say.

use crate::analysis::topics::Scope;
use crate::analysis::topics::shared::report::Report;
use crate::analysis::topics::shared::table::{RowTarget, Table};
use crate::clr::known::payload::AsyncBuffer;
use crate::model::Store;
use protocol::base::hash::FastSet;
use protocol::base::ids::EventId;
use protocol::base::time::Span;
use protocol::format::counted;
use protocol::topics::report::Unit;

/// A buffer.
#[derive(Clone, Copy, Debug)]
struct Buffer {
    event: EventId,
    os_thread: u64,
    records: u32,
    bytes: u32,
    /// When its first and its last record were written.
    start: i64,
    end: i64,
}

/// The buffers of a trace.
#[derive(Debug, Default)]
pub(super) struct AsyncBuffers {
    buffers: Vec<Buffer>,
}

impl AsyncBuffers {
    /// Takes the payload of an event.
    pub fn take(&mut self, store: &Store, event: EventId, payload: &[u8]) {
        let Some(header) = AsyncBuffer::read(payload) else { return };
        let nanos = |ticks: u64| {
            let ticks = i64::try_from(ticks).unwrap_or(i64::MAX).saturating_sub(store.header().sync_ticks);
            store.clock().nanos(ticks).0
        };
        let AsyncBuffer { os_thread, records, total_bytes: bytes, start_ticks, end_ticks, .. } = header;
        self.buffers.push(Buffer {
            event,
            os_thread,
            records,
            bytes,
            start: nanos(start_ticks),
            end: nanos(end_ticks),
        });
    }

    fn counted<'b>(&'b self, scope: &'b Scope<'_>) -> impl Iterator<Item = &'b Buffer> {
        self.buffers.iter().filter(|one| scope.has(one.event))
    }

    /// Says what was recorded, after what other events tell of tasks.
    pub fn judge(&self, store: &Store, scope: &Scope<'_>, report: &mut Report) {
        let Some(first) = self.counted(scope).next() else { return };
        let events = self.counted(scope).fold(0u64, |sum, one| sum.saturating_add(one.records.into()));
        let threads = self.counted(scope).map(|one| one.os_thread).collect::<FastSet<_>>().len();
        report.figure("asyncEvents", "Async events", events as f64, Unit::Count, "in packed buffers");
        report.figure("asyncThreads", "Threads with async events", threads as f64, Unit::Count, "");
        let event_type = store.types().get(store.events().row(first.event).event_type);
        let words = format!(
            "The runtime records async methods in {}: {} of {}.",
            event_type.map_or("", |one| one.provider.as_str()),
            counted(events, "event"),
            counted(threads as u64, "thread")
        );
        let hint = "Traceglass reads the headers of these buffers, not the events in them.".to_owned();
        match report.verdict.is_empty() {
            true => report.verdict = words,
            false => report.explanation = [report.explanation.trim(), &words].join(" ").trim_start().to_owned(),
        }
        report.explanation = [report.explanation.trim(), &hint].join(" ").trim_start().to_owned();
    }

    /// The buffers; no table if there are none.
    pub fn table(&self, scope: &Scope<'_>) -> Option<Table> {
        let mut table = Table::new("asyncBuffers", "Buffers of async events")
            .numbers("osThread", "OS thread", Unit::Identity)
            .bars("events", "Events", Unit::Count)
            .numbers("startNs", "First event", Unit::Moment)
            .numbers("durationNs", "Duration", Unit::Duration)
            .numbers("bytes", "Size", Unit::Bytes);
        for one in self.counted(scope) {
            let length = one.end.saturating_sub(one.start);
            let cells = [
                one.os_thread.into(),
                u64::from(one.records).into(),
                one.start.into(),
                length.into(),
                u64::from(one.bytes).into(),
            ];
            let span = Some(Span::new(one.start, one.end.max(one.start).saturating_add(1)));
            table.push(&cells, RowTarget { event: Some(one.event), span, condition: "" });
        }
        (!table.is_empty()).then_some(table)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.buffers.len() * size_of::<Buffer>()
    }
}
