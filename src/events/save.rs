//! Exports all matching events as a file.

use super::table_text::{EventTable, TextReader};
use crate::app::state::{App, Tab};
use crate::widgets::dialog::Dialog;
use crate::widgets::save_file::LongFile;
use leptos::prelude::*;
use protocol::Failure;
use protocol::request::EventFormat;
use view::format;
use view::keys::keymap::{Command, Scope};
use wasm_bindgen_futures::spawn_local;

/// Number of rows per request; other requests are answered in between.
const PART: u32 = 4096;
/// Number of rows beyond which the file is written to disk in parts, if the browser supports it.
const MAX_IN_MEMORY: u64 = 50_000;

/// Name of a file with the events of all traces, without its extension.
const ALL_TRACES: &str = "traces";

/// File to write.
struct Wanted {
    name: String,
    reader: TextReader,
    total: u64,
}

/// Dialog for the format.
#[component]
pub fn SaveEvents(
    table: EventTable,
    /// Number of events.
    #[prop(into)]
    total: Signal<u64>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let open = RwSignal::new(false);
    app.actions.on(Scope::Events, Command::SaveEvents, move || {
        app.tab.set(Tab::Events);
        open.set(true);
    });
    let failure = RwSignal::new(None::<Failure>);
    // Number of written rows; `None` while nothing is being saved.
    let written = RwSignal::new(None::<u64>);
    let formats = move || {
        let button = |format: EventFormat| {
            let act = move |_| {
                let trace = match table {
                    EventTable::One(..) => {
                        app.trace.with_untracked(|trace| trace.as_ref().map(|trace| trace.file_name.clone()))
                    }
                    EventTable::All(_) => Some(ALL_TRACES.to_owned()),
                };
                let name = format.file_name(&trace.unwrap_or_default());
                let wanted = Wanted { name, reader: table.reader(app, format), total: total.get_untracked() };
                failure.set(None);
                written.set(Some(0));
                spawn_local(async move {
                    match save(wanted, written).await {
                        Ok(Some(name)) => app.shell.announce.set(format!("Saved {name}.")),
                        Ok(None) => {}
                        Err(problem) => failure.set(Some(problem)),
                    }
                    written.set(None);
                });
            };
            let testid = format!("save-events-{}", format.ending().trim_start_matches('.'));
            view! { <button class="btn line" data-testid=testid disabled=move || written.get().is_some() on:click=act>{format.words()}</button> }
        };
        EventFormat::ALL.into_iter().map(button).collect_view()
    };
    let progress = move || {
        let of = total.get();
        written.get().map(|rows| format!("Exported {} of {}.", format::count(rows), format::counted(of, "event")))
    };
    view! {
        <Dialog open title="Export events" testid="save-events-dialog">
            <div class="content fields">
                <p class="help">
                    {move || format::counted(total.get(), "event")}
                    {match table {
                        EventTable::One(..) => " with the current columns and sort order. ",
                        EventTable::All(_) => " of all traces by time, with the current columns. Times are those of the first trace. ",
                    }}
                    "Payloads are exported as JSON."
                </p>
                <div class="formats" role="group" aria-label="Format">{formats}</div>
                <p role="status" data-testid="save-events-progress">{progress}</p>
                <Show when=move || written.get().is_some()>
                    <button class="btn line" on:click=move |_| written.set(None)>"Stop"</button>
                </Show>
                {move || failure.get().map(|failure| view! { <p class="trouble" role="alert">{failure.to_string()}</p> })}
            </div>
        </Dialog>
    }
}

/// Writes the file; returns its name, or `None` if the user canceled it.
async fn save(wanted: Wanted, written: RwSignal<Option<u64>>) -> Result<Option<String>, Failure> {
    let name = wanted.name.clone();
    let Some(file) = LongFile::begin(&name, wanted.total > MAX_IN_MEMORY).await? else { return Ok(None) };
    match write(wanted, &file, written).await {
        Ok(true) => {
            file.finish(&name).await?;
            Ok(Some(name))
        }
        Ok(false) => {
            file.give_up().await;
            Ok(None)
        }
        Err(failure) => {
            file.give_up().await;
            Err(failure)
        }
    }
}

/// Writes the file in parts; returns whether it wasn't stopped.
async fn write(wanted: Wanted, file: &LongFile, written: RwSignal<Option<u64>>) -> Result<bool, Failure> {
    let Wanted { mut reader, total, .. } = wanted;
    let mut first = 0;
    loop {
        let part = reader.read(first == 0, first, PART).await?;
        first += u64::from(PART);
        if written.try_get_untracked().flatten().is_none() {
            return Ok(false);
        }
        file.append(&part).await?;
        written.set(Some(first.min(total)));
        if first >= total {
            return Ok(true);
        }
    }
}
