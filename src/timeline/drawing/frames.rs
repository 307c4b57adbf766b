//! Animation frames of the timelines of all traces.

use super::crossings::draw_crossings;
use crate::app::browser::now_ms;
use crate::timeline::stage::Stage;
use crate::traces::state::Traces;
use gloo::render::request_animation_frame;
use leptos::prelude::*;
use std::rc::Rc;

/// Duration in milliseconds after which a frame leaves further timelines to the next one, so that the page responds.
const LONGEST_MS: f64 = 16.0;

/// Draws the timelines that are due in the next animation frame.
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
    let mut waiting: Vec<&Rc<Stage>> = stages.iter().collect();
    // Those that had to wait are first.
    waiting.sort_by(|one, other| one.drawn_ms.get().total_cmp(&other.drawn_ms.get()));
    let started = now_ms();
    // Moving one timeline makes others due.
    while let Some(at) = waiting.iter().position(|stage| stage.is_due()) {
        waiting.remove(at).run_frame(now);
        if now_ms() - started > LONGEST_MS {
            break;
        }
    }
    if stages.len() > 1 {
        draw_crossings(traces, &stages);
    }
    if stages.iter().any(|stage| stage.is_due()) {
        request_frame(traces);
    }
}
