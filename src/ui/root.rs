//! The root of the page: which screen is shown.

use super::state::{App, Screen};
use leptos::prelude::*;

/// Puts the page into the document.
pub fn mount() {
    leptos::mount::mount_to_body(Root);
}

#[component]
fn Root() -> impl IntoView {
    let app = App::start();
    provide_context(app);
    view! {
        <main>
            {move || match app.screen.get() {
                Screen::Landing => "Landing".into_any(),
                Screen::Loading => "Loading".into_any(),
                Screen::Workspace => "Workspace".into_any(),
                Screen::Failed(failure) => failure.to_string().into_any(),
            }}
        </main>
    }
}
