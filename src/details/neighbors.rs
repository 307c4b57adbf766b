//! Callers and callees of the selected function, heaviest first.

use crate::app::state::{App, Selection, StackView, Tab};
use crate::trace::live_query::follow;
use leptos::prelude::*;
use protocol::base::ids::FunctionId;
use protocol::queries;
use protocol::request::{Filter, FrameName, TreeQuery};
use protocol::tables::frame_flag::GROUP;
use view::format;
use view::stacks::measure::Measure;
use view::url::stacks::Compared;

/// Maximum number of visible callers and callees; the sandwich view shows all.
const SHOWN: usize = 6;

/// Callers and callees of the selected function, with the current shape of stacks.
#[component]
pub fn Neighbors(frame: Memo<Option<FrameName>>) -> impl IntoView {
    let app = expect_context::<App>();
    let pivot = move || {
        app.stacks.update(|look| {
            look.view = StackView::Sandwich;
            look.pivot = frame.get_untracked();
        })
    };
    let show_all = move |_| {
        pivot();
        app.tab.set(Tab::Stacks);
    };
    // Current weights, even during a comparison.
    let of = move || Compared { filter: app.filter.get(), kept: Filter::default() };
    let callers = list(app, frame, move |frame| app.stacks.with(|look| look.callers_query(of(), frame)));
    let callees = list(app, frame, move |frame| app.stacks.with(|look| look.callees_query(of(), frame)));
    view! {
        <section data-testid="callers-list">
            <h3>"Callers" <button class="sp link" data-testid="show-sandwich" on:click=show_all>"All callers"</button></h3>
            {callers}
        </section>
        <section data-testid="callees-list"><h3>"Callees"</h3> {callees}</section>
    }
}

/// Returns the children of the selected function in a tree with it as the root.
fn list(
    app: App,
    frame: Memo<Option<FrameName>>,
    query: impl Fn(&FrameName) -> TreeQuery + 'static,
) -> impl Fn() -> Option<AnyView> {
    let children = follow(app, move || {
        let Selection::Function(function) = app.selection.get() else { return None };
        let query = frame.with(|frame| frame.as_ref().map(&query))?;
        let query = TreeQuery { baseline: None, ..query };
        Some(queries::Children { query, path: vec![function] })
    });
    move || {
        let nodes = children.value.get()?;
        let measure = app.stacks.with(|look| Measure::of(&look.source, &look.weight));
        let total = nodes.total.first().copied().unwrap_or(0.0);
        let count = nodes.function.len();
        if count == 0 {
            return Some(view! { <p class="muted">"None in these stacks"</p> }.into_any());
        }
        let rows = (0..count.min(SHOWN)).map(|row| {
            let (name, id) = (nodes.name.get(row).to_owned(), nodes.function.get(row).copied().unwrap_or(u32::MAX));
            let weight = nodes.inclusive.get(row).copied().unwrap_or(0.0);
            let is_group = nodes.flags.get(row).is_some_and(|flags| flags & GROUP != 0);
            let select = move |_| app.select(Selection::Function(FunctionId(id)));
            let shown = name.clone();
            view! {
                <tr>
                    <td>
                        {if is_group {
                            view! { <span>{shown} " …"</span> }.into_any()
                        } else {
                            view! { <button class="link" title=name on:click=select>{shown}</button> }.into_any()
                        }}
                    </td>
                    <td class="num">{measure.number(weight)}</td>
                    <td class="num type">{format::percent(weight, total)}</td>
                </tr>
            }
        });
        let more = (count > SHOWN).then(|| view! { <p class="muted">{format!("and {} more", count - SHOWN)}</p> });
        Some(view! { <table class="fields neighbors"><tbody>{rows.collect_view()}</tbody></table> {more} }.into_any())
    }
}
