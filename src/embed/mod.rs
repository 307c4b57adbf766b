//! Control of the page by the page around its frame. docs/embed.md documents the messages between them.

mod message;
mod reports;
mod requests;
mod waiting;

pub use waiting::Waiting;

use crate::app::boot::embedder;
use crate::app::state::App;
use crate::commands::shortcuts::meaning;
use leptos::ev;
use leptos::prelude::*;
use message::Message;
use protocol::{Failure, FailureCode};
use std::rc::Rc;
use view::keys::keymap::{Command, Scope};
use view::url::history::History;
use view::url::state::{TraceLink, UrlState};
use wasm_bindgen::JsValue;

/// Connection to the page around the frame. Copies are handles to the same state.
#[derive(Clone, Copy)]
pub struct Embedding {
    /// Origin of the page around the frame.
    origin: StoredValue<String>,
    /// ID of the request that opened the trace.
    opened_by: StoredValue<JsValue, LocalStorage>,
    /// View to show after the trace is open.
    awaited: StoredValue<Option<UrlState>>,
    /// Views of the open trace. The browser's history belongs to the page around the frame.
    history: StoredValue<History<UrlState>>,
    restore: StoredValue<Rc<dyn Fn(UrlState)>, LocalStorage>,
}

impl Embedding {
    /// Returns the connection, if the page is in a frame that allows it.
    pub fn start() -> Option<Self> {
        let origin = embedder()?;
        if let Some(root) = document().document_element() {
            // Setting a valid attribute can't fail.
            let _ = root.set_attribute("data-embedded", "");
        }
        Some(Self {
            origin: StoredValue::new(origin),
            opened_by: StoredValue::new_local(JsValue::UNDEFINED),
            awaited: StoredValue::new(None),
            history: StoredValue::new(History::default()),
            restore: StoredValue::new_local(Rc::new(|_| {})),
        })
    }

    /// Ignores the shortcuts of commands that the host carries out. Must be called before others listen to shortcuts:
    /// they ignore what is handled.
    pub fn take_shortcuts(self) {
        let keys = window_event_listener(ev::keydown, |event| {
            if meaning(Scope::Everywhere, &event).is_some_and(is_of_host) {
                event.prevent_default();
            }
        });
        on_cleanup(move || keys.remove());
    }

    /// Listens to requests, reports events, and reports that the page is ready. `restore` applies a view to the open
    /// trace.
    pub fn connect(self, app: App, restore: impl Fn(UrlState) + 'static) {
        self.restore.set_value(Rc::new(restore));
        reports::start(app, self);
        requests::listen(app, self);
    }

    /// Returns the view that the host wants to see of the trace that it opened, once.
    pub fn take_awaited(self, trace: TraceLink) -> Option<UrlState> {
        let view = self.awaited.try_update_value(Option::take).flatten()?;
        Some(UrlState { trace, ..view })
    }

    /// Records and reports a view of the open trace; `step` adds a step to the history.
    pub fn record(self, view: &UrlState, step: bool) {
        self.history.update_value(|history| match step {
            true => history.push(view.clone()),
            false => history.replace(view.clone()),
        });
        self.post(Message::new("view").with("view", text_of(view)));
    }

    /// Returns the failure to open a URL of another origin than the host's.
    pub fn refused_url(self) -> Failure {
        let origin = self.origin.get_value();
        Failure::new(FailureCode::Fetch, format!("An embedded page loads traces from {origin} only."))
    }

    /// Goes one view back or forward.
    pub fn go(self, command: Command) {
        let view = self.history.try_update_value(|history| match command {
            Command::GoBack => history.back().cloned(),
            _ => history.forward().cloned(),
        });
        if let Some(view) = view.flatten() {
            self.post(Message::new("view").with("view", text_of(&view)));
            self.restore(view);
        }
    }

    /// Applies a view to the open trace.
    fn restore(self, view: UrlState) {
        // Called outside the store, because it may use the connection.
        let restore = self.restore.get_value();
        restore(view);
    }

    /// Prepares the state for a trace that a request opens.
    fn begin(self, id: JsValue, view: Option<UrlState>) {
        self.opened_by.set_value(id);
        self.awaited.set_value(view);
        self.history.set_value(History::default());
    }

    /// Sends a message to the page around the frame, and to no other that may have taken its place.
    fn post(self, message: Message) {
        let parent = window().parent().ok().flatten();
        // Without a page around the frame, or with one of another origin, nobody receives it.
        let _ = parent.map(|parent| self.origin.with_value(|origin| parent.post_message(&message.into(), origin)));
    }
}

/// Returns whether a command opens, closes or shares traces, which the page around a frame does.
pub fn is_of_host(command: Command) -> bool {
    matches!(
        command,
        Command::Open
            | Command::OpenAddress
            | Command::CloseTrace
            | Command::CopyLink
            | Command::SavePage
            | Command::SavePart
    )
}

/// Returns a view as the host stores it: without the source of the trace, which the host knows.
fn text_of(view: &UrlState) -> String {
    let trace = TraceLink { source: None, entry: view.trace.entry.clone() };
    UrlState { trace, ..view.clone() }.encode()
}

/// Reads a view from a host, which opens one trace only.
pub fn view_of(text: &str) -> UrlState {
    UrlState { compare: Default::default(), ..UrlState::decode(text) }
}
