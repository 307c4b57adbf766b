//! Navigation to the next item of the focused track, or to the next matching event.

use crate::app::state::Selection;
use crate::timeline::stage::Stage;
use crate::timeline::state::State;
use leptos::prelude::*;
use protocol::base::ids::EventId;
use protocol::base::time::{Nanos, Span};
use protocol::request::{EventOrder, Filter};
use protocol::{Failure, queries};
use std::rc::Rc;
use view::draw::tooltip::DECIMALS;
use view::format;
use view::timeline::hit::Target;
use view::timeline::track_key::{RuntimeKey, TrackKey};
use view::timeline::tracks::interval_walk::neighbor;
use view::timeline::tracks::table::TrackRow;
use view::timeline::tracks::track::Subject;
use wasm_bindgen_futures::spawn_local;

/// Factor by which the searched part of the trace grows until it contains intervals.
const GROWTH: i64 = 8;
/// Minimum length of the first searched part in nanoseconds.
const FIRST_PART: i64 = 1_000_000;

/// Goes to the next or previous item of the focused track, or to a pause or exception.
pub fn step(stage: &Rc<Stage>, later: bool) {
    match stage.signals.focused.get_untracked() {
        TrackKey::Thread(thread) => {
            let filter = Filter { threads: vec![thread], ..Filter::default() };
            spawn_local(report(stage.clone(), walk_events(stage.clone(), filter, later)));
        }
        TrackKey::Kind(key) if TrackRow::of(key.kind).look().is_some() => {
            spawn_local(report(stage.clone(), walk_intervals(stage.clone(), key, later)));
        }
        TrackKey::Kind(key) => step_in_picture(stage, Some(key), later),
        _ => step_in_picture(stage, None, later),
    }
}

/// Goes to the next or previous matching event, and announces its position.
pub fn step_match(stage: &Rc<Stage>, later: bool) {
    let filter = stage.app.filter.get_untracked();
    spawn_local(report(stage.clone(), walk_events(stage.clone(), filter, later)));
}

/// Reports the failure of a navigation.
pub async fn report(stage: Rc<Stage>, walking: impl Future<Output = Result<(), Failure>>) {
    if let Err(failure) = walking.await {
        stage.app.shell.say(failure.to_string());
    }
}

/// Returns the start of the selected item, or the center of the visible range.
fn from(stage: &Stage) -> i64 {
    let state = stage.state.borrow();
    let selection = stage.app.selection.get_untracked();
    if let Some((event, start, _)) = state.moment
        && selection == Selection::Event(event)
    {
        return start;
    }
    let selected = item_of(&state, selection);
    let scale = state.viewport.scale();
    let moment =
        selected.and_then(|target| state.scene().content_of(&target, |content| content.bounds(&target)).flatten());
    moment.map_or_else(|| scale.time(scale.width() / 2.0).0, |bounds| bounds.0)
}

fn item_of(state: &State, selection: Selection) -> Option<Target> {
    match selection {
        Selection::Gc(gc) => state.runtime.find(Subject::Gc(gc)),
        Selection::Event(event) => state.runtime.find(Subject::Event(event.0)).or(state.selected),
        _ => state.selected,
    }
}

/// Returns the selected item of the picture; `None` if nothing is selected, or a whole thread.
pub fn selected_item(stage: &Stage) -> Option<Target> {
    match stage.app.selection.get_untracked() {
        Selection::None | Selection::Thread(_) => None,
        selection => item_of(&stage.state.borrow(), selection),
    }
}

/// Goes to the next item whose data is complete: GCs, exceptions.
fn step_in_picture(stage: &Rc<Stage>, key: Option<RuntimeKey>, later: bool) {
    let from = from(stage);
    let found = {
        let state = stage.state.borrow();
        let target = match key {
            Some(key) => state.runtime.get(key).and_then(|track| track.neighbor(from, later)),
            None => state.runtime.neighbor(from, later),
        };
        target.and_then(|target| Some((target, state.runtime.moment_of(&target)?)))
    };
    match found {
        Some((target, at)) => {
            stage.state.borrow_mut().viewport.reveal(Nanos(at));
            stage.select(target);
        }
        None => say_end(stage, later),
    }
}

fn say_end(stage: &Stage, later: bool) {
    let words = if later { "No more events" } else { "No earlier events" };
    stage.app.shell.say(words.to_owned());
}

/// Returns the position of an event among the matching ones; `None` if it doesn't match.
async fn place_of(stage: &Stage, filter: &Filter, event: EventId) -> Result<Option<u64>, Failure> {
    stage.app.ask(queries::EventPosition { filter: filter.clone(), order: EventOrder::default(), event }).await
}

/// Goes to the next matching event, which the worker finds by the position of the selected one, or by the number of
/// earlier events.
async fn walk_events(stage: Rc<Stage>, filter: Filter, later: bool) -> Result<(), Failure> {
    let known = match stage.app.selection.get_untracked() {
        Selection::Event(event) => place_of(&stage, &filter, event).await?,
        _ => None,
    };
    let next = match (known, later) {
        (Some(place), true) => Some(place + 1),
        (Some(place), false) => place.checked_sub(1),
        (None, _) => {
            let before = Span { start: Nanos(i64::MIN), end: Nanos(first_from(&stage, later)) };
            let before = filter.span.map_or(Some(before), |span| span.intersect(before));
            let count = match before {
                None => 0,
                Some(_) => {
                    let table = stage.app.events_in_order(Filter { span: before, ..filter.clone() }, 0, 0).await?;
                    table.total.first().copied().unwrap_or(0)
                }
            };
            if later { Some(count) } else { count.checked_sub(1) }
        }
    };
    let Some(next) = next else {
        say_end(&stage, later);
        return Ok(());
    };
    let table = stage.app.events_in_order(filter, next, 1).await?;
    let (Some(event), Some(time)) = (table.event.first(), table.time.first()) else {
        say_end(&stage, later);
        return Ok(());
    };
    let total = table.total.first().copied().unwrap_or(0);
    stage.app.timeline.place.set(Some((next + 1, total)));
    let name = format!("{} / {}", table.provider.get(0), table.name.get(0));
    let place = format!("{} of {}", format::count(next + 1), format::count(total));
    let words = format!("{name}, {}, {place}", stage.face().moment(*time, DECIMALS));
    go_to(&stage, EventId(*event), *time, words);
    Ok(())
}

/// Returns the time from which a match is searched if no event is selected: without a selection, the next match is the
/// first visible one.
fn first_from(stage: &Stage, later: bool) -> i64 {
    match later && stage.app.selection.get_untracked() == Selection::None {
        true => stage.state.borrow().viewport.scale().time(0.0).0,
        false => from(stage),
    }
}

/// Selects an event, shows its time, and announces it.
pub fn go_to(stage: &Rc<Stage>, event: EventId, time: i64, words: String) {
    {
        let mut state = stage.state.borrow_mut();
        state.viewport.reveal(Nanos(time));
        state.selected = state.runtime.find(Subject::Event(event.0));
    }
    stage.app.select(Selection::Event(event));
    stage.app.shell.announce.set(words);
    stage.request_frame();
}

/// Goes to the next interval. Intervals on the timeline are merged, so single ones are requested in a growing part of
/// the trace.
async fn walk_intervals(stage: Rc<Stage>, key: RuntimeKey, later: bool) -> Result<(), Failure> {
    let from = from(&stage);
    // Intervals may have the same start, so the event determines the selected one.
    let selected = match stage.app.selection.get_untracked() {
        Selection::Event(event) => Some(event.0),
        _ => None,
    };
    let (limits, filter, mut length) = {
        let state = stage.state.borrow();
        (
            state.viewport.limits(),
            state.filter_of(key.process),
            (state.viewport.scale().span().duration() / 16).max(FIRST_PART),
        )
    };
    loop {
        let part = match later {
            true => Span::new(from, from.saturating_add(length)),
            false => Span::new(from.saturating_sub(length), from.saturating_add(1)),
        };
        let Some(part) = part.intersect(limits) else { break };
        let request = queries::Intervals { kind: key.kind, filter: filter.clone(), span: part, resolution: 0 };
        let intervals = stage.app.ask(request).await?;
        if let Some(row) =
            neighbor(&intervals, from, selected, later).filter(|row| later || intervals.start[*row] >= part.start.0)
        {
            let (start, event) = (intervals.start[row], intervals.event[row]);
            let name = intervals.texts.get(intervals.name[row] as usize).to_owned();
            let moment = stage.face().moment(start, DECIMALS);
            let words = format!("{name}, {}, {moment}", format::duration(intervals.covered[row]));
            if event == u32::MAX {
                stage.state.borrow_mut().viewport.reveal(Nanos(start));
                stage.app.shell.announce.set(words);
            } else {
                go_to(&stage, EventId(event), start, words);
                stage.state.borrow_mut().moment = Some((EventId(event), start, intervals.end[row]));
            }
            return Ok(());
        }
        if part.start <= limits.start && !later || part.end >= limits.end && later {
            break;
        }
        length = length.saturating_mul(GROWTH);
    }
    say_end(&stage, later);
    Ok(())
}

/// Returns the time range of the selected item or event.
pub fn span_of_selection(stage: &Stage) -> Option<Span> {
    let state = stage.state.borrow();
    let of = |target: Target| state.scene().span_of(&target);
    match stage.app.selection.get_untracked() {
        Selection::None => None,
        Selection::Gc(gc) => state.runtime.find(Subject::Gc(gc)).and_then(of),
        Selection::Event(event) => {
            let walked = state.moment.filter(|moment| moment.0 == event && moment.1 < moment.2);
            let found = state.runtime.find(Subject::Event(event.0)).and_then(of);
            walked.map(|moment| Span::new(moment.1, moment.2)).or(found)
        }
        _ => state.selected.and_then(of),
    }
}
