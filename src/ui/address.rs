//! The page and its address agree: what is shown can be linked, reloaded, and gone back to.

use super::find::find;
use super::shell::Chosen;
use super::start;
use super::state::{App, Opened, Screen, Selection, Tab};
use crate::model::ids::{ThreadId, TypeId};
use crate::model::sort::sort_by_key;
use crate::protocol::request::Filter;
use crate::protocol::tables;
use crate::view::selection_link::SelectionLink;
use crate::view::url_state::{FilterLink, SourceLink, ThreadLink, TypeLink, UrlState};
use leptos::ev;
use leptos::prelude::*;
use std::time::Duration;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;

/// Panning and zooming rewrite the address when they have rested for so long: it takes longer than drawing a frame, and
/// browsers refuse more than about 100 a half-minute.
const REWRITE_AFTER: Duration = Duration::from_millis(350);

#[derive(Clone, Copy)]
struct Address {
    app: App,
    /// What the address bar holds now.
    written: StoredValue<UrlState>,
    /// A view to take on once its trace is open.
    awaited: StoredValue<Option<UrlState>>,
    /// How often only the timeline came to look different.
    moves: StoredValue<u32>,
    /// A view was just taken on: what of it could not be is corrected in place, not as a step in the history.
    settling: StoredValue<bool>,
}

/// Opens what the address says, and keeps the two in step from then on.
pub fn start(app: App) {
    let address = Address {
        app,
        written: StoredValue::new(UrlState::default()),
        awaited: StoredValue::new(None),
        moves: StoredValue::new(0),
        settling: StoredValue::new(false),
    };
    let handle = window_event_listener(ev::popstate, move |_| address.read());
    on_cleanup(move || handle.remove());
    Effect::new(move |_| address.name_selection());
    Effect::new(move |before: Option<Screen>| {
        let screen = app.screen.get();
        if screen == Screen::Workspace && before.as_ref() != Some(&Screen::Workspace) {
            address.trace_opened();
        }
        screen
    });
    Effect::new(move |_| {
        if app.screen.get() == Screen::Workspace {
            address.follow(address.current());
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
    /// The address as it is in the bar.
    fn read(self) {
        let state = UrlState::decode(&window().location().hash().unwrap_or_default());
        let open = self.app.screen.get_untracked() == Screen::Workspace;
        self.written.set_value(state.clone());
        let opened = self.app.opened.get_untracked();
        if open && source_of(&opened) == state.source && opened.entry == state.entry {
            return self.take_on(state);
        }
        self.app.shell.awaited_file.set(None);
        match state.source.clone() {
            Some(SourceLink::Sample(name)) => {
                self.await_trace(state);
                self.app.open(Chosen::Sample(name));
            }
            Some(SourceLink::Url(url)) => {
                let entry = state.entry.clone();
                self.await_trace(state);
                if open {
                    // Its host may need another policy than the one this page runs under.
                    start::open_address(self.app.shell, &url, entry);
                } else {
                    self.app.open_linked(&url, entry);
                }
            }
            Some(SourceLink::File(name)) => {
                self.await_trace(state);
                if open {
                    self.app.close();
                }
                self.app.shell.awaited_file.set(Some(name));
            }
            None if open => self.app.close(),
            None => {}
        }
    }

    /// The first screen has an address of its own, except while it waits for a file to come back to.
    fn landed(self) {
        if self.app.shell.awaited_file.get().is_none() && self.written.with_value(|state| state.source.is_some()) {
            self.forget_awaited();
            self.written.set_value(UrlState::default());
            write("#/", true);
        }
    }

    /// Takes a view on when its trace is open as a whole.
    fn await_trace(self, state: UrlState) {
        self.awaited.set_value(Some(state));
        self.app.is_linked.set_value(true);
    }

    fn forget_awaited(self) {
        self.awaited.set_value(None);
        self.app.is_linked.set_value(false);
    }

    fn trace_opened(self) {
        let source = source_of(&self.app.opened.get_untracked());
        self.app.shell.awaited_file.set(None);
        let awaited = self.awaited.try_update_value(Option::take).flatten();
        self.app.is_linked.set_value(false);
        match awaited {
            Some(state) if state.source == source => self.take_on(state),
            _ => self.app.tab.set(Tab::default()),
        }
    }

    /// What the page shows, as an address. Reads everything that may change it.
    fn current(self) -> UrlState {
        let app = self.app;
        let (filter, visible) = (app.filter.get(), app.visible.get());
        let whole = app.trace.with(|trace| trace.as_ref().map(|trace| trace.user_span));
        UrlState {
            tab: app.tab.get(),
            source: source_of(&app.opened.get()),
            entry: app.opened.get().entry,
            visible: (Some(visible) != whole && visible.duration() > 0).then_some(visible),
            filter: self.link_of_filter(filter),
            baseline: self.link_of_filter(app.baseline.get()),
            selection: app.selection_link.get(),
            order: app.order.get(),
            columns: app.event_columns.get(),
            groups: app.groups.get(),
            stacks: app.stacks.get(),
            tracks: app.timeline.tracks.get(),
            clock: app.timeline.clock.get(),
            bookmarks: app.timeline.bookmarks.get(),
        }
    }

    /// Brings the address bar in step: a step of its own in the history, unless only the timeline looks different.
    fn follow(self, now: UrlState) {
        let before = self.written.get_value();
        if now == before {
            return;
        }
        let looks = UrlState { visible: now.visible, tracks: now.tracks.clone(), clock: now.clock, ..before.clone() };
        let moved_only = looks == now;
        if moved_only {
            return self.rewrite_soon();
        }
        self.written.set_value(now.clone());
        write(&now.encode(), !self.settling.get_value());
        self.settling.set_value(false);
    }

    fn rewrite_soon(self) {
        let moves = self.moves.get_value().wrapping_add(1);
        self.moves.set_value(moves);
        set_timeout(
            move || {
                if self.moves.get_value() == moves && self.app.screen.get_untracked() == Screen::Workspace {
                    let now = untrack(|| self.current());
                    self.written.set_value(now.clone());
                    write(&now.encode(), false);
                }
            },
            REWRITE_AFTER,
        );
    }

    /// Shows what an address describes of the open trace.
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
        app.timeline.tracks.set(state.tracks);
        app.timeline.clock.set(state.clock);
        app.timeline.bookmarks.set(state.bookmarks);
        let whole = app.trace.with_untracked(|trace| trace.as_ref().map(|trace| trace.user_span));
        if let Some(visible) = state.visible.or(whole) {
            app.visible.set(visible);
        }
        app.baseline.set(self.filter_of(state.baseline));
        app.refilter(|filter| *filter = self.filter_of(state.filter));
        app.selection_link.set(state.selection.clone());
        match state.selection {
            None => app.select(Selection::None),
            Some(SelectionLink::Thread(link)) => {
                app.select(self.thread_of(link).map_or(Selection::None, Selection::Thread));
            }
            Some(SelectionLink::Collection(collection)) => app.select(Selection::Collection(collection)),
            Some(SelectionLink::Type(link)) => {
                app.select(self.types_of(&link).next().map_or(Selection::None, Selection::Type));
            }
            Some(link) => spawn_local(async move {
                if let Some(selection) = find(app, link).await {
                    app.select(selection);
                }
            }),
        }
    }

    /// Names a selection that needs no question; the details drawer names the others when it knows them.
    fn name_selection(self) {
        let link = match self.app.selection.get() {
            Selection::None => None,
            Selection::Thread(thread) => self.link_of_thread(thread).map(SelectionLink::Thread),
            Selection::Collection(collection) => Some(SelectionLink::Collection(collection)),
            Selection::Type(event_type) => self.link_of_type(event_type).map(SelectionLink::Type),
            Selection::Event(_) | Selection::Function(_) => return,
        };
        if self.app.selection_link.get_untracked() != link {
            self.app.selection_link.set(link);
        }
    }

    fn link_of_filter(self, filter: Filter) -> FilterLink {
        FilterLink {
            range: filter.span,
            processes: filter.processes,
            threads: filter.threads.iter().filter_map(|thread| self.link_of_thread(*thread)).collect(),
            providers: filter.providers,
            types: filter.types.iter().filter_map(|event_type| self.link_of_type(*event_type)).collect(),
            query: filter.query,
            labels: filter.labels,
            frames: filter.frames,
            level: filter.level,
        }
    }

    fn filter_of(self, link: FilterLink) -> Filter {
        Filter {
            span: link.range,
            processes: link.processes,
            threads: link.threads.iter().filter_map(|link| self.thread_of(*link)).collect(),
            providers: link.providers,
            types: link.types.iter().flat_map(|link| self.types_of(link)).collect(),
            query: link.query,
            labels: link.labels,
            frames: link.frames,
            level: link.level,
        }
    }

    fn link_of_thread(self, thread: ThreadId) -> Option<ThreadLink> {
        self.app.threads.with(|threads| link_of_thread(threads.as_ref()?, thread))
    }

    fn thread_of(self, link: ThreadLink) -> Option<ThreadId> {
        self.app.threads.with_untracked(|threads| thread_of(threads.as_ref()?, link))
    }

    fn link_of_type(self, event_type: TypeId) -> Option<TypeLink> {
        self.app.types.with(|types| {
            let types = types.as_ref()?;
            let row = types.event_type.iter().position(|id| *id == event_type.0)?;
            Some(TypeLink {
                provider: types.provider.get(row).to_owned(),
                event_id: *types.event_id.get(row)?,
                version: *types.version.get(row)?,
            })
        })
    }

    fn types_of(self, link: &TypeLink) -> impl Iterator<Item = TypeId> + use<> {
        let types = self.app.types.get_untracked();
        let rows: Vec<TypeId> = types.map_or_else(Vec::new, |types| {
            (0..types.event_type.len())
                .filter(|row| {
                    types.provider.get(*row) == link.provider
                        && types.event_id.get(*row) == Some(&link.event_id)
                        && types.version.get(*row) == Some(&link.version)
                })
                .filter_map(|row| types.event_type.get(row).map(|id| TypeId(*id)))
                .collect()
        });
        rows.into_iter()
    }
}

/// How an address names a thread.
pub fn link_of_thread(threads: &tables::Threads, thread: ThreadId) -> Option<ThreadLink> {
    let os_thread = *threads.os_thread.get(super::labels::row_of_thread(threads, thread)?)?;
    let nth = same_number(threads, os_thread).iter().position(|id| *id == thread.0)? as u32;
    Some(ThreadLink { os_thread, nth })
}

/// The thread that an address names.
pub fn thread_of(threads: &tables::Threads, link: ThreadLink) -> Option<ThreadId> {
    same_number(threads, link.os_thread).get(link.nth as usize).map(|id| ThreadId(*id))
}

/// Threads with the operating system's number, oldest first.
fn same_number(threads: &tables::Threads, os_thread: u64) -> Vec<u32> {
    let mut ids: Vec<u32> = threads
        .thread
        .iter()
        .zip(&threads.os_thread)
        .filter(|(_, number)| **number == os_thread)
        .map(|(id, _)| *id)
        .collect();
    sort_by_key(&mut ids, |id| *id);
    ids
}

fn source_of(opened: &Opened) -> Option<SourceLink> {
    if let Some(sample) = &opened.sample {
        return Some(SourceLink::Sample(sample.clone()));
    }
    if let Some(url) = &opened.url {
        return Some(SourceLink::Url(url.clone()));
    }
    (!opened.name.is_empty()).then(|| SourceLink::File(opened.name.clone()))
}

/// Writes the address bar; `step` makes it a step of its own in the history.
fn write(hash: &str, step: bool) {
    let Ok(history) = window().history() else { return };
    // Browsers refuse when it is written too often; the next change writes it again.
    let _ = if step {
        history.push_state_with_url(&JsValue::NULL, "", Some(hash))
    } else {
        history.replace_state_with_url(&JsValue::NULL, "", Some(hash))
    };
}
