//! What is there on every screen, with a trace or without: theme, dialogs, announcements, and how a trace gets in.

use super::theme;
use super::theme::Theme;
use crate::commands::shortcut_sheet::Help;
use crate::start::OpenUrl;
use crate::start::drop_zone::{DropTarget, Picker};
use leptos::prelude::*;
use std::rc::Rc;
use std::time::Duration;

const TOAST: Duration = Duration::from_millis(2_500);

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

/// The parts that every screen has besides its own.
#[component]
pub fn ShellParts(
    /// The picker that [`DropTarget`] is the element of.
    picker: Picker,
) -> impl IntoView {
    let shell = expect_context::<Shell>();
    view! {
        <DropTarget picker/>
        <OpenUrl/>
        <Help/>
        <p class="sr" role="status" aria-live="polite" data-testid="announce">{move || shell.announce.get()}</p>
        <Toast/>
    }
}

/// A short confirmation; screen readers hear it through the status line.
#[component]
fn Toast() -> impl IntoView {
    let shell = expect_context::<Shell>();
    let shown = StoredValue::new(0_u32);
    Effect::new(move |_| {
        if shell.toast.get().is_none() {
            return;
        }
        let this = shown.get_value() + 1;
        shown.set_value(this);
        set_timeout(
            move || {
                if shown.try_get_value() == Some(this) {
                    shell.toast.set(None);
                }
            },
            TOAST,
        );
    });
    move || shell.toast.get().map(|words| view! { <p class="toast" aria-hidden="true" data-testid="toast">{words}</p> })
}
