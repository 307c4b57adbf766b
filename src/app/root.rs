//! Root of the page: the current screen and the overlays.

use super::boot;
use super::overlays::Overlays;
use super::state::{App, Screen};
use crate::address;
use crate::commands::actions::Place;
use crate::commands::keys;
use crate::commands::shortcut_search::SearchableHelp;
use crate::embed::Waiting;
use crate::start::drop_zone::{Picker, provide_picker};
use crate::start::{AwaitedFile, Choose, Failed, Landing, Loading, Recent};
use crate::trace::files;
use crate::workspace::{Workspace, commands};
use leptos::prelude::*;
use protocol::base::ids::TypeId;
use std::rc::Rc;
use std::time::Duration;
use view::keys::keymap::Scope;
use view::keys::palette::LineKind;

/// Mounts the page, and opens the trace that the start page passed on.
pub fn mount() {
    // A task of its own, because mounting takes long.
    set_timeout(|| leptos::mount::mount_to_body(Root), Duration::ZERO);
}

#[component]
fn Root() -> impl IntoView {
    let app = App::start();
    provide_context(app);
    provide_context(app.shell);
    let picker = provide_picker(app.shell);
    if let Some(embedding) = app.embedding {
        embedding.take_shortcuts();
    }
    let shown = move || untrack(|| app.traces.shown()).unwrap_or(app);
    keys::listen(app.shell, picker, move |command| commands::carry_out(shown(), command));
    offer_everywhere(app);
    if let Some((chosen, others)) = boot::take_chosen() {
        app.traces.await_saved(others);
        app.open(chosen);
    }
    address::start(app);
    files::open_launched(app.shell);
    let title = move || match app.screen.get() {
        Screen::Landing => "Traceglass".to_owned(),
        _ => format!("{} – Traceglass", app.trace_name()),
    };
    Effect::new(move |_| document().set_title(&title()));
    view! {
        {move || match app.screen.get() {
            Screen::Landing if app.embedding.is_some() => view! { <Waiting/> }.into_any(),
            Screen::Landing => view! { <Landing above=|| view! { <AwaitedFile/> } below_samples=|| view! { <Recent/> }/> }.into_any(),
            Screen::Loading => view! { <Loading/> }.into_any(),
            Screen::Choice(entries) => view! { <Choose entries/> }.into_any(),
            Screen::Workspace => view! { <Workspace/> }.into_any(),
            Screen::Failed(failure) => view! { <Failed failure/> }.into_any(),
        }}
        <Overlays picker><SearchableHelp app/></Overlays>
    }
}

/// Offers the commands of the whole page for a trace, and filters by the names in it.
pub fn offer_everywhere(app: App) {
    let picker = expect_context::<Picker>();
    app.actions.offer(
        Scope::Everywhere,
        move |command| commands::can(app, command),
        move |command| keys::carry_out_anywhere(app.shell, picker, command) || commands::carry_out(app, command),
    );
    guide_to_kinds(app);
}

/// Offers filters for all providers and event types by name.
fn guide_to_kinds(app: App) {
    app.actions.guide(move || {
        let provider = |name: &str| {
            let provider = name.to_owned();
            let go = Rc::new(move || app.refilter(|filter| filter.providers = vec![provider.clone()]));
            Place { name: name.to_owned(), kind: LineKind::EventType, of: "Provider", go }
        };
        let mut places: Vec<Place> = app.trace.with_untracked(|trace| {
            trace.iter().flat_map(|trace| trace.providers.iter()).map(|one| provider(&one.name)).collect()
        });
        app.types.with_untracked(|types| {
            let Some(types) = types else { return };
            let rows = (0..types.event_type.len()).filter(|row| types.count.get(*row).is_some_and(|count| *count > 0));
            places.extend(rows.filter_map(|row| {
                let event_type = TypeId(*types.event_type.get(row)?);
                let go = Rc::new(move || app.refilter(|filter| filter.types = vec![event_type]));
                let name = format!("{}/{}", types.provider.get(row), types.name.get(row));
                Some(Place { name, kind: LineKind::EventType, of: "Event type", go })
            }));
        });
        places
    });
}
