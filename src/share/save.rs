//! Dialog for saving a page with the trace, or a trace: the whole, or the filtered events. It shows content and size
//! before saving.

use super::page::{self, Content};
use super::private_text::{PrivateText, redaction};
use super::saving::{SaveAs, Saving};
use super::{excerpt, view_in_page};
use crate::app::boot::is_saved;
use crate::app::state::App;
use crate::trace::client::Source;
use crate::widgets::dialog::Dialog;
use crate::widgets::radio_group::Choice;
use crate::widgets::save_file::offer;
use leptos::prelude::*;
use protocol::redaction::Redaction;
use protocol::request::Filter;
use view::format;
use view::page::saved_page::{CopyContents, Saved, file_name};
use wasm_bindgen_futures::spawn_local;
use web_sys::Blob;

/// State of the dialog.
#[derive(Clone)]
enum Step {
    /// Work in progress.
    Busy(String),
    /// File to save: content, name, and description.
    Ready(Blob, String, String),
    Failed(String),
}

/// What is saved of the trace.
struct Contents {
    /// True for the filtered events only.
    is_part: bool,
    /// Text to mask.
    redaction: Redaction,
}

/// Dialog for saving.
#[component]
pub fn SaveDialog() -> impl IntoView {
    let app = expect_context::<App>();
    let Saving { is_open: open, what, is_part, .. } = app.saving;
    let step = RwSignal::new_local(Step::Busy(String::new()));
    // Each choice starts again with the current filter, and cancels an earlier attempt.
    let attempt = StoredValue::new(0_u32);
    Effect::new(move |_| {
        attempt.update_value(|attempt| *attempt += 1);
        let contents = Contents { is_part: is_part.get(), redaction: redaction(app.saving) };
        let what = what.get();
        if open.get() {
            let this = attempt.get_value();
            step.set(Step::Busy("Compressing…".to_owned()));
            let is_wanted = move || attempt.try_get_value() == Some(this);
            spawn_local(async move {
                let outcome = prepare(app, what, contents, step, is_wanted).await;
                if is_wanted()
                    && let Some(outcome) = outcome
                {
                    step.set(outcome);
                }
            });
        }
    });
    let state = move || match step.get() {
        Step::Busy(words) => view! { <p role="status" data-testid="save-busy">{words}</p> }.into_any(),
        Step::Ready(_, name, words) => view! {
            <p role="status" data-testid="save-size"><b>{name}</b>" will "{words}</p>
        }
        .into_any(),
        Step::Failed(why) => view! { <p role="alert" data-testid="save-failed">{why}</p> }.into_any(),
    };
    let save = move |_| {
        if let Step::Ready(content, name, _) = step.get_untracked() {
            match offer(&content, &name) {
                Ok(()) => {
                    app.shell.say(format!("Saved {name}."));
                    open.set(false);
                }
                Err(failure) => step.set(Step::Failed(failure.to_string())),
            }
        }
    };
    let is_ready = move || step.with(|step| matches!(step, Step::Ready(..)));
    let is_masked = move || !redaction(app.saving).is_empty();
    let about = move || match what.get() {
        SaveAs::Page if is_masked() => {
            "Opens offline in any browser, with this tab and time range, but without filters. Its security policy blocks all network access."
        }
        SaveAs::Page => {
            "Opens offline in any browser and restores this view. Its security policy blocks all network access."
        }
        SaveAs::Trace => {
            "A trace in the same format for Traceglass and other tools. Keeps method, thread and type names, stacks and loss counts. Sample weights at the edges may differ."
        }
    };
    let warning = move || match (is_part.get(), is_masked()) {
        (_, true) => {
            "Anyone with this file can read the names of code and events, all numbers and times, and text that isn't checked. Byte arrays aren't masked. Look at the examples before you send it."
        }
        (false, false) => {
            "Anyone with this file can read the whole trace, including paths, command lines, event text and time ranges outside your current view."
        }
        (true, false) => "Anyone with this file can read the filtered events, the command line and all method names.",
    };
    let is_filtered = move || app.filter.with(|filter| *filter != Filter::default());
    view! {
        <Dialog open title="Share a copy" testid="save-dialog">
            <div class="content fields">
                <Show when=move || !is_saved()>
                    <div class="row">
                        <span>"Format"</span>
                        <Choice label="Format" value=what choose=Callback::new(move |chosen| what.set(chosen)) options=kinds()/>
                    </div>
                </Show>
                <div class="row">
                    <span>"Contents"</span>
                    <Choice label="Contents" value=is_part choose=Callback::new(move |chosen| is_part.set(chosen)) options=amounts()/>
                </div>
                <Show when=move || is_part.get() && !is_filtered()>
                    <p class="help" data-testid="nothing-filtered">"No filters are active, so this saves everything."</p>
                </Show>
                <PrivateText/>
                {state}
                <p class="help">{about}</p>
                <p class="help">{warning}</p>
                <div class="do">
                    <button class="btn line lg" on:click=move |_| open.set(false)>"Cancel"</button>
                    <button class="btn primary lg" data-testid="save-now" disabled=move || !is_ready() on:click=save>"Save"</button>
                </div>
            </div>
        </Dialog>
    }
}

fn kinds() -> Vec<(SaveAs, &'static str, &'static str)> {
    vec![
        (SaveAs::Page, "HTML (viewer and trace)", "save-as-page"),
        (SaveAs::Trace, "Trace (.nettrace)", "save-as-trace"),
    ]
}

fn amounts() -> Vec<(bool, &'static str, &'static str)> {
    vec![(false, "Everything", "save-all"), (true, "Filtered events only", "save-shown")]
}

/// Creates the file; `None` if it is no longer wanted.
async fn prepare(
    app: App,
    what: SaveAs,
    contents: Contents,
    step: RwSignal<Step, LocalStorage>,
    is_wanted: impl Fn() -> bool + Copy + 'static,
) -> Option<Step> {
    let say = move |words: String| {
        if is_wanted() {
            step.set(Step::Busy(words));
        }
        is_wanted()
    };
    let Contents { is_part, redaction } = contents;
    let contents = CopyContents { is_part, is_masked: !redaction.is_empty() };
    let is_whole = contents == CopyContents::default();
    let whole_name = app.opening.opened.get_untracked().name;
    let (content, name, saved) = match app.source()? {
        Source::File(file) if is_whole => (Content::File(file.into()), whole_name, Saved::Whole),
        Source::Url { url, .. } if is_whole => (Content::Url(url), whole_name, Saved::Whole),
        _ => {
            let progress = |done, whole| say(format!("Reading {} of {}…", format::bytes(done), format::bytes(whole)));
            let filter = if is_part { app.filter.get_untracked() } else { Filter::default() };
            let name = contents.file_name(&whole_name);
            match excerpt::write(app, filter, redaction, progress).await {
                Ok(Some((content, size))) => (Content::File(content), name, Saved::Copy { size, contents }),
                Ok(None) => return None,
                Err(failure) => return Some(Step::Failed(failure.to_string())),
            }
        }
    };
    if what == SaveAs::Trace {
        return Some(as_trace(content, name, saved));
    }
    let view = view_in_page(app, (!is_whole).then(|| name.clone()), contents.is_masked).encode();
    let go_on = move |bytes| say(format!("Compressing {}…", format::bytes(bytes)));
    match page::pack(&name, &view, content, go_on).await {
        Ok(packed) => packed.map(|(page, sizes)| Step::Ready(page, file_name(&name), sizes.words(saved))),
        Err(why) => Some(Step::Failed(why)),
    }
}

fn as_trace(content: Content, name: String, saved: Saved) -> Step {
    match (content, saved) {
        (Content::File(content), Saved::Copy { size, .. }) => Step::Ready(content, name, size.words()),
        (Content::File(content), Saved::Whole) => {
            let words = format!("be {}, the file you opened.", format::bytes(content.size() as u64));
            Step::Ready(content, name, words)
        }
        (Content::Url(url), _) => Step::Failed(format!("The full trace is at {url}; share that URL instead.")),
    }
}
