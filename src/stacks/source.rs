//! Choice of the source and weight of stacks, among those in the trace.

use crate::app::state::App;
use crate::trace::live_query::follow;
use crate::widgets::dropdown::Pick;
use leptos::prelude::*;
use protocol::queries;
use protocol::request::{SampleChoice, StackSource, Weight};
use protocol::tables::{StackSources, source_kind};
use std::sync::Arc;
use view::format;

/// Samples by state, as options of the list.
const SAMPLES: [(SampleChoice, &str, &str); 3] = [
    (SampleChoice::Running, "samples", "Samples"),
    (SampleChoice::Managed, "managed", "Managed samples"),
    (SampleChoice::External, "external", "Native samples"),
];

pub type Sources = RwSignal<Option<Arc<StackSources>>>;

/// Returns the sources, after the tab has been opened. Without samples, the source with most stacks is selected.
pub fn follow_sources(app: App, open: Memo<bool>) -> Sources {
    let sources = follow(app, move || open.get().then_some(queries::StackSources));
    Effect::new(move |_| {
        let Some(sources) = sources.value.get() else { return };
        let is_asked = app.stacks.with_untracked(|look| look.source == StackSource::Samples);
        match sources.source(0) {
            Some(StackSource::Events(_)) if is_asked => choose(app, &sources, 0),
            _ => {}
        }
    });
    sources.value
}

/// Selects the source of a row with its most relevant weight.
fn choose(app: App, sources: &StackSources, row: usize) {
    if let Some((source, weight)) = sources.weights(row).next().and_then(|weight| sources.weighed(weight)) {
        app.stacks.update(|look| {
            look.samples = SampleChoice::Running;
            look.source = source;
            look.weight = weight;
        });
    }
}

/// Returns the row of the selected source.
fn shown(app: App, sources: &StackSources) -> Option<usize> {
    app.stacks.with(|look| (0..sources.count.len()).find(|row| sources.source(*row).as_ref() == Some(&look.source)))
}

/// Dropdown of sources.
#[component]
pub fn SourcePick(sources: Sources) -> impl IntoView {
    let app = expect_context::<App>();
    let groups = move || {
        let table = sources.get()?;
        let shown = shown(app, &table);
        let samples = app.stacks.with(|look| look.samples);
        // Counts cover the whole trace.
        let with_numbers = !app.is_filtered();
        // Off-CPU stacks belong to thread time.
        let group =
            |row: usize| if kind(&table, row) == source_kind::OFF_PROCESSOR { "" } else { table.provider.get(row) };
        let mut providers: Vec<&str> = (0..table.count.len()).map(group).collect();
        let mut seen = std::collections::BTreeSet::new();
        providers.retain(|provider| seen.insert(*provider));
        let groups = providers.into_iter().map(|provider| {
            let rows = (0..table.count.len()).filter(|row| group(*row) == provider);
            let options =
                rows.flat_map(|row| options(&table, row, shown == Some(row), samples, with_numbers)).collect_view();
            let label = if provider.is_empty() { "All event types" } else { provider };
            view! { <optgroup label=label.to_owned()>{options}</optgroup> }
        });
        Some(groups.collect_view())
    };
    let pick = move |value: String| {
        let Some(table) = sources.get_untracked() else { return };
        match value.parse::<usize>() {
            Ok(row) => choose(app, &table, row),
            Err(_) => {
                let Some((choice, ..)) = SAMPLES.into_iter().find(|(_, name, _)| *name == value) else { return };
                app.stacks.update(|look| {
                    let is_other = look.source != StackSource::Samples;
                    look.samples = choice;
                    look.source = StackSource::Samples;
                    if is_other {
                        look.weight = Weight::default();
                    }
                });
            }
        }
    };
    view! {
        <label class="pick">
            // The label is visible where space is short.
            <span>"Stack source"</span>
            <Pick label="Stack source" testid="pick-source" pick=Callback::new(pick)>{groups}</Pick>
        </label>
    }
}

fn kind(table: &StackSources, row: usize) -> u8 {
    table.kind.get(row).copied().unwrap_or(source_kind::EVENTS)
}

/// Returns the kind of the selected source: one of [`source_kind`].
pub fn shown_kind(app: App, sources: Sources) -> Option<u8> {
    let table = sources.get()?;
    shown(app, &table).map(|row| kind(&table, row))
}

fn options(
    table: &StackSources,
    row: usize,
    is_shown: bool,
    samples: SampleChoice,
    with_numbers: bool,
) -> Vec<AnyView> {
    let count = table.count.get(row).copied().unwrap_or(0);
    let counted = |words: &str| match with_numbers {
        true => format!("{words} ({})", format::count(count)),
        false => words.to_owned(),
    };
    let source = table.source(row);
    if source != Some(StackSource::Samples) {
        let is_off = kind(table, row) == source_kind::OFF_PROCESSOR;
        let words = counted(match source {
            Some(StackSource::Everything) => "All events with stacks",
            _ if is_off => "Off CPU",
            _ => table.name.get(row),
        });
        return vec![view! { <option value=row.to_string() selected=is_shown>{words}</option> }.into_any()];
    }
    let option = |(choice, name, words): (SampleChoice, &'static str, &'static str)| {
        let words = match (choice, kind(table, row)) {
            (SampleChoice::Running, source_kind::ON_PROCESSOR) => counted("On CPU"),
            (SampleChoice::Running, _) => counted(words),
            _ => words.to_owned(),
        };
        view! { <option value=name selected=is_shown && choice == listed(samples)>{words}</option> }.into_any()
    };
    SAMPLES.into_iter().map(option).collect()
}

/// Returns the option of the list for a choice; activities have a separate choice.
fn listed(samples: SampleChoice) -> SampleChoice {
    match samples {
        SampleChoice::Managed | SampleChoice::External => samples,
        SampleChoice::All
        | SampleChoice::Running
        | SampleChoice::Blocked
        | SampleChoice::Idle
        | SampleChoice::NotIdle => SampleChoice::Running,
    }
}

/// Dropdown of weights.
#[component]
pub fn WeightPick(sources: Sources) -> impl IntoView {
    let app = expect_context::<App>();
    let options = move || {
        let table = sources.get()?;
        let row = shown(app, &table)?;
        let options = table.weights(row).filter_map(|weight| {
            let (source, by) = table.weighed(weight)?;
            let is_shown = app.stacks.with(|look| look.weight == by);
            let words = weight_words(&source, &by, kind(&table, row));
            Some(view! { <option value=weight.to_string() selected=is_shown>{words}</option> })
        });
        Some(options.collect_view())
    };
    let pick = move |value: String| {
        let weighed = sources.get_untracked().zip(value.parse().ok()).and_then(|(table, weight)| table.weighed(weight));
        if let Some((_, weight)) = weighed {
            app.stacks.update(|look| look.weight = weight);
        }
    };
    view! {
        <label class="pick">
            <span>"Weight"</span>
            <Pick label="Weight" testid="pick-weight" pick=Callback::new(pick)>{options}</Pick>
        </label>
    }
}

fn weight_words(source: &StackSource, weight: &Weight, kind: u8) -> String {
    match (source, weight) {
        (_, Weight::Time) if kind == source_kind::ON_PROCESSOR => "CPU time".to_owned(),
        (_, Weight::Time) if kind == source_kind::OFF_PROCESSOR => "Wait time".to_owned(),
        (StackSource::Samples, Weight::Time) => "Thread time".to_owned(),
        (StackSource::Events(_) | StackSource::Everything, Weight::Time) => "Duration".to_owned(),
        (StackSource::Samples, Weight::Count) => "Samples".to_owned(),
        (StackSource::Events(_) | StackSource::Everything, Weight::Count) => "Events".to_owned(),
        (_, Weight::Field(name)) => name.clone(),
    }
}
