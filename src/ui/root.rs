//! The root of the page: which screen is shown, and what is there on every screen.

use super::address;
use super::help::Help;
use super::keys;
use super::start::drop_zone::{DropTarget, provide_picker};
use super::start::{Failed, Landing, Loading, OpenUrl};
use super::state::{App, Screen};
use super::workspace::Workspace;
use leptos::prelude::*;
use std::time::Duration;

const TOAST: Duration = Duration::from_millis(2_500);

/// Puts the page into the document.
pub fn mount() {
    leptos::mount::mount_to_body(Root);
}

#[component]
fn Root() -> impl IntoView {
    let app = App::start();
    provide_context(app);
    let picker = provide_picker();
    keys::listen(app, picker);
    address::start(app);
    let title = move || match app.screen.get() {
        Screen::Landing => "Traceglass".to_owned(),
        _ => format!("{} – Traceglass", app.opened.get().name),
    };
    Effect::new(move |_| document().set_title(&title()));
    view! {
        {move || match app.screen.get() {
            Screen::Landing => view! { <Landing/> }.into_any(),
            Screen::Loading => view! { <Loading/> }.into_any(),
            Screen::Workspace => view! { <Workspace/> }.into_any(),
            Screen::Failed(failure) => view! { <Failed failure/> }.into_any(),
        }}
        <DropTarget picker/>
        <OpenUrl/>
        <Help/>
        <p class="sr" role="status" aria-live="polite" data-testid="announce">{move || app.announce.get()}</p>
        <Toast/>
    }
}

/// A short confirmation; screen readers hear it through the status line above.
#[component]
fn Toast() -> impl IntoView {
    let app = expect_context::<App>();
    let shown = StoredValue::new(0_u32);
    Effect::new(move |_| {
        if app.toast.get().is_none() {
            return;
        }
        let this = shown.get_value() + 1;
        shown.set_value(this);
        set_timeout(
            move || {
                if shown.try_get_value() == Some(this) {
                    app.toast.set(None);
                }
            },
            TOAST,
        );
    });
    move || app.toast.get().map(|words| view! { <p class="toast" aria-hidden="true">{words}</p> })
}
