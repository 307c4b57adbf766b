//! Dispatches requests to their answers.

use crate::analysis::events::connections;
use crate::analysis::events::detail::event_detail;
use crate::analysis::events::page::{event_fields, events_page, find_event};
use crate::analysis::file::event_types::{type_detail, type_table};
use crate::analysis::file::header_detail::header_detail;
use crate::analysis::file::schema_table::schema_table;
use crate::analysis::file::trace_facts::FileSizeAndCompression;
use crate::analysis::filter::query::query_help;
use crate::analysis::filter::select::filtered_fields;
use crate::analysis::intervals::interval_set::Interval;
use crate::analysis::intervals::lost_events;
use crate::analysis::stacks::function_detail::function_detail;
use crate::analysis::stacks::sources::stack_sources;
use crate::analysis::timeline::exceptions::exceptions;
use crate::analysis::timeline::lanes::{Known, Window};
use crate::analysis::timeline::lines::SeriesRows;
use crate::analysis::timeline::overview::{density_of, overview};
use crate::analysis::timeline::series::{of_processes, series};
use crate::analysis::timeline::threads::thread_table;
use crate::analysis::timeline::window::events_in;
use crate::session::db::state::{Session, hello};
use crate::session::open::failures::unreadable_source;
use protocol::reply::HeaderDetail;
use protocol::request::Filter;
use protocol::timeline::track::TrackKind;
use protocol::{Answer, EncodedRequest, Failure, FailureCode, Reply, Request};
use std::rc::Rc;

impl Session {
    /// Decodes a request.
    ///
    /// # Errors
    /// Fails if this build doesn't know the request.
    // A separate function: the build of the page splits the worker's program here.
    #[inline(never)]
    pub fn question(&self, question: &EncodedRequest) -> Result<Request, Failure> {
        question.read()
    }

    /// Answers a request.
    ///
    /// # Errors
    /// Fails if the request names something that doesn't exist, or the file can no longer be read.
    // A separate function: the build of the page splits the worker's program here.
    #[inline(never)]
    pub fn answer(&mut self, request: &Request) -> Result<Reply, Failure> {
        match request {
            Request::Hello { .. } => Ok(hello()),
            Request::Summary => Ok(Reply::small(Answer::Summary(Box::new(self.summary())))),
            Request::Header => Ok(Reply::small(Answer::Header(Box::new(self.header()?)))),
            Request::WindowSize { window } => {
                Ok(Reply::small(Answer::WindowSize { events: events_in(&self.store, window) }))
            }
            Request::QueryHelp { text, cursor } => {
                Ok(Reply::small(Answer::QueryHelp(Box::new(query_help(&self.store, text, *cursor)))))
            }
            Request::File(request) => self.about_file(request),
            Request::Topics => Ok(Reply::encoded(&self.topics())),
            Request::Topic { of, filter } => self.answer_topic_request(of, filter),
            Request::Memory => Ok(Reply::small(Answer::Memory(self.memory()))),
            Request::EventPosition { .. }
            | Request::Connections { .. }
            | Request::EventDetail { .. }
            | Request::FindEvent { .. }
            | Request::FunctionDetail { .. }
            | Request::TypeDetail { .. } => self.one(request),
            _ => self.table(request),
        }
    }

    /// Returns the header with derived facts.
    ///
    /// # Errors
    /// Fails if the file can no longer be read.
    pub fn header(&self) -> Result<HeaderDetail, Failure> {
        let around = FileSizeAndCompression { bytes: self.file.bytes, packing: &self.file.packing };
        header_detail(&self.store, &self.source, &self.samples, around).map_err(|error| unreadable_source(&error))
    }

    /// Answers requests about a single item.
    fn one(&mut self, request: &Request) -> Result<Reply, Failure> {
        Ok(Reply::small(match request {
            Request::EventPosition { filter, order, event } => {
                Answer::Position { position: self.position(filter, order, *event)? }
            }
            Request::EventDetail { event } => {
                let detail = event_detail(&self.store, &self.source, *event);
                let detail = detail.map_err(|error| unreadable_source(&error))?;
                let mut detail = detail.ok_or_else(|| missing("event"))?;
                self.add_lines(&mut detail);
                Answer::Event(Box::new(detail))
            }
            Request::Connections { event } => {
                let spans = self.spans()?;
                let (store, source, tracks) = (&self.store, &self.source, &self.tracks);
                let known = connections::Known { store, source, spans: &spans, tracks };
                let found = connections::connections(known, *event).map_err(|error| unreadable_source(&error))?;
                Answer::Connections(Box::new(found))
            }
            Request::FindEvent { at, os_thread, provider, event_id } => {
                Answer::Found { event: find_event(&self.store, *at, *os_thread, provider, *event_id) }
            }
            Request::FunctionDetail { function } => {
                let mut detail = function_detail(&self.store, *function).ok_or_else(|| missing("function"))?;
                detail.source = self.source_of(*function);
                Answer::Function(Box::new(detail))
            }
            Request::TypeDetail { event_type } => {
                let detail = type_detail(&self.store, *event_type).ok_or_else(|| missing("event type"))?;
                Answer::Type(Box::new(detail))
            }
            _ => return Err(missing("question")),
        }))
    }

    /// Answers requests for a table.
    fn table(&mut self, request: &Request) -> Result<Reply, Failure> {
        let packed = match request {
            Request::Overview { span, buckets } => {
                overview(&self.store, &self.samples, &self.gcs, *span, *buckets).pack()
            }
            Request::Density { filter, span, buckets } => {
                let selection = self.selection(filter)?;
                density_of(&self.store, &selection, *span, *buckets).pack()
            }
            Request::Threads { filter } => {
                let selection = if *filter == Filter::default() { None } else { Some(self.selection(filter)?) };
                thread_table(&self.store, &self.samples, selection.as_deref()).pack()
            }
            Request::Lanes { threads, span, resolution, max_depth, spans } => {
                let spans = if *spans { Some(self.spans()?) } else { None };
                let window = Window { span: *span, resolution: *resolution, max_depth: *max_depth };
                let states = self.known_states()?;
                let waits = self.tracks.waits(&self.store, &self.source).map_err(|error| unreadable_source(&error))?;
                let known = Known { states: &states, waits, spans: spans.as_deref() };
                self.lanes.lanes(&self.store, &self.samples, &self.nodes, known, threads, window).pack()
            }
            Request::Gcs { filter } => self.collection_table(filter)?.pack(),
            Request::Exceptions { filter, limit } => {
                let selection = self.selection(filter)?;
                let table = exceptions(&self.store, &self.source, &selection, *limit);
                table.map_err(|error| unreadable_source(&error))?.pack()
            }
            Request::Intervals { kind, filter, span, resolution } => {
                let selection = self.selection(filter)?;
                if kind.is_spans() {
                    let spans = self.spans()?;
                    let intervals = spans.track(*kind).ok_or_else(|| missing("track"))?;
                    let is_selected = |interval: &Interval| selection.contains(interval.event.index());
                    return Ok(Reply::table(intervals.window(&is_selected, *span, *resolution).pack()));
                }
                let intervals = self.tracks.intervals(&self.store, &self.source, *kind);
                let intervals = intervals.map_err(|error| unreadable_source(&error))?;
                let is_selected = |interval: &Interval| match kind {
                    TrackKind::LostEvents => lost_events::is_selected(&self.store, filter, interval),
                    _ => selection.contains(interval.event.index()),
                };
                intervals.window(&is_selected, *span, *resolution).pack()
            }
            Request::Series { filter } => {
                let wider = of_processes(&self.store, filter);
                let (selected, of_processes) = (self.selection(filter)?, self.selection(&wider)?);
                let rows = SeriesRows { selected: &selected, of_processes: &of_processes, is_wider: wider != *filter };
                let payloads = self
                    .series_payloads
                    .complete(&self.store, &self.source.bypass_cache())
                    .map_err(|error| unreadable_source(&error))?;
                let table = series(&self.store, &self.source, payloads, &self.samples, &rows);
                table.map_err(|error| unreadable_source(&error))?.pack()
            }
            Request::SpanRows => self.spans()?.rows().pack(),
            Request::Events { filter, order, first, count } => {
                let (rows, total) = self.page(filter, order, *first, *count)?;
                let lasting = if rows.is_empty() { Rc::default() } else { self.durations()? };
                let page = events_page(&self.store, &self.source, &lasting, &rows, total);
                page.map_err(|error| unreadable_source(&error))?.pack()
            }
            Request::EventFields { filter, order, fields, first, count } => {
                let (rows, total) = self.page(filter, order, *first, *count)?;
                let page = event_fields(&self.store, &self.source, &rows, fields, total);
                page.map_err(|error| unreadable_source(&error))?.pack()
            }
            Request::EventText { filter, order, columns, format, with_head, first, count } => {
                self.event_text((filter, order), columns, (*format, *with_head), *first, *count)?.pack()
            }
            Request::EventGroups { filter, query, first, count } => {
                self.group_page(filter, query, *first, *count)?.pack()
            }
            Request::Excerpt { filter, from } => self.excerpt(filter, *from)?.pack(),
            Request::StackFile { query, format } => self.stack_file(query, *format)?.pack(),
            Request::StackSources => stack_sources(&self.store).pack(),
            Request::FieldNames { filter } => filtered_fields(&self.store, filter).pack(),
            Request::Types => type_table(&self.store).pack(),
            Request::Schemas => schema_table(&self.store).pack(),
            Request::SchemaFile { format, provider } => self.schema_file(*format, provider).pack(),
            Request::FieldValues { filter, event_type } => self.field_values(filter, *event_type)?.pack(),
            other => self.stack_table(other)?.ok_or_else(|| missing("question"))?,
        };
        Ok(Reply::table(packed))
    }
}

pub(crate) fn missing(what: &str) -> Failure {
    Failure::new(FailureCode::NotFound, format!("That {what} isn't in this trace."))
}
