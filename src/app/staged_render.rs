//! Renders a large screen in several tasks, so that the page stays responsive and shows each part before the next one.
//! Otherwise, a single long task would render everything.

use super::state::{App, Tab};
use leptos::prelude::*;
use std::hash::Hash;
use std::time::Duration;
use view::page::gradual::nearer;

/// Number of tasks since a screen appeared. Each part of the screen waits for its turn.
#[derive(Clone, Copy)]
pub struct StagedRender(RwSignal<u32>);

impl StagedRender {
    /// Begins with turn 0; each following turn, up to `last`, is a separate task.
    pub fn start(last: u32) -> Self {
        let turns = Self(RwSignal::new(0));
        turns.go_on(last);
        turns
    }

    fn go_on(self, last: u32) {
        after_drawing(move || {
            // The screen may have been removed.
            let Some(next) = self.0.try_get_untracked().map(|turn| turn + 1).filter(|next| *next <= last) else {
                return;
            };
            self.0.set(next);
            self.go_on(last);
        });
    }

    /// Returns whether the turn has been reached; tracks it.
    pub fn reached(self, turn: u32) -> bool {
        self.0.get() >= turn
    }

    /// Returns a part that appears in a turn and stays.
    pub fn at(self, turn: u32, part: fn() -> AnyView) -> impl IntoView {
        let due = Memo::new(move |_| self.reached(turn));
        move || due.get().then(part)
    }

    /// Returns the content of a tab, which appears when the tab is first opened, not before a turn, and stays.
    pub fn tab(self, turn: u32, app: App, tab: Tab, part: fn() -> AnyView) -> impl IntoView {
        let due = Memo::new(move |was: Option<&bool>| {
            was.copied().unwrap_or(false) || (self.reached(turn) && app.tab.get() == tab)
        });
        move || due.get().then(part)
    }
}

/// Calls a function after the current content has been painted; immediately in a hidden tab, where nothing is painted.
fn after_drawing(act: impl FnOnce() + 'static) {
    if document().hidden() {
        set_timeout(act, Duration::ZERO);
    } else {
        request_animation_frame(move || set_timeout(act, Duration::ZERO));
    }
}

/// Returns a list that follows `wanted`, with at most `most` new items per task; other items are removed immediately.
pub fn gradually<K>(wanted: Memo<Vec<K>>, most: usize) -> ReadSignal<Vec<K>>
where
    K: Copy + Eq + Hash + Send + Sync + 'static,
{
    let (shown, set_shown) = signal(Vec::new());
    let is_due = RwSignal::new(());
    Effect::new(move |_| {
        is_due.track();
        let next = wanted.with(|wanted| shown.with_untracked(|shown| nearer(shown, wanted, most)));
        if wanted.with_untracked(|wanted| next.len() < wanted.len()) {
            // The screen may have been removed.
            after_drawing(move || _ = is_due.try_set(()));
        }
        set_shown.set(next);
    });
    shown
}
