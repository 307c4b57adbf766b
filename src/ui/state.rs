//! The state that every part of the page shares, and what can be done to it.

use super::client::{Client, Source};
use super::latest::Latest;
use crate::model::ids::{EventId, FunctionId, ThreadId, TypeId};
use crate::model::time::Span;
use crate::protocol::reply::{Progress, Summary};
use crate::protocol::request::Filter;
use crate::protocol::request::{SampleChoice, Weight};
use crate::protocol::{Answer, Failure, FailureCode, Packed, Reply, Request, tables};
use crate::view::url_state::SelectionLink;
pub use crate::view::url_state::{StackView, Tab};
use leptos::prelude::*;
use std::rc::Rc;
use std::sync::Arc;
use wasm_bindgen_futures::spawn_local;

/// What the window shows.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Screen {
    /// Where a trace is chosen.
    #[default]
    Landing,
    /// A trace is being read.
    Loading,
    /// A trace is open.
    Workspace,
    /// A trace could not be opened, or its reader stopped.
    Failed(Failure),
}

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
    /// A garbage collection, by the runtime's number.
    Collection(u32),
    /// An event type.
    Type(TypeId),
}

/// Colours of the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// What is open or being opened.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Opened {
    /// Name to show.
    pub name: String,
    /// Size in bytes, where it is known before reading.
    pub bytes: Option<u64>,
    /// The sample's name, if it is one of ours.
    pub sample: Option<String>,
    /// The address, if it was fetched from elsewhere.
    pub url: Option<String>,
}

/// The state that every part of the page shares. Copies are handles to the same state.
#[derive(Clone, Copy)]
pub struct App {
    /// What the window shows.
    pub screen: RwSignal<Screen>,
    /// What is open or being opened.
    pub opened: RwSignal<Opened>,
    /// What is in the open trace.
    pub trace: RwSignal<Option<Arc<Summary>>>,
    /// All threads of the open trace, busiest first, whatever the filter.
    pub threads: RwSignal<Option<Arc<tables::Threads>>>,
    /// All event types of the open trace.
    pub types: RwSignal<Option<Arc<tables::Types>>>,
    /// How far loading is.
    pub progress: RwSignal<Progress>,
    /// Event density of what was read so far.
    pub live_overview: RwSignal<Option<Arc<tables::Overview>>>,
    /// Which events count. Every panel obeys it.
    pub filter: RwSignal<Filter>,
    /// What the timeline shows; follows its motion at most four times a second.
    pub visible: RwSignal<Span>,
    /// Which view of the filtered events is open.
    pub tab: RwSignal<Tab>,
    /// What the details drawer shows.
    pub selection: RwSignal<Selection>,
    /// Colours.
    pub theme: RwSignal<Theme>,
    /// The latest sentence for people who listen instead of look.
    pub announce: RwSignal<String>,
    /// A short confirmation that everyone sees for a moment.
    pub toast: RwSignal<Option<String>>,
    /// Whether the sheet of keys is open.
    pub help: RwSignal<bool>,
    /// Whether the dialog that asks for an address is open.
    pub ask_url: RwSignal<bool>,
    /// The file that the address describes a view of, while it is not open.
    pub awaited_file: RwSignal<Option<String>>,
    /// How many events match the filter; none while it is not known.
    pub matches: RwSignal<Option<u64>>,
    /// What is selected, as the address names it; the details drawer fills in what only it knows.
    pub selection_link: RwSignal<Option<SelectionLink>>,
    /// How stacks are shown.
    pub stack_view: RwSignal<StackView>,
    /// Which samples count.
    pub samples: RwSignal<SampleChoice>,
    /// What a sample weighs.
    pub weight: RwSignal<Weight>,
    client: StoredValue<Client, LocalStorage>,
    source: StoredValue<Option<Source>, LocalStorage>,
    attempt: StoredValue<u32>,
}

impl App {
    /// The state of a page that has just started, with a warm worker.
    pub fn start() -> Self {
        let screen = RwSignal::new(Screen::Landing);
        let client = Client::start(move |failure| {
            // A reader that could not start matters only once a trace is to be opened.
            if screen.get_untracked() != Screen::Landing {
                screen.set(Screen::Failed(failure));
            }
        });
        Self {
            screen,
            opened: RwSignal::default(),
            trace: RwSignal::default(),
            threads: RwSignal::default(),
            types: RwSignal::default(),
            progress: RwSignal::default(),
            live_overview: RwSignal::default(),
            filter: RwSignal::default(),
            visible: RwSignal::default(),
            tab: RwSignal::default(),
            selection: RwSignal::default(),
            theme: RwSignal::new(super::theme::remembered()),
            announce: RwSignal::default(),
            toast: RwSignal::default(),
            help: RwSignal::default(),
            ask_url: RwSignal::default(),
            awaited_file: RwSignal::default(),
            matches: RwSignal::default(),
            selection_link: RwSignal::default(),
            stack_view: RwSignal::default(),
            samples: RwSignal::default(),
            weight: RwSignal::default(),
            client: StoredValue::new_local(client),
            source: StoredValue::new_local(None),
            attempt: StoredValue::new(0),
        }
    }

    /// The link to the worker.
    pub fn client(self) -> Client {
        self.client.get_value()
    }

    /// The questions of one view: one in flight, one waiting, the newest wins.
    pub fn latest(self) -> Latest {
        Latest::new(self.client())
    }

    /// Asks the open trace.
    pub async fn ask(self, request: Request) -> Result<Reply, Failure> {
        self.client().ask(request).await
    }

    /// Asks for a table.
    pub async fn ask_packed(self, request: Request) -> Result<Packed, Failure> {
        packed(self.ask(request).await?)
    }

    /// Opens a file of the user's.
    pub fn open_file(self, file: web_sys::File) {
        let opened = Opened { name: file.name(), bytes: Some(file.size() as u64), ..Opened::default() };
        self.open(Source::File(file), opened);
    }

    /// Opens an absolute address, if this load's policy lets it through.
    pub fn open_url(self, url: String) {
        let path = url.split(['?', '#']).next().unwrap_or(&url);
        let name = path.rsplit('/').find(|part| !part.is_empty()).unwrap_or(path).to_owned();
        let opened = Opened { name: name.clone(), url: Some(url.clone()), ..Opened::default() };
        self.open(Source::Url { name, url }, opened);
    }

    /// Opens one of the samples that come with the page.
    pub fn open_sample(self, sample: &str) {
        let file = format!("{sample}.nettrace.gz");
        let url = super::browser::absolute(&format!("samples/{file}"));
        let opened = Opened { name: file.clone(), sample: Some(sample.to_owned()), ..Opened::default() };
        self.open(Source::Url { name: file, url }, opened);
    }

    /// Opens the same again, after a failure.
    pub fn retry(self) {
        if let Some(source) = self.source.get_value() {
            self.open(source, self.opened.get_untracked());
        }
    }

    /// Whether there is something to try again.
    pub fn can_retry(self) -> bool {
        self.source.with_value(Option::is_some)
    }

    /// Gives up loading.
    pub fn cancel(self) {
        self.client().cancel_opening();
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
        self.live_overview.set(None);
        self.progress.set(Progress::default());
        self.filter.set(Filter::default());
        self.matches.set(None);
        self.select(Selection::None);
        self.selection_link.set(None);
        self.visible.set(Span::default());
    }

    fn open(self, source: Source, opened: Opened) {
        self.attempt.update_value(|attempt| *attempt += 1);
        let attempt = self.attempt.get_value();
        self.forget();
        self.source.set_value(Some(source.clone()));
        self.progress.set(Progress { total_bytes: opened.bytes.unwrap_or(0), ..Progress::default() });
        self.opened.set(opened);
        self.screen.set(Screen::Loading);
        let on_progress = move |progress: Progress, body: Vec<u8>| {
            if self.attempt.get_value() != attempt {
                return;
            }
            if !progress.overview.is_empty() {
                let packed = Packed { directory: progress.overview.clone(), body };
                if let Ok(overview) = tables::Overview::unpack(&packed) {
                    self.live_overview.set(Some(Arc::new(overview)));
                }
            }
            self.progress.set(progress);
        };
        spawn_local(async move {
            let answer = self.client().open(source, Rc::new(on_progress)).await;
            if self.attempt.get_value() != attempt {
                return;
            }
            match self.take_in(answer).await {
                Ok(()) => {}
                Err(failure) if self.attempt.get_value() == attempt => match failure.code {
                    FailureCode::Cancelled => self.close(),
                    _ => self.screen.set(Screen::Failed(failure)),
                },
                Err(_) => {}
            }
        });
    }

    async fn take_in(self, answer: Result<Reply, Failure>) -> Result<(), Failure> {
        let Answer::Summary(summary) = answer?.answer else { return Err(unexpected()) };
        let threads = self.ask_packed(Request::Threads { filter: Filter::default() }).await?;
        let types = self.ask_packed(Request::Types).await?;
        self.threads.set(Some(Arc::new(tables::Threads::unpack(&threads).map_err(mismatch)?)));
        self.types.set(Some(Arc::new(tables::Types::unpack(&types).map_err(mismatch)?)));
        self.visible.set(summary.user_span);
        self.announce.set(format!("{} is open: {} events.", summary.file_name, summary.events));
        self.trace.set(Some(Arc::new(*summary)));
        self.screen.set(Screen::Workspace);
        Ok(())
    }

    /// Shows something in the details drawer.
    pub fn select(self, selection: Selection) {
        if self.selection.get_untracked() != selection {
            self.selection.set(selection);
        }
    }

    /// Makes the timeline show a span with some room around it.
    pub fn show_on_timeline(self, span: Span) {
        let room = span.duration().max(1_000_000) / 4;
        self.visible.set(Span::new(span.start.0.saturating_sub(room), span.end.0.saturating_add(room)));
    }

    /// What a thread is called, with the operating system's number.
    pub fn thread_label(self, thread: ThreadId) -> String {
        let threads = self.threads.get();
        let row = threads.as_ref().and_then(|threads| Some((threads, row_of_thread(threads, thread)?)));
        row.map_or_else(
            || "Unknown thread".to_owned(),
            |(threads, row)| {
                let os_thread = threads.os_thread.get(row).copied().unwrap_or_default();
                format!("{} {os_thread}", threads.label.get(row))
            },
        )
    }

    /// What an event type is called.
    pub fn type_label(self, event_type: TypeId) -> String {
        let types = self.types.get();
        let row =
            types.as_ref().and_then(|types| Some((types, types.event_type.iter().position(|id| *id == event_type.0)?)));
        row.map_or_else(
            || "Unknown event".to_owned(),
            |(types, row)| format!("{} / {}", types.provider.get(row), types.name.get(row)),
        )
    }

    /// Says something to everyone: shown for a moment, and read out.
    pub fn say(self, words: String) {
        self.announce.set(words.clone());
        self.toast.set(Some(words));
    }
}

/// The row of a thread.
pub fn row_of_thread(threads: &tables::Threads, thread: ThreadId) -> Option<usize> {
    threads.thread.iter().position(|id| *id == thread.0)
}

/// The table of a reply.
pub fn packed(reply: Reply) -> Result<Packed, Failure> {
    reply.into_packed().ok_or_else(unexpected)
}

fn unexpected() -> Failure {
    Failure::new(FailureCode::VersionSkew, "The reader answered something else than was asked. Reload the page.")
}

/// A table that does not have the columns that this page expects.
pub fn mismatch(error: crate::protocol::columns::ColumnError) -> Failure {
    unexpected().with_detail(error.to_string())
}
