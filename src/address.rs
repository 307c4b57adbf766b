//! Keeps the page and its URL in step: views can be linked, reloaded, and reached by the history.

use crate::app::boot::policy_allows;
use crate::app::browser::reload;
use crate::app::shell::Chosen;
use crate::app::state::{App, PendingFile, Screen};
use crate::details::state::name_selection;
use crate::embed::view_of;
use leptos::ev;
use leptos::prelude::*;
use std::time::Duration;
use view::url::state::{SourceLink, TraceLink, UrlState};
use wasm_bindgen::JsValue;

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
    if let Some(embedding) = app.embedding {
        embedding.connect(app, move |view| address.take_on(view));
    }
    let handle = window_event_listener(ev::popstate, move |_| address.read());
    on_cleanup(move || handle.remove());
    name_selection(app);
    Effect::new(move |before: Option<Screen>| {
        let screen = app.screen.get();
        match (&before, &screen) {
            (Some(Screen::Workspace), Screen::Workspace) => {}
            (_, Screen::Workspace) => address.trace_opened(),
            (Some(Screen::Workspace), Screen::Failed(_)) => address.worker_lost(),
            (Some(Screen::Failed(_)), Screen::Loading) => address.keep_awaited_of(&opened_link(app)),
            _ => {}
        }
        screen
    });
    Effect::new(move |_| {
        if app.screen.get() == Screen::Workspace {
            address.follow(app.to_url());
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
        let state = if self.app.embedding.is_some() { view_of(&hash) } else { UrlState::decode(&hash) };
        let open = self.app.screen.get_untracked() == Screen::Workspace;
        self.written.set_value(state.clone());
        if open && opened_link(self.app).is(&state.trace) {
            return self.take_on(state);
        }
        self.app.opening.awaited.set(None);
        let TraceLink { source, entry } = state.trace.clone();
        if source.is_some() {
            self.await_trace(state);
        }
        match source {
            Some(SourceLink::Sample(name)) => self.app.replace_with(Chosen::Sample(name)),
            // Its host may need another policy than the current one. The URL is in place.
            Some(SourceLink::Url(url)) if open && self.app.embedding.is_none() && !policy_allows(&url) => reload(),
            Some(SourceLink::Url(url)) => self.app.open_linked(&url, entry),
            Some(SourceLink::File(link)) => {
                if open {
                    self.app.close();
                }
                self.app.opening.awaited.set(Some(PendingFile { link, entry, other: None }));
            }
            None if open => self.app.close(),
            None => {}
        }
    }

    /// Resets the URL on the start page, unless the page waits for a local file.
    fn landed(self) {
        if self.app.opening.awaited.with(Option::is_some) {
            return;
        }
        self.forget_awaited();
        if self.written.with_value(|state| state.trace.source.is_some()) {
            self.written.set_value(UrlState::default());
            if self.app.embedding.is_none() {
                write("#/", true);
            }
        }
    }

    /// Shows a view after its trace has been loaded completely.
    fn await_trace(self, state: UrlState) {
        self.awaited.set_value(Some(state));
        self.app.opening.is_linked.set_value(true);
    }

    fn forget_awaited(self) {
        self.awaited.set_value(None);
        self.app.opening.is_linked.set_value(false);
    }

    /// Restores the view after a crash, when the trace is read again.
    fn worker_lost(self) {
        let view = Some(self.written.get_value());
        let is_lost_again = self.lost.with_value(|lost| *lost == view);
        self.lost.set_value(view.clone());
        if let Some(view) = view.filter(|_| !is_lost_again) {
            self.await_trace(view);
        }
    }

    /// Stops waiting for a view of another trace when something is opened after a failure.
    fn keep_awaited_of(self, opened: &TraceLink) {
        let is_other = |state: &Option<UrlState>| state.as_ref().is_some_and(|state| !state.trace.is(opened));
        if self.app.opening.awaited.with_untracked(Option::is_none) && self.awaited.with_value(is_other) {
            self.forget_awaited();
        }
    }

    fn trace_opened(self) {
        self.restore_opened();
        self.app.combine_saved();
    }

    /// Shows the view of the trace that was opened.
    fn restore_opened(self) {
        let opened = opened_link(self.app);
        let other = self.app.opening.awaited.get_untracked().and_then(|awaited| awaited.other);
        self.app.opening.awaited.set(None);
        let awaited = self.awaited.try_update_value(Option::take).flatten();
        self.app.opening.is_linked.set_value(false);
        if let Some(embedding) = self.app.embedding
            && let Some(view) = embedding.take_awaited(opened.clone())
        {
            embedding.record(&view, true);
            return self.take_on(view);
        }
        match (awaited, untrack(|| self.app.whole_span())) {
            (Some(state), _) if opened.has_source(state.trace.source.as_ref()) => self.take_on(state),
            // The user opened another file than the one in the link.
            (Some(state), Some(whole))
                if opened.has_source(other.map(|other| SourceLink::File(other.link)).as_ref()) =>
            {
                self.app.shell.say("Parts of the linked view that don't apply to this file were ignored.".to_owned());
                self.take_on(state.fitted(whole));
            }
            _ => {}
        }
    }

    /// Updates the URL. Adds a history entry for a step, unless it corrects a view that was just restored.
    fn follow(self, now: UrlState) {
        let before = self.written.get_value();
        if now == before {
            return;
        }
        if !now.is_step_from(&before) {
            return self.rewrite_soon();
        }
        // Switching tabs is never a correction, so that users can go back after switching early.
        let is_corrected = self.settling.get_value() && now.tab == before.tab;
        self.write(&now, !is_corrected);
        self.written.set_value(now);
        self.settling.set_value(false);
    }

    fn rewrite_soon(self) {
        let moves = self.moves.get_value().wrapping_add(1);
        self.moves.set_value(moves);
        set_timeout(
            move || {
                if self.moves.get_value() == moves && self.app.screen.get_untracked() == Screen::Workspace {
                    let now = untrack(|| self.app.to_url());
                    self.write(&now, false);
                    self.written.set_value(now);
                }
            },
            REWRITE_AFTER,
        );
    }

    /// Records a view; `step` adds an entry to the history.
    fn write(self, view: &UrlState, step: bool) {
        match self.app.embedding {
            Some(embedding) => embedding.record(view, step),
            None => write(&view.encode(), step),
        }
    }

    /// Applies a view to the open trace.
    fn take_on(self, state: UrlState) {
        self.written.set_value(state.clone());
        self.settling.set_value(true);
        set_timeout(move || self.settling.set_value(false), REWRITE_AFTER);
        self.app.apply_url(state);
    }
}

/// Returns the trace that is open or being opened.
fn opened_link(app: App) -> TraceLink {
    app.opening.opened.with_untracked(|opened| opened.link.clone())
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
