//! Filters from tracks.

use crate::app::state::App;
use leptos::prelude::*;
use protocol::base::ids::ThreadId;
use protocol::filter::Name;
use view::timeline::track_key::TrackKey;

/// Filter of a track.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum FilterTarget {
    Thread(ThreadId),
    /// Process, by its OS process ID.
    Process(u32),
}

impl FilterTarget {
    /// Returns the filter of a thread, or of the heading of a process.
    pub fn of(key: TrackKey) -> Option<Self> {
        match key {
            TrackKey::Thread(thread) => Some(Self::Thread(thread)),
            TrackKey::Process(process) => Some(Self::Process(process)),
            _ => None,
        }
    }

    /// Returns whether the filter is active.
    pub fn is_on(self, app: App) -> bool {
        app.filter.with(|filter| match self {
            Self::Thread(thread) => filter.threads.contains(&thread),
            Self::Process(process) => filter.processes.contains(&process),
        })
    }

    /// Sets or removes the filter.
    pub fn toggle(self, app: App) {
        match self {
            Self::Thread(thread) => app.toggle_thread(thread),
            Self::Process(process) => app.toggle_process(process),
        }
    }

    /// Excludes the thread or process.
    pub fn exclude(self, app: App) {
        match self {
            Self::Thread(thread) => app.exclude_thread(thread),
            Self::Process(process) => app.exclude(Name::Process, &process.to_string()),
        }
    }

    /// Returns the text of [`Self::exclude`].
    pub fn words_without(self) -> &'static str {
        match self {
            Self::Thread(_) => "Exclude this thread",
            Self::Process(_) => "Exclude this process",
        }
    }

    /// Returns the text of [`Self::toggle`].
    pub fn words(self, app: App) -> &'static str {
        match (self, self.is_on(app)) {
            (Self::Thread(_), false) => "Filter to this thread",
            (Self::Thread(_), true) => "Clear thread filter",
            (Self::Process(_), false) => "Filter to this process",
            (Self::Process(_), true) => "Clear process filter",
        }
    }
}
