//! The bar on top: which trace, search, and what concerns the whole page.

use crate::ui::keys::SEARCH_FIELD;
use crate::ui::start::drop_zone::Picker;
use crate::ui::state::App;
use crate::ui::theme::ThemeButton;
use crate::ui::widgets::copy::copy_text;
use crate::ui::widgets::icon::{CLOSE, HELP, Icon, LINK, LOGO, OPEN, SEARCH};
use crate::view::format;
use leptos::html;
use leptos::prelude::*;
use std::time::Duration;

/// A text is searched for once typing pauses this long.
const PAUSE: Duration = Duration::from_millis(180);

/// The bar on top.
#[component]
pub fn TopBar() -> impl IntoView {
    let app = expect_context::<App>();
    let picker = expect_context::<Picker>();
    let facts = move || {
        let trace = app.trace.get()?;
        let (name, pid) = (trace.process_name.as_str(), trace.os_process.to_string());
        let process = match name {
            _ if trace.processes > 1 => format!("{} processes", format::count(u64::from(trace.processes))),
            "" if trace.os_process == 0 => "process unknown".to_owned(),
            "" => format!("pid {pid}"),
            name if name.contains(&pid) => name.to_owned(),
            name => format!("{name} (pid {pid})"),
        };
        Some(view! {
            <span data-testid="process">{process}</span>
            {(!trace.runtime.is_empty() && trace.processes < 2).then(|| view! { <span data-testid="runtime">{trace.runtime.clone()}</span> })}
            {(!trace.operating_system.is_empty())
                .then(|| view! { <span class="opt">{trace.operating_system.clone()}</span> })}
            <span data-testid="duration">{format::duration(trace.user_span.duration())}</span>
            <span class="opt"><span data-testid="event-count">{format::count(trace.events)}</span>" events"</span>
        })
    };
    let name = move || {
        let opened = app.opened.get();
        opened.entry.map_or(opened.name.clone(), |entry| format!("{} › {entry}", opened.name))
    };
    let copy_link =
        move |_| copy_text(app.shell, window().location().href().unwrap_or_default(), "The link to this view");
    view! {
        <header class="topbar">
            <a
                class="brand"
                href="#/"
                title="Close the trace"
                on:click=move |event| { event.prevent_default(); app.close(); }
            >
                <Icon shape=LOGO class="logo"/>
                <span class="lbl-opt">"Traceglass"</span>
            </a>
            <span class="vr" aria-hidden="true"></span>
            <div class="crumbs">
                <h1 class="file ell" data-testid="file-name">{name}</h1>
                <p class="facts">{facts}</p>
            </div>
            <Search/>
            <div class="acts">
                <button class="btn" title="Copy a link to this view" data-testid="copy-link" on:click=copy_link>
                    <Icon shape=LINK/>
                    <span class="lbl">"Link"</span>
                </button>
                <button class="btn" title="Open another trace" data-testid="open" on:click=move |_| picker.open()>
                    <Icon shape=OPEN/>
                    <span class="lbl">"Open…"</span>
                </button>
                <ThemeButton/>
                <button class="btn icon" aria-label="Keys" title="Keys (?)" on:click=move |_| app.shell.help.set(true)>
                    <Icon shape=HELP/>
                </button>
            </div>
        </header>
    }
}

/// The field whose text every panel filters by.
#[component]
fn Search() -> impl IntoView {
    let app = expect_context::<App>();
    let input = NodeRef::<html::Input>::new();
    let typed = StoredValue::new(0_u32);
    let text = Memo::new(move |_| app.filter.with(|filter| filter.text.clone()));
    Effect::new(move |_| {
        let text = text.get();
        if let Some(input) = input.get().filter(|input| input.value().trim() != text) {
            input.set_value(&text);
        }
    });
    let apply = move || {
        if let Some(input) = input.get_untracked() {
            app.set_text(input.value().trim());
        }
    };
    let on_input = move |_| {
        let this = typed.get_value().wrapping_add(1);
        typed.set_value(this);
        set_timeout(
            move || {
                if typed.try_get_value() == Some(this) {
                    apply();
                }
            },
            PAUSE,
        );
    };
    let on_key = move |event: web_sys::KeyboardEvent| match event.key().as_str() {
        "Enter" => {
            apply();
            app.timeline.walk.update(|(count, later)| (*count, *later) = (*count + 1, !event.shift_key()));
        }
        "Escape" => {
            event.prevent_default();
            app.set_text("");
            if let Some(input) = input.get_untracked() {
                input.set_value("");
                // Leaving the field cannot fail for a field that has the focus.
                let _ = input.blur();
            }
        }
        _ => {}
    };
    view! {
        <label class="field">
            <Icon shape=SEARCH/>
            <span class="sr">"Show only events that contain"</span>
            <input
                id=SEARCH_FIELD
                type="search"
                placeholder="Filter by text"
                title="Provider, event, thread or payload contains …"
                autocomplete="off"
                spellcheck="false"
                data-testid="search"
                node_ref=input
                on:input=on_input
                on:keydown=on_key
            />
            {move || if text.get().is_empty() {
                view! { <kbd aria-hidden="true">"/"</kbd> }.into_any()
            } else {
                view! {
                    <button class="x" aria-label="Clear the text" on:click=move |_| app.set_text("")>
                        <Icon shape=CLOSE class="xs"/>
                    </button>
                }.into_any()
            }}
        </label>
    }
}
