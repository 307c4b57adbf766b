//! Banner for a partially indexed trace, and the choice of another part.

use crate::app::state::App;
use crate::widgets::dialog::Dialog;
use crate::widgets::icon::{FILTER, Icon};
use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use protocol::base::indexed_part::{MAX_ROWS, Window};
use protocol::queries;
use protocol::reply::{ProviderCount, Summary};
use std::sync::Arc;
use view::events::indexed_part_text::{all_but_the_largest, part_words, seconds_to_edit, window_of};
use view::format;

/// Banner with the indexed part; empty if the whole trace is indexed.
#[component]
pub fn PartBanner() -> impl IntoView {
    let app = expect_context::<App>();
    let choosing = RwSignal::new(false);
    move || {
        let trace = app.trace.get().filter(|trace| !trace.is_partial)?;
        trace.indexed.as_ref()?;
        let words = {
            let trace = trace.clone();
            move || trace.indexed.as_ref().map(|indexed| part_words(indexed, trace.events, &app.face()))
        };
        Some(view! {
            <div class="banner part" role="status" data-testid="part-banner">
                <Icon shape=FILTER class="s"/>
                <p>
                    <b>"Indexed: " <span data-testid="part">{words}</span> "."</b>
                    " Totals cover the whole file; the timeline, stacks and filters cover this part only."
                </p>
                <button class="btn" data-testid="change-part" on:click=move |_| choosing.set(true)>"Change…"</button>
            </div>
            <Dialog open=choosing title="Choose the part to index" testid="part-dialog">
                <Choice trace=trace.clone() open=choosing/>
            </Dialog>
        })
    }
}

/// Part that is being chosen.
#[derive(Clone, Copy)]
struct Draft {
    from: RwSignal<String>,
    to: RwSignal<String>,
    excluded: RwSignal<Vec<String>>,
}

impl Draft {
    /// Returns the currently indexed part.
    fn of(trace: &Summary) -> Self {
        let indexed = trace.indexed.clone().unwrap_or_default();
        let is_out =
            |provider: &&ProviderCount| !indexed.providers.is_empty() && !indexed.providers.contains(&provider.name);
        let excluded = trace.providers.iter().filter(is_out).map(|provider| provider.name.clone()).collect();
        Self {
            from: RwSignal::new(seconds_to_edit(indexed.span.start.0)),
            to: RwSignal::new(seconds_to_edit(indexed.span.end.0)),
            excluded: RwSignal::new(excluded),
        }
    }

    fn window(self, trace: &Summary) -> Window {
        let excluded = self.excluded.get();
        let kept = trace.providers.iter().filter(|provider| !excluded.contains(&provider.name));
        let providers = if excluded.is_empty() { Vec::new() } else { kept.map(|one| one.name.clone()).collect() };
        window_of(&self.from.get(), &self.to.get(), trace.full_span, providers)
    }

    /// Chooses the whole time range and these providers.
    fn take_providers(self, trace: &Summary, kept: &[String]) {
        self.from.set(seconds_to_edit(trace.full_span.start.0));
        self.to.set(seconds_to_edit(trace.full_span.end.0));
        let names = trace.providers.iter().map(|provider| provider.name.clone());
        self.excluded.set(names.filter(|name| !kept.contains(name)).collect());
    }
}

#[component]
fn Choice(trace: Arc<Summary>, open: RwSignal<bool>) -> impl IntoView {
    let app = expect_context::<App>();
    let draft = Draft::of(&trace);
    let window = Memo::new({
        let trace = trace.clone();
        move |_| draft.window(&trace)
    });
    let nothing = Memo::new({
        let providers = trace.providers.len();
        move |_| draft.excluded.with(|excluded| excluded.len() == providers)
    });
    let size = RwSignal::new(None::<u64>);
    let latest = app.latest();
    Effect::new(move |_| {
        latest.ask(queries::WindowSize { window: window.get() }, move |answer| {
            if let Ok(events) = answer {
                size.set(Some(events));
            }
        });
    });
    let estimate = move || match size.get() {
        _ if nothing.get() => "Select at least one provider.".to_owned(),
        None => String::new(),
        Some(events) if events > MAX_ROWS => format!(
            "About {} events, over the limit. The first {} will be indexed.",
            format::count(events),
            format::count(MAX_ROWS)
        ),
        Some(events) => format!("About {}, within the limit.", format::counted(events, "event")),
    };
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        if !nothing.get_untracked() {
            open.set(false);
            app.reindex(window.get_untracked());
        }
    };
    let proposal = all_but_the_largest(&trace.providers, MAX_ROWS).map(|(kept, events)| {
        let out: Vec<String> =
            trace.providers.iter().map(|one| one.name.clone()).filter(|name| !kept.contains(name)).collect();
        let words = format!("Exclude {} ({} remain)", out.join(", "), format::counted(events, "event"));
        let trace = trace.clone();
        view! {
            <button
                type="button"
                class="btn line"
                data-testid="part-proposal"
                on:click=move |_| draft.take_providers(&trace, &kept)
            >
                {words}
            </button>
        }
    });
    let providers =
        trace.providers.iter().filter(|one| one.events > 0).map(|one| provider_line(draft, one)).collect_view();
    let field = |words: &'static str, testid: &'static str, value: RwSignal<String>| {
        view! {
            <label>
                <span>{words}</span>
                <span class="field">
                    <input
                        type="number"
                        step="any"
                        data-testid=testid
                        prop:value=move || value.get()
                        on:input=move |event| value.set(event_target_value(&event))
                    />
                    {move || if app.face().shows_time_of_day() { " s from start" } else { " s" }}
                </span>
            </label>
        }
    };
    view! {
        <form class="content" novalidate on:submit=submit>
            <p>
                {format!("This trace has {} events; up to {} can be indexed at once. ", format::count(trace.events), format::count(MAX_ROWS))}
                "Selecting another part rereads the file."
            </p>
            <div class="span">
                {field("From", "part-from", draft.from)}
                {field("To", "part-to", draft.to)}
            </div>
            {proposal}
            <fieldset>
                <legend>"Providers"</legend>
                {providers}
            </fieldset>
            <p role="status" data-testid="part-size">{estimate}</p>
            <div class="do">
                <button type="button" class="btn line lg" on:click=move |_| open.set(false)>"Cancel"</button>
                <button type="submit" class="btn primary lg" data-testid="index-part" disabled=move || nothing.get()>
                    "Index this part"
                </button>
            </div>
        </form>
    }
}

fn provider_line(draft: Draft, provider: &ProviderCount) -> impl IntoView + use<> {
    let (name, events) = (provider.name.clone(), provider.events);
    let checked = {
        let name = name.clone();
        move || draft.excluded.with(|excluded| !excluded.contains(&name))
    };
    let toggle = {
        let name = name.clone();
        move |_| {
            draft.excluded.update(|excluded| match excluded.iter().position(|out| *out == name) {
                Some(at) => drop(excluded.remove(at)),
                None => excluded.push(name.clone()),
            });
        }
    };
    view! {
        <label class="check">
            <input type="checkbox" prop:checked=checked on:change=toggle/>
            <span>{name}</span>
            <span class="num">{format::count(events)}</span>
        </label>
    }
}
