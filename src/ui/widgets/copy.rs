//! Copying to the clipboard.

use super::icon::{COPY, Icon};
use crate::ui::shell::Shell;
use leptos::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Copies a text and says so; `what` names it in the sentence.
pub fn copy_text(shell: Shell, text: String, what: impl Into<String>) {
    let Some(window) = web_sys::window() else { return };
    let what = what.into();
    spawn_local(async move {
        let copied = JsFuture::from(window.navigator().clipboard().write_text(&text)).await;
        shell.say(match copied {
            Ok(_) => format!("{what} copied."),
            Err(_) => format!("The browser did not allow copying. {what} not copied."),
        });
    });
}

/// A small button that copies.
#[component]
pub fn CopyButton(
    /// What is copied, asked for at the click.
    #[prop(into)]
    text: Callback<(), String>,
    /// Names it: "The command".
    what: &'static str,
) -> impl IntoView {
    let shell = expect_context::<Shell>();
    view! {
        <button
            class="btn icon"
            aria-label=format!("Copy: {what}")
            title="Copy"
            on:click=move |_| copy_text(shell, text.run(()), what)
        >
            <Icon shape=COPY class="s"/>
        </button>
    }
}
