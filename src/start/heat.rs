//! Event density per thread over time while a trace loads.

use crate::app::state::App;
use crate::widgets::canvas::{CanvasPainter, Palette, colors_changed};
use crate::widgets::resize::on_resize;
use leptos::html;
use leptos::prelude::*;
use protocol::base::ids::thread_number;
use protocol::tables::Overview;
use view::format;
use view::timeline::paint::heat::{HEAT_ROW, paint_heat};

/// Threads over time, darker for more events.
#[component]
pub fn Heat() -> impl IntoView {
    let app = expect_context::<App>();
    let element = NodeRef::<html::Canvas>::new();
    let size = RwSignal::new((0.0, 0.0));
    let area = NodeRef::<html::Div>::new();
    area.on_load(move |area| on_resize(&area, move |width, height| size.set((width, height))));
    let colors = colors_changed(app.shell);
    Effect::new(move |before: Option<(u32, Palette)>| {
        let now = colors.get();
        let palette = match before {
            Some((read, palette)) if read == now => palette,
            _ => Palette::read(),
        };
        if let (Some(canvas), Some(overview)) = (element.get(), app.opening.overview.get()) {
            let rows = rows_shown(&overview, size.get().1);
            let width = f64::from(canvas.client_width());
            if let Some(mut painter) = CanvasPainter::new(&canvas, width, (rows + 1) as f64 * HEAT_ROW, &palette) {
                paint_heat(&mut painter, &overview, rows, width, palette.characters());
            }
        }
        (now, palette)
    });
    let labels = move || {
        let overview = app.opening.overview.get()?;
        let rows = rows_shown(&overview, size.get().1);
        let buckets = overview.events.len();
        let threads = format!("{} so far", format::count(overview.os_threads.len() as u64));
        let heads = (0..rows).map(|row| {
            let id = overview.os_threads.get(row).copied().unwrap_or(0);
            let counts = overview.thread_events.get(row * buckets..(row + 1) * buckets).unwrap_or_default();
            let events: u64 = counts.iter().map(|count| u64::from(*count)).sum();
            view! { <div class="head">{format!("Thread {}", thread_number(id))}<span>{format::count(events)}</span></div> }
        });
        let heads = heads.collect_view();
        Some(view! { <div class="head top">"Threads"<span>{threads}</span></div> {heads} })
    };
    view! {
        <div class="heat" node_ref=area role="img" aria-label="Events per thread over time, as read so far">
            <div class="labels">{labels}</div>
            <canvas node_ref=element data-testid="loading-overview"></canvas>
        </div>
    }
}

/// Returns the number of threads that fit below the ruler.
fn rows_shown(overview: &Overview, height: f64) -> usize {
    overview.os_threads.len().min((height / HEAT_ROW - 1.0).max(0.0) as usize)
}
