//! Details of a function.

use super::narrow::{Action, Narrow};
use super::neighbors::Neighbors;
use super::occurrence::OccurrenceOf;
use crate::app::state::{App, Selection, Tab};
use crate::trace::live_query::{Trouble, follow};
use crate::widgets::copy::copy_text;
use crate::widgets::icon::{COPY, SEARCH};
use crate::widgets::wrapping_name::breakable;
use leptos::prelude::*;
use protocol::filter::word;
use protocol::request::{Filter, FrameName, FunctionOrder, SampleChoice, TreeQuery};
use protocol::{queries, tables};
use view::format;
use view::stacks::code_place::place_name;
use view::url::selection::SelectionLink;

/// Details of the selected function.
#[component]
pub fn FunctionDetails() -> impl IntoView {
    let app = expect_context::<App>();
    let detail = follow(app, move || match app.selection.get() {
        Selection::Function(function) => Some(queries::FunctionDetail { function }),
        _ => None,
    });
    // One table contains the weights of all functions, so selecting another one needs no request.
    let weights = [SampleChoice::All, SampleChoice::Running, SampleChoice::Blocked].map(|samples| {
        follow(app, move || {
            let filter: Filter = app.filter.get();
            let query = TreeQuery { filter, samples, ..TreeQuery::default() };
            Some(queries::Functions { query, order: FunctionOrder::Inclusive, limit: u32::MAX })
        })
    });
    Effect::new(move |_| {
        let Some(function) = detail.value.get() else { return };
        if matches!(app.selection.get_untracked(), Selection::Function(_)) {
            let (module, name) = (function.module.clone(), function.name.clone());
            app.details.frame.set(Some((function.function, FrameName { name: name.clone(), module: module.clone() })));
            app.details.link.set(Some(SelectionLink::Function { module, name }));
        }
    });
    let weight_rows = move || {
        let Selection::Function(function) = app.selection.get() else { return None };
        let names = ["All", "Running", "Blocked"];
        let rows = names.into_iter().zip(weights).filter_map(|(name, weights)| {
            let functions = weights.value.get()?;
            let total = functions.total.first().copied().unwrap_or(0.0);
            let row = functions.function.iter().position(|id| *id == function.0);
            let value = |column: &Vec<f64>| row.and_then(|row| column.get(row).copied()).unwrap_or(0.0);
            let (inclusive, exclusive) = (value(&functions.inclusive), value(&functions.exclusive));
            Some(view! {
                <tr>
                    <th scope="row">{name}</th>
                    <td class="num">{format::duration(exclusive as i64)}</td>
                    <td class="num">{format::duration(inclusive as i64)}</td>
                    <td class="num type">{format::percent(inclusive, total)}</td>
                </tr>
            })
        });
        Some(rows.collect_view())
    };
    // They add up to the weight in the first row of the table above.
    let places = follow(app, move || match app.selection.get() {
        Selection::Function(function) => Some(queries::CodePlaces {
            query: TreeQuery { filter: app.filter.get(), ..TreeQuery::default() },
            function,
        }),
        _ => None,
    });
    let place_rows = move || {
        let Selection::Function(function) = app.selection.get() else { return None };
        let is_of_it = |places: &tables::CodePlaces| places.function.first() == Some(&function.0);
        let places = places.value.get().filter(|places| is_of_it(places) && !places.inclusive.is_empty())?;
        let count = places.inclusive.len();
        let rows = (0..count.min(MAX_PLACES)).map(|row| {
            let value = |column: &Vec<f64>| format::duration(column.get(row).copied().unwrap_or(0.0) as i64);
            let title = format!("{}\n{:#x}", places.source.get(row), places.address.get(row).copied().unwrap_or(0));
            view! {
                <tr>
                    <th scope="row" title=title.trim().to_owned()>{place_name(&places, row)}</th>
                    <td class="num">{value(&places.exclusive)}</td>
                    <td class="num">{value(&places.inclusive)}</td>
                    <td class="type">{places.tier.get(row).to_owned()}</td>
                </tr>
            }
        });
        Some(view! {
            <section>
                <h3>"Hot locations"<span class="sp">{places_words(count)}</span></h3>
                <table class="fields weights">
                    <thead><tr><th>"Location"</th><th class="num">"Self"</th><th class="num">"Total"</th><th class="num">"Tier"</th></tr></thead>
                    <tbody data-testid="function-places">{rows.collect_view()}</tbody>
                </table>
            </section>
        })
    };
    let frame = Memo::new(move |_| {
        let function = detail.value.get()?;
        Some(FrameName { name: function.name.clone(), module: function.module.clone() })
    });
    let content = move || {
        let function = detail.value.get()?;
        let (found, copied) = (function.raw_name.clone(), function.raw_name.clone());
        let tiers = function.tiers.iter().map(|tier| view! { <span class="tag managed">{tier.clone()}</span> });
        let range = |(address, bytes): &(u64, u64)| view! { <li class="mono">{format!("{address:#x}, {}", format::counted(*bytes, "byte"))}</li> };
        Some(view! {
            <section class="title">
                <h3 data-testid="detail-name">{breakable(&function.name)}</h3>
                <p class="sub"><span>{function.module.clone()}</span> {tiers.collect_view()}</p>
                <div class="do">
                    <Action icon=SEARCH words="Find events with this function" testid="filter-to-function" run=move |()| {
                        app.add_condition(&word(&found));
                        app.tab.set(Tab::Events);
                    }/>
                    <Narrow words="Filter to stacks with this function" without="Exclude stacks with this function"
                        testid="filter-to-stack"
                        only=move |()| frame.get_untracked().iter().for_each(|frame| app.toggle_frame(frame))
                        exclude=move |()| frame.get_untracked().iter().for_each(|frame| app.exclude_frame(frame))/>
                    <Action icon=COPY words="Copy name" testid="copy-function" run=move |()| copy_text(app.shell, copied.clone(), "Name")/>
                </div>
            </section>
            <OccurrenceOf/>
            <section>
                <h3>"All samples (unfolded)"</h3>
                <table class="fields weights">
                    <thead><tr><th>"Samples"</th><th class="num">"Self"</th><th class="num">"Total"</th><th class="num">"Share"</th></tr></thead>
                    <tbody data-testid="function-weights">{weight_rows}</tbody>
                </table>
            </section>
            <section>
                <dl class="kv">
                    <dt>"Full name"</dt>
                    <dd class="mono">{breakable(&function.raw_name)}</dd>
                    <dt>"Module"</dt>
                    <dd>{breakable(&function.module_path)}</dd>
                    {(!function.unresolved.is_empty()).then(|| view! {
                        <dt>"Unresolved"</dt>
                        <dd data-testid="function-unresolved">{function.unresolved.clone()}</dd>
                    })}
                    {(!function.source.is_empty()).then(|| view! {
                        <dt>"Source"</dt>
                        <dd class="mono" data-testid="function-source">{function.source.clone()}</dd>
                    })}
                </dl>
            </section>
            {(!function.ranges.is_empty()).then(|| view! {
                <section>
                    <h3>"Code"<span class="sp">{format::counted(function.ranges.len() as u64, "range")}</span></h3>
                    <ul class="ranges">{function.ranges.iter().map(range).collect_view()}</ul>
                </section>
            })}
        })
    };
    view! {
        <Trouble failure=detail.failure/>
        {content}
        {place_rows}
        <Neighbors frame/>
    }
}

/// Maximum number of listed locations; the heaviest are enough.
const MAX_PLACES: usize = 12;

fn places_words(count: usize) -> String {
    let words = format::counted(count as u64, "location");
    if count > MAX_PLACES { format!("top {MAX_PLACES} of {words}") } else { words }
}
