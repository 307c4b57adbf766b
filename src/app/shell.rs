//! State that every screen shares, with a trace or without: theme, dialogs, announcements, and how a trace gets in.

use super::theme;
use super::theme::Theme;
use leptos::prelude::*;
use std::rc::Rc;

/// A trace to open.
#[derive(Clone)]
pub enum Chosen {
    /// A file of the user's.
    File(web_sys::File),
    /// An absolute address that this load's policy lets through.
    Url(String),
    /// One of the samples that come with the page.
    Sample(String),
}

impl Chosen {
    /// A name to show.
    pub fn name(&self) -> String {
        match self {
            Self::File(file) => file.name(),
            Self::Url(url) => name_of_url(url).to_owned(),
            Self::Sample(name) => format!("{name}.nettrace.gz"),
        }
    }
}

/// The last part of an address's path.
pub fn name_of_url(url: &str) -> &str {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    path.rsplit('/').find(|part| !part.is_empty()).unwrap_or(path)
}

/// What every screen shares. Copies are handles to the same state.
#[derive(Clone, Copy)]
pub struct Shell {
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
    open: StoredValue<Rc<dyn Fn(Chosen)>, LocalStorage>,
    home: StoredValue<Rc<dyn Fn()>, LocalStorage>,
}

impl Shell {
    /// The state of a page that has just started.
    pub fn start() -> Self {
        Self {
            theme: RwSignal::new(theme::remembered()),
            announce: RwSignal::default(),
            toast: RwSignal::default(),
            help: RwSignal::default(),
            ask_url: RwSignal::default(),
            open: StoredValue::new_local(Rc::new(|_| {})),
            home: StoredValue::new_local(Rc::new(|| {})),
        }
    }

    /// From now on `open` is called when a trace is chosen, and `home` to go back to the first screen.
    pub fn connect(self, open: impl Fn(Chosen) + 'static, home: impl Fn() + 'static) {
        self.open.set_value(Rc::new(open));
        self.home.set_value(Rc::new(home));
    }

    /// Opens a trace.
    pub fn open(self, chosen: Chosen) {
        // Called outside of the store: what it calls may ask the shell in turn.
        let open = self.open.get_value();
        open(chosen);
    }

    /// Goes back to the first screen.
    pub fn home(self) {
        let home = self.home.get_value();
        home();
    }

    /// Says something to everyone: shown for a moment, and read out.
    pub fn say(self, words: String) {
        self.announce.set(words.clone());
        self.toast.set(Some(words));
    }
}
