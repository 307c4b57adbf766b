//! Animation frames of the timelines of all traces.

use super::crossings::draw_crossings;
use crate::app::browser::now_ms;
use crate::timeline::stage::Stage;
use crate::traces::state::Traces;
use gloo::render::request_animation_frame;
use leptos::prelude::*;
use view::timeline::turns::Timeline;

/// Arranges and draws the timelines that are due in the next animation frames.
pub fn request_frame(traces: Traces) {
    if traces.frame.with_value(Option::is_none) {
        traces.frame.set_value(Some(request_animation_frame(move |now| run_frame(traces, now))));
    }
}

fn run_frame(traces: Traces, now: f64) {
    traces.frame.set_value(None);
    let stages = traces.stages();
    if stages.len() > 1 {
        // Before anything changes: each measurement after a change lays out the page again.
        stages.iter().for_each(Stage::follow_height);
    }
    let started = now_ms();
    let waiting = || stages.iter().map(|stage| stage.waiting()).collect::<Vec<Timeline>>();
    let Some(mut frame) = traces.turns.try_update_value(|turns| turns.frame(&waiting(), started)) else { return };
    if let Some(stage) = frame.arranges().and_then(|at| stages.get(at)) {
        stage.arrange_news();
    }
    let mut has_drawn = false;
    // Moving one timeline makes others due.
    while let Some(stage) = frame.next(&waiting(), now_ms() - started).and_then(|at| stages.get(at)) {
        stage.run_frame(now);
        has_drawn = true;
    }
    if has_drawn && stages.len() > 1 {
        draw_crossings(traces, &stages);
    }
    if stages.iter().any(|stage| stage.is_waiting()) {
        request_frame(traces);
    }
}
