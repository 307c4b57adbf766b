//! Event density per thread over time, drawn while a trace is read.

use crate::protocol::tables::Overview;
use crate::ui::canvas::{self, Colors};
use crate::ui::state::App;
use crate::ui::widgets::resize::on_resize;
use crate::view::format;
use leptos::html;
use leptos::prelude::*;
use web_sys::CanvasRenderingContext2d;

const ROW_PX: f64 = 22.0;

/// Threads × time, darker where more happened.
#[component]
pub fn Heat() -> impl IntoView {
    let app = expect_context::<App>();
    let element = NodeRef::<html::Canvas>::new();
    let size = RwSignal::new((0.0, 0.0));
    let area = NodeRef::<html::Div>::new();
    area.on_load(move |area| on_resize(&area, move |width, height| size.set((width, height))));
    Effect::new(move |_| {
        app.shell.theme.track();
        let (Some(canvas), Some(overview)) = (element.get(), app.live_overview.get()) else { return };
        let (_, height) = size.get();
        let width = f64::from(canvas.client_width());
        let rows = rows_shown(&overview, height);
        if let Some(context) = canvas::prepare(&canvas, width, rows as f64 * ROW_PX) {
            draw(&context, &overview, rows, width);
        }
    });
    let labels = move || {
        let overview = app.live_overview.get()?;
        let rows = rows_shown(&overview, size.get().1);
        let buckets = overview.events.len();
        Some(
            (0..rows)
                .map(|row| {
                    let id = overview.os_threads.get(row).copied().unwrap_or(0);
                    let events: u64 = row_of(&overview, row, buckets).iter().map(|count| u64::from(*count)).sum();
                    view! { <div class="head">{format!("Thread {id}")}<span>{format::count(events)}</span></div> }
                })
                .collect_view(),
        )
    };
    view! {
        <div class="heat" node_ref=area role="img" aria-label="Events per thread over time, as read so far">
            <div class="labels">{labels}</div>
            <canvas node_ref=element data-testid="loading-overview"></canvas>
        </div>
    }
}

fn rows_shown(overview: &Overview, height: f64) -> usize {
    overview.os_threads.len().min((height / ROW_PX) as usize)
}

fn row_of(overview: &Overview, row: usize, buckets: usize) -> &[u32] {
    overview.thread_events.get(row * buckets..(row + 1) * buckets).unwrap_or(&[])
}

fn draw(context: &CanvasRenderingContext2d, overview: &Overview, rows: usize, width: f64) {
    let buckets = overview.events.len();
    if buckets == 0 {
        return;
    }
    let colors = Colors::read();
    let color = colors.get("--n-700");
    let line = colors.get("--line-faint");
    let step = width / buckets as f64;
    for row in 0..rows {
        let counts = row_of(overview, row, buckets);
        let most = f64::from(counts.iter().copied().max().unwrap_or(0)).max(1.0);
        context.set_fill_style_str(&color);
        for (bucket, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            context.set_global_alpha(0.15 + 0.7 * (f64::from(*count) / most).sqrt());
            context.fill_rect(bucket as f64 * step, row as f64 * ROW_PX + 4.0, (step - 0.5).max(0.5), ROW_PX - 8.0);
        }
        context.set_global_alpha(1.0);
        context.set_fill_style_str(&line);
        context.fill_rect(0.0, (row + 1) as f64 * ROW_PX - 1.0, width, 1.0);
    }
}
