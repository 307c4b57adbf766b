//! Filters of the whole view by what a track is about.

use crate::app::state::App;
use leptos::prelude::*;
use protocol::base::ids::ThreadId;
use protocol::filter::Name;
use view::timeline::track_key::TrackKey;

/// What a track can narrow everything to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum FilterTarget {
    /// Its thread.
    Thread(ThreadId),
    /// Its process: the operating system's id.
    Process(u32),
}

impl FilterTarget {
    /// Of a thread, and of the heading of a process.
    pub fn of(key: TrackKey) -> Option<Self> {
        match key {
            TrackKey::Thread(thread) => Some(Self::Thread(thread)),
            TrackKey::Process(process) => Some(Self::Process(process)),
            _ => None,
        }
    }

    /// Whether everything is narrowed to it.
    pub fn is_on(self, app: App) -> bool {
        app.filter.with(|filter| match self {
            Self::Thread(thread) => filter.threads.contains(&thread),
            Self::Process(process) => filter.processes.contains(&process),
        })
    }

    /// Narrows everything to it, or no longer.
    pub fn toggle(self, app: App) {
        match self {
            Self::Thread(thread) => app.toggle_thread(thread),
            Self::Process(process) => app.toggle_process(process),
        }
    }

    /// Leaves out everything of it.
    pub fn exclude(self, app: App) {
        match self {
            Self::Thread(thread) => app.exclude_thread(thread),
            Self::Process(process) => app.exclude(Name::Process, &process.to_string()),
        }
    }

    /// What [`Self::exclude`] does, in words.
    pub fn words_without(self) -> &'static str {
        match self {
            Self::Thread(_) => "Exclude this thread",
            Self::Process(_) => "Exclude this process",
        }
    }

    /// What [`Self::toggle`] does, in words.
    pub fn words(self, app: App) -> &'static str {
        match (self, self.is_on(app)) {
            (Self::Thread(_), false) => "Filter to this thread",
            (Self::Thread(_), true) => "Clear thread filter",
            (Self::Process(_), false) => "Filter to this process",
            (Self::Process(_), true) => "Clear process filter",
        }
    }
}
