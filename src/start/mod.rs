//! Screens without a trace: start page, loading, failure.

mod awaited;
mod choose;
pub mod drop_zone;
mod failed;
mod heat;
mod landing;
mod loading;
mod open_url;
mod policy;
mod questions;
mod recent;
mod recording;

pub use awaited::AwaitedFile;
pub use choose::Choose;
pub use failed::Failed;
pub use landing::Landing;
pub use loading::Loading;
pub use open_url::OpenUrl;
pub use recent::Recent;

use super::widgets::icon::{HELP, Icon, LOGO};
use crate::app::shell::Shell;
use crate::app::theme::ThemeButton;
use leptos::prelude::*;

/// Header of screens without a trace.
#[component]
fn PlainHeader() -> impl IntoView {
    let shell = expect_context::<Shell>();
    view! {
        <header>
            <a class="brand" href="#/" on:click=move |event| { event.prevent_default(); shell.home(); }>
                <Icon shape=LOGO class="logo"/>
                <span>"Traceglass"</span>
            </a>
            <ThemeButton/>
            <button class="btn icon" aria-label="Keyboard shortcuts" title="Keyboard shortcuts (?)" on:click=move |_| shell.help.set(true)>
                <Icon shape=HELP/>
            </button>
        </header>
    }
}
