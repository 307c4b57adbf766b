//! The file's own facts: header, process; blocks, losses, problems.

use crate::model::ids::thread_number;
use crate::model::time::Span;
use crate::protocol::reply::{HeaderDetail, NamedValue, ProcessLine};
use crate::ui::state::App;
use crate::view::format;
use leptos::prelude::*;
use std::sync::Arc;

/// A list of named values. Labels are buttons that narrow to events that carry the same.
pub fn named_values(app: App, values: &[NamedValue]) -> impl IntoView + use<> {
    let line = |value: &NamedValue| {
        let shown = match value.label.clone() {
            None => value.value.clone().into_any(),
            Some(label) => {
                let title = format!("Show only events of this {}", value.name.to_lowercase());
                view! {
                    <button class="link" title=title data-testid="filter-to-label" on:click=move |_| app.toggle_label(&label)>
                        {value.value.clone()}
                    </button>
                }
                .into_any()
            }
        };
        let raw = (!value.raw.is_empty()).then(|| view! { <span class="raw">{value.raw.clone()}</span> });
        let meaning =
            (!value.meaning.is_empty()).then(|| view! { <span class="meaning">{value.meaning.clone()}</span> });
        view! {
            <dt>{value.name.clone()}</dt>
            <dd data-testid=format!("fact-{}", value.name)>{shown} {raw} {meaning}</dd>
        }
    };
    view! { <dl class="kv">{values.iter().map(line).collect_view()}</dl> }
}

/// Header and process.
#[component]
pub fn FilePane(header: RwSignal<Option<Arc<HeaderDetail>>>) -> impl IntoView {
    let app = expect_context::<App>();
    let content = move || {
        let header = header.get()?;
        Some(view! {
            <h2>"File"</h2>
            {named_values(app, &header.fields)}
            {if header.processes.len() > 1 { process_table(&header.processes).into_any() } else { one_process(app, &header.process).into_any() }}
        })
    };
    view! { <section class="pane" tabindex="0" aria-label="File and process" data-testid="file-pane">{content}</section> }
}

fn one_process(app: App, facts: &[NamedValue]) -> impl IntoView + use<> {
    (!facts.is_empty()).then(|| view! { <h2>"Process"</h2> {named_values(app, facts)} })
}

/// The processes of a machine.
fn process_table(processes: &[ProcessLine]) -> impl IntoView + use<> {
    let row = |process: &ProcessLine| {
        let name = if process.name.is_empty() { "unknown".to_owned() } else { process.name.clone() };
        view! {
            <tr data-testid="process">
                <td class="num">{process.os_process.to_string()}</td>
                <td title=process.runtime.clone()>{name}</td>
                <td class="num">{format::count(process.events)}</td>
            </tr>
        }
    };
    view! {
        <h2>"Processes"<span class="n">{format::count(processes.len() as u64)}</span></h2>
        <table class="grid processes">
            <colgroup><col class="c-number"/><col/><col class="c-number"/></colgroup>
            <thead>
                <tr>
                    <th scope="col" class="num">"Id"</th>
                    <th scope="col">"Name"</th>
                    <th scope="col" class="num">"Events"</th>
                </tr>
            </thead>
            <tbody>{processes.iter().map(row).collect_view()}</tbody>
        </table>
    }
}

/// Blocks, losses and problems.
#[component]
pub fn ReadingPane(header: RwSignal<Option<Arc<HeaderDetail>>>) -> impl IntoView {
    let app = expect_context::<App>();
    let blocks = move || {
        let header = header.get()?;
        let whole: u64 = header.blocks.iter().map(|block| block.bytes).sum();
        let row = |block: &crate::protocol::reply::BlockKindCount| {
            view! {
                <tr data-testid="block-kind">
                    <td title=block.kind.clone()>{block.kind.clone()}</td>
                    <td class="num">{format::count(block.count)}</td>
                    <td class="num dim">{format::bytes(block.bytes)}</td>
                    <td class="num dim">{format::percent(block.bytes as f64, whole as f64)}</td>
                </tr>
            }
        };
        Some(view! {
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
                <tbody>{header.blocks.iter().map(row).collect_view()}</tbody>
            </table>
        })
    };
    let losses = move || {
        let header = header.get()?;
        let known = app.trace.with(|trace| trace.as_ref().and_then(|trace| trace.lost));
        if header.losses.is_empty() {
            let words = match known {
                None => "This format has no sequence numbers: whether events are missing cannot be known.",
                Some(_) => "None: every sequence number is there.",
            };
            return Some(view! { <p>{words}</p> }.into_any());
        }
        let row = |loss: &crate::protocol::reply::Loss| {
            let (after, before) = (loss.after, loss.before);
            view! {
                <li class="problem" data-testid="loss">
                    {format!("{} of thread {} ", format::counted(loss.count, "event"), thread_number(loss.os_thread))}
                    <button class="link" on:click=move |_| app.show_on_timeline(Span::new(after, before))>
                        {app.face().range(after, before)}
                    </button>
                </li>
            }
        };
        let reasons = header.loss_reasons.clone();
        Some(
            view! {
                <p data-testid="loss-reasons">{reasons}</p>
                <ul>{header.losses.iter().map(row).collect_view()}</ul>
            }
            .into_any(),
        )
    };
    let problems = move || {
        let header = header.get()?;
        if header.diagnostics.is_empty() {
            return Some(view! { <p>"None: the file was read to its end."</p> }.into_any());
        }
        let row = |problem: &crate::protocol::reply::Diagnostic| {
            let times = (problem.count > 1).then(|| format!(" ({} times)", format::count(problem.count)));
            view! {
                <li class="problem" data-testid="diagnostic">
                    {problem.message.clone()} {times} " "
                    <span class="where">{format!("byte {}", format::count(problem.offset))}</span>
                </li>
            }
        };
        Some(view! { <ul>{header.diagnostics.iter().map(row).collect_view()}</ul> }.into_any())
    };
    view! {
        <section class="pane" tabindex="0" aria-label="Reading the file" data-testid="reading-pane">
            <h2>"Blocks"</h2>
            {blocks}
            <h2>"Lost events"</h2>
            {losses}
            <h2>"Problems while reading"</h2>
            {problems}
        </section>
    }
}
