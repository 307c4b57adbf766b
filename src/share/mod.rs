//! Sharing: a link to the view, or a page with the trace.

pub(crate) mod copy_view;
mod excerpt;
mod page;
mod private_text;
mod save;
pub(crate) mod saving;

use crate::app::boot::is_saved;
use crate::app::state::App;
use crate::widgets::copy::copy_text;
use crate::widgets::icon::{Icon, SHARE};
use crate::widgets::menu::{Menu, MenuEntry, OpenMenu, below_button};
use leptos::prelude::*;
pub use save::SaveDialog;
use view::keys::keymap::{Command, Scope};
use view::url::added::{AddedLink, AddedView};
use view::url::compare::CompareView;
use view::url::file::FileLink;
use view::url::state::{SourceLink, TraceLink, UrlState};

/// Button that opens a menu for sharing.
#[component]
pub fn ShareButton() -> impl IntoView {
    let app = expect_context::<App>();
    let menu = RwSignal::new(None::<OpenMenu>);
    let open = move |event: leptos::ev::MouseEvent| {
        menu.set(Some(OpenMenu { at: below_button(&event), label: "Share".to_owned(), entries: entries(app) }));
    };
    view! {
        <button class="btn" aria-haspopup="menu" title="Share this view" data-testid="share" on:click=open>
            <Icon shape=SHARE/>
            <span class="lbl">"Share"</span>
        </button>
        <Menu open=menu/>
    }
}

fn entries(app: App) -> Vec<MenuEntry> {
    let entry = |command, testid| {
        MenuEntry::of(Scope::Everywhere, command, testid, move || _ = app.actions.run(Scope::Everywhere, command))
    };
    let is_copied = app.actions.can(Scope::Everywhere, Command::CopyMarkdown);
    let has_no_table = (!is_copied).then_some("Open the summary or a table");
    let is_one_already = is_saved().then_some("You're viewing a saved page; share this file");
    vec![
        entry(Command::CopyLink, "copy-link"),
        entry(Command::CopyView, "copy-view").refused(has_no_table),
        entry(Command::CopyMarkdown, "copy-markdown").refused(has_no_table),
        entry(Command::SavePage, "save-page").called("Save as HTML (viewer and trace)…").refused(is_one_already),
        entry(Command::SavePart, "save-part").called("Save filtered trace (.nettrace)…"),
    ]
}

/// Copies a link to the view.
pub fn copy_link(app: App) {
    let view = untrack(|| app.to_url());
    let page = window().location().href().unwrap_or_default();
    let page = page.split('#').next().unwrap_or_default();
    let what = match &view.trace.source {
        Some(SourceLink::File(_)) => "Link to this view (recipients need the file)",
        _ => "Link to this view",
    };
    copy_text(app.shell, format!("{page}{}", view.encode()), what);
}

/// Traces of a page beside the open one.
#[derive(Default)]
struct OthersInPage {
    /// Name of the copy of the trace that is compared with the open one, if it is a copy.
    compared: Option<Option<String>>,
    /// Those on the timeline.
    added: Vec<AddedLink>,
}

/// Returns the view as in a page that contains the trace as a file, which may be a copy with another name. With masked
/// text, keeps only the tab, the visible range and the other traces, because filters and searches contain text.
fn view_in_page(app: App, name: Option<String>, others: OthersInPage, is_masked: bool) -> UrlState {
    let mut view = untrack(|| app.to_url());
    if is_masked {
        let UrlState { tab, trace, visible, compare, added, .. } = view;
        view = UrlState { tab, trace, visible, compare, added, ..UrlState::default() };
    }
    let opened = untrack(|| app.trace_name());
    let compare = match others.compared {
        Some(name) => {
            let opened = app.compare.other.with_untracked(|other| other.as_ref().map(|one| one.opened.name.clone()));
            let other = link_in_page(view.compare.other, name, opened.unwrap_or_default());
            CompareView { other, ..view.compare }
        }
        None => CompareView::default(),
    };
    let added = AddedView { traces: others.added, ..view.added };
    UrlState { trace: link_in_page(view.trace, name, opened), compare, added, ..view }
}

/// Returns the link to a file of a page, which may be a copy with another name.
fn link_in_page(link: TraceLink, name: Option<String>, opened: String) -> TraceLink {
    // A copy isn't in an archive.
    let entry = if name.is_some() { None } else { link.entry };
    let source = match (name, link.source) {
        (None, Some(SourceLink::File(file))) => file,
        (name, _) => FileLink { name: name.unwrap_or(opened), print: None },
    };
    TraceLink { source: Some(SourceLink::File(source)), entry }
}
