//! Answers for the timeline.

use super::Run;
use crate::analysis::intervals::interval_set::Interval;
use crate::analysis::intervals::spans::traced::traced_requests;
use crate::analysis::scan::payload_batches::Step;
use crate::analysis::scan::selection::Selection;
use crate::analysis::timeline::exceptions::exceptions;
use crate::analysis::timeline::lanes::{Known, Window};
use crate::analysis::timeline::lines::SeriesRows;
use crate::analysis::timeline::overview::{density_of, overview};
use crate::analysis::timeline::series::{of_processes, series};
use crate::analysis::timeline::threads::thread_table;
use crate::analysis::timeline::track_matches::{Buckets, EventMarks, mark_intervals, mark_samples, mark_spans};
use crate::analysis::topics::recorded_topics::process_of_tracks;
use crate::analysis::topics::shared::wait_labels::WaitLabels;
use crate::session::db::interrupt::{Answered, Interrupt, unless_done};
use crate::session::db::state::Session;
use protocol::queries::{
    Density, Exceptions, GcTrigger, Gcs, Intervals, Lanes, Overview, Series, SpanRows, Threads, TracedRequests,
    TrackMatches,
};
use protocol::reply;
use protocol::request::Filter;
use protocol::tables::{self, match_bit};
use protocol::timeline::track::TrackKind;
use std::rc::Rc;

impl Run for Overview {
    fn run(&self, session: &mut Session) -> Answered<tables::Overview> {
        Ok(overview(&session.store, &session.samples, &session.gcs, self.span, self.buckets))
    }
}

impl Run for Density {
    fn run(&self, session: &mut Session) -> Answered<tables::Overview> {
        let selection = session.selection(&self.filter)?;
        Ok(density_of(&session.store, &selection, self.span, self.buckets))
    }
}

impl Run for TrackMatches {
    fn run(&self, session: &mut Session) -> Answered<tables::TrackMatches> {
        let selection = session.selection(&self.filter)?;
        let buckets = Buckets::new(self.span, self.buckets);
        let spans = session.spans()?;
        let sets = self.tracks.iter().map(|(_, kind)| session.intervals(*kind)).collect::<Answered<Vec<_>>>()?;
        let has_gcs = self.tracks.iter().any(|(_, kind)| *kind == TrackKind::Gc);
        let gcs = if has_gcs { session.collection_table(&self.filter)? } else { tables::Gcs::default() };
        let mut rows = (*event_marks(session, self, buckets, &selection)?).clone();
        let session = &*session;
        let Session { store, samples, .. } = session;
        let (of_threads, of_tracks) = rows.split_at_mut(self.threads.len());
        for (row, thread) in of_threads.iter_mut().zip(&self.threads) {
            mark_samples(row, buckets, samples.thread(*thread), &selection);
            if let Some(set) = spans.thread(*thread) {
                mark_spans(row, buckets, set, &selection);
            }
        }
        for (row, ((process, kind), set)) in of_tracks.iter_mut().zip(self.tracks.iter().zip(sets)) {
            let is_of_process = |one: &Interval| *process == 0 || process_of_tracks(store, one.thread) == *process;
            mark_intervals(row, buckets, &set, match_bit::EVENT, |one| {
                is_of_process(one) && session.selects(&self.filter, &selection, *kind, one)
            });
            if *kind == TrackKind::Gc {
                let of_process = (0..gcs.number.len()).filter(|gc| *process == 0 || gcs.process[*gc] == *process);
                of_process.for_each(|gc| buckets.mark(row, (gcs.start[gc], gcs.end[gc]), match_bit::EVENT));
                let stops = (0..gcs.stop_row.len()).filter(|stop| {
                    let of = gcs.process.get(gcs.stop_row[*stop] as usize);
                    *process == 0 || of == Some(process)
                });
                stops.for_each(|stop| {
                    buckets.mark(row, (gcs.stop_start[stop], gcs.stop_end[stop]), match_bit::EVENT);
                });
            }
        }
        Ok(buckets.table(rows))
    }
}

/// Returns rows for a query in which only events are marked.
fn event_marks(
    session: &mut Session,
    query: &TrackMatches,
    buckets: Buckets,
    selection: &Rc<Selection>,
) -> Answered<Rc<Vec<Vec<u8>>>> {
    if let Some(known) = session.event_marks.get(query) {
        return Ok(known);
    }
    let store = &session.store;
    let begin = || EventMarks::new(store, buckets, selection.clone(), &query.threads, &query.tracks);
    let mut marks = session.event_marks.resume(query).unwrap_or_else(|| Box::new(begin()));
    Err(match marks.step(store) {
        Step::Done => session.event_marks.finish(query.clone(), marks.finish()),
        step => session.event_marks.pause(query.clone(), marks, step),
    })
}

impl Run for Threads {
    fn run(&self, session: &mut Session) -> Answered<tables::Threads> {
        let selection = if self.filter == Filter::default() { None } else { Some(session.selection(&self.filter)?) };
        Ok(thread_table(&session.store, &session.samples, selection.as_deref()))
    }
}

impl Run for Lanes {
    fn run(&self, session: &mut Session) -> Answered<tables::Lanes> {
        let states = session.thread_states()?;
        // Only requests identify code without a name.
        let requests = if self.spans || session.has_unnamed_code() { Some(session.spans()?) } else { None };
        let spans = requests.as_deref().filter(|_| self.spans);
        let window = Window { span: self.span, resolution: self.resolution, max_depth: self.max_depth };
        let Session { store, source, samples, nodes, tracks, lanes, .. } = session;
        if !lanes.prepare(samples, nodes, &states, &self.threads, window) {
            return Err(Interrupt::More);
        }
        let waits = tracks.waits(store, source)?;
        let known = Known { states: &states, waits, spans };
        let mut table = lanes.lanes(store, samples, nodes, known, &self.threads, window);
        let labels = WaitLabels { store, samples, waits, requests: requests.as_deref() };
        labels.add_to(&mut table, &self.threads, self.resolution);
        Ok(table)
    }
}

impl Run for SpanRows {
    fn run(&self, session: &mut Session) -> Answered<tables::SpanRows> {
        Ok(session.spans()?.rows())
    }
}

impl Run for TracedRequests {
    fn run(&self, session: &mut Session) -> Answered<tables::TracedRequests> {
        Ok(traced_requests(&*session.spans()?))
    }
}

impl Run for GcTrigger {
    fn run(&self, session: &mut Session) -> Answered<Option<reply::GcTrigger>> {
        session.gc_trigger(self.event)
    }
}

impl Run for Gcs {
    fn run(&self, session: &mut Session) -> Answered<tables::Gcs> {
        session.collection_table(&self.filter)
    }
}

impl Run for Exceptions {
    fn run(&self, session: &mut Session) -> Answered<tables::Exceptions> {
        let selection = session.selection(&self.filter)?;
        Ok(exceptions(&session.store, &session.source, &selection, self.limit)?)
    }
}

impl Run for Intervals {
    fn run(&self, session: &mut Session) -> Answered<tables::Intervals> {
        let (selection, intervals) = (session.selection(&self.filter)?, session.intervals(self.kind)?);
        let is_selected = |one: &Interval| session.selects(&self.filter, &selection, self.kind, one);
        Ok(intervals.window(&is_selected, self.span, self.resolution))
    }
}

impl Run for Series {
    fn run(&self, session: &mut Session) -> Answered<tables::Series> {
        let wider = of_processes(&session.store, &self.filter);
        if !session.series_payloads.is_complete {
            let source = session.source.bypass_cache();
            unless_done(session.series_payloads.step(&session.store, &source, session.may_wait)?)?;
        }
        let (selected, of_processes) = (session.selection(&self.filter)?, session.selection(&wider)?);
        let rows = SeriesRows { selected: &selected, of_processes: &of_processes, is_wider: wider != self.filter };
        Ok(series(&session.store, &session.source, &session.series_payloads, &session.samples, &rows)?)
    }
}
