//! Payload of an event.

use crate::app::state::App;
use crate::widgets::exclude_button::ExcludeButton;
use crate::widgets::icon::{FILTER, Icon};
use crate::widgets::wrapping_name::breakable;
use leptos::prelude::*;
use protocol::filter::Condition;
use protocol::reply::EventDetail;
use view::details::shown_fields::{ShownField, shown_fields};
use view::events::filter_text::{condition_text, of_field};

const INDENT_PX: u32 = 12;

/// Returns the payload: one line per field.
pub fn payload_view(app: App, event: &EventDetail) -> impl IntoView + use<> {
    let source = match event.schema_source.as_str() {
        "" => String::new(),
        "none" => "no schema".to_owned(),
        source => format!("schema: {source}"),
    };
    let row = |ShownField { index, name }: ShownField<'_>| {
        let field = &event.fields[index];
        let indent = format!("{}px", field.depth * INDENT_PX);
        let raw = (!field.raw.is_empty()).then(|| view! { " " <span class="raw">{field.raw.clone()}</span> });
        let error = (!field.error.is_empty()).then(|| view! { " " <span class="error">{field.error.clone()}</span> });
        view! {
            <tr data-testid="payload-field">
                <th scope="row" style:padding-left=indent title=format!("{name} ({})", field.type_name)>
                    {breakable(name)}
                </th>
                <td data-testid="payload-value">{breakable(&field.value)} {raw} {error}</td>
                <td class="act">{of_field(&event.fields, index).map(|condition| narrow_buttons(app, name, condition))}</td>
            </tr>
        }
    };
    let content = if event.fields.is_empty() {
        let words = if event.payload_bytes == 0 {
            "This event has no payload."
        } else {
            "Payload couldn't be decoded; raw bytes below."
        };
        view! { <p class="muted">{words}</p> }.into_any()
    } else {
        view! { <table class="fields"><tbody>{shown_fields(&event.fields).into_iter().map(row).collect_view()}</tbody></table> }
            .into_any()
    };
    view! {
        <section>
            <h3>"Fields"<span class="sp">{source}</span></h3>
            {content}
        </section>
    }
}

/// Returns buttons that filter to the value of a field, or exclude it.
fn narrow_buttons(app: App, name: &str, condition: Condition) -> impl IntoView + use<> {
    let (text, without) = (condition_text(condition.clone(), false), condition_text(condition, true));
    let value = text.trim_start_matches("payload.");
    let (only_words, without_words) = (format!("Filter to {value}"), format!("Exclude {value}"));
    view! {
        <button class="btn icon" aria-label=only_words.clone() title=only_words data-testid=format!("only-{name}")
            on:click=move |_| app.add_condition(&text)>
            <Icon shape=FILTER class="s"/>
        </button>
        <ExcludeButton words=without_words testid=format!("without-{name}") run=move |()| app.add_condition(&without)/>
    }
}
