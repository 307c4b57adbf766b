//! Copies the visible view as text or Markdown. Each view with a table offers its rows.

use crate::app::state::App;
use crate::widgets::copy::copy_text;
use leptos::prelude::*;
use protocol::markdown;
use view::format::count;
use view::keys::keymap::{Command, Scope};

/// Maximum number of copied rows, which readers of an issue or a chat can scroll through.
pub const MAX_ROWS: u32 = 1000;

/// Format of a copied view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CopyAs {
    /// Tab-separated lines, or sentences.
    Text,
    Markdown,
}

impl CopyAs {
    fn of(command: Command) -> Option<Self> {
        match command {
            Command::CopyView => Some(Self::Text),
            Command::CopyMarkdown => Some(Self::Markdown),
            _ => None,
        }
    }

    /// Copies a subject, and shows a confirmation.
    pub fn copy(self, app: App, text: String, what: &str) {
        let what = match self {
            Self::Text => what.to_owned(),
            Self::Markdown => format!("{what} as Markdown"),
        };
        copy_text(app.shell, text, what);
    }

    /// Copies a table of tab-separated lines with titles; `rows` is the number of rows of the view.
    pub fn copy_table(self, app: App, text: String, rows: u64) {
        let what = match rows > u64::from(MAX_ROWS) {
            true => format!("First {} rows", count(u64::from(MAX_ROWS))),
            false => "Table".to_owned(),
        };
        let text = match self {
            Self::Text => text.lines().take(MAX_ROWS as usize + 1).map(|line| format!("{line}\n")).collect(),
            Self::Markdown => markdown::table(&text, MAX_ROWS as usize),
        };
        self.copy(app, text, &what);
    }
}

/// Offers the commands for a view while `can` holds, until the owner is removed.
pub fn offer(app: App, can: impl Fn() -> bool + 'static, copy: impl Fn(CopyAs) + 'static) {
    app.actions.offer(
        Scope::Everywhere,
        move |command| CopyAs::of(command).is_some() && can(),
        move |command| CopyAs::of(command).map(&copy).is_some(),
    );
}

/// Offers the commands for a table with these tab-separated lines while it is visible.
pub fn offer_table(app: App, open: Memo<bool>, text: impl Fn() -> String + 'static) {
    offer(
        app,
        move || open.get_untracked(),
        move |format| {
            let text = untrack(&text);
            let rows = text.lines().count().saturating_sub(1) as u64;
            format.copy_table(app, text, rows);
        },
    );
}
