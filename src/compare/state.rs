//! State of the comparison with another trace.

use crate::app::opened::Opened;
use crate::app::shell::Chosen;
use crate::app::state::App;
use crate::app::state::page_state::{LinkedState, PageState};
use crate::trace::client::{Client, Source};
use leptos::prelude::*;
use protocol::Failure;
use protocol::compare::{Comparison, Per};
use protocol::reply::{Progress, Summary, TraceEntry};
use std::sync::Arc;
use view::url::compare::CompareView;

/// Trace beside the open one. It has its own worker.
#[derive(Clone)]
pub struct OtherTrace {
    /// Connection to its worker.
    pub client: Client,
    /// Where it was read from.
    pub source: Source,
    pub opened: Opened,
}

/// Progress of opening the other trace.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum OtherStatus {
    /// No other trace is open.
    #[default]
    Closed,
    /// It is being read.
    Loading(Progress),
    /// It is an archive, and the user must choose a trace.
    Choice(Arc<Vec<TraceEntry>>),
    Open(Arc<Summary>),
    /// It couldn't be opened, or its worker crashed.
    Failed(Failure),
}

/// What a comparison depends on.
#[derive(Clone, PartialEq, Debug)]
pub struct Inputs {
    /// Workers of the old and of the new trace.
    pub workers: [usize; 2],
    /// Time ranges of the old and of the new trace.
    pub ranges: [String; 2],
    /// What sums are divided by.
    pub per: Per,
    /// Revision of the open trace.
    pub revision: u32,
}

/// State of the comparison.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Run {
    /// Nothing to compare yet.
    #[default]
    Idle,
    /// At work, with what is done now.
    Running(&'static str),
    /// The user canceled it.
    Canceled,
    Failed(Failure),
    /// It is complete.
    Done(Arc<Comparison>),
}

/// State of the comparison with another trace.
#[derive(Clone, Copy)]
pub struct CompareState {
    /// Trace beside the open one.
    pub other: RwSignal<Option<OtherTrace>, LocalStorage>,
    /// Progress of opening it.
    pub status: RwSignal<OtherStatus>,
    /// Choices about the comparison. Names the other trace before it is open.
    pub view: RwSignal<CompareView>,
    /// Comparison, and what it depends on.
    pub run: RwSignal<(Option<Inputs>, Run)>,
    /// Request of the comparison in progress, to cancel it.
    pub request: StoredValue<Option<(Client, u32)>, LocalStorage>,
    /// Trace that the page asks about: compare, add or replace.
    pub asked: RwSignal<Option<Chosen>, LocalStorage>,
    /// True while the page asks.
    pub is_asking: RwSignal<bool>,
    /// Further traces that were dropped together.
    pub waiting: StoredValue<Vec<Chosen>, LocalStorage>,
}

impl Default for CompareState {
    fn default() -> Self {
        Self {
            other: RwSignal::new_local(None),
            status: RwSignal::default(),
            view: RwSignal::default(),
            run: RwSignal::default(),
            request: StoredValue::new_local(None),
            asked: RwSignal::new_local(None),
            is_asking: RwSignal::default(),
            waiting: StoredValue::new_local(Vec::new()),
        }
    }
}

impl PageState for CompareState {
    /// Keeps the other trace, which can be compared with the next one, too.
    fn reset(self) {
        self.run.set(Default::default());
        self.is_asking.set(false);
    }
}

impl LinkedState for CompareState {
    type Link = CompareView;

    fn to_url(self, _: App) -> CompareView {
        self.view.get()
    }

    fn apply_url(self, app: App, link: CompareView) {
        // The history may lead to a view from before the other trace was opened, which would be lost.
        if link.other.source.is_none() && self.other.with_untracked(Option::is_some) {
            return;
        }
        let is_same = self.view.with_untracked(|view| view.other.is(&link.other));
        self.view.set(link.clone());
        if !is_same || self.other.with_untracked(Option::is_none) {
            app.open_other_linked(link.other);
        }
    }
}

impl CompareState {
    /// Swaps the traces before and after.
    pub fn swap(self) {
        self.view.update(|view| view.is_open_old = !view.is_open_old);
    }

    /// Returns whether there is another trace, or a link names one.
    pub fn is_used(self) -> bool {
        self.status.with(|status| *status != OtherStatus::Closed) || self.view.with(|view| view.other.source.is_some())
    }

    /// Returns the summary of the other trace, once it is open.
    pub fn summary(self) -> Option<Arc<Summary>> {
        self.status.with(|status| match status {
            OtherStatus::Open(summary) => Some(summary.clone()),
            _ => None,
        })
    }

    /// Returns the finished comparison.
    pub fn comparison(self) -> Option<Arc<Comparison>> {
        self.run.with(|(_, run)| match run {
            Run::Done(comparison) => Some(comparison.clone()),
            _ => None,
        })
    }
}
