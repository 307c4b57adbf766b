//! Shared state of the page, and its operations.

pub mod find;
mod opening;
pub mod timeline_choices;

pub use super::opened::{Opened, Screen};
use super::saving::Saving;
use super::shell::Shell;
use crate::commands::actions::Actions;
use crate::trace::client::{Client, LoadUpdate, OnLoadUpdate, Source};
use crate::trace::files;
use crate::trace::latest::LatestRequest;
use find::find_selected;
use leptos::prelude::*;
pub use opening::{OtherFile, PendingFile};
use protocol::base::ids::{EventId, FunctionId, ThreadId, TypeId};
use protocol::base::time::Span;
use protocol::events::connections::Connections;
use protocol::reply::{Progress, Summary};
use protocol::request::{EventOrder, Filter, FrameName, GroupQuery};
use protocol::topics::report::TopicPresence;
use protocol::topics::topic::Topic;
use protocol::{Answer, Failure, FailureCode, Packed, Query, Reply, queries, tables};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use timeline_choices::TimelineChoices;
use view::events::columns::EventColumns;
use view::page::tab;
use view::url::metadata::{MetadataPart, MetadataView};
use view::url::report::ReportView;
use view::url::selection::{GcLink, SelectionLink};
pub use view::url::stacks::StackView;
use view::url::stacks::StacksView;
pub use view::url::state::Tab;
use wasm_bindgen_futures::spawn_local;

/// Subject of the details.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Selection {
    /// None: the details are closed.
    #[default]
    None,
    /// Event.
    Event(EventId),
    /// Function.
    Function(FunctionId),
    /// Thread.
    Thread(ThreadId),
    /// GC.
    Gc(GcLink),
    /// Event type.
    Type(TypeId),
}

/// Shared state of the page. Copies are handles to the same state.
#[derive(Clone, Copy)]
pub struct App {
    /// State shared with the start page.
    pub shell: Shell,
    /// Current screen.
    pub screen: RwSignal<Screen>,
    /// Trace that is open or being opened.
    pub opened: RwSignal<Opened>,
    /// Summary of the open trace.
    pub trace: RwSignal<Option<Arc<Summary>>>,
    /// Revision of the open trace, raised when more of it has been read, so that visible data must be requested again.
    pub revision: RwSignal<u32>,
    /// All threads of the open trace, busiest first, regardless of the filter.
    pub threads: RwSignal<Option<Arc<tables::Threads>>>,
    /// All event types of the open trace.
    pub types: RwSignal<Option<Arc<tables::Types>>>,
    /// Analyses with data in the open trace, and the missing ones, in display order.
    pub topics: RwSignal<Vec<TopicPresence>>,
    /// Progress of loading.
    pub progress: RwSignal<Progress>,
    /// Event density of the part that has been read.
    pub live_overview: RwSignal<Option<Arc<tables::Overview>>>,
    /// Filter of all panels.
    pub filter: RwSignal<Filter>,
    /// Query of the filter and its conditions that must all match; they lag behind typing.
    pub query_parts: RwSignal<(String, Vec<String>)>,
    /// Visible range of the timeline, updated at most four times per second.
    pub visible: RwSignal<Span>,
    /// Open tab.
    pub tab: RwSignal<Tab>,
    /// Subject of the details.
    pub selection: RwSignal<Selection>,
    /// Connections of the selected event. They lag behind the selection, and contain the event.
    pub connections: RwSignal<Option<Arc<Connections>>>,
    /// Number of matching events; `None` while it is unknown.
    pub matches: RwSignal<Option<u64>>,
    /// Selection as in URLs; the details add what only they know.
    pub selection_link: RwSignal<Option<SelectionLink>>,
    /// Last selected function by name. It lags behind the selection, and contains the function.
    pub selected_frame: RwSignal<Option<(FunctionId, FrameName)>>,
    /// Height of the timeline as a share of the window, in percent.
    pub timeline_share: RwSignal<f64>,
    /// Height of the timeline beside the Metadata tab, in percent.
    pub timeline_share_of_file: RwSignal<f64>,
    /// Height of the timeline beside the tab of an analysis, in percent.
    pub timeline_share_of_topic: RwSignal<f64>,
    /// Sort order of the event table.
    pub order: RwSignal<EventOrder>,
    /// Columns of the event table.
    pub event_columns: RwSignal<EventColumns>,
    /// Grouping of events.
    pub groups: RwSignal<Option<GroupQuery>>,
    /// State of the Stacks tab.
    pub stacks: RwSignal<StacksView>,
    /// State of the Metadata tab.
    pub metadata: RwSignal<MetadataView>,
    /// States of reports, by analysis.
    pub reports: RwSignal<BTreeMap<Topic, ReportView>>,
    /// Filter of the baseline for comparing stacks.
    pub baseline: RwSignal<Filter>,
    /// Choices about the timeline.
    pub timeline: TimelineChoices,
    /// Available actions of the page.
    pub actions: Actions,
    /// True if the command palette is open.
    pub palette: RwSignal<bool>,
    /// True if the filter syntax is open.
    pub syntax_help: RwSignal<bool>,
    /// State of the dialog that saves a page or a trace.
    pub saving: Saving,
    client: StoredValue<Client, LocalStorage>,
    source: StoredValue<Option<Source>, LocalStorage>,
    attempt: StoredValue<u32>,
    /// True if the URL describes a view of the trace, which is shown after everything it may refer to is loaded.
    pub is_linked: StoredValue<bool>,
    /// File of the view in the URL, until it is opened.
    pub awaited: RwSignal<Option<PendingFile>, LocalStorage>,
}

impl App {
    /// Returns whether a tab is open.
    pub fn is_open(self, tab: Tab) -> Memo<bool> {
        Memo::new(move |_| self.tab.get() == tab)
    }

    /// Creates the initial state, with a running worker.
    pub fn start() -> Self {
        let screen = RwSignal::new(Screen::Landing);
        let client = Client::start(move |failure| {
            // A worker that couldn't start matters only when a trace is opened.
            if screen.get_untracked() != Screen::Landing {
                screen.set(Screen::Failed(failure));
            }
        });
        let app = Self {
            shell: Shell::start(),
            screen,
            opened: RwSignal::default(),
            trace: RwSignal::default(),
            revision: RwSignal::default(),
            threads: RwSignal::default(),
            types: RwSignal::default(),
            topics: RwSignal::default(),
            progress: RwSignal::default(),
            live_overview: RwSignal::default(),
            query_parts: RwSignal::default(),
            filter: RwSignal::default(),
            visible: RwSignal::default(),
            tab: RwSignal::default(),
            selection: RwSignal::default(),
            connections: RwSignal::default(),
            matches: RwSignal::default(),
            selection_link: RwSignal::default(),
            selected_frame: RwSignal::default(),
            timeline_share: RwSignal::new(tab::TIMELINE_SHARE_PERCENT),
            timeline_share_of_file: RwSignal::new(tab::TIMELINE_SHARE_BESIDE_METADATA_PERCENT),
            timeline_share_of_topic: RwSignal::new(tab::TIMELINE_SHARE_BESIDE_TOPIC_PERCENT),
            order: RwSignal::default(),
            event_columns: RwSignal::default(),
            groups: RwSignal::default(),
            stacks: RwSignal::default(),
            metadata: RwSignal::default(),
            reports: RwSignal::default(),
            baseline: RwSignal::default(),
            timeline: TimelineChoices::default(),
            actions: Actions::default(),
            palette: RwSignal::default(),
            syntax_help: RwSignal::default(),
            saving: Saving::default(),
            client: StoredValue::new_local(client),
            source: StoredValue::new_local(None),
            attempt: StoredValue::new(0),
            is_linked: StoredValue::new(false),
            awaited: RwSignal::new_local(None),
        };
        app.shell.connect(
            move |chosen| app.open(chosen),
            move || {
                app.awaited.set(None);
                app.close();
            },
        );
        app
    }

    /// Returns the connection to the worker.
    pub fn client(self) -> Client {
        self.client.get_value()
    }

    /// Returns a queue for the requests of one view: one in flight, one waiting, the newest wins.
    pub fn latest(self) -> LatestRequest {
        LatestRequest::new(self.client())
    }

    /// Sends a query about the open trace, and returns its output.
    pub async fn ask<Q: Query>(self, query: Q) -> Result<Q::Output, Failure> {
        self.client().ask(query).await
    }

    /// Requests a page of matching events in order of time, and their number.
    pub async fn events_in_order(self, filter: Filter, first: u64, count: u32) -> Result<tables::EventRows, Failure> {
        self.ask(queries::Events { filter, order: EventOrder::default(), first, count }).await
    }

    /// Cancels loading.
    pub fn cancel(self) {
        self.client().cancel_opening();
        self.awaited.set(None);
        self.close();
    }

    /// Closes the trace and returns to the start page.
    pub fn close(self) {
        self.attempt.update_value(|attempt| *attempt += 1);
        self.forget();
        self.screen.set(Screen::Landing);
    }

    fn forget(self) {
        self.trace.set(None);
        self.threads.set(None);
        self.types.set(None);
        self.topics.set(Vec::new());
        self.live_overview.set(None);
        self.progress.set(Progress::default());
        self.filter.set(Filter::default());
        self.order.set(EventOrder::default());
        self.event_columns.set(EventColumns::default());
        self.groups.set(None);
        self.stacks.set(StacksView::default());
        self.metadata.set(MetadataView::default());
        self.reports.set(BTreeMap::new());
        self.baseline.set(Filter::default());
        self.matches.set(None);
        self.select(Selection::None);
        self.selection_link.set(None);
        self.timeline.forget();
        self.visible.set(Span::default());
        self.palette.set(false);
        self.syntax_help.set(false);
        self.saving.close();
    }

    /// Shows the progress of the loading that `begin` starts, and then its result.
    fn load<F>(self, bytes: u64, begin: impl FnOnce(OnLoadUpdate) -> F + 'static)
    where
        F: Future<Output = Result<Reply, Failure>>,
    {
        self.attempt.update_value(|attempt| *attempt += 1);
        let attempt = self.attempt.get_value();
        self.forget();
        self.progress.set(Progress { total_bytes: bytes, ..Progress::default() });
        self.screen.set(Screen::Loading);
        let is_current = move || self.attempt.get_value() == attempt;
        let on_progress = move |progress: Progress, body: Vec<u8>| {
            if !progress.overview.is_empty() {
                let packed = Packed { directory: progress.overview.clone(), body };
                if let Ok(overview) = tables::Overview::unpack(&packed) {
                    self.live_overview.set(Some(Arc::new(overview)));
                }
            }
            self.progress.set(progress);
        };
        let on_news = move |news| match news {
            _ if !is_current() => {}
            LoadUpdate::Progress(progress, body) => on_progress(progress, body),
            LoadUpdate::Preview(_) if self.is_linked.get_value() => {}
            LoadUpdate::Preview(summary) => spawn_local(async move {
                // A preview that can't be shown is replaced by the whole trace.
                let _ = self.show(*summary, is_current).await;
            }),
        };
        spawn_local(async move {
            let answer = begin(Rc::new(on_news)).await;
            if !is_current() {
                return;
            }
            match self.take_in(answer, is_current).await {
                Ok(()) => {}
                Err(failure) if is_current() => match failure.code {
                    FailureCode::Cancelled => self.close(),
                    _ => self.screen.set(Screen::Failed(failure)),
                },
                Err(_) => {}
            }
        });
    }

    async fn take_in(self, answer: Result<Reply, Failure>, is_current: impl Fn() -> bool) -> Result<(), Failure> {
        match answer?.answer {
            Answer::Summary(summary) => {
                if let Some(Source::File(file)) = self.source.get_value() {
                    files::keep(&file);
                }
                self.shell.announce.set(format!(
                    "Opened {}: {}.",
                    summary.file_name,
                    view::format::counted(summary.events, "event")
                ));
                self.show(*summary, is_current).await
            }
            Answer::Choice(entries) => {
                self.shell.announce.set(format!("This file contains {} traces. Choose one.", entries.len()));
                self.screen.set(Screen::Choice(Arc::new(entries)));
                Ok(())
            }
            _ => Err(Failure::other_answer()),
        }
    }

    /// Shows a trace, or a later state of the visible one.
    async fn show(self, summary: Summary, is_current: impl Fn() -> bool) -> Result<(), Failure> {
        let threads = self.ask(queries::Threads { filter: Filter::default() }).await?;
        let types = self.ask(queries::Types).await?;
        // Event and function IDs change, so the selection is resolved before anything shows the new IDs.
        let select = find_selected(self).await;
        if !is_current() {
            return Ok(());
        }
        select();
        self.threads.set(Some(Arc::new(threads)));
        self.types.set(Some(Arc::new(types)));
        // If the whole time range is visible, it stays the whole; otherwise the selected part stays.
        let before = self.trace.with_untracked(|trace| trace.as_ref().map(|trace| trace.seen_span()));
        if before.is_none_or(|before| before == self.visible.get_untracked()) {
            self.visible.set(summary.seen_span());
        }
        self.trace.set(Some(Arc::new(summary)));
        if self.screen.get_untracked() == Screen::Workspace {
            self.revision.update(|revision| *revision += 1);
        } else {
            self.screen.set(Screen::Workspace);
        }
        Ok(())
    }

    /// Shows something in the details.
    pub fn select(self, selection: Selection) {
        if self.selection.get_untracked() != selection {
            self.selection.set(selection);
        }
    }
}

impl App {
    /// Returns whether the selection has details: those of an event type are on the Metadata tab.
    pub fn has_drawer(self) -> bool {
        let shows_schemas =
            || self.tab.get() == Tab::Metadata && self.metadata.with(|look| look.part == MetadataPart::Schemas);
        match self.selection.get() {
            Selection::None => false,
            Selection::Type(_) => !shows_schemas(),
            _ => true,
        }
    }
}
