//! Facts about the whole trace: header, clock, processes, recording, losses, parse issues.

use super::facts::named_values;
use crate::app::state::App;
use crate::trace::live_query::{Trouble, follow};
use crate::widgets::exclude_button::ExcludeButton;
use leptos::prelude::*;
use protocol::base::ids::thread_number;
use protocol::base::time::Span;
use protocol::filter::Name;
use protocol::queries;
use protocol::reply::{
    BlockKindCount, Conclusion, Diagnostic, HeaderDetail, Loss, ProcessLine, RequestedProvider, ThreadLoss,
};
use std::sync::Arc;
use view::format;

/// Facts about the whole trace, in groups that flow into columns.
#[component]
pub fn Trace(
    /// True if it is visible.
    open: Memo<bool>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let header = follow(app, move || open.get().then_some(queries::Header));
    let content = move || header.value.get().map(|header| groups(app, &header));
    view! {
        <Trouble failure=header.failure/>
        <section class="factsheet" tabindex="0" aria-label="Trace" data-testid="file-pane"><div>{content}</div></section>
    }
}

fn groups(app: App, header: &Arc<HeaderDetail>) -> impl IntoView + use<> {
    let facts = header.groups.iter().map(|group| {
        view! { <section class="group"><h2>{group.title.clone()}</h2>{named_values(app, &group.facts)}</section> }
    });
    let known = app.trace.with(|trace| trace.as_ref().and_then(|trace| trace.lost));
    view! {
        {facts.collect_view()}
        {(header.processes.len() > 1).then(|| process_table(app, &header.processes))}
        {recording(&header.recording.collectors, &header.recording.requested)}
        {losses(app, header, known.is_some())}
        {problems(app, &header.diagnostics)}
        {blocks(&header.blocks)}
    }
}

fn process_table(app: App, processes: &[ProcessLine]) -> impl IntoView + use<> {
    let row = |process: &ProcessLine| {
        let name = if process.name.is_empty() { "unknown".to_owned() } else { process.name.clone() };
        let (id, without) = (process.os_process, format!("Exclude process {}", process.os_process));
        let title = format!("{}\nFilter to this process (click again to clear)", process.runtime);
        view! {
            <tr data-testid="process">
                <td class="num">{process.os_process.to_string()}</td>
                <td>
                    <button class="link" title=title.trim().to_owned() data-testid="only-process" on:click=move |_| app.toggle_process(id)>{name}</button>
                    <ExcludeButton words=without testid="without-process" run=move |()| app.exclude(Name::Process, &id.to_string())/>
                </td>
                <td class="num">{format::count(process.events)}</td>
            </tr>
        }
    };
    view! {
        <section class="group long">
            <h2>"Processes"<span class="n">{format::count(processes.len() as u64)}</span></h2>
            <table class="grid processes">
                <colgroup><col class="c-number"/><col/><col class="c-number"/></colgroup>
                <thead>
                    <tr>
                        <th scope="col" class="num">"ID"</th>
                        <th scope="col">"Name"</th>
                        <th scope="col" class="num">"Events"</th>
                    </tr>
                </thead>
                <tbody>{processes.iter().map(row).collect_view()}</tbody>
            </table>
        </section>
    }
}

/// Returns the inferred recording tools and enabled providers, with evidence.
fn recording(collectors: &[Conclusion], requested: &[RequestedProvider]) -> impl IntoView + use<> {
    let conclusion = |one: &Conclusion| {
        view! { <li data-testid="collector"><b>{one.words.clone()}</b><span class="why">{one.evidence.clone()}</span></li> }
    };
    let collectors = if collectors.is_empty() {
        view! { <p>"The recording tool can't be determined."</p> }.into_any()
    } else {
        view! { <ul class="concluded">{collectors.iter().map(conclusion).collect_view()}</ul> }.into_any()
    };
    let provider = |one: &RequestedProvider| {
        let sure = one.keyword_names.join(", ");
        let perhaps = match one.perhaps_names.join(", ").as_str() {
            "" => format!("{:#x}", one.perhaps),
            names => names.to_owned(),
        };
        let perhaps = (one.perhaps != 0).then(|| view! { <span class="why">{format!("possibly {perhaps}")}</span> });
        view! {
            <li data-testid="requested">
                <code>{one.argument()}</code>
                {(!sure.is_empty()).then(|| view! { <span class="sure">{sure}</span> })}
                {perhaps}
            </li>
        }
    };
    let requested = (!requested.is_empty()).then(|| {
        view! {
            <h3>"Enabled providers (minimum)"</h3>
            <p>
                "Inferred from the recorded events, in dotnet-trace syntax (provider:keywords:level). More may have been enabled."
            </p>
            <ul class="requested">{requested.iter().map(provider).collect_view()}</ul>
        }
    });
    view! {
        <section class="group long" data-testid="recording">
            <h2>"Recorded by"<span class="tag">"inferred"</span></h2>
            <p>"Trace files don't name the tool. Inferred from the events."</p>
            {collectors}
            {requested}
        </section>
    }
}

fn losses(app: App, header: &HeaderDetail, can_be_known: bool) -> impl IntoView + use<> {
    let content = if header.losses.is_empty() {
        let words = if can_be_known {
            "None. No gaps in the sequence numbers."
        } else {
            "Unknown: this format has no sequence numbers."
        };
        view! { <p>{words}</p> }.into_any()
    } else {
        let reasons = header.loss_reasons.clone();
        let threads = header.losses.iter().map(|loss| thread_losses(app, loss)).collect_view();
        view! { <p data-testid="loss-reasons">{reasons}</p><ul>{threads}</ul> }.into_any()
    };
    view! { <section class="group long"><h2>"Lost events"</h2>{content}</section> }
}

/// Returns the lost events of a thread, with expandable gaps.
fn thread_losses(app: App, thread: &ThreadLoss) -> impl IntoView + use<> {
    let start = app.trace.with(|trace| trace.as_ref().map_or(0, |trace| trace.full_span.start.0));
    let whole = (thread.after.unwrap_or(start), thread.before);
    let place = |loss: &Loss| {
        view! {
            <li>{format!("{} ", format::counted(loss.count, "event"))}{range_button(app, (loss.after, loss.before))}</li>
        }
    };
    let places = (thread.gaps > 1).then(|| {
        let shown = thread.largest.len() as u64;
        let words = if shown < thread.gaps {
            format!("{} largest of {} gaps", format::count(shown), format::count(thread.gaps))
        } else {
            format::counted(thread.gaps, "gap")
        };
        let rows = thread.largest.iter().map(place).collect_view();
        view! { <details><summary>{words}</summary><ul>{rows}</ul></details> }
    });
    view! {
        <li class="problem" data-testid="loss">
            {format!("{} on thread {} ", format::counted(thread.count, "event"), thread_number(thread.os_thread))}
            {range_button(app, whole)}
            {places}
        </li>
    }
}

/// Returns a button that filters to a time range and shows it on the timeline.
fn range_button(app: App, (after, before): (i64, i64)) -> impl IntoView + use<> {
    let span = Span::new(after, before);
    view! {
        <button class="link" title="Show on timeline" on:click=move |_| app.show_on_timeline(span)>
            {move || app.face().range(after, before)}
        </button>
        " "
        <button class="link" title="Set as time range" data-testid="only-loss" on:click=move |_| app.choose_range(Some(span))>
            "Set as time range"
        </button>
    }
}

fn problems(app: App, diagnostics: &[Diagnostic]) -> impl IntoView + use<> {
    let row = |problem: &Diagnostic| {
        let offset = problem.offset;
        let times = (problem.count > 1).then(|| format!(" ({} times)", format::count(problem.count)));
        view! {
            <li class="problem" data-testid="diagnostic">
                {problem.message.clone()} {times} " "
                <button class="link where" title="Show these bytes" data-testid="diagnostic-bytes"
                    on:click=move |_| app.show_byte(offset)>{format!("byte {}", format::count(offset))}</button>
            </li>
        }
    };
    let content = if diagnostics.is_empty() {
        view! { <p>"None. The whole file was read."</p> }.into_any()
    } else {
        view! { <ul>{diagnostics.iter().map(row).collect_view()}</ul> }.into_any()
    };
    view! { <section class="group long"><h2>"Parse issues"</h2>{content}</section> }
}

fn blocks(blocks: &[BlockKindCount]) -> impl IntoView + use<> {
    let whole: u64 = blocks.iter().map(|block| block.bytes).sum();
    let row = |block: &BlockKindCount| {
        view! {
            <tr data-testid="block-kind">
                <td title=block.kind.clone()>{block.kind.clone()}</td>
                <td class="num">{format::count(block.count)}</td>
                <td class="num dim">{format::bytes(block.bytes)}</td>
                <td class="num dim">{format::percent(block.bytes as f64, whole as f64)}</td>
            </tr>
        }
    };
    view! {
        <section class="group">
            <h2>"Blocks"</h2>
            <table class="grid blocks">
                <colgroup><col/><col class="c-number"/><col class="c-number"/><col class="c-share"/></colgroup>
                <thead>
                    <tr>
                        <th scope="col">"Kind"</th>
                        <th scope="col" class="num">"Blocks"</th>
                        <th scope="col" class="num">"Bytes"</th>
                        <th scope="col" class="num">"Share"</th>
                    </tr>
                </thead>
                <tbody>{blocks.iter().map(row).collect_view()}</tbody>
            </table>
        </section>
    }
}
