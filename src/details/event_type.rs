//! Details of an event type.

use super::narrow::Narrow;
use crate::app::state::{App, Selection, Tab};
use crate::metadata::named_values;
use crate::trace::live_query::{Trouble, follow};
use crate::widgets::wrapping_name::breakable;
use leptos::prelude::*;
use protocol::queries;
use protocol::reply::{FieldValue, TypeDetail};

const INDENT_PX: u32 = 12;

/// Details of the selected event type.
#[component]
pub fn TypeDetails() -> impl IntoView {
    let app = expect_context::<App>();
    let detail = follow(app, move || match app.selection.get() {
        Selection::Type(event_type) => Some(queries::TypeDetail { event_type }),
        _ => None,
    });
    let content = move || detail.value.get().map(|detail| type_view(app, &detail));
    view! {
        <Trouble failure=detail.failure/>
        {content}
    }
}

fn type_view(app: App, detail: &TypeDetail) -> impl IntoView + use<> {
    let event_type = detail.event_type;
    let row = |field: &FieldValue| {
        view! {
            <tr data-testid="type-field">
                <th scope="row" style:padding-left=format!("{}px", field.depth * INDENT_PX)>{breakable(&field.name)}</th>
                <td class="type">{field.type_name.clone()}</td>
            </tr>
        }
    };
    let fields = if detail.fields.is_empty() {
        view! { <p class="muted">"No fields declared."</p> }.into_any()
    } else {
        view! { <table class="fields"><tbody>{detail.fields.iter().map(row).collect_view()}</tbody></table> }.into_any()
    };
    view! {
        <section class="title">
            <h3 data-testid="detail-name">{breakable(&detail.name)}</h3>
            <p class="sub"><span>{detail.provider.clone()}</span></p>
            <div class="do">
                <Narrow words="Filter to this event type" without="Exclude this event type" testid="filter-to-type"
                    only=move |()| {
                        app.refilter(|filter| filter.types = vec![event_type]);
                        app.tab.set(Tab::Events);
                    }
                    exclude=move |()| app.exclude_type(event_type)/>
            </div>
        </section>
        <section>{named_values(app, &detail.facts)}</section>
        <section>
            <h3>"Fields"<span class="sp">{format!("schema: {}", detail.schema_source)}</span></h3>
            {fields}
        </section>
    }
}
