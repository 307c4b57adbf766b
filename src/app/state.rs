//! Shared state of the page, and its operations.

mod opening;
pub mod page_state;
mod second_trace;
mod several;

pub use super::opened::{Opened, Screen};
use super::shell::Shell;
use super::signals::SetChanged;
use crate::commands::actions::Actions;
use crate::compare::state::CompareState;
use crate::details::find::find_selected;
use crate::details::state::DetailsState;
use crate::embed::Embedding;
use crate::events::state::EventsState;
use crate::filtering::state::FilteringState;
use crate::notes::state::NotesState;
use crate::share::saving::Saving;
use crate::stacks::state::Baseline;
use crate::stacks::sum::SumState;
use crate::timeline::choices::TimelineChoices;
use crate::topics::state::Reports;
use crate::trace::client::{Client, LoadUpdate, OnLoadUpdate, Source};
use crate::trace::files;
use crate::trace::latest::LatestRequest;
use crate::traces::links::AwaitedTraces;
use crate::traces::state::Traces;
use crate::workspace::state::WorkspaceState;
use leptos::prelude::*;
use opening::OpeningState;
pub use opening::{OtherFile, PendingFile};
use page_state::{LinkedState, PageState};
use protocol::base::ids::{EventId, FunctionId, ThreadId, TypeId};
use protocol::base::time::Span;
use protocol::reply::{Progress, Summary};
use protocol::request::{EventOrder, Filter};
use protocol::topics::report::TopicPresence;
use protocol::{Answer, Failure, FailureCode, Following, Packed, Query, Reply, queries, tables};
use std::rc::Rc;
use std::sync::Arc;
use view::url::metadata::{MetadataPart, MetadataView};
use view::url::selection::GcLink;
pub use view::url::stacks::StackView;
use view::url::stacks::StacksView;
pub use view::url::state::Tab;
use view::url::state::UrlState;
use wasm_bindgen_futures::spawn_local;

/// Subject of the details.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Selection {
    /// None: the details are closed.
    #[default]
    None,
    Event(EventId),
    Function(FunctionId),
    Thread(ThreadId),
    Gc(GcLink),
    Type(TypeId),
}

/// Declares the shared state of the page, and what must be done with the state of every folder.
macro_rules! app {
    (
        own { $($(#[$own_doc:meta])* $own_vis:vis $own:ident: $own_type:ty,)* }
        linked { $($(#[$linked_doc:meta])* $linked:ident: $linked_type:ty => $part:ident,)* }
        other { $($(#[$other_doc:meta])* $other:ident: $other_type:ty,)* }
    ) => {
        /// Shared state of the page. Copies are handles to the same state.
        #[derive(Clone, Copy)]
        pub struct App {
            $($(#[$own_doc])* $own_vis $own: $own_type,)*
            $($(#[$linked_doc])* pub $linked: $linked_type,)*
            $($(#[$other_doc])* pub $other: $other_type,)*
        }

        impl App {
            fn with($($own: $own_type,)*) -> Self {
                Self { $($own,)* $($linked: Default::default(),)* $($other: Default::default(),)* }
            }

            /// Resets the state of all folders for another trace.
            fn reset(self) {
                $(PageState::reset(self.$linked);)*
                $(PageState::reset(self.$other);)*
            }

            /// Returns the state of the page as in the URL. Reads all signals that may change it.
            pub fn to_url(self) -> UrlState {
                UrlState { $($part: self.$linked.to_url(self),)* }
            }

            /// Applies the state of a URL to the open trace.
            pub fn apply_url(self, url: UrlState) {
                let UrlState { $($part,)* } = url;
                untrack(|| {
                    $(self.$linked.apply_url(self, $part);)*
                });
            }
        }
    };
}

app! {
    // Independent of the trace.
    own {
        /// Number of the trace on the page: 0 for the first one, which is in the URL. Each trace has its own state.
        pub number: u32,
        /// State shared with the start page.
        pub shell: Shell,
        pub traces: Traces,
        pub screen: RwSignal<Screen>,
        /// Revision of the open trace, raised when more of it has been read, so that visible data must be requested
        /// again.
        pub revision: RwSignal<u32>,
        /// Available actions of the page.
        pub actions: Actions,
        /// Connection to the page that has this one in a frame.
        pub embedding: Option<Embedding>,
        client: StoredValue<Client, LocalStorage>,
    }
    // With their parts of the URL, in the order in which they are applied.
    linked {
        tab: RwSignal<Tab> => tab,
        opening: OpeningState => trace,
        /// Comparison with another trace.
        compare: CompareState => compare,
        /// Files of a link that are added to the timeline.
        awaited_traces: AwaitedTraces => added,
        /// Visible range of the timeline, updated at most four times per second.
        visible: RwSignal<Span> => visible,
        /// Filter of the baseline for comparing stacks.
        baseline: Baseline => baseline,
        filter: RwSignal<Filter> => filter,
        /// What is known about the selection.
        details: DetailsState => selection,
        events: EventsState => events,
        /// State of the Stacks tab.
        stacks: RwSignal<StacksView> => stacks,
        /// State of the Metadata tab.
        metadata: RwSignal<MetadataView> => metadata,
        /// States of reports, by analysis.
        reports: Reports => report,
        timeline: TimelineChoices => timeline,
        notes: NotesState => notes,
    }
    other {
        trace: RwSignal<Option<Arc<Summary>>>,
        /// All threads of the open trace, busiest first, regardless of the filter.
        threads: RwSignal<Option<Arc<tables::Threads>>>,
        /// All event types of the open trace.
        types: RwSignal<Option<Arc<tables::Types>>>,
        /// Analyses with data in the open trace, and the missing ones, in display order.
        topics: RwSignal<Vec<TopicPresence>>,
        /// Subject of the details.
        selection: RwSignal<Selection>,
        /// What is known about the filter.
        filtering: FilteringState,
        /// State of the layout and of the dialogs.
        workspace: WorkspaceState,
        /// Dialog that saves a page or a trace.
        saving: Saving,
        /// Stacks of other traces that are added to those of this one.
        sums: SumState,
    }
}

impl App {
    pub fn is_open(self, tab: Tab) -> Memo<bool> {
        Memo::new(move |_| self.tab.get() == tab)
    }

    /// Creates the initial state, with a running worker.
    pub fn start() -> Self {
        let embedding = Embedding::start();
        let app = Self::new(0, Shell::start(), Traces::start(), embedding);
        app.traces.set_first(app);
        // In a frame, the page around it decides which trace is open.
        if embedding.is_none() {
            app.shell.connect(
                move |chosen| app.open(chosen),
                move || {
                    app.opening.awaited.set(None);
                    app.close();
                },
            );
        }
        app
    }

    /// Creates the state of a trace.
    pub fn new(number: u32, shell: Shell, traces: Traces, embedding: Option<Embedding>) -> Self {
        let client = StoredValue::new_local(Client::start());
        let screen = RwSignal::new(Screen::Landing);
        let (revision, actions) = (RwSignal::default(), Actions::default());
        let app = Self::with(number, shell, traces, screen, revision, actions, embedding, client);
        app.watch(&app.client());
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
        self.opening.awaited.set(None);
        self.close();
    }

    /// Closes the trace. Closing the first one closes all, and returns to the start page.
    pub fn close(self) {
        self.opening.attempt.update_value(|attempt| *attempt += 1);
        self.close_other();
        match self.number {
            0 => self.traces.close_added(),
            _ => self.traces.remove(self),
        }
        self.reset();
        self.screen.set(Screen::Landing);
    }

    /// Shows the progress of the loading that `begin` starts, and then its result.
    fn load<F>(self, bytes: u64, begin: impl FnOnce(OnLoadUpdate) -> F + 'static)
    where
        F: Future<Output = Result<Reply, Failure>>,
    {
        self.opening.attempt.update_value(|attempt| *attempt += 1);
        let attempt = self.opening.attempt.get_value();
        self.reset();
        self.opening.progress.set(Progress { total_bytes: bytes, ..Progress::default() });
        self.screen.set(Screen::Loading);
        let is_current = move || self.opening.attempt.get_value() == attempt;
        let on_progress = move |progress: Progress, body: Vec<u8>| {
            if !progress.overview.is_empty() {
                let packed = Packed { directory: progress.overview.clone(), body };
                if let Ok(overview) = tables::Overview::unpack(&packed) {
                    self.opening.overview.set(Some(Arc::new(overview)));
                }
            }
            self.opening.progress.set(progress);
        };
        let on_news = move |news| match news {
            _ if !is_current() => {}
            LoadUpdate::Progress(progress, body) => on_progress(progress, body),
            LoadUpdate::Preview(_) if self.opening.is_linked.get_value() => {}
            LoadUpdate::Recording(summary) => {
                if self.opening.recording.with_untracked(Option::is_none) {
                    self.opening.recording.set(Some(Following::Shown));
                }
                spawn_local(async move {
                    // The next update shows what this one can't.
                    let _ = self.show(*summary, is_current).await;
                });
            }
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
                if let Some(Source::File(file)) = self.opening.source.get_value() {
                    files::keep(&file);
                }
                self.shell.announce.set(format!(
                    "Opened {}: {}.",
                    summary.file_name,
                    view::format::counted(summary.events, "event")
                ));
                self.show(*summary, is_current).await?;
                self.opening.recording.set(None);
                self.ask_about_next();
                Ok(())
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
        if self.details.occurrence.with_untracked(Option::is_some) {
            self.details.occurrence.set(None);
        }
        self.selection.set_changed(selection);
    }
}

impl App {
    /// Returns whether there is a filter.
    pub fn is_filtered(self) -> bool {
        self.filter.with(|filter| *filter != Filter::default())
    }

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
