//! The trace in a sentence, with further metrics.

use super::cards::missing_words;
use crate::app::state::App;
use leptos::prelude::*;
use protocol::base::time::Span;
use protocol::reply::Summary;
use protocol::tables::Gcs;
use protocol::topics::topic::Topic;
use std::sync::Arc;
use view::format;

fn sentence(trace: &Summary) -> String {
    let is_machine_wide = trace.processes > 1;
    let who = match trace.process_name.as_str() {
        _ if is_machine_wide => format!("{} processes", format::count(u64::from(trace.processes))),
        "" => "Unknown process".to_owned(),
        name => name.to_owned(),
    };
    let mut parts = vec![who];
    if !trace.runtime.is_empty() && !is_machine_wide {
        parts.push(trace.runtime.clone());
    }
    if !trace.operating_system.is_empty() {
        parts.push(trace.operating_system.clone());
    }
    if trace.processors > 0 {
        parts.push(format::counted(u64::from(trace.processors), "CPU"));
    }
    parts.push(format::duration(trace.user_span.duration()));
    parts.join(" · ")
}

/// Describes the file: "nettrace 4, written by .NET Core 3.0 and later, 12.4 MB (from gzip)."
fn file_words(trace: &Summary) -> String {
    let packing = if trace.packing.is_empty() { String::new() } else { format!(" (from {})", trace.packing) };
    format!("{}, {}, {}{packing}.", trace.format, trace.format_words, format::bytes(trace.file_bytes))
}

/// Formats the UTC time of time 0. The browser does it, without a date library.
fn started(trace: &Summary) -> Option<String> {
    if trace.start_unix_ms <= 0.0 {
        return None;
    }
    let text = js_sys::Date::new(&wasm_bindgen::JsValue::from_f64(trace.start_unix_ms)).to_iso_string();
    let text = String::from(text);
    Some(format!("Started {} UTC.", text.trim_end_matches('Z').replace('T', " ")))
}

/// Returns the total pause in a time range, and the maximum of one GC, in nanoseconds, as in the GC report.
fn pauses(gcs: &Gcs, range: Option<Span>) -> (i64, i64) {
    // As the runtime counts them; threads may be suspended a little longer.
    let stops = gcs.stop_start.iter().zip(&gcs.stop_counted);
    let inside = |(start, end): (&i64, &i64)| match range {
        Some(range) => end.min(&range.end.0).saturating_sub(*start.max(&range.start.0)).max(0),
        None => end.saturating_sub(*start),
    };
    (stops.map(inside).fold(0, i64::saturating_add), gcs.pause_total.iter().copied().max().unwrap_or(0))
}

/// Sentence about the trace, and metrics, which follow the filter if they depend on it.
#[component]
pub fn Headline(
    /// Matching GCs.
    gcs: RwSignal<Option<Arc<Gcs>>>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let verdict = move || {
        let trace = app.trace.get()?;
        let command = (!trace.command_line.is_empty())
            .then(|| view! { <code title=trace.command_line.clone()>{trace.command_line.clone()}</code> });
        Some(view! {
            <h2 data-testid="summary-sentence">{sentence(&trace)}</h2>
            <p data-testid="summary-file">{started(&trace)} " " {file_words(&trace)} {command}</p>
        })
    };
    // Counts of rows cover only the indexed part.
    let in_part = move || {
        let is_part = app.trace.with(|trace| trace.as_ref().is_some_and(|trace| trace.indexed.is_some()));
        if is_part { ", in the indexed part" } else { "" }
    };
    let has_losses =
        move || app.trace.with(|trace| trace.as_ref().and_then(|trace| trace.lost)).is_some_and(|lost| lost > 0);
    let counted = move |number: u64| match has_losses() {
        true => format!("at least {}", format::count(number)),
        false => format::count(number),
    };
    let is_missing = move || missing_words(app, Topic::Gc).is_some();
    let gc = move || {
        let gcs = gcs.get()?;
        if is_missing() {
            return Some(metric("GCs", "–".to_owned(), "not recorded".to_owned(), "metric-collections"));
        }
        let (sum, longest) = pauses(&gcs, app.filter.with(|filter| filter.span));
        Some(metric(
            "GCs",
            counted(gcs.number.len() as u64),
            if sum == 0 {
                "no pauses".to_owned()
            } else {
                format!("{} paused, longest {}{}", format::duration(sum), format::duration(longest), in_part())
            },
            "metric-collections",
        ))
    };
    let whole = move || {
        let trace = app.trace.get()?;
        let is_all = !app.is_filtered();
        let matches = if is_all { trace.events } else { app.filtering.matches.get().unwrap_or(trace.events) };
        let of_whole = match &trace.indexed {
            Some(indexed) if is_all => format!("{} indexed", format::count(indexed.rows)),
            Some(indexed) => format!("of {} indexed", format::count(indexed.rows)),
            None if is_all => format::counted(trace.rundown_events, "rundown event"),
            None => format!("of {}", format::count(trace.events)),
        };
        // Facts that don't depend on the filter.
        let of_trace = |words: String| if is_all { words } else { "in the whole trace".to_owned() };
        Some(view! {
            {metric("Events", counted(matches), of_whole, "metric-events")}
            {metric("Samples", counted(trace.samples), of_trace(format!("{} with stacks", format::counted(trace.stacks, "event"))), "metric-samples")}
            {metric("Threads", format::count(u64::from(trace.threads)), of_trace("with events".to_owned()), "metric-threads")}
            {metric("Methods", format::count(trace.methods), of_trace("resolved".to_owned()), "metric-methods")}
        })
    };
    view! {
        <div class="verdict">{verdict}</div>
        <div class="metrics">{whole} {gc}</div>
    }
}

fn metric(name: &'static str, value: String, note: String, testid: &'static str) -> impl IntoView {
    view! {
        <dl>
            <dt>{name}</dt>
            <dd><span data-testid=testid>{value}</span><small>{note}</small></dd>
        </dl>
    }
}
