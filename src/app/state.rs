//! The state that every part of the page shares, and what can be done to it.

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
use protocol::{Answer, Failure, FailureCode, Packed, Reply, Request, tables};
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

/// What the details drawer shows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Selection {
    /// Nothing: the drawer is closed.
    #[default]
    None,
    /// An event.
    Event(EventId),
    /// A function.
    Function(FunctionId),
    /// A thread.
    Thread(ThreadId),
    /// A garbage collection.
    Gc(GcLink),
    /// An event type.
    Type(TypeId),
}

/// The state that every part of the page shares. Copies are handles to the same state.
#[derive(Clone, Copy)]
pub struct App {
    /// What it shares with the first screen.
    pub shell: Shell,
    /// What the window shows.
    pub screen: RwSignal<Screen>,
    /// What is open or being opened.
    pub opened: RwSignal<Opened>,
    /// What is in the open trace.
    pub trace: RwSignal<Option<Arc<Summary>>>,
    /// Raised when more of the open trace was read: whatever is shown has to be asked again.
    pub revision: RwSignal<u32>,
    /// All threads of the open trace, busiest first, whatever the filter.
    pub threads: RwSignal<Option<Arc<tables::Threads>>>,
    /// All event types of the open trace.
    pub types: RwSignal<Option<Arc<tables::Types>>>,
    /// Which topics the open trace has events about, and which it could have; in the order shown.
    pub topics: RwSignal<Vec<TopicPresence>>,
    /// How far loading is.
    pub progress: RwSignal<Progress>,
    /// Event density of what was read so far.
    pub live_overview: RwSignal<Option<Arc<tables::Overview>>>,
    /// Which events count. Every panel obeys it.
    pub filter: RwSignal<Filter>,
    /// A query of the filter, and the conditions in it that all have to hold: they lag behind what was typed.
    pub query_parts: RwSignal<(String, Vec<String>)>,
    /// What the timeline shows; follows its motion at most four times a second.
    pub visible: RwSignal<Span>,
    /// Which view of the filtered events is open.
    pub tab: RwSignal<Tab>,
    /// What the details drawer shows.
    pub selection: RwSignal<Selection>,
    /// What the selected event is connected with, once it is known. Lags behind the selection: it names its event.
    pub connections: RwSignal<Option<Arc<Connections>>>,
    /// How many events match the filter; none while it is not known.
    pub matches: RwSignal<Option<u64>>,
    /// What is selected, as the address names it; the details drawer fills in what only it knows.
    pub selection_link: RwSignal<Option<SelectionLink>>,
    /// The function that was selected last, by its name. Lags behind the selection: it names its function.
    pub selected_frame: RwSignal<Option<(FunctionId, FrameName)>>,
    /// How much of the window's height the timeline has, in percent.
    pub timeline_share: RwSignal<f64>,
    /// The same beside what the file says about itself, which needs the room more.
    pub timeline_share_of_file: RwSignal<f64>,
    /// The same beside the report on a topic.
    pub timeline_share_of_topic: RwSignal<f64>,
    /// How the table of events is sorted.
    pub order: RwSignal<EventOrder>,
    /// The columns of the table of events.
    pub event_columns: RwSignal<EventColumns>,
    /// How events are grouped, if they are.
    pub groups: RwSignal<Option<GroupQuery>>,
    /// How stacks are looked at.
    pub stacks: RwSignal<StacksView>,
    /// Active Metadata view.
    pub metadata: RwSignal<MetadataView>,
    /// How reports are looked at, by topic.
    pub reports: RwSignal<BTreeMap<Topic, ReportView>>,
    /// Which events stacks can be compared with.
    pub baseline: RwSignal<Filter>,
    /// What was chosen about the timeline.
    pub timeline: TimelineChoices,
    /// What the parts of the page can do.
    pub actions: Actions,
    /// Whether the list of everything that can be done is open.
    pub palette: RwSignal<bool>,
    /// Whether examples of filters are shown.
    pub syntax_help: RwSignal<bool>,
    /// Whether a page with the trace in it is being made.
    pub saving: Saving,
    client: StoredValue<Client, LocalStorage>,
    source: StoredValue<Option<Source>, LocalStorage>,
    attempt: StoredValue<u32>,
    /// The address describes a view of the trace: it is shown once everything that it may name is there.
    pub is_linked: StoredValue<bool>,
    /// The file that the address describes a view of, while it is not open.
    pub awaited: RwSignal<Option<PendingFile>, LocalStorage>,
}

impl App {
    /// Whether a tab is the open one.
    pub fn is_open(self, tab: Tab) -> Memo<bool> {
        Memo::new(move |_| self.tab.get() == tab)
    }

    /// The state of a page that has just started, with a warm worker.
    pub fn start() -> Self {
        let screen = RwSignal::new(Screen::Landing);
        let client = Client::start(move |failure| {
            // A reader that could not start matters only once a trace is to be opened.
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

    /// The link to the worker.
    pub fn client(self) -> Client {
        self.client.get_value()
    }

    /// The questions of one view: one in flight, one waiting, the newest wins.
    pub fn latest(self) -> LatestRequest {
        LatestRequest::new(self.client())
    }

    /// Asks the open trace.
    pub async fn ask(self, request: Request) -> Result<Reply, Failure> {
        self.client().ask(request).await
    }

    /// Asks for a table.
    pub async fn ask_packed(self, request: Request) -> Result<Packed, Failure> {
        packed(self.ask(request).await?)
    }

    /// Asks for some of the events that a filter lets through, in order of time, and how many there are.
    pub async fn events_in_order(self, filter: Filter, first: u64, count: u32) -> Result<tables::EventRows, Failure> {
        let request = Request::Events { filter, order: EventOrder::default(), first, count };
        tables::EventRows::unpack(&self.ask_packed(request).await?).map_err(mismatch)
    }

    /// Gives up loading.
    pub fn cancel(self) {
        self.client().cancel_opening();
        self.awaited.set(None);
        self.close();
    }

    /// Closes the trace and shows the first screen.
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

    /// Shows how far a reading is that `begin` begins, and then what came of it.
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
                // What cannot be shown now is shown with the whole.
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
                    "Opened {}: {} events.",
                    summary.file_name,
                    view::format::count(summary.events)
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

    /// Shows a trace, or more of one that is shown.
    async fn show(self, summary: Summary, is_current: impl Fn() -> bool) -> Result<(), Failure> {
        let threads = self.ask_packed(Request::Threads { filter: Filter::default() }).await?;
        let types = self.ask_packed(Request::Types).await?;
        let threads = tables::Threads::unpack(&threads).map_err(mismatch)?;
        let types = tables::Types::unpack(&types).map_err(mismatch)?;
        // Events and functions are numbered anew: what is selected is found before anything shows the new numbers.
        let select = find_selected(self).await;
        if !is_current() {
            return Ok(());
        }
        select();
        self.threads.set(Some(Arc::new(threads)));
        self.types.set(Some(Arc::new(types)));
        // Who looks at everything goes on looking at everything; who has chosen a part keeps it.
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

    /// Shows something in the details drawer.
    pub fn select(self, selection: Selection) {
        if self.selection.get_untracked() != selection {
            self.selection.set(selection);
        }
    }
}

impl App {
    /// Whether what is selected has a drawer of details: of a kind of event, the part about schemas shows more.
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

/// The table of a reply.
pub fn packed(reply: Reply) -> Result<Packed, Failure> {
    reply.into_packed().ok_or_else(Failure::other_answer)
}

/// A table that does not have the columns that this page expects.
pub fn mismatch(error: protocol::columns::ColumnError) -> Failure {
    Failure::other_answer().with_detail(error.to_string())
}
