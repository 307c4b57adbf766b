//! Track of a thread: state strip, stack over time, events.

use super::lane_frame::{LaneFrame, MarkerRow, SliceRow, StateRow, Timed, slice_flag, touching};
use super::span_lanes::{about_span, paint_spans, span_at};
use super::thread_rows::ThreadRows;
use super::track::{Place, Subject, TrackContent};
use crate::draw::drawlist::DrawList;
use crate::draw::palette::{Fill, Token};
use crate::draw::tooltip::{Tooltip, TooltipContext, fixed_names, shorten};
use crate::draw::units::{CssPx, Rect, whole_pixels};
use crate::format;
use crate::timeline::hit::{REACH, TRIANGLE_REACH, Target};
use crate::timeline::paint::event_ticks::paint_markers;
use crate::timeline::paint::slices::{managed_share, own_nanos, paint_stack};
use crate::timeline::paint::strip::{paint_strip, paint_waits, swatch_of};
use crate::timeline::timescale::TimeScale;
use protocol::base::ids::ThreadId;
use protocol::base::time::Span;
use protocol::tables::state;
use protocol::timeline::thread_state::ThreadState;

#[derive(Clone, Copy)]
pub struct ThreadTrack<'a> {
    pub thread: ThreadId,
    /// Positions of its parts.
    pub rows: &'a ThreadRows,
    /// Data; `None` until it is loaded.
    pub frame: Option<&'a LaneFrame>,
    /// Number of events of a full bar, the same for all threads so that they compare.
    pub most_events: u32,
}

impl TrackContent for ThreadTrack<'_> {
    fn paint(&self, list: &mut DrawList, place: &Place<'_>) {
        let (rows, scale, top) = (self.rows, place.scale, place.top);
        self.paint_missing(list, place);
        if let Some(frame) = self.frame {
            paint_strip(list, frame, scale, (top + rows.strip.0, rows.strip.1), place.characters);
            // Without a strip, waits are below the graph of the events.
            let (y, height) = if rows.has_strip { rows.strip } else { (rows.ticks.0 + rows.ticks.1 - 4.0, 4.0) };
            paint_waits(list, frame, scale, top + y, height);
            paint_stack(list, frame, &rows.stack, scale, top, place.chosen.function, place.characters);
            if let Some(spans) = &rows.spans {
                paint_spans(list, &frame.spans, spans, place);
            }
            paint_markers(list, frame, rows, scale, top, self.most_events, place.chosen.event);
        }
    }

    fn hit(&self, scale: &TimeScale, _height: CssPx, x: CssPx, y: CssPx) -> Option<Target> {
        let (rows, frame, thread) = (self.rows, self.frame?, self.thread);
        let marker = |exceptions_only: bool, reach: CssPx| {
            let wanted = |marker: &&MarkerRow| marker.exception || !exceptions_only;
            nearest(frame.markers.iter().filter(wanted), scale, x, reach)
                .map(|marker| Target::Marker { thread, marker: *marker })
        };
        if let Some(spans) = rows.spans.as_ref().filter(|spans| spans.row_at(y).is_some()) {
            return span_at(&frame.spans, spans, scale, x, y).map(|item| Target::Span { thread, item });
        }
        if y >= rows.ticks.0 - 1.0 {
            return marker(false, REACH);
        }
        if y < rows.strip.0 + 5.0
            && let Some(target) = marker(true, TRIANGLE_REACH)
        {
            return Some(target);
        }
        if y < rows.strip.0 + rows.strip.1 + 1.0 {
            let below = nearest(around(&frame.states, scale, x).iter(), scale, x, REACH);
            let wait = nearest(around(&frame.waits, scale, x).iter(), scale, x, 0.0);
            // An idle thread always waits, and the strip shows what else a thread that waits for work does.
            let is_shown = |below: &StateRow, wait: &StateRow| below.state != state::IDLE && wait.state != state::IDLE;
            let counts =
                |wait: &&StateRow| wait.state == state::LOCK || below.is_none_or(|below| is_shown(below, wait));
            let mut state = *wait.filter(counts).or(below)?;
            // The label is that of the strip.
            state.label =
                state.label.or(below.filter(|below| below.state == state.state).and_then(|below| below.label));
            return Some(Target::State { thread, state });
        }
        let row = rows.stack.iter().find(|row| y >= row.y && y < row.y + row.height)?;
        let slices = frame.depths.get(usize::from(row.depth))?;
        let slice = *nearest(around(slices, scale, x).iter(), scale, x, REACH)?;
        Some(Target::Slice { thread, depth: row.depth, slice })
    }

    fn tooltip(&self, target: &Target, context: &TooltipContext<'_>) -> Option<Tooltip> {
        match target {
            Target::Slice { slice, depth, .. } => Some(self.about_slice(context, slice, *depth)),
            Target::Span { thread, item } => about_span(&self.frame?.spans, context, *thread, *item),
            Target::State { state, .. } => Some(self.about_state(context, state)),
            Target::Marker { marker, .. } => Some(self.about_marker(context, marker)),
            Target::Nothing | Target::Item { .. } => None,
        }
    }

    fn bounds(&self, target: &Target) -> Option<(i64, i64)> {
        match target {
            Target::Slice { slice, .. } => Some(slice.bounds()),
            Target::Span { item, .. } => {
                let spans = &self.frame?.spans;
                Some((*spans.start.get(*item)?, *spans.end.get(*item)?))
            }
            Target::State { state, .. } => Some(state.bounds()),
            Target::Marker { marker, .. } => Some((marker.time, marker.time)),
            Target::Nothing | Target::Item { .. } => None,
        }
    }

    fn targets(&self) -> Vec<Target> {
        let (thread, Some(frame)) = (self.thread, self.frame) else { return Vec::new() };
        let states = frame.waits.iter().chain(&frame.states).map(|state| Target::State { thread, state: *state });
        let depths = frame.depths.iter().zip(0..);
        let slices = depths
            .flat_map(|(slices, depth)| slices.iter().map(move |slice| Target::Slice { thread, depth, slice: *slice }));
        let markers = frame.markers.iter().map(|marker| Target::Marker { thread, marker: *marker });
        let spans = (0..frame.spans.start.len()).map(|item| Target::Span { thread, item });
        states.chain(slices).chain(spans).chain(markers).collect()
    }

    fn subject(&self, target: &Target) -> Option<Subject> {
        match target {
            Target::Slice { slice, .. } => Some(Subject::Function(slice.function)),
            Target::Span { item, .. } => self.frame?.spans.event.get(*item).copied().map(Subject::Event),
            Target::State { thread, state } => Some(state.event.map_or(Subject::Thread(thread.0), Subject::Event)),
            Target::Marker { marker, .. } => Some(Subject::Event(marker.event)),
            Target::Nothing | Target::Item { .. } => None,
        }
    }
}

impl ThreadTrack<'_> {
    /// Hatches the time without data, which is being loaded.
    fn paint_missing(&self, list: &mut DrawList, place: &Place<'_>) {
        let (rows, scale) = (self.rows, place.scale);
        let Some(visible) = scale.span().intersect(place.limits) else { return };
        let known = self.frame.and_then(|frame| frame.span.intersect(visible));
        let missing = match known {
            None => vec![visible],
            Some(known) => {
                [Span { start: visible.start, end: known.start }, Span { start: known.end, end: visible.end }].to_vec()
            }
        };
        for span in missing.into_iter().filter(|span| span.duration() > 0) {
            if let Some((x, width)) = whole_pixels(scale.x(span.start.0), scale.x(span.end.0), scale.width()) {
                list.boxes.push_apart(Fill::Unknown, Rect::new(x, place.top + rows.strip.0, width, rows.strip.1));
            }
        }
    }

    fn about_marker(&self, context: &TooltipContext<'_>, marker: &MarkerRow) -> Tooltip {
        let noun = if marker.exception { "Exception thrown" } else { "Event" };
        let title = if marker.count == 1 { noun.to_owned() } else { format::counted(marker.count.into(), "event") };
        let color = if marker.exception { Token::Exception } else { Token::Text3 };
        Tooltip {
            swatch: Fill::Solid(color),
            title,
            value: context.moment(marker.time),
            lines: vec![("Thread".into(), context.thread(self.thread))],
        }
    }

    fn about_slice(&self, context: &TooltipContext<'_>, slice: &SliceRow, depth: u16) -> Tooltip {
        let (thread, frame, threads) = (self.thread, self.frame, context.threads);
        let row = threads.thread.iter().position(|present| *present == thread.0);
        let levels = row.and_then(|row| threads.max_depth.get(row)).copied().unwrap_or(u16::MAX);
        let name = frame.map_or("", |frame| frame.names.get(slice.name as usize));
        let is_framework = slice.flags & slice_flag::FRAMEWORK != 0;
        let is_external = slice.flags & slice_flag::EXTERNAL != 0;
        let swatch = match (is_framework, is_external) {
            (false, false) => Token::Managed,
            (true, true) => Token::ExternalSoft,
            _ => Token::ManagedSoft,
        };
        let mut lines = vec![("Kind", if is_framework { "framework" } else { "your code" }.to_owned())];
        if let Some(own) = frame.and_then(|frame| own_nanos(frame, slice, depth, levels)) {
            lines.push(("Self", format!("{} of {}", format::duration(own), format::duration(slice.end - slice.start))));
        }
        if let Some(share) = frame.and_then(|frame| managed_share(frame, Span::new(slice.start, slice.end))) {
            lines.push(("Managed", format!("{} of its time", format::percent(share, 1.0))));
        }
        lines.push(("Start", context.moment(slice.start)));
        lines.push(("Thread", context.thread(thread)));
        Tooltip {
            swatch: Fill::Solid(swatch),
            title: shorten(name),
            value: format::duration(slice.end - slice.start),
            lines: fixed_names(lines),
        }
    }

    fn about_state(&self, context: &TooltipContext<'_>, row: &StateRow) -> Tooltip {
        let state = ThreadState::from_u8(row.state).unwrap_or(ThreadState::NotSampled);
        let (swatch, title) = match row.is_pure() {
            true => (swatch_of(row.state), state.name().to_owned()),
            false => (
                Fill::Solid(Token::Managed),
                [("managed", row.managed), ("native", row.native)]
                    .into_iter()
                    .filter(|(_, share)| *share > 0)
                    .map(|(name, share)| format!("{} {name}", format::percent(share.into(), f64::from(u8::MAX))))
                    .collect::<Vec<_>>()
                    .join(", "),
            ),
        };
        let meaning = match state {
            ThreadState::NotSampled => "no samples; state unknown",
            ThreadState::Lock | ThreadState::Blocked if row.event.is_some() && row.managed < u8::MAX => {
                "several short waits"
            }
            ThreadState::Lock => "another thread holds the lock",
            ThreadState::Native => "native code, or waiting in native code",
            ThreadState::Idle => "waiting for work",
            _ => "",
        };
        let text = |of: fn((u32, u32)) -> u32| {
            let names = &self.frame?.names;
            row.wait.map(|wait| names.get(of(wait) as usize).to_owned())
        };
        let (subject, owner) = (text(|wait| wait.0).unwrap_or_default(), text(|wait| wait.1).unwrap_or_default());
        let (noun, meaning) = match (state, owner.is_empty()) {
            (ThreadState::Lock, false) => ("Lock", ""),
            (ThreadState::Lock, true) => ("Lock", meaning),
            _ => ("Waits on", meaning),
        };
        let site = self.frame.zip(row.label).map(|(frame, label)| frame.names.get(label.site as usize).to_owned());
        let mut lines = vec![
            ("In", site.unwrap_or_default()),
            ("Meaning", meaning.to_owned()),
            (noun, subject),
            ("Held by", owner),
            ("Start", context.moment(row.start)),
            ("Thread", context.thread(self.thread)),
        ];
        lines.retain(|(_, value)| !value.is_empty());
        Tooltip { swatch, title, value: format::duration(row.end - row.start), lines: fixed_names(lines) }
    }
}

fn around<'b, T: Timed>(rows: &'b [T], scale: &TimeScale, x: CssPx) -> &'b [T] {
    touching(rows, Span { start: scale.time(x - REACH), end: scale.time(x + REACH) })
}

/// Returns the row nearest to `x`, at most `reach` away; the longest of equally near ones.
fn nearest<'a, T: Timed>(
    rows: impl Iterator<Item = &'a T>,
    scale: &TimeScale,
    x: CssPx,
    reach: CssPx,
) -> Option<&'a T> {
    let mut best: Option<(CssPx, i64, &T)> = None;
    for row in rows {
        let (start, end) = row.bounds();
        let distance = (scale.x(start) - x).max(x - scale.x(end)).max(0.0);
        let length = end - start;
        let is_better = best.is_none_or(|(nearest, longest, _)| (distance, -length) < (nearest, -longest));
        if distance <= reach && is_better {
            best = Some((distance, length, row));
        }
    }
    best.map(|(_, _, row)| row)
}
