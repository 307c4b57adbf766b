//! Copying to the clipboard.

use super::icon::{COPY, Icon};
use crate::app::shell::Shell;
use leptos::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Copies a text and shows a confirmation; `what` is its subject.
pub fn copy_text(shell: Shell, text: String, what: impl Into<String>) {
    let Some(window) = web_sys::window() else { return };
    let what = what.into();
    spawn_local(async move {
        // Pages from hosts without TLS have no clipboard.
        let clipboard = window.navigator().clipboard();
        let is_copied = !clipboard.is_undefined() && JsFuture::from(clipboard.write_text(&text)).await.is_ok();
        shell.say(match is_copied {
            true => format!("{what} copied."),
            false => format!("{what} not copied: the browser blocked clipboard access."),
        });
    });
}

/// Small button that copies.
#[component]
pub fn CopyButton(
    /// Returns the text to copy, called for each click.
    #[prop(into)]
    text: Callback<(), String>,
    /// Subject of the confirmation: "Command".
    what: &'static str,
) -> impl IntoView {
    let shell = expect_context::<Shell>();
    view! {
        <button
            class="btn icon"
            aria-label=format!("Copy {}", what.to_lowercase())
            title="Copy"
            on:click=move |_| copy_text(shell, text.run(()), what)
        >
            <Icon shape=COPY class="s"/>
        </button>
    }
}
