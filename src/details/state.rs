//! State of the selection and its details.

use super::find::find;
use crate::app::state::page_state::{LinkedState, PageState, page_state};
use crate::app::state::{App, Selection};
use leptos::prelude::*;
use protocol::base::ids::{FunctionId, ThreadId};
use protocol::base::time::Span;
use protocol::events::connections::Connections;
use protocol::request::FrameName;
use std::sync::Arc;
use view::timeline::tracks::lane_frame::{LaneFrame, SliceRow};
use view::url::names::{link_of_thread, link_of_type, thread_of, types_of};
use view::url::selection::SelectionLink;
use wasm_bindgen_futures::spawn_local;

impl PageState for RwSignal<Selection> {
    fn reset(self) {
        if self.get_untracked() != Selection::None {
            self.set(Selection::None);
        }
    }
}

page_state! {
    /// What is known about the selection. It lags behind it.
    DetailsState {
        /// Selection as in URLs; the details add what only they know.
        link: Option<SelectionLink>,
        /// Connections of the selected event, which contain the event.
        connections: Option<Arc<Connections>>,
        /// Last selected function, by name.
        frame: Option<(FunctionId, FrameName)>,
        /// Occurrence of the selected function, if it was selected on a thread's stack.
        occurrence: Option<Occurrence>,
    }
}

/// Occurrence of a function on a thread's stack.
#[derive(Clone, PartialEq, Debug)]
pub struct Occurrence {
    pub function: FunctionId,
    pub thread: ThreadId,
    /// Its start and end.
    pub span: Span,
    /// Its callers, nearest first, with their names.
    pub callers: Vec<(SliceRow, String)>,
}

impl Occurrence {
    /// Returns the occurrence at a slice of a thread.
    pub fn new(thread: ThreadId, depth: u16, slice: &SliceRow, frame: Option<&LaneFrame>) -> Self {
        let named = |frame: &LaneFrame, caller: &SliceRow| (*caller, frame.names.get(caller.name as usize).to_owned());
        let callers = frame.map(|frame| frame.callers(depth, slice.start).map(|caller| named(frame, caller)).collect());
        Self {
            function: FunctionId(slice.function),
            thread,
            span: Span::new(slice.start, slice.end),
            callers: callers.unwrap_or_default(),
        }
    }
}

impl LinkedState for DetailsState {
    type Link = Option<SelectionLink>;

    fn to_url(self, _: App) -> Option<SelectionLink> {
        self.link.get()
    }

    fn apply_url(self, app: App, link: Option<SelectionLink>) {
        self.link.set(link.clone());
        match link {
            None => app.select(Selection::None),
            Some(SelectionLink::Thread(link)) => {
                let thread = app.with_names(|names| thread_of(names.threads, link));
                app.select(thread.map_or(Selection::None, Selection::Thread));
            }
            Some(SelectionLink::Gc(gc)) => app.select(Selection::Gc(gc)),
            Some(SelectionLink::Type(link)) => {
                let event_type = app.with_names(|names| types_of(names.types, &link).next());
                app.select(event_type.map_or(Selection::None, Selection::Type));
            }
            Some(link) => spawn_local(async move {
                if let Some(selection) = find(app, link).await {
                    app.select(selection);
                }
            }),
        }
    }
}

/// Names selections that require no query; the details name others when they are loaded.
pub fn name_selection(app: App) {
    Effect::new(move |_| {
        let link = match app.selection.get() {
            Selection::None => None,
            Selection::Thread(thread) => {
                app.with_names(|names| link_of_thread(names.threads, thread)).map(SelectionLink::Thread)
            }
            Selection::Gc(gc) => Some(SelectionLink::Gc(gc)),
            Selection::Type(event_type) => {
                app.with_names(|names| link_of_type(names.types, event_type)).map(SelectionLink::Type)
            }
            Selection::Event(_) | Selection::Function(_) => return,
        };
        if app.details.link.get_untracked() != link {
            app.details.link.set(link);
        }
    });
}
