//! Dialog for saving a page with the trace, or a trace: the whole, or the filtered events. It shows content and size
//! before saving.

use super::page::{self, Content, PageTrace};
use super::private_text::{PrivateText, redaction};
use super::saving::{SaveAs, Saving};
use super::{OthersInPage, excerpt, view_in_page};
use crate::app::boot::is_saved;
use crate::app::state::{App, Screen};
use crate::compare::state::OtherTrace;
use crate::trace::client::{Client, Source};
use crate::widgets::dialog::Dialog;
use crate::widgets::radio_group::Choice;
use crate::widgets::save_file::offer;
use leptos::prelude::*;
use protocol::Failure;
use protocol::redaction::Redaction;
use protocol::request::Filter;
use view::format;
use view::page::saved_page::{CopyContents, Saved, file_name};
use view::url::added::AddedLink;
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

/// What is saved.
struct Contents {
    /// True to also save the traces that are compared or on the timeline.
    has_others: bool,
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
        let what = what.get();
        let has_others = saves_others(app);
        let contents = Contents { has_others, is_part: is_part.get(), redaction: redaction(app.saving) };
        let app = saved_first(app);
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
            "Anyone with this file can read code and event names, numbers, times, and the kinds of text that you didn't select. Byte arrays aren't masked. Review the examples before you share the file."
        }
        (false, false) => {
            "Anyone with this file can read the whole trace, including paths, command lines, event text and time ranges outside your current view."
        }
        (true, false) => "Anyone with this file can read the matching events, the command line and all method names.",
    };
    let is_filtered = move || app.is_filtered();
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
                <Show when=move || has_others(app) && is_page_of_all(app.saving)>
                    <div class="row">
                        <span>"Traces"</span>
                        <Choice label="Traces" value=app.saving.is_alone choose=Callback::new(move |chosen| app.saving.is_alone.set(chosen)) options=traces()/>
                    </div>
                </Show>
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
    vec![(false, "Everything", "save-all"), (true, "Matching events only", "save-shown")]
}

fn traces() -> Vec<(bool, &'static str, &'static str)> {
    vec![(false, "All open traces", "save-others"), (true, "This trace only", "save-alone")]
}

/// Returns whether other traces are compared or on the timeline.
fn has_others(app: App) -> bool {
    app.compare.summary().is_some() || app.traces.are_several()
}

/// Returns whether the dialog is about a page with whole traces.
fn is_page_of_all(saving: Saving) -> bool {
    saving.what.get() == SaveAs::Page && !saving.is_part.get()
}

/// Returns whether the page also contains the traces that are compared or on the timeline.
fn saves_others(app: App) -> bool {
    has_others(app) && is_page_of_all(app.saving) && !app.saving.is_alone.get()
}

/// Returns the trace that is saved first: others are relative to the first one, whichever is shown.
fn saved_first(app: App) -> App {
    if saves_others(app) { app.traces.first().unwrap_or(app) } else { app }
}

/// Returns the workers of all traces to save.
pub(super) fn saved_traces(app: App) -> Vec<Client> {
    let first = saved_first(app);
    let others = if saves_others(app) { others(first) } else { Vec::new() };
    std::iter::once(first.client()).chain(others.into_iter().map(|(other, _)| other.client)).collect()
}

/// Trace to save.
struct ToSave {
    client: Client,
    source: Source,
    name: String,
    filter: Filter,
}

impl ToSave {
    fn of(app: App, is_part: bool) -> Option<Self> {
        let name = untrack(|| app.trace_name());
        let filter = if is_part { app.filter.get_untracked() } else { Filter::default() };
        Some(Self { client: app.client(), source: app.source()?, name, filter })
    }

    /// Returns the trace that is compared with the open one.
    fn compared(app: App) -> Option<Self> {
        untrack(|| app.compare.summary())?;
        let OtherTrace { client, source, opened } = app.compare.other.get_untracked()?;
        Some(Self { client, source, name: opened.name, filter: Filter::default() })
    }

    /// Returns the content and its name; `None` if it was canceled.
    async fn content(
        self,
        contents: CopyContents,
        redaction: &Redaction,
        say: impl Fn(String) -> bool,
    ) -> Option<Result<(Content, String, Saved), Failure>> {
        match self.source {
            Source::File(file) if contents.is_whole() => {
                Some(Ok((Content::File(file.into()), self.name, Saved::Whole)))
            }
            Source::Url { url, .. } if contents.is_whole() => Some(Ok((Content::Url(url), self.name, Saved::Whole))),
            _ => {
                let progress =
                    |done, whole| say(format!("Reading {} of {}…", format::bytes(done), format::bytes(whole)));
                let name = contents.file_name(&self.name);
                let written = excerpt::write(&self.client, self.filter, redaction.clone(), progress).await;
                let saved = |(content, size)| (Content::File(content), name, Saved::Copy { size, contents });
                written.map(|written| written.map(saved)).transpose()
            }
        }
    }
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
    let Contents { has_others, is_part, redaction } = contents;
    let contents = CopyContents { is_part, is_masked: !redaction.is_empty() };
    let (content, name, mut saved) = match ToSave::of(app, is_part)?.content(contents, &redaction, say).await? {
        Ok(content) => content,
        Err(failure) => return Some(Step::Failed(failure.to_string())),
    };
    if what == SaveAs::Trace {
        return Some(as_trace(content, name, saved));
    }
    // The view names copies only.
    let copy = |name: &String| (!contents.is_whole()).then(|| name.clone());
    let others = if has_others { others(app) } else { Vec::new() };
    let mut names = vec![name.clone()];
    let mut traces = vec![PageTrace { content, about: vec![("name", name.clone())] }];
    let mut in_page = OthersInPage::default();
    for (other, added) in others {
        let (content, name, one) = match other.content(contents, &redaction, say).await? {
            Ok(content) => content,
            Err(failure) => return Some(Step::Failed(failure.to_string())),
        };
        saved = saved.and(one);
        let mut about = vec![("name", name.clone())];
        match added {
            Some(added) => {
                let view = view_in_page(added, copy(&name), OthersInPage::default(), contents.is_masked);
                about.push(("view", view.encode()));
                about.extend(untrack(|| app.traces.is_shown(added)).then(|| ("shown", String::new())));
                let offset = untrack(|| app.traces.offset(added)).nanos_by_hand();
                in_page.added.push(AddedLink { trace: view.trace, offset });
            }
            None => in_page.compared = Some(copy(&name)),
        }
        names.push(name);
        traces.push(PageTrace { content, about });
    }
    let view = view_in_page(app, copy(&name), in_page, contents.is_masked).encode();
    let go_on = move |bytes| say(format!("Compressing {}…", format::bytes(bytes)));
    match page::pack(&names.join(", "), &view, traces, go_on).await {
        Ok(packed) => packed.map(|(page, sizes)| Step::Ready(page, file_name(&names), sizes.words(saved))),
        Err(why) => Some(Step::Failed(why)),
    }
}

/// Returns the other traces to save: the compared one, and those on the timeline with their state.
fn others(app: App) -> Vec<(ToSave, Option<App>)> {
    let compared = ToSave::compared(app).map(|other| (other, None));
    let added = untrack(|| app.traces.all()).into_iter().filter(|added| added.number != app.number);
    let added = added.filter(|added| added.screen.with_untracked(|screen| *screen == Screen::Workspace));
    let added = added.filter_map(|added| Some((ToSave::of(added, false)?, Some(added))));
    compared.into_iter().chain(added).collect()
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
