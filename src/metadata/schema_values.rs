//! Field values of an event type, on demand, because their payloads must be read.

use crate::app::state::{App, Tab};
use crate::commands::shortcuts::title;
use crate::trace::live_query::Trouble;
use crate::widgets::exclude_button::ExcludeButton;
use leptos::prelude::*;
use protocol::base::ids::TypeId;
use protocol::filter::{Comparison, Condition, Pattern};
use protocol::request::Filter;
use protocol::tables::FieldValues;
use protocol::{Failure, queries};
use std::sync::Arc;
use view::events::filter_text::{condition_text, joined};
use view::format;
use view::keys::keymap::{Command, Scope};

/// Maximum number of visible values per field.
const SHOWN: usize = 10;
/// Maximum length of a value in a condition, in bytes.
const LONGEST_VALUE: usize = 256;

#[component]
pub fn FieldValuesPart(event_type: TypeId) -> impl IntoView {
    let app = expect_context::<App>();
    let value = RwSignal::new(None::<Arc<FieldValues>>);
    let failure = RwSignal::new(None::<Failure>);
    let busy = RwSignal::new(false);
    let latest = app.latest();
    let read = StoredValue::new_local(move || {
        let filter = Filter { types: vec![event_type], ..Filter::default() };
        busy.set(true);
        latest.ask(queries::FieldValues { filter, event_type }, move |answer| {
            // Another type may have been selected.
            if busy.try_set(false).is_some() {
                return;
            }
            match answer {
                Ok(found) => {
                    failure.set(None);
                    value.set(Some(Arc::new(found)));
                }
                Err(problem) => failure.set(Some(problem)),
            }
        });
    });
    app.actions.on(Scope::Metadata, Command::ReadFieldValues, move || read.with_value(|read| read()));
    view! {
        <section class="wide" data-testid="field-values">
            <h3>
                "Values"
                <button
                    class="btn line"
                    disabled=move || busy.get()
                    title=title(Scope::Metadata, Command::ReadFieldValues)
                    data-testid="read-values"
                    data-command=Command::ReadFieldValues.id()
                    on:click=move |_| read.with_value(|read| read())
                >
                    {move || match (busy.get(), value.with(Option::is_some)) {
                        (true, _) => "Reading payloads…",
                        (false, true) => "Read values again",
                        (false, false) => "Read values",
                    }}
                </button>
                <span class="n" role="status" data-testid="values-of">{move || value.get().map(|values| of_how_many(&values))}</span>
            </h3>
            <Trouble failure/>
            <div class="values">{move || value.get().map(|values| (0..values.field.len()).map(|row| field(app, event_type, &values, row)).collect_view())}</div>
        </section>
    }
}

/// Describes the sample: "sampled 1,048,576 of 3,000,000 events".
fn of_how_many(values: &FieldValues) -> String {
    let one = |column: &[u64]| column.first().copied().unwrap_or(0);
    let (events, looked_at) = (one(&values.events), one(&values.looked_at));
    if looked_at < events {
        format!("sampled {} of {}", format::count(looked_at), format::counted(events, "event"))
    } else {
        format!("all {}", format::counted(events, "event"))
    }
}

/// Returns the condition for a value of a field; `None` if it would be too long.
fn of_value(field: &str, value: &str) -> Option<Condition> {
    let is_readable = !value.is_empty() && value.len() <= LONGEST_VALUE && !value.contains(char::is_control);
    is_readable.then(|| Condition::Payload(field.to_owned(), Comparison::Is(Pattern::Text(value.to_owned()))))
}

/// Returns a field with its most frequent values.
fn field(app: App, event_type: TypeId, values: &FieldValues, row: usize) -> impl IntoView + use<> {
    let number = |column: &[u64]| column.get(row).copied().unwrap_or(0);
    let (distinct, with_value) = (number(&values.distinct), number(&values.with_value));
    let least = if values.is_cut.get(row) == Some(&1) { "at least " } else { "" };
    let mut words = format!("{least}{}", format::counted(distinct, "value"));
    if !values.smallest.get(row).is_empty() {
        words += &format!(", {} to {}", values.smallest.get(row), values.largest.get(row));
    }
    let missing = values.looked_at.first().copied().unwrap_or(0).saturating_sub(with_value);
    if missing > 0 {
        words += &format!(", {} without a value", format::count(missing));
    }
    let shown = values.values_of(row);
    let rest = with_value.saturating_sub(shown.clone().take(SHOWN).filter_map(|at| values.value_events.get(at)).sum());
    let line = |at: usize| {
        let events = values.value_events.get(at).copied().unwrap_or(0);
        let value = values.value.get(at);
        let text = if value.is_empty() { "(empty)".to_owned() } else { value.to_owned() };
        let shown = match of_value(values.name.get(row), value) {
            None => view! { <span class="v" title=text.clone()>{text.clone()}</span> }.into_any(),
            Some(condition) => {
                let without = format!("Exclude {text}");
                let (only, excluded) = (condition_text(condition.clone(), false), condition_text(condition, true));
                let narrow = move |_| {
                    app.refilter(|filter| {
                        filter.types = vec![event_type];
                        filter.query = joined(&filter.query, &only);
                    });
                    app.tab.set(Tab::Events);
                };
                view! {
                    <span class="v">
                        <button class="link" title=format!("{text}\nFilter to this value") data-testid="only-field-value" on:click=narrow>
                            {text.clone()}
                        </button>
                        <ExcludeButton words=without testid="without-field-value" run=move |()| app.add_condition(&excluded)/>
                    </span>
                }
                .into_any()
            }
        };
        let width = format!("{:.1}%", events as f64 / with_value.max(1) as f64 * 100.0);
        view! {
            <li data-testid="field-value">
                <span class="bar" aria-hidden="true"><i class="k-data" style:width=width></i></span>
                {shown}
                <span class="num">{format::count(events)}</span>
                <span class="num dim">{format::percent(events as f64, with_value as f64)}</span>
            </li>
        }
    };
    view! {
        <section class="value-card" data-testid=format!("values-{}", values.name.get(row))>
            <h4>{values.name.get(row).to_owned()}</h4>
            <p>{words}</p>
            <ol>{shown.take(SHOWN).map(line).collect_view()}</ol>
            {(rest > 0).then(|| view! { <p class="rest">{format!("Others: {}", format::counted(rest, "event"))}</p> })}
        </section>
    }
}
