//! Top bar: trace, search, and commands for the whole page.

use super::query_field::QueryField;
use crate::app::state::App;
use crate::app::theme::ThemeButton;
use crate::commands::shortcuts::{name as name_of, title};
use crate::share::ShareButton;
use crate::start::drop_zone::Picker;
use crate::traces::TraceSwitch;
use crate::widgets::icon::{HELP, Icon, LOGO, OPEN};
use leptos::prelude::*;
use view::format;
use view::keys::keymap::{Command, Scope};

#[component]
pub fn TopBar() -> impl IntoView {
    let app = expect_context::<App>();
    let picker = expect_context::<Picker>();
    let facts = move || {
        let trace = app.trace.get()?;
        let (name, pid) = (trace.process_name.as_str(), trace.os_process.to_string());
        let process = match name {
            _ if trace.processes > 1 => format!("{} processes", format::count(u64::from(trace.processes))),
            "" if trace.os_process == 0 => "unknown process".to_owned(),
            "" => format!("PID {pid}"),
            name if name.contains(&pid) => name.to_owned(),
            name => format!("{name} (PID {pid})"),
        };
        Some(view! {
            <span data-testid="process">{process}</span>
            {(!trace.runtime.is_empty() && trace.processes < 2).then(|| view! { <span data-testid="runtime">{trace.runtime.clone()}</span> })}
            {(!trace.operating_system.is_empty())
                .then(|| view! { <span class="opt">{trace.operating_system.clone()}</span> })}
            <span data-testid="duration">{format::duration(trace.user_span.duration())}</span>
            <span class="opt"><span data-testid="event-count">{format::count(trace.events)}</span>{if trace.events == 1 { " event" } else { " events" }}</span>
        })
    };
    let name = move || {
        let opened = app.opening.opened.get();
        opened.link.entry.map_or(opened.name.clone(), |entry| format!("{} › {entry}", opened.name))
    };
    // In a frame, the page around it opens, closes and shares traces.
    let is_alone = app.embedding.is_none();
    let brand = is_alone.then(|| {
        view! {
            <a
                class="brand"
                href="#/"
                title=name_of(Scope::Everywhere, Command::CloseTrace)
                data-command=Command::CloseTrace.id()
                on:click=move |event| { event.prevent_default(); app.close(); }
            >
                <Icon shape=LOGO class="logo"/>
                <span class="lbl-opt">"Traceglass"</span>
            </a>
            <span class="vr" aria-hidden="true"></span>
        }
    });
    let share_and_open = is_alone.then(|| {
        view! {
            <ShareButton/>
            <button class="btn" title=title(Scope::Everywhere, Command::Open) data-testid="open" data-command=Command::Open.id() on:click=move |_| picker.open()>
                <Icon shape=OPEN/>
                <span class="lbl">"Open…"</span>
            </button>
        }
    });
    view! {
        <header class="topbar">
            {brand}
            <TraceSwitch/>
            <div class="crumbs">
                <h1 class="file ell" data-testid="file-name">{name}</h1>
                <p class="facts">{facts}</p>
            </div>
            <QueryField/>
            <div class="acts">
                {share_and_open}
                <ThemeButton/>
                <button class="btn icon" aria-label=name_of(Scope::Everywhere, Command::Help) title=title(Scope::Everywhere, Command::Help) data-command=Command::Help.id() on:click=move |_| app.shell.help.set(true)>
                    <Icon shape=HELP/>
                </button>
            </div>
        </header>
    }
}
