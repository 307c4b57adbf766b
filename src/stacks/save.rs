//! Exports stacks for other programs.

use super::{compared, offer_dialog};
use crate::app::state::{App, StackView};
use crate::commands::shortcuts::title;
use crate::widgets::dialog::Dialog;
use crate::widgets::radio_group::Choice;
use crate::widgets::save_file;
use leptos::prelude::*;
use protocol::request::StackSource;
use protocol::stacks::format::StackFormat;
use protocol::stacks::shape::Shape;
use protocol::{Failure, queries};
use view::keys::keymap::{Command, Scope};
use wasm_bindgen_futures::spawn_local;

const FORMATS: [(StackFormat, &str, &str); 6] = [
    (StackFormat::Folded, "Folded stacks", "export-folded"),
    (StackFormat::Speedscope, "speedscope", "export-speedscope"),
    (StackFormat::Firefox, "Firefox Profiler", "export-firefox"),
    (StackFormat::Chrome, "Perfetto or Chrome", "export-chrome"),
    (StackFormat::Pprof, "pprof", "export-pprof"),
    (StackFormat::Csv, "Functions as CSV", "export-csv"),
];

/// Button that opens a dialog for the format and the shape.
#[component]
pub fn SaveButton() -> impl IntoView {
    let app = expect_context::<App>();
    let open = RwSignal::new(false);
    offer_dialog(app, Command::SaveStacks, open);
    let as_shown = RwSignal::new(true);
    let failure = RwSignal::new(None::<Failure>);
    let of_samples = move || app.stacks.with(|look| look.source == StackSource::Samples);
    let is_compared = move || app.stacks.with(|look| look.comparison.is_some());
    let is_offered = move |format: StackFormat| {
        (of_samples() || !format.is_over_time()) && (!is_compared() || format.shows_comparisons())
    };
    let formats = move || {
        let offered = FORMATS.into_iter().filter(|(format, ..)| is_offered(*format));
        let button = |(format, words, testid): (StackFormat, &'static str, &'static str)| {
            let act = move |_| {
                open.set(false);
                save(app, format, as_shown.get_untracked(), failure);
            };
            view! { <button class="btn line" data-testid=testid on:click=act>{words}</button> }
        };
        offered.map(button).collect_view()
    };
    view! {
        <button class="btn" aria-haspopup="dialog" title=title(Scope::Stacks, Command::SaveStacks)
            data-testid="save-stacks" data-command=Command::SaveStacks.id() on:click=move |_| open.set(true)>"Export…"</button>
        {move || failure.get().map(|failure| view! { <span class="trouble" role="alert">{failure.to_string()}</span> })}
        <Dialog open title="Export stacks" testid="save-dialog">
            <div class="content fields">
                <div class="row"><span>"Stacks"</span>
                    <Choice
                        label="Which stacks"
                        value=as_shown
                        choose=Callback::new(move |value| as_shown.set(value))
                        options=vec![(true, "As shown", "save-shown"), (false, "Original stacks", "save-whole")]
                    />
                </div>
                <p class="help">"Filtered events, one profile per thread, with the current weights."</p>
                <div class="formats" role="group" aria-label="Format">{formats}</div>
            </div>
        </Dialog>
    }
}

fn save(app: App, format: StackFormat, as_shown: bool, failure: RwSignal<Option<Failure>>) {
    let mut query = untrack(|| app.stacks.with(|look| look.query(compared(app), StackView::Tree)));
    if !as_shown {
        query.shape = Shape::default();
    }
    failure.set(None);
    spawn_local(async move {
        let file = app.ask(queries::StackFile { query, format }).await;
        match file.and_then(|file| save_file::save(&file)) {
            Ok(name) => app.shell.announce.set(format!("Saved {name}.")),
            Err(problem) => failure.set(Some(problem)),
        }
    });
}
