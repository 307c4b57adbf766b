//! List of recent files, if the browser can open them again.

use crate::app::shell::Shell;
use crate::trace::files;
use crate::trace::files::RecentFile;
use crate::widgets::icon::{CLOSE, Icon};
use leptos::prelude::*;
use view::format;
use view::page::calendar;
use wasm_bindgen_futures::spawn_local;

/// List of recent files, if there are any.
#[component]
pub fn Recent() -> impl IntoView {
    let shell = expect_context::<Shell>();
    let kept = RwSignal::new(Vec::<RecentFile>::new());
    let read = move || spawn_local(async move { kept.set(files::kept().await) });
    read();
    let forget = move |file: RecentFile| {
        spawn_local(async move {
            shell.announce.set(format!("Removed {}.", file.name));
            file.forget().await;
            read();
        });
    };
    let forget_all = move |_| {
        spawn_local(async move {
            files::forget_all().await;
            shell.announce.set("Cleared recent files.".to_owned());
            read();
        });
    };
    let rows = move || {
        let now = js_sys::Date::new_0();
        let when =
            |file: &RecentFile| calendar::when(file.opened_ms, now.get_time(), -now.get_timezone_offset() as i32);
        let row = |file: RecentFile| {
            let (opening, forgetting, when) = (file.clone(), file.clone(), when(&file));
            view! {
                <li>
                    <button class="it" data-testid="recent" on:click=move |_| opening.clone().open(shell)>
                        <span><b>{file.name.clone()}</b><span class="d">{format::bytes(file.bytes)}</span></span>
                        <span class="d">{when}</span>
                    </button>
                    <button class="btn icon" data-testid="forget" title="Remove from list"
                        aria-label=format!("Remove {} from list", file.name) on:click=move |_| forget(forgetting.clone())>
                        <Icon shape=CLOSE class="s"/>
                    </button>
                </li>
            }
        };
        kept.get().into_iter().map(row).collect_view()
    };
    view! {
        <Show when=move || kept.with(|kept| !kept.is_empty())>
            <section aria-labelledby="h-recent" data-testid="recents">
                <h2 id="h-recent">
                    "Recent"
                    <small>"stored in this browser; files stay on your disk"</small>
                    <button class="link" data-testid="forget-all" on:click=forget_all>"Clear"</button>
                </h2>
                <ul class="list">{rows}</ul>
            </section>
        </Show>
    }
}
