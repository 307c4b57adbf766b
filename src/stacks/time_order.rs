//! Stacks of one thread over time, with the shape of the other views and the visible range of the timeline.

use super::time_chart::{FrameFacts, TimeChart};
use super::{StackMenu, compared, query};
use crate::app::signals::SetChanged;
use crate::app::state::{App, Selection, StackView};
use crate::trace::live_query::{Trouble, follow, when_grown};
use crate::widgets::canvas::{CanvasPainter, Palette, colors_changed, set_height};
use crate::widgets::dropdown::Pick;
use crate::widgets::resize::on_resize;
use crate::widgets::tip::Tip;
use leptos::html;
use leptos::prelude::*;
use protocol::base::ids::ThreadId;
use protocol::base::time::Span;
use protocol::queries;
use protocol::request::StackSource;
use protocol::{Failure, tables};
use std::collections::HashMap;
use std::sync::Arc;
use view::timeline::resolution::{request_span, resolution};
use view::timeline::tracks::lane_frame::LaneFrame;

/// Maximum number of requested levels.
const MAX_LEVELS: u16 = 512;

/// Chart, and dropdown of threads.
#[component]
pub fn TimeOrder(
    /// True if it is visible.
    open: Memo<bool>,
    /// Receives the weight of all samples.
    total: RwSignal<Option<f64>>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let chosen = RwSignal::new(None::<ThreadId>);
    when_grown(app, move || chosen.set(None));
    // The chosen thread; otherwise one of the filter, or the busiest.
    let thread = Memo::new(move |_| {
        let threads = sampled_threads(app);
        let narrowed = app.filter.with(|filter| filter.threads.first().copied());
        let wanted = chosen.get().or(narrowed).filter(|wanted| threads.iter().any(|(thread, _)| thread == wanted));
        wanted.or_else(|| threads.first().map(|(thread, _)| *thread))
    });
    let weight =
        follow(app, move || Some(queries::HotPath { query: query(app, open, StackView::TimeOrder)?, max_depth: 0 }));
    Effect::new(move |_| {
        if let Some(nodes) = weight.value.get() {
            total.set(nodes.total.first().copied());
        }
    });
    let chart = TimeChart::new(app, thread, expect_context::<StackMenu>());
    let failure = RwSignal::new(None::<Failure>);
    follow_lanes(chart, open, failure);
    let (scroller, canvas_element) = (NodeRef::<html::Div>::new(), NodeRef::<html::Canvas>::new());
    let extent = NodeRef::<html::Div>::new();
    let resize = move |width: f64, height: f64| {
        chart.size.set_changed((width, height));
    };
    scroller.on_load(move |scroller| {
        on_resize(&scroller, move |_, height| resize(chart.size.get_untracked().0, height));
    });
    extent.on_load(move |extent| {
        on_resize(&extent, move |width, _| resize(width, chart.size.get_untracked().1));
    });
    // Colors, and the theme revision at which they were read.
    let palette = StoredValue::new_local(None::<(u32, Palette)>);
    let colors = colors_changed(app.shell);
    Effect::new(move |_| {
        let (now, (width, height)) = (colors.get(), chart.size.get());
        let Some(canvas) = canvas_element.get().filter(|_| open.get() && width > 0.0 && height > 0.0) else { return };
        palette.update_value(|palette| {
            let known = palette.take().filter(|(read, _)| *read == now);
            let (_, palette) = palette.insert(known.unwrap_or_else(|| (now, Palette::read())));
            set_height(&canvas, height);
            if let Some(mut painter) = CanvasPainter::new(&canvas, width, height, palette) {
                chart.paint(&mut painter, palette.characters());
            }
        });
    });
    let pick = move |value: String| chosen.set(value.parse().ok().map(ThreadId));
    let options = move || {
        let threads = sampled_threads(app).into_iter();
        let option = |(id, words): (ThreadId, String)| {
            view! { <option value=id.0.to_string() selected=move || thread.get() == Some(id)>{words}</option> }
        };
        threads.map(option).collect_view()
    };
    let label = move || match chart.about_focused() {
        Some(tooltip) => tooltip.sentence(),
        None => "One thread's stacks over time. Arrow keys move between frames.".to_owned(),
    };
    let on_scroll = move |_| {
        if let Some(scroller) = scroller.get_untracked() {
            chart.scroll.set(f64::from(scroller.scroll_top()));
        }
    };
    let has_nothing = Memo::new(move |_| {
        let is_of_events = app.stacks.with(|look| look.source != StackSource::Samples);
        is_of_events || thread.get().is_none()
    });
    view! {
        <div class="blank" hidden=move || !has_nothing.get() data-testid="time-empty">
            <h2>"Over time needs samples"</h2>
            <p>"Choose a sample source. Other events are instants; see the timeline."</p>
        </div>
        <Trouble failure/>
        <div class="time-order" hidden=has_nothing>
            <div class="time-head">
                <Pick label="Thread" testid="time-thread" pick=Callback::new(pick)>{options}</Pick>
                <p class="note">"Drag to select a range · Double-click to zoom · Right-click for more"</p>
            </div>
            <div class="time-pane">
                <div class="flame" node_ref=scroller on:scroll=on_scroll data-testid="time-order">
                    <div class="flame-extent" node_ref=extent style:height=move || format!("{}px", chart.extent_px())>
                        <canvas
                            node_ref=canvas_element
                            tabindex="0"
                            role="application"
                            aria-roledescription="stack over time"
                            aria-label=label
                            data-testid="time-canvas"
                            data-boxes=move || chart.boxes().to_string()
                            on:mousemove=move |event| chart.point(&event)
                            on:mouseleave=move |_| chart.pointer.set(None)
                            on:pointerdown=move |event| chart.drag.down(&event)
                            on:pointermove=move |event| chart.drag.moved(&event)
                            on:pointerup=move |event| chart.let_go(&event)
                            on:pointercancel=move |_| chart.drag.cancel()
                            on:dblclick=move |event| chart.show_box(&event)
                            on:contextmenu=move |event| chart.menu_at(&event)
                            on:wheel=move |event| chart.wheel(&event)
                            on:keydown=move |event| chart.key(&event)
                        ></canvas>
                        {move || chart.drag.band()}
                    </div>
                </div>
                <Tip about=Signal::derive(move || chart.about_pointed()) size=move || chart.size.get_untracked()/>
            </div>
        </div>
    }
}

/// Returns the threads with samples, busiest first, with their labels.
fn sampled_threads(app: App) -> Vec<(ThreadId, String)> {
    let Some(threads) = app.threads.get() else { return Vec::new() };
    let rows = (0..threads.thread.len()).filter(|row| threads.samples.get(*row).is_some_and(|samples| *samples > 0));
    let named = rows.map(|row| {
        let thread = ThreadId(threads.thread[row]);
        (thread, app.thread_label(thread))
    });
    named.collect()
}

/// Updates the data when the thread, the visible range or the shape changes.
fn follow_lanes(chart: TimeChart, open: Memo<bool>, failure: RwSignal<Option<Failure>>) {
    let (app, latest) = (chart.app, chart.app.latest());
    let last = StoredValue::new_local(None::<(u32, queries::TimeOrder)>);
    Effect::new(move |_| {
        let revision = app.revision.get();
        let is_asked =
            open.get() && chart.size.get().0 > 0.0 && app.stacks.with(|look| look.source == StackSource::Samples);
        let Some(thread) = chart.thread.get().filter(|_| is_asked) else { return };
        let scale = chart.scale();
        let (span, resolution) = (request_span(&scale, chart.limits()), resolution(&scale));
        let query = app.stacks.with(|look| look.query(compared(app), StackView::TimeOrder));
        let request = queries::TimeOrder { query, thread, span, resolution, max_depth: MAX_LEVELS };
        let asked = Some((revision, request.clone()));
        if last.with_value(|last| *last == asked) {
            return;
        }
        last.set_value(asked);
        latest.ask(request, move |answer| match answer {
            Ok(lanes) => {
                chart.frames.set(Arc::new(facts(&lanes)));
                chart.frame.set(frame_of(lanes, span, resolution));
                failure.set(None);
            }
            Err(problem) => failure.set(Some(problem)),
        });
    });
    // The focused slice may not exist in the new data.
    Effect::new(move |_| {
        chart.thread.track();
        chart.focused.set(None);
    });
}

fn facts(lanes: &tables::Lanes) -> HashMap<u32, FrameFacts> {
    let of_row = |row: usize| FrameFacts {
        module: lanes.frame_module.get(row).to_owned(),
        family: lanes.frame_family.get(row).to_owned(),
    };
    lanes.frame.iter().enumerate().map(|(row, frame)| (*frame, of_row(row))).collect()
}

fn frame_of(lanes: tables::Lanes, span: Span, resolution: i64) -> Option<Arc<LaneFrame>> {
    LaneFrame::split(lanes, 1, span, resolution, MAX_LEVELS, false).into_iter().next().map(Arc::new)
}

pub(super) fn selected_function(app: App) -> Option<u32> {
    match app.selection.get() {
        Selection::Function(function) => Some(function.0),
        _ => None,
    }
}
