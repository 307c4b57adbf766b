//! Program of the start page, small and available at once.
//!
//! A separate program opens traces, [`crate::mount`]. It is downloaded when there is a trace to open.

use super::boot;
use super::overlays::Overlays;
use super::shell::{Chosen, Shell};
use crate::commands::keys;
use crate::commands::shortcut_sheet::Help;
use crate::start::Landing;
use crate::start::drop_zone::provide_picker;
use crate::trace::files;
use crate::widgets::dialog::Dialog;
use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

/// Shows the start page. If the URL describes a view of a trace, starts the program that opens traces instead. That
/// program also contains the list of recent files, so users with such a list need this one less.
pub fn mount_first() {
    if names_a_view() || files::has_kept() {
        boot::start_app_at_once();
    } else {
        leptos::mount::mount_to_body(First);
        boot::prepare_worker();
    }
}

/// Returns whether the URL describes a view of a trace.
fn names_a_view() -> bool {
    window().location().hash().is_ok_and(|hash| hash.contains('?'))
}

/// State of the transition to the other program.
#[derive(Clone, PartialEq, Default)]
enum Step {
    #[default]
    Choosing,
    /// The other program is being loaded, for a trace with this name.
    Loading(String),
    /// The other program has started.
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
    // This is already the start page.
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
            <Dialog open=failed title="Can't load part of Traceglass" testid="app-failed">
                <div class="content">
                    <p role="alert">
                        "Can't download the viewer. Check your connection, then choose the trace again."
                    </p>
                    <pre>{move || why.get()}</pre>
                </div>
            </Dialog>
            {loading}
        </Show>
    }
}

/// Start page with its listeners.
#[component]
fn Standing() -> impl IntoView {
    let shell = expect_context::<Shell>();
    let picker = provide_picker(shell);
    keys::listen(shell, picker, |_| false);
    // Users who paste a link into the location bar of this page want to go there.
    let handle = window_event_listener(ev::hashchange, |_| {
        if names_a_view() {
            // If the browser doesn't reload, the user can: the URL is in place.
            let _ = window().location().reload();
        }
    });
    on_cleanup(move || handle.remove());
    files::open_launched(shell);
    prepare_at_first_sign();
    view! {
        <Landing/>
        <Overlays picker><Help/></Overlays>
    }
}

/// Loads the other program when the user drags something over the page or presses anything on it, so that it arrives
/// before the trace is chosen. Without any interaction, nothing more is downloaded.
fn prepare_at_first_sign() {
    let handles = ["dragenter", "pointerdown", "keydown"]
        .map(|sign| window_event_listener_untyped(sign, |_| boot::prepare_app()));
    on_cleanup(move || handles.into_iter().for_each(|handle| handle.remove()));
}
