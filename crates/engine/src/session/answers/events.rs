//! Answers about events.

use super::{Run, missing};
use crate::analysis::events::connections::{Known, connections};
use crate::analysis::events::detail::event_detail;
use crate::analysis::events::page::{event_fields, events_page, find_event, time_position};
use crate::analysis::events::span_times::{is_exception, request_event, span_times, until_caught};
use crate::analysis::filter::select::filtered_fields;
use crate::session::db::interrupt::Answered;
use crate::session::db::state::Session;
use protocol::base::ids::EventId;
use protocol::queries::{
    Connections, EventDetail, EventFields, EventPosition, Events, FieldNames, FindEvent, SearchProgress, SpanTimes,
    TimePosition,
};
use protocol::{reply, tables};
use std::rc::Rc;

impl Run for Events {
    fn run(&self, session: &mut Session) -> Answered<tables::EventRows> {
        let lasting = if self.count == 0 { Rc::default() } else { session.durations()? };
        let (rows, total) = session.page_with_payloads(&self.filter, &self.order, self.first, self.count)?;
        Ok(events_page(&session.store, &session.source, &lasting, &rows, total)?)
    }
}

impl Run for SearchProgress {
    fn run(&self, session: &mut Session) -> Answered<Option<f64>> {
        let search = session.selections.searches().find(|(filter, _)| **filter == self.filter);
        Ok(search.map(|(_, search)| search.share()))
    }
}

impl Run for EventFields {
    fn run(&self, session: &mut Session) -> Answered<tables::EventFields> {
        let (rows, total) = session.page_with_payloads(&self.filter, &self.order, self.first, self.count)?;
        Ok(event_fields(&session.store, &session.source, &rows, &self.fields, total)?)
    }
}

impl Run for EventPosition {
    fn run(&self, session: &mut Session) -> Answered<Option<u64>> {
        session.position(&self.filter, &self.order, self.event)
    }
}

impl Run for TimePosition {
    fn run(&self, session: &mut Session) -> Answered<u64> {
        let selection = session.selection(&self.filter)?;
        Ok(time_position(&session.store, &selection, self.at, self.descending))
    }
}

impl Run for EventDetail {
    fn run(&self, session: &mut Session) -> Answered<reply::EventDetail> {
        let detail = event_detail(&session.store, &session.source, self.event)?;
        let mut detail = detail.ok_or_else(|| missing("event"))?;
        session.add_lines(&mut detail);
        Ok(detail)
    }
}

impl Run for Connections {
    fn run(&self, session: &mut Session) -> Answered<reply::Connections> {
        let spans = session.spans()?;
        let Session { store, source, tracks, .. } = session;
        Ok(connections(Known { store, source, spans: &spans, tracks }, self.event)?)
    }
}

impl Run for SpanTimes {
    fn run(&self, session: &mut Session) -> Answered<Option<reply::SpanTimes>> {
        if is_exception(&session.store, self.event) {
            return Ok(session.caught(self.event)?.map(|(caught_in, span)| until_caught(self.event, caught_in, span)));
        }
        let spans = session.spans()?;
        let states = session.thread_states()?;
        let request = match request_event(&spans, self.event) {
            Some(event) => session.request_of(event)?,
            None => None,
        };
        Ok(span_times(&session.store, &spans, &session.tracks, &states, self.event, request))
    }
}

impl Run for FindEvent {
    fn run(&self, session: &mut Session) -> Answered<Option<EventId>> {
        Ok(find_event(&session.store, self.at, self.os_thread, &self.provider, self.event_id))
    }
}

impl Run for FieldNames {
    fn run(&self, session: &mut Session) -> Answered<tables::FieldNames> {
        Ok(filtered_fields(&session.store, &self.filter))
    }
}
