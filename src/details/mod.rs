//! Panel with details of the selection.

mod connections;
mod event;
mod event_type;
mod fields;
pub(crate) mod find;
mod frames;
mod function;
mod gc;
mod hex;
mod narrow;
mod neighbors;
mod occurrence;
mod ran;
mod span_times;
pub(crate) mod state;
mod thread;

use super::widgets::icon::{CLOSE, Icon};
use crate::app::state::{App, Selection};
use event::EventDetails;
use event_type::TypeDetails;
use function::FunctionDetails;
use gc::GcDetails;
use leptos::prelude::*;
use thread::ThreadDetails;

/// Panel with details; removed while nothing is selected.
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
    // One component per kind, which keeps its content until the next selection of its kind is loaded.
    let shown = Memo::new(move |_| std::mem::discriminant(&app.selection.get()));
    let content = move || {
        // A memo that was never read isn't updated, so it is read, not only tracked.
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
