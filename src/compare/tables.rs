//! Tables of all compared values, by subject.

use super::changes::open_buttons;
use crate::app::state::App;
use leptos::prelude::*;
use protocol::compare::{Change, ChangeKind, Comparison, Per};
use std::sync::Arc;
use view::compare::groups::{Group, groups};

/// Maximum number of rows of a table.
const ROWS: usize = 60;

/// Tables by subject.
#[component]
pub fn Tables() -> impl IntoView {
    let app = expect_context::<App>();
    let tables = move || {
        let comparison = app.compare.comparison()?;
        let groups = groups(&comparison);
        Some(groups.into_iter().map(|group| table(app, &comparison, group)).collect_view())
    };
    view! { <div class="compare-tables" data-testid="compare-tables">{tables}</div> }
}

fn table(app: App, comparison: &Arc<Comparison>, group: Group) -> impl IntoView + use<> {
    let Group { subject, significant, unchanged } = group;
    let rows = {
        let comparison = comparison.clone();
        move |places: &[usize]| {
            let changes = places.iter().take(ROWS).filter_map(|place| comparison.changes.get(*place));
            changes.map(|change| row(app, change.clone(), comparison.per)).collect_view()
        }
    };
    let note = match significant.len() {
        0 => String::new(),
        number => protocol::format::counted(number as u64, "significant change"),
    };
    // Most values don't change, so their rows are created when they are asked for.
    let is_open = RwSignal::new(false);
    let (first, rest) = (significant, unchanged);
    let number = rest.len();
    let of_rest = rows.clone();
    let heads = move || {
        view! {
            <thead>
                <tr>
                    <th scope="col">"Name"</th>
                    <th scope="col" class="num">"A"</th>
                    <th scope="col" class="num">"B"</th>
                    <th scope="col" class="num">"Change"</th>
                    <th scope="col" class="num">"95% CI"</th>
                    <th scope="col"><span class="sr">"Open"</span></th>
                </tr>
            </thead>
        }
    };
    // Subjects without any significant change need one line.
    let title = first.is_empty().then(|| view! { <b>{subject.title()}</b> });
    view! {
        <section data-testid=format!("compare-{}", subject.slug())>
            {(!first.is_empty()).then(|| view! {
                <h3>{subject.title()} <span class="n">{note}</span></h3>
                <table>{heads()}<tbody>{rows(&first)}</tbody></table>
            })}
            {(number > 0).then(|| view! {
                <details on:toggle=move |_| is_open.set(true)>
                    <summary>{title} {format!("{number} without a significant change")}</summary>
                    {move || is_open.get().then(|| view! { <table>{heads()}<tbody>{of_rest(&rest)}</tbody></table> })}
                </details>
            })}
        </section>
    }
}

fn row(app: App, change: Change, per: Per) -> impl IntoView {
    let name = if change.name.is_empty() { "Whole trace".to_owned() } else { change.name.clone() };
    let measure = match (change.percentile, change.subject.form()) {
        (Some(percentile), _) => format!("p{percentile}"),
        (None, protocol::compare::Form::Duration) => "number".to_owned(),
        (None, _) => String::new(),
    };
    let class = match change.kind {
        ChangeKind::Grew | ChangeKind::New => "num grew",
        ChangeKind::Shrank | ChangeKind::Gone => "num shrank",
        ChangeKind::Same => "num",
    };
    let value = |value: f64| if value == 0.0 { "–".to_owned() } else { change.value_words(value, per) };
    let (old, new) = (value(change.old), value(change.new));
    let (size, interval) = (change.size_words(), change.interval_words());
    view! {
        <tr>
            <th scope="row" title=name.clone()><span class="ell">{name.clone()}</span> <span class="n">{measure}</span></th>
            <td class="num">{old}</td>
            <td class="num">{new}</td>
            <td class=class>{size}</td>
            <td class="num dim">{interval}</td>
            <td>{open_buttons(app, change)}</td>
        </tr>
    }
}
