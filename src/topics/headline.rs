//! Summary and metrics of a report.

use super::report::ShownReport;
use crate::app::state::{App, Tab};
use crate::commands::shortcuts::name;
use crate::stacks::show_stacks_of;
use crate::workspace::tabs::count_of;
use leptos::prelude::*;
use protocol::topics::report::{Figure, StacksOf};
use view::draw::unbroken::unbroken;
use view::grid::{DECIMALS, number_words};
use view::keys::keymap::{Command, Scope};

/// Number of initially visible metrics.
const FIRST_FIGURES: usize = 6;

/// Summary, explanation, links to stacks, and metrics.
#[component]
pub fn Headline(
    report: ShownReport,
    /// True if it is visible.
    open: Memo<bool>,
) -> impl IntoView {
    let app = expect_context::<App>();
    // Number of items of which the filter matches none.
    let excluded = Memo::new(move |_| {
        let count = count_of(app, Tab::Topic(report.topic))?;
        (count.matching == Some(0) && count.whole > 0).then_some(count.whole)
    });
    let verdict = move || match excluded.get() {
        Some(1) => Some(format!("The only {} doesn't match the filter.", report.topic.noun())),
        Some(whole) => Some(format!("None of {} match the filter.", report.topic.counted(whole))),
        None => report.with(|head| unbroken(&head.verdict)),
    };
    let explanation = move || report.with(|head| unbroken(&head.explanation)).filter(|words| !words.is_empty());
    let stacks = Memo::new(move |_| report.with(|head| head.stacks.clone()).unwrap_or_default());
    let figures = Memo::new(move |_| report.with(|head| head.figures.clone()).unwrap_or_default());
    let further = move || figures.with(|figures| figures.len().saturating_sub(FIRST_FIGURES));
    app.actions.on_if(
        Scope::Topics,
        Command::StacksOfThese,
        move || open.get_untracked() && stacks.with_untracked(|all| !all.is_empty()),
        move || stacks.with_untracked(|all| all.first().cloned()).iter().for_each(|first| show(app, first)),
    );
    let link = move |of: StacksOf| {
        let words = of.words.clone();
        view! {
            <button class="link" data-testid="topic-stacks" data-command=Command::StacksOfThese.id() on:click=move |_| show(app, &of)>
                {words}
            </button>
        }
    };
    let figure = move |figure: Figure| {
        let words = number_words(figure.value, figure.unit, &app.face(), DECIMALS);
        let (number, unit) = words.rsplit_once(' ').unwrap_or((&words, ""));
        let note = (!figure.note.is_empty()).then_some(figure.note);
        let title = note.clone();
        view! {
            <div title=title>
                <dt>{figure.name}</dt>
                <dd data-testid=format!("figure-{}", figure.key)>
                    {figure.is_minimum.then(|| view! { <small>"at least "</small> })}
                    {number.to_owned()} {(!unit.is_empty()).then(|| view! { <small>" " {unit.to_owned()}</small> })}
                </dd>
                {note.map(|note| view! { <dd class="note">{note}</dd> })}
            </div>
        }
    };
    view! {
        <div class="headline-frame"><header class="headline">
            <div class="claim">
                <h2 data-testid="topic-verdict">{verdict}</h2>
                <button class="link" hidden=move || excluded.get().is_none() data-testid="topic-clear-filters"
                    data-command=Command::ClearFilters.id() on:click=move |_| app.clear_filter()>
                    {name(Scope::Everywhere, Command::ClearFilters)}
                </button>
                {move || explanation().map(|words| view! { <p data-testid="topic-explanation" title=words.clone()>{words.clone()}</p> })}
            </div>
            <dl class="figures">{move || figures.get().into_iter().take(FIRST_FIGURES).map(figure).collect_view()}</dl>
            <p class="links" hidden=move || stacks.with(Vec::is_empty)>{move || stacks.get().into_iter().map(link).collect_view()}</p>
            <details class="further" hidden=move || further() == 0>
                <summary data-testid="further-figures">{move || format!("{} more", further())}</summary>
                <dl class="figures">{move || figures.get().into_iter().skip(FIRST_FIGURES).map(figure).collect_view()}</dl>
            </details>
        </header></div>
    }
}

fn show(app: App, of: &StacksOf) {
    show_stacks_of(app, vec![format!("{}/{}", of.provider, of.event)]);
}
