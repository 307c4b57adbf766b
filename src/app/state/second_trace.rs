//! A trace beside the open one: opening, closing, and switching between them.

use super::{App, Opened, Screen, Tab};
use crate::app::boot::{is_saved, policy_allows};
use crate::app::browser::{absolute, reload};
use crate::app::shell::{Chosen, name_of_url};
use crate::compare::state::{OtherStatus, OtherTrace, Run};
use crate::trace::client::{Client, LoadUpdate, Source};
use leptos::prelude::*;
use protocol::reply::{Progress, Summary};
use protocol::{Answer, Failure};
use std::rc::Rc;
use std::sync::Arc;
use view::url::file::FileLink;
use view::url::trace::{SourceLink, TraceLink};
use wasm_bindgen_futures::spawn_local;
use web_sys::File;

impl App {
    /// Compares with a file for which a link waits, or adds it to the timeline. Asks what to do with other traces.
    pub(super) fn open_second(self, chosen: Chosen) {
        let awaited = untrack(|| self.awaited_other());
        match chosen {
            Chosen::File(file) if awaited.is_some() || self.awaits_traces() => spawn_local(async move {
                let link = FileLink { name: file.name(), print: super::opening::fingerprint(&file).await };
                if awaited.as_ref().is_some_and(|awaited| awaited.is(&link)) {
                    return self.open_other(Chosen::File(file), false);
                }
                if self.add_awaited(&file, &link) {
                    return self.ask_about_next();
                }
                if let Some(awaited) = awaited {
                    self.shell.say(awaited.difference(&link));
                }
                self.ask_about(Chosen::File(file));
            }),
            chosen => self.ask_about(chosen),
        }
    }

    /// Asks what to do with a trace that was chosen while another one is open.
    pub(super) fn ask_about(self, chosen: Chosen) {
        self.compare.asked.set(Some(chosen));
        self.compare.is_asking.set(true);
    }

    /// Opens a trace beside the open one, and compares them.
    pub fn compare_with(self, chosen: Chosen) {
        self.compare.view.update(|view| view.ranges = Default::default());
        self.open_other(chosen, true);
        self.tab.set(Tab::Compare);
        self.workspace.is_maximized.set(true);
    }

    /// Opens the other trace of a link, or closes it if the link has none. A local file must be opened by the user.
    pub fn open_other_linked(self, link: TraceLink) {
        let (source, opened) = match &link.source {
            // Its host needs another policy than the current one. The URL is in place.
            Some(SourceLink::Url(url)) if !policy_allows(url) && !is_saved() => return reload(),
            Some(SourceLink::Url(url)) => {
                let name = name_of_url(url);
                (Source::Url { name: name.clone(), url: url.clone() }, Opened { name, bytes: None, link })
            }
            Some(SourceLink::Sample(sample)) => {
                let name = format!("{sample}.nettrace.gz");
                let url = absolute(&format!("samples/{name}"));
                (Source::Url { name: name.clone(), url }, Opened { name, bytes: None, link })
            }
            Some(SourceLink::File(_)) | None => return self.drop_other(),
        };
        self.read_other(source, opened, false);
    }

    /// Returns the file that the link compares with, until it is open.
    pub fn awaited_other(self) -> Option<FileLink> {
        let is_closed = self.compare.status.with(|status| *status == OtherStatus::Closed);
        let link = self.compare.view.with(|view| view.other.source.clone()).filter(|_| is_closed);
        match link {
            Some(SourceLink::File(file)) => Some(file),
            _ => None,
        }
    }

    /// Opens a trace beside the open one. `decides` chooses which one is older by their start.
    pub fn open_other(self, chosen: Chosen, decides: bool) {
        let name = chosen.name();
        match chosen {
            Chosen::File(file) => self.open_other_file(file, decides),
            Chosen::Url(url) => {
                let link = TraceLink::of(SourceLink::Url(url.clone()));
                self.read_other(Source::Url { name: name.clone(), url }, Opened { name, bytes: None, link }, decides);
            }
            Chosen::Sample(sample) => self.open_other_linked(TraceLink::of(SourceLink::Sample(sample))),
        }
    }

    fn open_other_file(self, file: File, decides: bool) {
        let (name, bytes) = (file.name(), Some(file.size() as u64));
        let awaited = self.compare.view.with_untracked(|view| view.other.clone());
        let entry = awaited.entry.filter(|_| !decides);
        let source = Some(SourceLink::File(FileLink { name: name.clone(), print: None }));
        self.read_other(Source::File(file.clone()), Opened { name, bytes, link: TraceLink { source, entry } }, decides);
        let id = self.other_worker();
        spawn_local(async move {
            let print = super::opening::fingerprint(&file).await;
            if self.other_worker() == id {
                let source = Some(SourceLink::File(FileLink { name: file.name(), print }));
                self.compare.other.update(|other| {
                    if let Some(other) = other {
                        other.opened.link.source.clone_from(&source);
                    }
                });
                self.compare.view.update(|view| view.other.source = source);
            }
        });
    }

    /// Opens a trace of the archive beside the open trace.
    pub fn open_other_entry(self, path: String) {
        if let Some(OtherTrace { source, mut opened, .. }) = self.compare.other.get_untracked() {
            opened.link.entry = Some(path);
            self.read_other(source, opened, true);
        }
    }

    /// Returns the identity of the other trace's worker.
    fn other_worker(self) -> Option<usize> {
        self.compare.other.with_untracked(|other| other.as_ref().map(|other| other.client.id()))
    }

    fn read_other(self, source: Source, opened: Opened, decides: bool) {
        self.drop_other();
        let client = Client::default();
        self.watch(&client);
        let (id, state) = (client.id(), self.compare);
        let is_current = move || self.other_worker() == Some(id);
        state.view.update(|view| view.other = opened.link.clone());
        state
            .status
            .set(OtherStatus::Loading(Progress { total_bytes: opened.bytes.unwrap_or(0), ..Progress::default() }));
        let entry = opened.link.entry.clone();
        state.other.set(Some(OtherTrace { client: client.clone(), source: source.clone(), opened }));
        let on_news = move |news| match news {
            LoadUpdate::Progress(progress, _) if is_current() => state.status.set(OtherStatus::Loading(progress)),
            // Previews would only be compared to be compared again.
            _ => {}
        };
        spawn_local(async move {
            let answer = client.open(source, entry, Rc::new(on_news)).await;
            if !is_current() {
                return;
            }
            state.status.set(match answer.map(|reply| reply.answer) {
                Ok(Answer::Summary(summary)) => {
                    if decides {
                        self.decide_which_is_old(&summary);
                    }
                    OtherStatus::Open(Arc::new(*summary))
                }
                Ok(Answer::Choice(entries)) => OtherStatus::Choice(Arc::new(entries)),
                Ok(_) => OtherStatus::Failed(Failure::other_answer()),
                Err(failure) => OtherStatus::Failed(failure),
            });
        });
    }

    /// Compares the trace that was recorded first with the later one.
    fn decide_which_is_old(self, other: &Summary) {
        let start = self.trace.with_untracked(|trace| trace.as_ref().map_or(0.0, |trace| trace.start_unix_ms));
        self.compare.view.update(|view| view.is_open_old = start <= other.start_unix_ms);
    }

    /// Closes the other trace, and frees the memory of its worker.
    pub fn close_other(self) {
        self.drop_other();
        self.compare.view.set(Default::default());
        if self.tab.get_untracked() == Tab::Compare {
            self.tab.set(Tab::Summary);
            self.workspace.is_maximized.set(false);
        }
    }

    fn drop_other(self) {
        let other = self.compare.other.get_untracked();
        self.compare.other.set(None);
        self.compare.status.set(OtherStatus::Closed);
        self.compare.run.set(Default::default());
        if let Some(other) = other {
            other.client.close();
            other.client.drop_waiting();
        }
    }

    /// Shows the other trace instead of the open one, which becomes the other one. Then calls a function.
    pub fn switch_traces(self, then: impl FnOnce() + 'static) {
        let (Some(summary), Some(open)) = (untrack(|| self.compare.summary()), self.trace.get_untracked()) else {
            return;
        };
        let other = self.compare.other.get_untracked();
        let (Some(other), Some(source)) = (other, self.opening.source.get_value()) else { return };
        let before = OtherTrace { client: self.client(), source, opened: self.opening.opened.get_untracked() };
        // The panels that wait for answers are about to disappear.
        before.client.drop_waiting();
        other.client.drop_waiting();
        let (inputs, run) = self.compare.run.get_untracked();
        self.opening.attempt.update_value(|attempt| *attempt += 1);
        let attempt = self.opening.attempt.get_value();
        self.screen.set(Screen::Loading);
        self.reset();
        self.client.set_value(other.client);
        self.opening.source.set_value(Some(other.source));
        self.opening.opened.set(other.opened);
        self.compare.view.update(|view| {
            view.other = before.opened.link.clone();
            view.is_open_old = !view.is_open_old;
            view.ranges.swap(0, 1);
        });
        self.compare.other.set(Some(before));
        self.compare.status.set(OtherStatus::Open(open));
        // The comparison is between the same traces. If it isn't complete, its requests have failed.
        if matches!(run, Run::Done(_)) {
            self.compare.run.set((inputs, run));
        }
        spawn_local(async move {
            let shown = self.show((*summary).clone(), move || self.opening.attempt.get_value() == attempt).await;
            match shown {
                Ok(()) => then(),
                Err(failure) => self.screen.set(Screen::Failed(failure)),
            }
        });
    }

    /// Handles crashes of a worker.
    pub(super) fn watch(self, client: &Client) {
        let id = client.id();
        client.watch(move |failure| {
            if self.other_worker() == Some(id) {
                self.compare.status.set(OtherStatus::Failed(failure));
            } else if self.client().id() == id && self.screen.get_untracked() != Screen::Landing {
                // A worker that couldn't start matters only when a trace is opened.
                self.screen.set(Screen::Failed(failure));
            }
        });
    }
}
