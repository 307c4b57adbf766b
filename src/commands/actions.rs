//! Registry of actions: each part of the page registers the commands that it can run now, so that they can be run by
//! name, wherever the focus is.

use leptos::prelude::*;
use std::rc::Rc;
use view::keys::keymap::{Command, Scope};
use view::keys::palette::LineKind;

/// Navigation target with a name.
#[derive(Clone)]
pub struct Place {
    pub name: String,
    pub kind: LineKind,
    /// Description: "Track".
    pub of: &'static str,
    /// Goes to the target. The list that shows it may have been closed.
    pub go: Rc<dyn Fn()>,
}

/// Part of the page that runs commands.
#[derive(Clone)]
struct Part {
    number: u32,
    scope: Scope,
    can: Rc<dyn Fn(Command) -> bool>,
    act: Rc<dyn Fn(Command) -> bool>,
}

/// Part of the page that provides targets.
#[derive(Clone)]
struct Guide {
    number: u32,
    places: Rc<dyn Fn() -> Vec<Place>>,
}

/// Registered parts of the page. Copies are handles to the same state.
#[derive(Clone, Copy)]
pub struct Actions {
    parts: StoredValue<Vec<Part>, LocalStorage>,
    guides: StoredValue<Vec<Guide>, LocalStorage>,
    /// Revision, raised when a part is added or removed.
    offered: RwSignal<u32>,
}

impl Default for Actions {
    fn default() -> Self {
        let (parts, guides) = (StoredValue::new_local(Vec::new()), StoredValue::new_local(Vec::new()));
        Self { parts, guides, offered: RwSignal::new(0) }
    }
}

impl Actions {
    /// Registers a part for the commands of a scope until its owner is removed: `can` returns whether it can run a
    /// command now, `act` runs it and returns whether it did.
    pub fn offer(self, scope: Scope, can: impl Fn(Command) -> bool + 'static, act: impl Fn(Command) -> bool + 'static) {
        let part = Part { number: self.number(), scope, can: Rc::new(can), act: Rc::new(act) };
        let number = part.number;
        self.parts.update_value(|parts| parts.push(part));
        // The registry is removed with the page.
        on_cleanup(move || {
            _ = self.parts.try_update_value(|parts| parts.retain(|part| part.number != number));
            self.number();
        });
    }

    /// Registers what a command of a scope does, until the owner is removed.
    pub fn on(self, scope: Scope, command: Command, act: impl Fn() + 'static) {
        self.on_if(scope, command, || true, act);
    }

    /// Registers what a command of a scope does while `can` holds, until the owner is removed.
    pub fn on_if(self, scope: Scope, command: Command, can: impl Fn() -> bool + 'static, act: impl Fn() + 'static) {
        let act = move |_| {
            act();
            true
        };
        self.offer(scope, move |one| one == command && can(), act);
    }

    /// Registers a provider of targets until its owner is removed.
    pub fn guide(self, places: impl Fn() -> Vec<Place> + 'static) {
        let guide = Guide { number: self.number(), places: Rc::new(places) };
        let number = guide.number;
        self.guides.update_value(|guides| guides.push(guide));
        on_cleanup(move || {
            _ = self.guides.try_update_value(|guides| guides.retain(|guide| guide.number != number));
            self.number();
        });
    }

    /// Returns an unused ID, and notifies trackers.
    fn number(self) -> u32 {
        self.offered
            .try_update(|offered| {
                *offered = offered.wrapping_add(1);
                *offered
            })
            .unwrap_or(0)
    }

    /// Tracks changes of the registered parts.
    pub fn track(self) {
        self.offered.track();
    }

    /// Returns whether a command of a scope can run now.
    pub fn can(self, scope: Scope, command: Command) -> bool {
        // Called outside the store, because `can` may use the registry.
        self.parts.get_value().iter().any(|part| part.scope == scope && (part.can)(command))
    }

    /// Runs a command of a scope; returns whether a part ran it.
    pub fn run(self, scope: Scope, command: Command) -> bool {
        let parts = self.parts.get_value();
        parts.iter().any(|part| part.scope == scope && (part.can)(command) && (part.act)(command))
    }

    /// Returns all targets.
    pub fn places(self) -> Vec<Place> {
        self.guides.get_value().iter().flat_map(|guide| (guide.places)()).collect()
    }
}
