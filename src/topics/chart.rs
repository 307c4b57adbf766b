//! Chart of a few hundred values, or the same values as a table.

use crate::app::signals::SetChanged;
use crate::app::state::App;
use crate::widgets::capture;
use crate::widgets::resize::on_resize;
use leptos::html;
use leptos::prelude::*;
use protocol::base::time::Span;
use protocol::topics::report::Chart;
use std::sync::Arc;
use view::draw::units::CssPx;
use view::report::chart::{ChartPlot, ChartShape, Lanes, ShapeKind, legend};
use view::report::chart_words::{place_head, place_words, places, summary, value_words};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, PointerEvent};

/// Maximum pointer movement that counts as a click, in CSS pixels.
const CLICK: CssPx = 4.0;
/// Reciprocal of the time shown around a clicked time, as a share of the chart.
const PART_SHOWN: i64 = 20;
/// Minimum share, as a fraction, at which the timeline counts as showing everything: charts begin with the first value,
/// which may be a little earlier.
const ALMOST_ALL: (i64, i64) = (98, 100);
/// Share of the width beyond which the tooltip is on the left.
const TIP_TURNS: f64 = 0.6;

/// Chart, or the same values as a table.
#[component]
pub fn ChartView(
    chart: Arc<Chart>,
    /// False if another chart's legend explains the colors.
    has_legend: bool,
    /// Time range of charts over time.
    span: Memo<Span>,
    /// Time range of the selected row.
    marked: RwSignal<Option<Span>>,
    /// True if it is shown as a table.
    as_tables: RwSignal<bool>,
) -> impl IntoView {
    let keys = legend(&chart);
    let keys = (has_legend && keys.len() > 1).then(|| {
        let key = |(name, shape): (String, ChartShape)| view! { <span>{swatch(&shape)} {name}</span> };
        view! { <div class="legend">{keys.into_iter().map(key).collect_view()}</div> }
    });
    let title = chart.title.clone();
    let is_over_time = chart.is_over_time();
    let bars = places(&chart);
    view! {
        <figure class="chart" class:ranges={!is_over_time} class:over-time=is_over_time style:--bars=bars.to_string() data-testid="chart">
            <figcaption><h3>{title}</h3>{keys}</figcaption>
            {move || match as_tables.get() {
                true => view! { <AsTable chart=chart.clone()/> }.into_any(),
                false => view! { <Picture chart=chart.clone() span marked/> }.into_any(),
            }}
        </figure>
    }
}

fn class_of(shape: &ChartShape) -> String {
    let kind = match shape.kind {
        ShapeKind::Bars => "bars",
        ShapeKind::Area => "area",
        ShapeKind::Line => "line",
    };
    format!("{kind} h-{} nth-{}", shape.hue, shape.nth % 4)
}

/// Returns the swatch of a series.
fn swatch(shape: &ChartShape) -> impl IntoView + use<> {
    let path = if shape.kind == ShapeKind::Line { "M0 5H18" } else { "M0 0H18V10H0Z" };
    view! {
        <svg class="swatch" viewBox="0 0 18 10" aria-hidden="true" focusable="false"><path class=class_of(shape) d=path></path></svg>
    }
}

#[component]
fn Picture(chart: Arc<Chart>, span: Memo<Span>, marked: RwSignal<Option<Span>>) -> impl IntoView {
    let app = expect_context::<App>();
    let frame = NodeRef::<html::Div>::new();
    let size = RwSignal::new((0.0, 0.0));
    let left = RwSignal::new(0.0);
    frame.on_load(move |frame| {
        let element = frame.clone();
        on_resize(&frame, move |width, height| {
            left.set(element.get_bounding_client_rect().left());
            size.set_changed((width, height));
        });
    });
    let lanes = move || {
        let (from, scale) = app.timeline.lanes.get()?;
        Some(Lanes { left: from - left.get(), scale })
    };
    let chart = StoredValue::new(chart);
    let plot = Memo::new(move |_| {
        let size = size.get();
        let is_seen = size.0 > 0.0 && size.1 > 0.0;
        is_seen.then(|| chart.with_value(|chart| ChartPlot::new(chart, span.get(), &app.face(), size, lanes())))
    });
    // Pointer position, and start of a drag.
    let (at, from) = (RwSignal::new(None::<CssPx>), RwSignal::new(None::<CssPx>));
    let on_move = move |event: PointerEvent| {
        let x = x_of(&event);
        at.set(x);
        let moment = plot.with_untracked(|plot| plot.as_ref().zip(x).and_then(|(plot, x)| plot.moment_at(x)));
        app.timeline.crosshair.set(moment);
    };
    let on_leave = move |_| {
        at.set(None);
        app.timeline.crosshair.set(None);
    };
    let on_down = move |event: PointerEvent| {
        let is_over_time = plot.with_untracked(|plot| plot.as_ref().is_some_and(|plot| plot.span().is_some()));
        if is_over_time && event.button() == 0 {
            capture(&event);
            from.set(x_of(&event));
        }
    };
    let on_up = move |event: PointerEvent| {
        let (Some(begun), Some(ended)) = (from.get_untracked(), x_of(&event)) else { return };
        from.set(None);
        plot.with_untracked(|plot| {
            let Some(plot) = plot else { return };
            if (ended - begun).abs() >= CLICK {
                app.set_range(plot.span_between(begun, ended));
            } else if let (Some(whole), Some(near)) = (plot.span(), plot.span_between(ended, ended + 1.0)) {
                let around = whole.duration() / PART_SHOWN / 2;
                app.show_on_timeline(Span::new(near.start.0 - around, near.start.0 + around));
            }
        });
    };
    let dragged = move || {
        let (from, at) = (from.get()?, at.get()?);
        plot.with(|plot| plot.as_ref()?.band(plot.as_ref()?.span_between(from, at)?))
    };
    let band_of = move |span: Option<Span>| plot.with(|plot| plot.as_ref()?.band(span?));
    // Visible range of the timeline, unless it shows everything.
    let on_timeline = move || {
        let visible = app.visible.get();
        let is_part = plot.with(|plot| {
            let whole = plot.as_ref().and_then(ChartPlot::span);
            whole.is_some_and(|whole| visible.duration() < whole.duration() / ALMOST_ALL.1 * ALMOST_ALL.0)
        });
        band_of(Some(visible)).filter(|_| is_part)
    };
    let band = |class: &'static str, place: Option<(CssPx, CssPx)>| {
        place.map(|(left, width)| {
            view! { <i class=format!("band {class}") style=format!("left: {left:.1}px; width: {width:.1}px") aria-hidden="true"></i> }
        })
    };
    let tip = move || {
        let x = at.get()?;
        plot.with(|plot| {
            let plot = plot.as_ref()?;
            let index = plot.index_at(x)?;
            let x = plot.x_of(index);
            let is_far = x > plot.area.x + plot.area.width * TIP_TURNS;
            let place = if is_far {
                format!("right: calc(100% - {:.0}px)", x - 8.0)
            } else {
                format!("left: {:.0}px", x + 8.0)
            };
            Some(chart.with_value(|chart| {
                let face = app.face();
                let line =
                    |series| view! { <dt>{name_of(series)}</dt><dd>{value_words(chart, series, index, &face)}</dd> };
                view! {
                    <i class="cross" style=format!("left: {x:.1}px")></i>
                    <div class="chart-tip" style=place data-testid="chart-tip">
                        <b>{place_words(chart, index, &face)}</b>
                        <dl>{chart.series.iter().map(line).collect_view()}</dl>
                    </div>
                }
            }))
        })
    };
    // The pointer is on the timeline or on another chart.
    let cross = move || {
        let moment = app.timeline.crosshair.get().filter(|_| at.with(Option::is_none))?;
        let x = plot.with(|plot| plot.as_ref()?.x_of_moment(moment))?;
        Some(view! { <i class="cross" style=format!("left: {x:.1}px")></i> })
    };
    let words = move || chart.with_value(|chart| summary(chart, &app.face()));
    let above = move || plot.with(|plot| plot.as_ref().map(|plot| format!("{}px", plot.area.y)));
    let is_over_time = chart.with_value(|chart| chart.is_over_time());
    view! {
        <div class="plot" style:--above=above node_ref=frame on:pointermove=on_move on:pointerdown=on_down on:pointerup=on_up
            on:pointercancel=move |_| from.set(None) on:pointerleave=on_leave
            title=is_over_time.then_some("Drag to select a range; click to show on the timeline")>
            {move || plot.get().map(|plot| drawn(&plot, words()))}
            {move || band("seen", on_timeline())}
            {move || band("marked", band_of(marked.get()))}
            {move || band("dragged", dragged())}
            {cross}
            {tip}
        </div>
    }
}

fn name_of(series: &protocol::topics::report::ChartSeries) -> String {
    series.name.clone()
}

/// Returns the distance of the pointer from the left edge of the picture.
fn x_of(event: &PointerEvent) -> Option<CssPx> {
    let frame = event.current_target()?.dyn_into::<HtmlElement>().ok()?;
    Some(f64::from(event.client_x()) - frame.get_bounding_client_rect().left())
}

fn drawn(plot: &ChartPlot, words: String) -> impl IntoView + use<> {
    let area = plot.area;
    let (right, bottom) = (area.x + area.width, area.y + area.height);
    // Shapes outside the visible range are cut off.
    let below = bottom + 1.0;
    let lines = plot.levels.iter().map(|level| {
        view! { <path class="level" d=format!("M{:.1} {:.1}H{right:.1}", area.x, level.y.round() + 0.5)></path> }
    });
    // In the area, the axis itself needs no label.
    let inside = plot.has_levels_inside;
    let (class, down) = if inside { ("of-level inside", -3.0) } else { ("of-level", 3.5) };
    let levels = plot.levels.iter().skip(usize::from(inside)).map(|level| {
        let (x, y) = (format!("{:.1}", level.x), format!("{:.1}", level.y + down));
        view! { <text class=class x=x y=y>{level.words.clone()}</text> }
    });
    let label = |class: &'static str, label: &view::report::chart::ChartLabel| {
        let (x, y) = (format!("{:.1}", label.x), format!("{:.1}", label.y));
        view! { <text class=class x=x y=y>{label.words.clone()}</text> }
    };
    let shapes = plot.shapes.iter().map(|shape| view! { <path class=class_of(shape) d=shape.path.clone()></path> });
    view! {
        <svg role="img" aria-label=words width="100%" height="100%" data-testid="chart-picture">
            {lines.collect_view()}
            <path class="ground" d=format!("M{:.1} {:.1}H{right:.1}", area.x, bottom.round() + 0.5)></path>
            <svg x=area.x width=area.width height=below viewBox=format!("{} 0 {} {below}", area.x, area.width)>
                {shapes.collect_view()}
            </svg>
            {levels.collect_view()}
            {plot.tops.iter().map(|top| label("top", top)).collect_view()}
            {plot.labels.iter().map(|below| label("below", below)).collect_view()}
        </svg>
    }
}

#[component]
fn AsTable(chart: Arc<Chart>) -> impl IntoView {
    let app = expect_context::<App>();
    let title = chart.title.clone();
    let rows = {
        let chart = chart.clone();
        move || {
            let face = app.face();
            let row = |index: usize| {
                let values = chart.series.iter();
                let values =
                    values.map(|series| view! { <td class="num">{value_words(&chart, series, index, &face)}</td> });
                view! { <tr><th scope="row">{place_words(&chart, index, &face)}</th>{values.collect_view()}</tr> }
            };
            (0..places(&chart)).map(row).collect_view()
        }
    };
    let heads = chart.series.iter().map(|series| view! { <th scope="col" class="num">{series.name.clone()}</th> });
    view! {
        <div class="scrollbox chart-table" tabindex="0" role="region" aria-label=title data-testid="chart-table">
            <table class="grid">
                <thead><tr><th scope="col">{place_head(&chart)}</th>{heads.collect_view()}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}
