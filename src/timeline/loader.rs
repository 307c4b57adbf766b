//! Requests of the timeline to the worker: visible threads without sufficient data, one request at a time.

use super::stage::Stage;
use super::state::State;
use leptos::prelude::*;
use protocol::base::ids::ThreadId;
use protocol::base::time::Span;
use protocol::queries;
use protocol::request::{Filter, UNKNOWN_PROCESS};
use protocol::tables::{Gcs, Lanes, state};
use protocol::timeline::track::TrackKind;
use protocol::{Failure, FailureCode, Query};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use view::timeline::resolution::{request_span, resolution, visible_inside};
use view::timeline::track_key::{RuntimeKey, TrackKey};
use view::timeline::track_layout::Track;
use view::timeline::tracks::exceptions::ExceptionsTrack;
use view::timeline::tracks::gc::GcTrack;
use view::timeline::tracks::gc_split::by_process;
use view::timeline::tracks::intervals::IntervalTrack;
use view::timeline::tracks::lane_frame::LaneFrame;
use view::timeline::tracks::series::SeriesTrack;
use view::timeline::tracks::table::interval_kinds;
use view::timeline::tracks::thread_rows::StackView;
use view::timeline::tracks::track::RuntimeTrack;
use view::timeline::turns::Due;
use wasm_bindgen_futures::spawn_local;

/// Number of buckets of the overview: about one per pixel on a wide screen.
const OVERVIEW_BUCKETS: u32 = 1200;
/// Maximum number of exceptions that are drawn; others are counted.
const EXCEPTION_LIMIT: u32 = 50_000;
/// Maximum number of threads per request.
const THREADS_AT_ONCE: usize = 64;
/// Maximum stack depth that is requested.
const DEEPEST_LEVEL: u16 = 256;
/// Maximum number of levels with your code that are shown in full: more would let a deep recursion hide all other
/// threads.
const MAX_USER_LEVELS: usize = 8;
/// Number of threads whose data is cached while they aren't visible.
const REMEMBERED_THREADS: usize = 256;

/// Resolution of the first request about a track: coarse, only to find out whether it has data.
const FIRST_LOOK: i64 = 1 << 40;

/// Requests data that doesn't depend on the visible range: GCs, exceptions, the overview.
pub fn ask_once(stage: &Rc<Stage>, limits: Span) {
    ask_for_overview(stage, limits);
    let gcs = queries::Gcs { filter: Filter::default() };
    ask(stage, gcs, |stage, table| {
        stage.signals.generations.set(generations_of(&table));
        let gcs = by_process(table);
        stage.state.borrow_mut().gcs.clone_from(&gcs);
        for (process, table) in gcs {
            stage.put_track(Box::new(GcTrack::new(process, table)));
        }
    });
    ask(stage, queries::SpanRows, |stage, table| {
        let rows = table.thread.iter().map(|thread| ThreadId(*thread)).zip(table.rows.iter().copied()).collect();
        stage.learn(|choices| choices.span_rows = rows);
    });
    ask_for_processes(stage);
}

/// Requests the runtime tracks of visible processes, once each, because a machine has hundreds of processes.
pub fn ask_for_processes(stage: &Rc<Stage>) {
    // Answers couldn't be shown.
    if stage.elements().is_none() {
        return;
    }
    let wanted: Vec<u32> = {
        let mut state = stage.state.borrow_mut();
        let wanted: BTreeSet<u32> = match state.of_several() {
            false => BTreeSet::from([0]),
            true => {
                let is_open = |track: &&Track| track.key.is_heading() && track.expanded == Some(true);
                let open = state.layout.tracks.iter().filter(is_open).map(|track| track.process);
                open.chain(state.choices.pinned.iter().filter_map(|key| key.process())).collect()
            }
        };
        let new = wanted.difference(&state.asked).copied().collect();
        state.asked.extend(wanted);
        new
    };
    wanted.into_iter().for_each(|process| ask_for_process(stage, process));
    ask_for_unknown_process(stage);
}

/// Requests, once, data of no process: lost events of threads without other events.
fn ask_for_unknown_process(stage: &Rc<Stage>) {
    let is_new = {
        let mut state = stage.state.borrow_mut();
        let is_among = state.threads.os_process.contains(&UNKNOWN_PROCESS);
        state.of_several() && !is_among && state.asked.insert(UNKNOWN_PROCESS)
    };
    if is_new {
        let limits = stage.state.borrow().viewport.limits();
        let key = RuntimeKey { process: UNKNOWN_PROCESS, kind: TrackKind::LostEvents };
        ask_for_marks(stage, key, limits, FIRST_LOOK, |stage| stage.request(Due::Lanes));
    }
}

fn ask_for_process(stage: &Rc<Stage>, process: u32) {
    let (filter, limits, shown) = {
        let state = stage.state.borrow();
        (state.filter_of(process), state.viewport.limits(), shown_question(&state))
    };
    let is_whole = shown.0.intersect(limits) == Some(limits);
    let exceptions = queries::Exceptions { filter: filter.clone(), limit: EXCEPTION_LIMIT };
    ask(stage, exceptions, move |stage, table| {
        if !table.time.is_empty() {
            stage.put_track(Box::new(ExceptionsTrack { process, table }));
        }
    });
    ask(stage, queries::Series { filter }, move |stage, table| {
        let (own, counters) = SeriesTrack::all(process, table);
        for track in own {
            let (numbered, key) = (track.numbered_key(), track.key());
            stage.put_track(Box::new(track));
            stage.learn(|choices| choices.name_numbered(numbered, key));
        }
        let counters = counters.into_iter().map(|track| Box::new(track) as Box<dyn RuntimeTrack>);
        stage.put_counters(process, counters.collect());
    });
    for kind in interval_kinds() {
        let key = RuntimeKey { process, kind };
        // Visible tracks are requested at the current resolution, others only to find out whether they have data.
        let is_shown = is_whole || stage.state.borrow().runtime.get(key).is_some();
        let (span, resolution) = if is_shown { shown } else { (limits, FIRST_LOOK) };
        ask_for_marks(stage, key, span, resolution, |stage| stage.request(Due::Lanes));
    }
}

/// Returns classes and names of the collected generations.
fn generations_of(table: &Gcs) -> Vec<(&'static str, &'static str)> {
    let generations = [("gc0", "gen 0"), ("gc1", "gen 1"), ("gc2", "gen 2")].into_iter().zip(0..);
    let mut found: Vec<_> =
        generations.filter(|(_, generation)| table.generation.contains(generation)).map(|(words, _)| words).collect();
    found.extend(table.kind.contains(&1).then_some(("gcbg", "background GC")));
    found
}

/// Returns the range and resolution of the current view.
fn shown_question(state: &State) -> (Span, i64) {
    let scale = state.viewport.scale();
    (request_span(&scale, state.viewport.limits()), resolution(&scale))
}

/// Requests the intervals of a track, and shows the track if there are any; then calls `done`.
fn ask_for_marks(
    stage: &Rc<Stage>,
    key: RuntimeKey,
    span: Span,
    resolution: i64,
    done: impl FnOnce(&Rc<Stage>) + 'static,
) {
    let filter = stage.state.borrow().filter_of(key.process);
    let request = queries::Intervals { kind: key.kind, filter, span, resolution };
    ask(stage, request, move |stage, intervals| {
        let track = Some(intervals).filter(|intervals| intervals.total.first().is_some_and(|total| *total > 0));
        if let Some(track) = track.and_then(|intervals| IntervalTrack::new(key, intervals, span, resolution)) {
            stage.put_track(Box::new(track));
        }
        done(stage);
    });
}

/// Returns the first visible track of intervals whose data is insufficient.
fn missing_intervals(state: &State) -> Option<(RuntimeKey, Span, i64)> {
    let scale = state.viewport.scale();
    let limits = state.viewport.limits();
    let (visible, resolution) = (visible_inside(&scale, limits), resolution(&scale));
    let shown = state.layout.seen(state.scroll_top, state.size.1);
    let mut keys = shown.filter_map(|track| match track.key {
        TrackKey::Kind(key) => Some(key),
        _ => None,
    });
    let wants = |key: &RuntimeKey| state.runtime.get(*key).is_some_and(|track| track.wants(visible, resolution));
    let (span, resolution) = shown_question(state);
    keys.find(wants).map(|key| (key, span, resolution))
}

/// Requests the event density over `span`.
pub fn ask_for_overview(stage: &Rc<Stage>, span: Span) {
    let request = queries::Overview { span: Some(span), buckets: OVERVIEW_BUCKETS };
    ask(stage, request, |stage, table| {
        stage.state.borrow_mut().overview = Some(Arc::new(table));
        stage.draw_minimap();
    });
}

/// Requests visible threads with insufficient data, unless a request is in flight, whose answer does so.
pub fn ask_for_lanes(stage: &Rc<Stage>) {
    if stage.asking.get() || stage.signals.failure.with_untracked(Option::is_some) {
        return;
    }
    let intervals = missing_intervals(&stage.state.borrow());
    if let Some((key, span, resolution)) = intervals {
        stage.asking.set(true);
        return ask_for_marks(stage, key, span, resolution, |stage| {
            stage.asking.set(false);
            stage.request(Due::Lanes);
        });
    }
    let Some(question) = next_question(&stage.state.borrow()) else { return };
    stage.asking.set(true);
    let revision = stage.revision.get();
    let stage = Rc::downgrade(stage);
    spawn_local(async move {
        let Some(app) = stage.upgrade().map(|stage| stage.app) else { return };
        let answer = app.ask(question.clone()).await;
        let Some(stage) = stage.upgrade().filter(|stage| stage.elements().is_some()) else { return };
        match answer {
            Ok(lanes) => {
                stage.asking.set(false);
                // An answer from before more was read would stay on the screen.
                if stage.revision.get() == revision {
                    take_lanes(&stage, question, lanes);
                }
            }
            Err(failure) => report(&stage, failure),
        }
        stage.request(Due::Lanes);
    });
}

fn take_lanes(stage: &Rc<Stage>, question: queries::Lanes, lanes: Lanes) {
    let queries::Lanes { threads, span, resolution, max_depth, spans } = question;
    for (of, has) in [(state::BLOCKED, stage.signals.handle_waits), (state::IDLE, stage.signals.idle_waits)] {
        if lanes.wait_state.contains(&of) && !has.get_untracked() {
            has.set(true);
        }
    }
    let frames = LaneFrame::split(lanes, threads.len(), span, resolution, max_depth, spans);
    let (mut user_levels, mut renewed) = (Vec::new(), Vec::new());
    {
        let mut state = stage.state.borrow_mut();
        for (thread, frame) in threads.into_iter().zip(frames) {
            if max_depth > 0 {
                user_levels.push((thread, frame.user_levels(MAX_USER_LEVELS)));
            }
            let was_stale = state.frames.insert(thread, frame).is_some_and(|before| before.is_stale);
            if was_stale {
                renewed.push(thread);
            }
        }
        forget_far_threads(&mut state);
    }
    stage.signals.loaded.update(|loaded| *loaded = loaded.wrapping_add(1));
    stage.learn(|choices| {
        for (thread, levels) in user_levels {
            let known = choices.user_levels.entry(thread).or_default();
            // More names are known after more was read, so other levels may contain your code.
            if renewed.contains(&thread) {
                known.clear();
            }
            // Levels that were shown in full stay so, so that rows don't jump while the view moves.
            if known.len() < MAX_USER_LEVELS {
                known.extend(levels);
            }
        }
    });
}

fn forget_far_threads(state: &mut State) {
    if state.frames.len() <= REMEMBERED_THREADS {
        return;
    }
    let (top, height) = (state.scroll_top, state.size.1);
    let near: Vec<ThreadId> =
        state.layout.seen(top - 2.0 * height, 5.0 * height).filter_map(|track| thread_of(track.key)).collect();
    state.frames.retain(|thread, _| near.contains(thread));
}

fn thread_of(key: TrackKey) -> Option<ThreadId> {
    match key {
        TrackKey::Thread(thread) => Some(thread),
        _ => None,
    }
}

/// Returns the next request: visible threads before those a screen away, expanded ones before collapsed ones.
fn next_question(state: &State) -> Option<queries::Lanes> {
    let (top, height) = (state.scroll_top, state.size.1);
    if height <= 0.0 {
        return None;
    }
    missing(state, top, height).or_else(|| missing(state, top - height, 3.0 * height))
}

fn missing(state: &State, top: f64, height: f64) -> Option<queries::Lanes> {
    let scale = state.viewport.scale();
    let limits = state.viewport.limits();
    let (visible, resolution) = (visible_inside(&scale, limits), resolution(&scale));
    let mut expanded: Vec<(ThreadId, u16)> = Vec::new();
    let mut collapsed = Vec::new();
    let mut any_spans = false;
    for track in state.layout.seen(top, height) {
        let (Some(thread), Some(row)) = (thread_of(track.key), track.row) else { continue };
        let is_collapsed = state.choices.view_of(thread) == StackView::Collapsed;
        let spans = track.parts.as_ref().is_some_and(|parts| parts.spans.is_some());
        let depth = if is_collapsed { 0 } else { state.threads.max_depth[row].min(DEEPEST_LEVEL) };
        if state.frames.get(&thread).is_some_and(|frame| frame.serves(visible, resolution, depth, spans)) {
            continue;
        }
        match is_collapsed {
            true => collapsed.push(thread),
            false => {
                expanded.push((thread, depth));
                any_spans |= spans;
            }
        }
    }
    let max_depth = expanded.iter().map(|(_, depth)| *depth).max().unwrap_or(0);
    let mut threads =
        if expanded.is_empty() { collapsed } else { expanded.into_iter().map(|(thread, _)| thread).collect() };
    threads.truncate(THREADS_AT_ONCE);
    (!threads.is_empty()).then(|| queries::Lanes {
        threads,
        span: request_span(&scale, limits),
        resolution,
        max_depth,
        spans: any_spans,
    })
}

fn ask<Q: Query + 'static>(stage: &Rc<Stage>, query: Q, done: impl FnOnce(&Rc<Stage>, Q::Output) + 'static) {
    let app = stage.app;
    stage.expected.set(stage.expected.get() + 1);
    let stage = Rc::downgrade(stage);
    spawn_local(async move {
        let answer = app.ask(query).await;
        let Some(stage) = stage.upgrade() else { return };
        stage.expected.set(stage.expected.get().saturating_sub(1));
        if stage.elements().is_none() {
            return;
        }
        match answer {
            Ok(output) => done(&stage, output),
            Err(failure) => report(&stage, failure),
        }
    });
}

fn report(stage: &Stage, failure: Failure) {
    stage.asking.set(false);
    if failure.code != FailureCode::Cancelled {
        stage.signals.failure.set(Some(failure));
    }
}
