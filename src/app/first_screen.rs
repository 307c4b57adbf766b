//! The program that a visitor meets: the first screen, small and there at once.
//!
//! What opens traces is a program of its own, [`crate::mount`], fetched when there is a trace to open.

use super::boot;
use super::overlays::Overlays;
use super::shell::{Chosen, Shell};
use crate::commands::keys;
use crate::start::Landing;
use crate::start::drop_zone::provide_picker;
use crate::trace::files;
use crate::widgets::dialog::Dialog;
use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

/// Puts the first screen into the document; or, if the address describes a view of a trace, starts the program that
/// shows it. That one also has the list of files that were opened before, so whoever has one needs this one less.
pub fn mount_first() {
    if names_a_view() || files::has_kept() {
        boot::start_app_at_once();
    } else {
        leptos::mount::mount_to_body(First);
        boot::prepare_worker();
    }
}

/// Whether the address describes a view of a trace.
fn names_a_view() -> bool {
    window().location().hash().is_ok_and(|hash| hash.contains('?'))
}

/// Where the first screen is on its way out.
#[derive(Clone, PartialEq, Default)]
enum Step {
    #[default]
    Choosing,
    /// The other program is being loaded, for a trace of this name.
    Loading(String),
    /// The other program has taken over.
    Gone,
}

#[component]
fn First() -> impl IntoView {
    let step = RwSignal::new(Step::default());
    let why = RwSignal::new(String::new());
    let failed = RwSignal::new(false);
    let open = move |chosen: Chosen| {
        if step.get_untracked() != Step::Choosing {
            return;
        }
        step.set(Step::Loading(chosen.name()));
        spawn_local(async move {
            match boot::start_app(chosen).await {
                Ok(()) => step.set(Step::Gone),
                Err(reason) => {
                    step.set(Step::Choosing);
                    why.set(reason);
                    failed.set(true);
                }
            }
        });
    };
    let shell = Shell::start();
    // This is the first screen already.
    shell.connect(open, || {});
    provide_context(shell);
    let is_standing = Memo::new(move |_| step.get() != Step::Gone);
    let loading = move || match step.get() {
        Step::Loading(name) => Some(view! {
            <div class="dropcover" role="status" data-testid="starting">
                <div>{format!("Opening {name}…")}</div>
            </div>
        }),
        _ => None,
    };
    view! {
        <Show when=move || is_standing.get()>
            <Standing/>
            <Dialog open=failed title="Couldn’t load part of Traceglass" testid="app-failed">
                <div class="content">
                    <p role="alert">
                        "Couldn’t download the viewer. Check your connection, then choose the trace again."
                    </p>
                    <pre>{move || why.get()}</pre>
                </div>
            </Dialog>
            {loading}
        </Show>
    }
}

/// The first screen; its listeners go with it.
#[component]
fn Standing() -> impl IntoView {
    let shell = expect_context::<Shell>();
    let picker = provide_picker(shell);
    keys::listen(shell, picker, |_| false);
    // Whoever pastes a link into the address of this page wants to go there.
    let handle = window_event_listener(ev::hashchange, |_| {
        if names_a_view() {
            // If the browser refuses to reload, the user can: the address is in place.
            let _ = window().location().reload();
        }
    });
    on_cleanup(move || handle.remove());
    files::open_launched(shell);
    prepare_at_first_sign();
    view! {
        <Landing/>
        <Overlays picker/>
    }
}

/// Who drags something over the page, or presses anything on it, is about to open a trace: what that needs arrives while a
/// hand still moves. Whoever only looks at the first screen fetches nothing more.
fn prepare_at_first_sign() {
    let handles = ["dragenter", "pointerdown", "keydown"]
        .map(|sign| window_event_listener_untyped(sign, |_| boot::prepare_app()));
    on_cleanup(move || handles.into_iter().for_each(|handle| handle.remove()));
}
