//! Keeps the page and its URL in step: views can be linked, reloaded, and reached by the history.

mod names;

use super::start;
use crate::app::shell::Chosen;
use crate::app::state::find::find;
use crate::app::state::{App, Opened, PendingFile, Screen, Selection, Tab};
use leptos::ev;
use leptos::prelude::*;
use names::{filter_of, link_of_filter, link_of_own_thread, link_of_type, own_thread_of, types_of};
pub use names::{link_of_thread, thread_of};
use std::time::Duration;
use view::url::file::FileLink;
use view::url::metadata::MetadataView;
use view::url::report::ReportView;
use view::url::selection::SelectionLink;
use view::url::state::{SourceLink, UrlState};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;

/// Delay after panning and zooming before the URL is updated: updates take longer than drawing a frame, and browsers
/// reject more than about 100 per half-minute.
const REWRITE_AFTER: Duration = Duration::from_millis(350);

#[derive(Clone, Copy)]
struct Address {
    app: App,
    /// Current content of the URL.
    written: StoredValue<UrlState>,
    /// View to show after its trace is open.
    awaited: StoredValue<Option<UrlState>>,
    /// View that was visible when the worker crashed. If it crashes the next worker, too, it isn't restored again.
    lost: StoredValue<Option<UrlState>>,
    /// Number of changes that affected only the timeline.
    moves: StoredValue<u32>,
    /// True if a view was just restored: corrections of it replace the history entry instead of adding one.
    settling: StoredValue<bool>,
}

/// Opens the view in the URL, and keeps URL and page in step from then on.
pub fn start(app: App) {
    let address = Address {
        app,
        written: StoredValue::new(UrlState::default()),
        awaited: StoredValue::new(None),
        lost: StoredValue::new(None),
        moves: StoredValue::new(0),
        settling: StoredValue::new(false),
    };
    let handle = window_event_listener(ev::popstate, move |_| address.read());
    on_cleanup(move || handle.remove());
    Effect::new(move |_| address.name_selection());
    Effect::new(move |before: Option<Screen>| {
        let screen = app.screen.get();
        match (&before, &screen) {
            (Some(Screen::Workspace), Screen::Workspace) => {}
            (_, Screen::Workspace) => address.trace_opened(),
            (Some(Screen::Workspace), Screen::Failed(_)) => address.reader_lost(),
            (Some(Screen::Failed(_)), Screen::Loading) => address.keep_awaited_of(&app.opened.get_untracked()),
            _ => {}
        }
        screen
    });
    Effect::new(move |_| {
        if app.screen.get() == Screen::Workspace {
            address.follow(view_of(app));
        }
    });
    Effect::new(move |_| {
        if app.screen.get() == Screen::Landing {
            address.landed();
        }
    });
    address.read();
}

impl Address {
    /// Reads the URL.
    fn read(self) {
        let hash = window().location().hash().unwrap_or_default();
        if UrlState::is_newer(&hash) {
            let words = "This link was made with a newer version; unsupported settings were ignored.";
            self.app.shell.say(words.to_owned());
        }
        let state = UrlState::decode(&hash);
        let open = self.app.screen.get_untracked() == Screen::Workspace;
        self.written.set_value(state.clone());
        let opened = self.app.opened.get_untracked();
        if open && are_same(&source_of(&opened), &state.source) && opened.entry == state.entry {
            return self.take_on(state);
        }
        self.app.awaited.set(None);
        match state.source.clone() {
            Some(SourceLink::Sample(name)) => {
                self.await_trace(state);
                self.app.open(Chosen::Sample(name));
            }
            Some(SourceLink::Url(url)) => {
                let entry = state.entry.clone();
                self.await_trace(state);
                if open {
                    // Its host may need another policy than the current one.
                    start::open_address(self.app.shell, &url, entry);
                } else {
                    self.app.open_linked(&url, entry);
                }
            }
            Some(SourceLink::File(link)) => {
                let entry = state.entry.clone();
                self.await_trace(state);
                if open {
                    self.app.close();
                }
                self.app.awaited.set(Some(PendingFile { link, entry, other: None }));
            }
            None if open => self.app.close(),
            None => {}
        }
    }

    /// Resets the URL on the start page, unless the page waits for a local file.
    fn landed(self) {
        if self.app.awaited.with(Option::is_some) {
            return;
        }
        self.forget_awaited();
        if self.written.with_value(|state| state.source.is_some()) {
            self.written.set_value(UrlState::default());
            write("#/", true);
        }
    }

    /// Shows a view after its trace has been loaded completely.
    fn await_trace(self, state: UrlState) {
        self.awaited.set_value(Some(state));
        self.app.is_linked.set_value(true);
    }

    fn forget_awaited(self) {
        self.awaited.set_value(None);
        self.app.is_linked.set_value(false);
    }

    /// Restores the view after a crash, when the trace is read again.
    fn reader_lost(self) {
        let view = Some(self.written.get_value());
        let is_lost_again = self.lost.with_value(|lost| *lost == view);
        self.lost.set_value(view.clone());
        if let Some(view) = view.filter(|_| !is_lost_again) {
            self.await_trace(view);
        }
    }

    /// Stops waiting for a view of another trace when something is opened after a failure.
    fn keep_awaited_of(self, opened: &Opened) {
        let is_other = |state: &Option<UrlState>| {
            state
                .as_ref()
                .is_some_and(|state| !are_same(&state.source, &source_of(opened)) || state.entry != opened.entry)
        };
        if self.app.awaited.with_untracked(Option::is_none) && self.awaited.with_value(is_other) {
            self.forget_awaited();
        }
    }

    fn trace_opened(self) {
        let source = source_of(&self.app.opened.get_untracked());
        let other = self.app.awaited.get_untracked().and_then(|awaited| awaited.other);
        self.app.awaited.set(None);
        let awaited = self.awaited.try_update_value(Option::take).flatten();
        self.app.is_linked.set_value(false);
        let whole = self.app.trace.with_untracked(|trace| trace.as_ref().map(|trace| trace.user_span));
        match (awaited, whole) {
            (Some(state), _) if are_same(&state.source, &source) => self.take_on(state),
            // The user opened another file than the one in the link.
            (Some(state), Some(whole)) if are_same(&other.map(|other| SourceLink::File(other.link)), &source) => {
                self.app.shell.say("Parts of the linked view that don't apply to this file were ignored.".to_owned());
                self.take_on(state.fitted(whole));
            }
            _ => self.app.tab.set(Tab::default()),
        }
    }

    /// Updates the URL. Adds a history entry, unless only the timeline, column widths, the selected byte or the search
    /// in a table have changed.
    fn follow(self, now: UrlState) {
        let before = self.written.get_value();
        if now == before {
            return;
        }
        let looks = UrlState {
            visible: now.visible,
            tracks: now.tracks.clone(),
            clock: now.clock,
            columns: before.columns.with_widths_of(&now.columns),
            metadata: MetadataView { byte: now.metadata.byte, ..before.metadata },
            report: ReportView { find: now.report.find.clone(), ..before.report.clone() },
            ..before.clone()
        };
        let moved_only = looks == now;
        if moved_only {
            return self.rewrite_soon();
        }
        // The fingerprint of a file is known some time after the file is open.
        let is_named_better =
            UrlState { source: now.source.clone(), ..before.clone() } == now && are_same(&before.source, &now.source);
        // Switching tabs is never a correction, so that users can go back after switching early.
        let is_corrected = self.settling.get_value() && now.tab == before.tab;
        self.written.set_value(now.clone());
        write(&now.encode(), !is_corrected && !is_named_better);
        self.settling.set_value(false);
    }

    fn rewrite_soon(self) {
        let moves = self.moves.get_value().wrapping_add(1);
        self.moves.set_value(moves);
        set_timeout(
            move || {
                if self.moves.get_value() == moves && self.app.screen.get_untracked() == Screen::Workspace {
                    let now = untrack(|| view_of(self.app));
                    self.written.set_value(now.clone());
                    write(&now.encode(), false);
                }
            },
            REWRITE_AFTER,
        );
    }

    /// Applies a view to the open trace.
    fn take_on(self, state: UrlState) {
        let app = self.app;
        self.written.set_value(state.clone());
        self.settling.set_value(true);
        set_timeout(move || self.settling.set_value(false), REWRITE_AFTER);
        app.tab.set(state.tab);
        app.order.set(state.order);
        app.event_columns.set(state.columns);
        app.groups.set(state.groups);
        app.stacks.set(state.stacks);
        app.metadata.set(state.metadata);
        if let Tab::Topic(topic) = state.tab {
            app.reports.update(|looks| _ = looks.insert(topic, state.report));
        }
        app.timeline.tracks.set(state.tracks);
        app.timeline.clock.set(state.clock);
        app.timeline.saved_ranges.set(state.saved_ranges);
        let whole = app.trace.with_untracked(|trace| trace.as_ref().map(|trace| trace.user_span));
        if let Some(visible) = state.visible.or(whole) {
            app.visible.set(visible);
        }
        app.baseline.set(filter_of(app, state.baseline));
        app.refilter(|filter| *filter = filter_of(app, state.filter));
        app.selection_link.set(state.selection.clone());
        match state.selection {
            None => app.select(Selection::None),
            Some(SelectionLink::Thread(link)) => {
                app.select(own_thread_of(app, link).map_or(Selection::None, Selection::Thread));
            }
            Some(SelectionLink::Gc(gc)) => app.select(Selection::Gc(gc)),
            Some(SelectionLink::Type(link)) => {
                app.select(types_of(app, &link).next().map_or(Selection::None, Selection::Type));
            }
            Some(link) => spawn_local(async move {
                if let Some(selection) = find(app, link).await {
                    app.select(selection);
                }
            }),
        }
    }

    /// Names a selection that requires no query; the details name others when they are loaded.
    fn name_selection(self) {
        let link = match self.app.selection.get() {
            Selection::None => None,
            Selection::Thread(thread) => link_of_own_thread(self.app, thread).map(SelectionLink::Thread),
            Selection::Gc(gc) => Some(SelectionLink::Gc(gc)),
            Selection::Type(event_type) => link_of_type(self.app, event_type).map(SelectionLink::Type),
            Selection::Event(_) | Selection::Function(_) => return,
        };
        if self.app.selection_link.get_untracked() != link {
            self.app.selection_link.set(link);
        }
    }
}

/// Returns the state of the page as a URL. Reads all signals that may change it.
pub fn view_of(app: App) -> UrlState {
    let (filter, visible) = (app.filter.get(), app.visible.get());
    let whole = app.trace.with(|trace| trace.as_ref().map(|trace| trace.user_span));
    UrlState {
        tab: app.tab.get(),
        source: source_of(&app.opened.get()),
        entry: app.opened.get().entry,
        visible: (Some(visible) != whole && visible.duration() > 0).then_some(visible),
        filter: link_of_filter(app, filter),
        baseline: link_of_filter(app, app.baseline.get()),
        selection: app.selection_link.get(),
        order: app.order.get(),
        columns: app.event_columns.get(),
        groups: app.groups.get(),
        stacks: app.stacks.get(),
        metadata: app.metadata.get(),
        report: app.report_look(),
        tracks: app.timeline.tracks.get(),
        clock: app.timeline.clock.get(),
        saved_ranges: app.timeline.saved_ranges.get(),
    }
}

fn source_of(opened: &Opened) -> Option<SourceLink> {
    if let Some(sample) = &opened.sample {
        return Some(SourceLink::Sample(sample.clone()));
    }
    if let Some(url) = &opened.url {
        return Some(SourceLink::Url(url.clone()));
    }
    let file = || SourceLink::File(FileLink { name: opened.name.clone(), print: opened.print });
    (!opened.name.is_empty()).then(file)
}

fn are_same(one: &Option<SourceLink>, other: &Option<SourceLink>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.is(other),
        _ => one.is_none() && other.is_none(),
    }
}

/// Writes the URL; `step` adds a history entry.
fn write(hash: &str, step: bool) {
    let Ok(history) = window().history() else { return };
    // Browsers reject frequent updates; the next change writes the URL again.
    let _ = if step {
        history.push_state_with_url(&JsValue::NULL, "", Some(hash))
    } else {
        history.replace_state_with_url(&JsValue::NULL, "", Some(hash))
    };
}
