//! Putting a large screen into the document in several tasks, so that the page answers in between.

use super::state::{App, Tab};
use leptos::prelude::*;
use std::time::Duration;

/// Counts the tasks since a screen appeared. Each part of the screen waits for its turn.
#[derive(Clone, Copy)]
pub struct Turns(RwSignal<u32>);

impl Turns {
    /// Begins with turn 0; each following turn, up to `last`, is a task of its own.
    pub fn start(last: u32) -> Self {
        let turns = Self(RwSignal::new(0));
        turns.go_on(last);
        turns
    }

    fn go_on(self, last: u32) {
        set_timeout(
            move || {
                // The screen may be gone by now.
                let Some(next) = self.0.try_get_untracked().map(|turn| turn + 1).filter(|next| *next <= last) else {
                    return;
                };
                self.0.set(next);
                self.go_on(last);
            },
            Duration::ZERO,
        );
    }

    /// Whether it is this turn or later; follows.
    pub fn reached(self, turn: u32) -> bool {
        self.0.get() >= turn
    }

    /// A part that appears in this turn and stays.
    pub fn at(self, turn: u32, part: fn() -> AnyView) -> impl IntoView {
        let due = Memo::new(move |_| self.reached(turn));
        move || due.get().then(part)
    }

    /// The content of a tab: appears when the tab is opened for the first time, not before this turn, and stays.
    pub fn tab(self, turn: u32, app: App, tab: Tab, part: fn() -> AnyView) -> impl IntoView {
        let due = Memo::new(move |was: Option<&bool>| {
            was.copied().unwrap_or(false) || (self.reached(turn) && app.tab.get() == tab)
        });
        move || due.get().then(part)
    }
}
