//! The drawer with the details of what is selected.

mod connections;
mod event;
mod event_type;
mod function;
mod gc;
mod hex;
mod neighbours;
mod thread;

use super::widgets::icon::{CLOSE, FILTER, Icon};
use crate::app::state::{App, Selection};
use crate::widgets::exclude_button::ExcludeButton;
use event::EventDetails;
use event_type::TypeDetails;
use function::FunctionDetails;
use gc::GcDetails;
use leptos::prelude::*;
use thread::ThreadDetails;

/// The drawer; not there while nothing is selected.
#[component]
pub fn Details() -> impl IntoView {
    let app = expect_context::<App>();
    let kind = move || match app.selection.get() {
        Selection::None => "",
        Selection::Event(_) => "Event",
        Selection::Function(_) => "Function",
        Selection::Thread(_) => "Thread",
        Selection::Gc(_) => "GC",
        Selection::Type(_) => "Event type",
    };
    // One component a kind: it follows from one selection of its kind to the next and keeps what it shows meanwhile.
    let shown = Memo::new(move |_| std::mem::discriminant(&app.selection.get()));
    let content = move || {
        // Read, not only tracked: a memo that was never read follows nothing.
        shown.get();
        match app.selection.get_untracked() {
            Selection::None => ().into_any(),
            Selection::Event(_) => view! { <EventDetails/> }.into_any(),
            Selection::Function(_) => view! { <FunctionDetails/> }.into_any(),
            Selection::Thread(_) => view! { <ThreadDetails/> }.into_any(),
            Selection::Gc(_) => view! { <GcDetails/> }.into_any(),
            Selection::Type(_) => view! { <TypeDetails/> }.into_any(),
        }
    };
    let is_open = Memo::new(move |_| app.has_drawer());
    move || {
        is_open.get().then(|| {
            view! {
                <aside class="drawer" aria-label="Details" data-testid="details">
                    <header>
                        <h2 data-testid="details-kind">{kind}</h2>
                        <button
                            class="btn icon"
                            aria-label="Close details"
                            data-testid="close-details"
                            on:click=move |_| app.select(Selection::None)
                        >
                            <Icon shape=CLOSE class="s"/>
                        </button>
                    </header>
                    <div class="scroll" tabindex="0">{content}</div>
                </aside>
            }
        })
    }
}

/// A button that narrows everything, and one beside it that leaves the same out.
#[component]
fn Narrow(
    /// What everything is narrowed to.
    words: &'static str,
    /// What is left out, for people who listen.
    without: &'static str,
    /// Stable name for tests; that of the second is `without-` and this.
    testid: &'static str,
    /// Narrows, or no longer.
    #[prop(into)]
    only: Callback<()>,
    /// Leaves out.
    #[prop(into)]
    exclude: Callback<()>,
) -> impl IntoView {
    view! {
        <span class="pair">
            <Action icon=FILTER words testid=testid run=only/>
            <ExcludeButton words=without testid=format!("without-{testid}") class="btn line icon" run=exclude/>
        </span>
    }
}

/// A button of the drawer.
#[component]
fn Action(
    /// Its drawing.
    icon: &'static str,
    /// Its words.
    words: &'static str,
    /// Stable name for tests.
    testid: &'static str,
    /// What it does.
    #[prop(into)]
    run: Callback<()>,
) -> impl IntoView {
    view! {
        <button class="btn line" data-testid=testid on:click=move |_| run.run(())>
            <Icon shape=icon class="s"/>
            {words}
        </button>
    }
}
