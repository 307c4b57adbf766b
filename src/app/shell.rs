//! State that all screens share: theme, dialogs, announcements, opening of traces.

use super::theme;
use super::theme::Theme;
use leptos::prelude::*;
use std::rc::Rc;

/// Trace to open.
#[derive(Clone)]
pub enum Chosen {
    /// Local file.
    File(web_sys::File),
    /// Absolute URL that the current security policy allows.
    Url(String),
    /// Bundled trace.
    Sample(String),
}

impl Chosen {
    /// Returns the display name.
    pub fn name(&self) -> String {
        match self {
            Self::File(file) => file.name(),
            Self::Url(url) => name_of_url(url),
            Self::Sample(name) => format!("{name}.nettrace.gz"),
        }
    }
}

/// Returns the last part of a URL's path, decoded.
pub fn name_of_url(url: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let name = path.rsplit('/').find(|part| !part.is_empty()).unwrap_or(path);
    js_sys::decode_uri_component(name).map_or_else(|_| name.to_owned(), String::from)
}

/// Shared state of all screens. Copies are handles to the same state.
#[derive(Clone, Copy)]
pub struct Shell {
    pub theme: RwSignal<Theme>,
    /// Latest announcement for screen readers.
    pub announce: RwSignal<String>,
    /// Visible short confirmation.
    pub toast: RwSignal<Option<String>>,
    /// True if the list of shortcuts is open.
    pub help: RwSignal<bool>,
    /// True if the dialog for a URL is open.
    pub ask_url: RwSignal<bool>,
    open: StoredValue<Rc<dyn Fn(Chosen)>, LocalStorage>,
    home: StoredValue<Rc<dyn Fn()>, LocalStorage>,
}

impl Shell {
    /// Creates the initial state.
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

    /// Connects the callbacks: `open` for a chosen trace, `home` for returning to the start page.
    pub fn connect(self, open: impl Fn(Chosen) + 'static, home: impl Fn() + 'static) {
        self.open.set_value(Rc::new(open));
        self.home.set_value(Rc::new(home));
    }

    pub fn open(self, chosen: Chosen) {
        // Called outside the store, because the callback may use the shell.
        let open = self.open.get_value();
        open(chosen);
    }

    /// Returns to the start page.
    pub fn home(self) {
        let home = self.home.get_value();
        home();
    }

    /// Shows a message for a moment, and announces it.
    pub fn say(self, words: String) {
        self.announce.set(words.clone());
        self.toast.set(Some(words));
    }
}
