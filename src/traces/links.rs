//! Traces on the timeline in the URL: those that were added, and local files of a link, which only the user can open.

use super::state::Traces;
use crate::app::boot::{is_saved, policy_allows};
use crate::app::browser::reload;
use crate::app::shell::Chosen;
use crate::app::state::App;
use crate::app::state::page_state::{LinkedState, PageState};
use crate::start::drop_zone::Picker;
use crate::widgets::icon::{Icon, OPEN};
use leptos::prelude::*;
use view::traces::Offset;
use view::url::added::{AddedLink, AddedView};
use view::url::file::FileLink;
use view::url::trace::SourceLink;
use web_sys::File;

/// Local files of a link, until they are open.
#[derive(Clone, Copy, Default)]
pub struct AwaitedTraces {
    awaited: RwSignal<Vec<AddedLink>>,
}

impl PageState for AwaitedTraces {
    fn reset(self) {
        self.awaited.set(Vec::new());
    }
}

impl LinkedState for AwaitedTraces {
    type Link = AddedView;

    fn to_url(self, app: App) -> AddedView {
        if app.number > 0 {
            return AddedView::default();
        }
        let mut traces = app.traces.links();
        traces.extend(self.awaited.get());
        AddedView { traces, are_all: app.traces.is_all() }
    }

    /// Adds what isn't on the timeline yet. Traces that the link doesn't have stay: closing them would lose them.
    fn apply_url(self, app: App, link: AddedView) {
        if app.number > 0 {
            return;
        }
        let mut known = app.traces.links();
        self.awaited.set(Vec::new());
        for one in link.traces {
            if let Some(at) = known.iter().position(|open| open.trace.is(&one.trace)) {
                known.remove(at);
                continue;
            }
            match &one.trace.source {
                // Its host needs another policy than the current one. The URL is in place.
                Some(SourceLink::Url(url)) if !policy_allows(url) && !is_saved() && app.embedding.is_none() => {
                    return reload();
                }
                Some(SourceLink::File(_)) => self.awaited.update(|awaited| awaited.push(one)),
                source => _ = source.clone().map(|source| app.add_linked(source, one)),
            }
        }
        app.traces.show_all(link.are_all);
    }
}

impl Traces {
    /// Returns the links of the added traces.
    fn links(self) -> Vec<AddedLink> {
        let link = |app: App| {
            let offset = self.offset(app).nanos_by_hand();
            AddedLink { trace: app.opening.opened.with(|opened| opened.link.clone()), offset }
        };
        self.all().into_iter().skip(1).map(link).collect()
    }
}

impl App {
    fn add_linked(self, source: SourceLink, link: AddedLink) {
        let Some(added) = self.traces.add(self.shell) else { return };
        match source {
            SourceLink::Url(url) => added.open_linked(&url, link.trace.entry),
            SourceLink::Sample(name) => added.replace_with(Chosen::Sample(name)),
            SourceLink::File(_) => {}
        }
        self.traces.set_offset(added, link.offset.map(Offset::by_hand));
    }

    /// Returns the link to a local file if a link waits for it, which it no longer does.
    pub(super) fn take_awaited(self, file: &FileLink) -> Option<AddedLink> {
        let is_it = |one: &AddedLink| matches!(&one.trace.source, Some(SourceLink::File(link)) if link.is(file));
        let awaited = self.awaited_traces.awaited;
        let place = awaited.with_untracked(|awaited| awaited.iter().position(is_it))?;
        awaited.try_update(|awaited| awaited.remove(place))
    }

    /// Adds a local file if a link waits for it; returns whether it does.
    pub fn add_awaited(self, file: &File, link: &FileLink) -> bool {
        let Some(found) = self.take_awaited(link) else { return false };
        if let Some(added) = self.traces.add(self.shell) {
            added.read_file(file.clone(), link.print, found.trace.entry);
            self.traces.set_offset(added, found.offset.map(Offset::by_hand));
        }
        true
    }

    /// Returns whether a link waits for local files.
    pub fn awaits_traces(self) -> bool {
        self.awaited_traces.awaited.with_untracked(|awaited| !awaited.is_empty())
    }
}

/// Names of the files that a link adds to the timeline, until they are open.
#[component]
pub fn Awaited() -> impl IntoView {
    let app = expect_context::<App>();
    let picker = expect_context::<Picker>();
    let awaited = app.traces.first().unwrap_or(app).awaited_traces.awaited;
    let name = |link: &AddedLink| match &link.trace.source {
        Some(SourceLink::File(file)) => {
            let size = file.size().map_or_else(String::new, |size| format!(", {size}"));
            format!("{}{size}", file.name)
        }
        _ => String::new(),
    };
    move || {
        let names = awaited.with(|awaited| awaited.iter().map(name).collect::<Vec<_>>());
        (!names.is_empty()).then(|| {
            view! {
                <div class="banner part" role="status" data-testid="awaited-traces">
                    <Icon shape=OPEN class="s"/>
                    <p>"This link also shows " <b>{names.join(" · ")}</b> "."</p>
                    <button class="btn" data-testid="choose-awaited" on:click=move |_| picker.open()>"Choose file…"</button>
                    <button class="btn" on:click=move |_| awaited.set(Vec::new())>"Ignore"</button>
                </div>
            }
        })
    }
}
