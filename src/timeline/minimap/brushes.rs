//! Both ends of the minimap's window as sliders, for keyboard and screen readers. The pointer moves the drawn window.

use crate::app::state::App;
use crate::timeline::Handle;
use crate::timeline::drawing::minimap_scale;
use crate::timeline::state::Signals;
use leptos::prelude::*;
use protocol::base::time::{Nanos, Span};
use web_sys::KeyboardEvent;

/// Reciprocal of the step of an arrow key, as a share of the trace.
const STEP: i64 = 100;

/// Both sliders.
#[component]
pub fn Brushes(
    /// The timeline.
    handle: Handle,
    /// Signals of the timeline.
    signals: Signals,
) -> impl IntoView {
    view! { <Brush handle signals is_end=false/> <Brush handle signals is_end=true/> }
}

#[component]
fn Brush(handle: Handle, signals: Signals, is_end: bool) -> impl IntoView {
    let app = expect_context::<App>();
    let has_focus = RwSignal::new(false);
    let limits = move || handle.get().map_or(Span::default(), |stage| stage.state.borrow().viewport.limits());
    // The value is visible and announced only while the slider has the focus.
    let shown = move || if has_focus.get() { app.visible.get() } else { signals.rested.get() };
    let at = move || if is_end { shown().end } else { shown().start };
    let left = move || {
        let at = at();
        handle.get().map(|stage| format!("{:.0}px", minimap_scale(&stage.state.borrow()).x(at.0)))
    };
    let on_key = move |event: KeyboardEvent| {
        let (limits, shown) = (limits(), app.visible.get_untracked());
        let step = (limits.duration() / STEP).max(1);
        let now = if is_end { shown.end } else { shown.start };
        let at = match event.key().as_str() {
            "ArrowLeft" | "ArrowDown" => now.0.saturating_sub(step),
            "ArrowRight" | "ArrowUp" => now.0.saturating_add(step),
            "Home" => limits.start.0,
            "End" => limits.end.0,
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        let at = Nanos(at.clamp(limits.start.0, limits.end.0));
        let span = if is_end { Span { end: at, ..shown } } else { Span { start: at, ..shown } };
        if let Some(stage) = handle.get().filter(|_| span.duration() > 0) {
            stage.state.borrow_mut().viewport.show(span);
            stage.request_frame();
        }
    };
    let seconds = |at: Nanos| format!("{:.6}", at.0 as f64 / 1e9);
    view! {
        <div class="brush" role="slider" tabindex="0" style:left=left
            on:focus=move |_| has_focus.set(true) on:blur=move |_| has_focus.set(false)
            aria-label=if is_end { "End of visible range" } else { "Start of visible range" }
            aria-valuemin=move || seconds(limits().start) aria-valuemax=move || seconds(limits().end)
            aria-valuenow=move || seconds(at()) aria-valuetext=move || app.face().moment(at().0, 3)
            data-testid=if is_end { "brush-end" } else { "brush-start" } on:keydown=on_key></div>
    }
}
