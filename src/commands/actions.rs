//! Who carries out what: each part of the page says what it can do now, so that an action can be given by its name, wherever
//! the focus is.

use leptos::prelude::*;
use std::rc::Rc;
use view::keys::keymap::{Command, Scope};

/// Something that can be gone to by its name.
#[derive(Clone)]
pub struct Place {
    /// What it is called.
    pub name: String,
    /// What it is: "Track".
    pub kind: &'static str,
    /// Goes there. The list that shows it may be gone by then.
    pub go: Rc<dyn Fn()>,
}

/// A part of the page that carries out commands.
#[derive(Clone)]
struct Part {
    number: u32,
    scope: Scope,
    can: Rc<dyn Fn(Command) -> bool>,
    act: Rc<dyn Fn(Command) -> bool>,
}

/// A part of the page that has places.
#[derive(Clone)]
struct Guide {
    number: u32,
    places: Rc<dyn Fn() -> Vec<Place>>,
}

/// What the parts of the page can do. Copies are handles to the same.
#[derive(Clone, Copy)]
pub struct Actions {
    parts: StoredValue<Vec<Part>, LocalStorage>,
    guides: StoredValue<Vec<Guide>, LocalStorage>,
    /// Raised when a part comes or goes.
    offered: RwSignal<u32>,
}

impl Default for Actions {
    fn default() -> Self {
        let (parts, guides) = (StoredValue::new_local(Vec::new()), StoredValue::new_local(Vec::new()));
        Self { parts, guides, offered: RwSignal::new(0) }
    }
}

impl Actions {
    /// Until its owner is gone, a part carries out commands of a scope: `can` returns which it could now, `act` carries
    /// one out and returns whether it did.
    pub fn offer(self, scope: Scope, can: impl Fn(Command) -> bool + 'static, act: impl Fn(Command) -> bool + 'static) {
        let part = Part { number: self.number(), scope, can: Rc::new(can), act: Rc::new(act) };
        let number = part.number;
        self.parts.update_value(|parts| parts.push(part));
        // With the page itself the list is gone too.
        on_cleanup(move || {
            _ = self.parts.try_update_value(|parts| parts.retain(|part| part.number != number));
            self.number();
        });
    }

    /// Until its owner is gone, a part has places that can be gone to.
    pub fn guide(self, places: impl Fn() -> Vec<Place> + 'static) {
        let guide = Guide { number: self.number(), places: Rc::new(places) };
        let number = guide.number;
        self.guides.update_value(|guides| guides.push(guide));
        on_cleanup(move || {
            _ = self.guides.try_update_value(|guides| guides.retain(|guide| guide.number != number));
            self.number();
        });
    }

    /// A number that nobody has; whoever looks at what there is looks again.
    fn number(self) -> u32 {
        self.offered
            .try_update(|offered| {
                *offered = offered.wrapping_add(1);
                *offered
            })
            .unwrap_or(0)
    }

    /// Whoever asks this in an effect looks again when parts of the page come or go.
    pub fn track(self) {
        self.offered.track();
    }

    /// Whether a command of a scope could be carried out now.
    pub fn can(self, scope: Scope, command: Command) -> bool {
        // Asked outside of the list: who is asked may look at the list in turn.
        self.parts.get_value().iter().any(|part| part.scope == scope && (part.can)(command))
    }

    /// Carries out a command of a scope; whether anybody did.
    pub fn run(self, scope: Scope, command: Command) -> bool {
        let parts = self.parts.get_value();
        parts.iter().any(|part| part.scope == scope && (part.can)(command) && (part.act)(command))
    }

    /// All places.
    pub fn places(self) -> Vec<Place> {
        self.guides.get_value().iter().flat_map(|guide| (guide.places)()).collect()
    }
}
