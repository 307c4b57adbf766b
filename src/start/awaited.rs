//! Start page for a link to a view of a local file, which only the user can open.

use crate::app::state::{App, PendingFile};
use crate::start::drop_zone::Picker;
use crate::trace::files;
use crate::trace::files::RecentFile;
use crate::widgets::icon::{INFO, Icon, WARNING};
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

/// Asks for the file, and shows the difference if another one was opened.
#[component]
pub fn AwaitedFile() -> impl IntoView {
    let app = expect_context::<App>();
    let kept = RwSignal::new(None::<RecentFile>);
    Effect::new(move |_| {
        let awaited = app.opening.awaited.get();
        spawn_local(async move {
            let again = match awaited {
                Some(PendingFile { link, other: None, .. }) => {
                    let is_meant = |file: &RecentFile| {
                        file.name == link.name && link.print.is_none_or(|print| print.bytes == file.bytes)
                    };
                    files::kept().await.into_iter().find(is_meant)
                }
                _ => None,
            };
            match again {
                Some(file) if file.may_be_opened().await => file.open(app.shell),
                again => kept.set(again),
            }
        });
    });
    move || {
        let PendingFile { link, other, .. } = app.opening.awaited.get()?;
        let size = link.size().map(|size| format!(", {size}"));
        let again = move || {
            kept.get().map(|file| {
                view! {
                    <button class="btn primary lg" data-testid="open-again" on:click=move |_| file.clone().open(app.shell)>
                        "Open again"
                    </button>
                }
            })
        };
        let difference = other.as_ref().map(|other| link.difference(&other.link));
        Some(view! {
            <div class="back" data-testid="awaited-file">
                <p>
                    <Icon shape=INFO/>
                    <span>"This link shows "<strong>{link.name.clone()}</strong>{size}". Drop the file to open it."</span>
                    {again}
                </p>
                {difference.map(|difference| view! { <Other difference/> })}
            </div>
        })
    }
}

#[component]
fn Other(
    /// Difference from the expected file, in a sentence.
    difference: String,
) -> impl IntoView {
    let app = expect_context::<App>();
    let picker = expect_context::<Picker>();
    let open = move |_| {
        if let Some(other) = app.opening.awaited.get_untracked().and_then(|awaited| awaited.other) {
            app.open_file(other.file);
        }
    };
    view! {
        <p role="alert" data-testid="other-file"><Icon shape=WARNING/><span>{difference}</span></p>
        <p class="do">
            <button class="btn line lg" data-testid="open-anyhow" on:click=open>"Open anyway"</button>
            <button class="btn line lg" on:click=move |_| picker.open()>"Choose another file…"</button>
        </p>
    }
}
