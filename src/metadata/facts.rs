//! Lists of names and values.

use crate::app::state::App;
use crate::widgets::exclude_button::ExcludeButton;
use crate::widgets::wrapping_name::breakable;
use leptos::prelude::*;
use protocol::reply::NamedValue;

/// Returns a list of named values. Labels are buttons that filter to events with the same value.
pub fn named_values(app: App, values: &[NamedValue]) -> impl IntoView + use<> {
    let line = |value: &NamedValue| {
        let shown = match value.label.clone() {
            None => breakable(&value.value).into_any(),
            Some(label) => {
                let (excluded, without) =
                    (label.clone(), format!("Exclude events with this {}", value.name.to_lowercase()));
                let title = format!("Filter to events with this {}", value.name.to_lowercase());
                view! {
                    <button class="link" title=title data-testid="filter-to-label" on:click=move |_| app.toggle_label(&label)>
                        {value.value.clone()}
                    </button>
                    <ExcludeButton words=without testid="without-label" run=move |()| app.exclude_label(&excluded)/>
                }
                .into_any()
            }
        };
        let raw = (!value.raw.is_empty()).then(|| view! { " " <span class="raw">{value.raw.clone()}</span> });
        let meaning =
            (!value.meaning.is_empty()).then(|| view! { <span class="meaning">{value.meaning.clone()}</span> });
        view! {
            <dt>{value.name.clone()}</dt>
            <dd data-testid=format!("fact-{}", value.name)>{shown} {raw} {meaning}</dd>
        }
    };
    view! { <dl class="kv">{values.iter().map(line).collect_view()}</dl> }
}
