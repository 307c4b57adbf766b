//! Opening of traces from files, URLs and archives.

use super::page_state::{LinkedState, PageState};
use super::{App, Opened, Screen};
use crate::app::boot::policy_allows;
use crate::app::browser::absolute;
use crate::app::shell::{Chosen, name_of_url};
use crate::trace::client::Source;
use crate::trace::files;
use leptos::prelude::*;
use protocol::Following;
use protocol::base::indexed_part::Window;
use protocol::reply::Progress;
use protocol::tables;
use std::ops::Range;
use std::sync::Arc;
use view::url::file::{FileLink, Fingerprint};
use view::url::trace::{SourceLink, TraceLink};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::File;

/// File that only the user can open, for a view in the URL.
#[derive(Clone)]
pub struct PendingFile {
    pub link: FileLink,
    /// Path of the trace in an archive.
    pub entry: Option<String>,
    /// Other file that was opened instead.
    pub other: Option<OtherFile>,
}

/// File other than the expected one.
#[derive(Clone)]
pub struct OtherFile {
    pub file: File,
    pub link: FileLink,
}

/// State of the trace that is open or being opened.
#[derive(Clone, Copy)]
pub struct OpeningState {
    pub opened: RwSignal<Opened>,
    /// Progress of loading.
    pub progress: RwSignal<Progress>,
    /// Event density of the part that has been read.
    pub overview: RwSignal<Option<Arc<tables::Overview>>>,
    /// State of following, if the trace is being recorded.
    pub recording: RwSignal<Option<Following>>,
    /// File of the view in the URL, until it is opened.
    pub awaited: RwSignal<Option<PendingFile>, LocalStorage>,
    /// True if the URL describes a view of the trace, which is shown after everything it may refer to is loaded.
    pub is_linked: StoredValue<bool>,
    pub(super) source: StoredValue<Option<Source>, LocalStorage>,
    pub(super) attempt: StoredValue<u32>,
}

impl Default for OpeningState {
    fn default() -> Self {
        Self {
            opened: RwSignal::default(),
            progress: RwSignal::default(),
            overview: RwSignal::default(),
            recording: RwSignal::default(),
            awaited: RwSignal::new_local(None),
            is_linked: StoredValue::new(false),
            source: StoredValue::new_local(None),
            attempt: StoredValue::new(0),
        }
    }
}

impl PageState for OpeningState {
    fn reset(self) {
        // The others are about the trace that is being opened, not about the one before.
        let Self { opened: _, progress, overview, recording, awaited: _, is_linked: _, source: _, attempt: _ } = self;
        progress.set(Progress::default());
        overview.set(None);
        recording.set(None);
    }
}

impl LinkedState for OpeningState {
    type Link = TraceLink;

    fn to_url(self, _: App) -> TraceLink {
        self.opened.with(|opened| opened.link.clone())
    }

    /// Does nothing: the trace of the URL is open.
    fn apply_url(self, _: App, _: TraceLink) {}
}

impl App {
    /// Returns the name of the open trace.
    pub fn trace_name(self) -> String {
        self.opening.opened.with(|opened| opened.name.clone())
    }

    /// Opens a trace. Asks what to do with it if another one is open.
    pub fn open(self, chosen: Chosen) {
        let more = files::take_more().into_iter().map(Chosen::File);
        self.compare.waiting.update_value(|waiting| waiting.extend(more));
        match chosen {
            Chosen::File(file) if self.is_for_open_trace(&file.name()) => self.add_symbols(file),
            chosen if self.screen.get_untracked() == Screen::Workspace => self.open_second(chosen),
            chosen => self.replace_with(chosen),
        }
    }

    /// Asks what to do with the next of several traces that were dropped together.
    pub fn ask_about_next(self) {
        let next = self.compare.waiting.try_update_value(|waiting| (!waiting.is_empty()).then(|| waiting.remove(0)));
        if let Some(next) = next.flatten() {
            self.open_second(next);
        }
    }

    /// Opens a trace instead of the open one.
    pub fn replace_with(self, chosen: Chosen) {
        let name = chosen.name();
        match chosen {
            Chosen::File(file) => match self.opening.awaited.get_untracked() {
                Some(awaited) => spawn_local(self.open_if_awaited(file, awaited)),
                None => self.open_file(file),
            },
            Chosen::Url(url) => self.open_linked(&url, None),
            Chosen::Sample(sample) => {
                let url = absolute(&format!("samples/{name}"));
                let link = TraceLink::of(SourceLink::Sample(sample));
                self.read(Source::Url { name: name.clone(), url }, Opened { name, bytes: None, link });
            }
        }
    }

    /// Opens a file that the user didn't choose: of a saved page, or of the page that has this one in a frame.
    pub fn open_embedded(self, file: File, entry: Option<String>) {
        self.opening.awaited.set(None);
        self.read_file(file, None, entry);
    }

    /// Opens any local file.
    pub fn open_file(self, file: File) {
        self.read_file(file.clone(), None, None);
        let attempt = self.opening.attempt.get_value();
        spawn_local(async move {
            let print = fingerprint(&file).await;
            if self.opening.attempt.get_value() == attempt {
                let source = Some(SourceLink::File(FileLink { name: file.name(), print }));
                self.opening.opened.update(|opened| opened.link.source = source);
            }
        });
    }

    /// Opens a file if it is the expected one; otherwise shows the difference.
    async fn open_if_awaited(self, file: File, awaited: PendingFile) {
        let link = FileLink { name: file.name(), print: fingerprint(&file).await };
        if awaited.link.is(&link) {
            return self.read_file(file, link.print, awaited.entry);
        }
        self.shell.announce.set(awaited.link.difference(&link));
        self.opening.awaited.set(Some(PendingFile { other: Some(OtherFile { file, link }), ..awaited }));
    }

    /// Opens a local file with its fingerprint, as far as that is known.
    pub fn read_file(self, file: File, print: Option<Fingerprint>, entry: Option<String>) {
        let (name, bytes) = (file.name(), Some(file.size() as u64));
        let source = Some(SourceLink::File(FileLink { name: name.clone(), print }));
        self.read(Source::File(file), Opened { name, bytes, link: TraceLink { source, entry } });
    }

    /// Opens the trace in a URL, which may be in an archive.
    pub fn open_linked(self, url: &str, entry: Option<String>) {
        let (name, url) = (name_of_url(url), url.to_owned());
        let link = TraceLink { source: Some(SourceLink::Url(url.clone())), entry };
        let opened = Opened { name: name.clone(), bytes: None, link };
        // A page in a frame must not read for the page around it what that page can't read itself.
        if let Some(embedding) = self.embedding.filter(|_| !policy_allows(&url)) {
            self.opening.source.set_value(None);
            self.opening.opened.set(opened);
            return self.screen.set(Screen::Failed(embedding.refused_url()));
        }
        self.read(Source::Url { name, url }, opened);
    }

    /// Changes how the trace that is being recorded is followed.
    pub fn follow_recording(self, state: Following) {
        self.opening.recording.set(Some(state));
        self.client().follow(state);
    }

    /// Opens the same trace again after a failure.
    pub fn retry(self) {
        if let Some(source) = self.opening.source.get_value() {
            self.read(source, self.opening.opened.get_untracked());
        }
    }

    /// Opens a trace of the current archive.
    pub fn open_entry(self, path: String) {
        if let Some(source) = self.opening.source.get_value() {
            let mut opened = self.opening.opened.get_untracked();
            opened.link.entry = Some(path);
            self.read(source, opened);
        }
    }

    /// Returns whether there is a trace to open again.
    pub fn can_retry(self) -> bool {
        self.opening.source.with_value(Option::is_some)
    }

    /// Returns the source of the open trace.
    pub fn source(self) -> Option<Source> {
        self.opening.source.get_value()
    }

    fn read(self, source: Source, opened: Opened) {
        self.opening.source.set_value(Some(source.clone()));
        let (bytes, entry) = (opened.bytes.unwrap_or(0), opened.link.entry.clone());
        self.opening.opened.set(opened);
        let client = self.client();
        self.load(bytes, move |on_news| async move { client.open(source, entry, on_news).await });
    }

    /// Reads the open trace again, to index another part.
    pub fn reindex(self, window: Window) {
        let bytes = self.trace.with_untracked(|trace| trace.as_ref().map_or(0, |trace| trace.file_bytes));
        let client = self.client();
        self.load(bytes, move |on_news| async move { client.reindex(window, on_news).await });
    }
}

/// Returns the fingerprint of a file; `None` if the file can't be read, which loading will report.
pub(super) async fn fingerprint(file: &File) -> Option<Fingerprint> {
    let bytes = file.size() as u64;
    let [head, tail] = Fingerprint::edges(bytes);
    let (head, tail) = (read(file, head).await.ok()?, read(file, tail).await.ok()?);
    Some(Fingerprint::new(bytes, [&head, &tail]))
}

async fn read(file: &File, range: Range<u64>) -> Result<Vec<u8>, JsValue> {
    let slice = file.slice_with_f64_and_f64(range.start as f64, range.end as f64)?;
    Ok(js_sys::Uint8Array::new(&JsFuture::from(slice.array_buffer()).await?).to_vec())
}
