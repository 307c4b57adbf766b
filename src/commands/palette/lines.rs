//! Lines of the palette: commands, targets in the page, findings, and names of the trace.

use super::recent::{key_of_command, key_of_name, used};
use crate::app::state::{App, Selection, Tab};
use crate::commands::actions::Place;
use crate::commands::shortcuts::is_mac;
use leptos::prelude::*;
use protocol::base::time::Span;
use protocol::names::{FoundName, NameOf};
use protocol::topics::finding::Finding;
use std::rc::Rc;
use view::keys::keymap::{Command, Scope, bindings, synonyms};
use view::keys::palette::{LineKind, PaletteLine};
use view::stacks::function_name::split_namespace;

/// Line of the palette.
pub struct Line {
    pub rank: PaletteLine,
    /// Visible name.
    pub name: String,
    /// Description beside the name; may be empty.
    pub of: String,
    /// Shortcut; may be empty.
    pub keys: String,
    pub goes: Goes,
}

/// Action of a line.
#[derive(Clone)]
pub enum Goes {
    To(Rc<dyn Fn()>),
    Does(Scope, Command),
}

impl Line {
    /// Returns the name of the command for tests; empty for other lines.
    pub fn command(&self) -> String {
        match &self.goes {
            Goes::To(_) => String::new(),
            Goes::Does(_, command) => command.name(),
        }
    }

    /// Returns the key by which it is remembered.
    pub fn key(&self) -> String {
        match self.goes {
            Goes::To(_) => key_of_name(self.rank.kind().title(), &self.name),
            Goes::Does(scope, command) => key_of_command(scope, command),
        }
    }
}

/// Returns the tab whose panel runs the commands of a scope; `None` if other parts of the page do.
pub fn tab_of(app: App, scope: Scope) -> Option<Tab> {
    match scope {
        Scope::Stacks => Some(Tab::Stacks),
        Scope::Events | Scope::Columns => Some(Tab::Events),
        Scope::Metadata | Scope::Bytes => Some(Tab::Metadata),
        Scope::Topics => app.topics.with_untracked(|topics| {
            let open = app.tab.get_untracked();
            let mut recorded = topics.iter().filter(|one| one.missing.is_none()).map(|one| Tab::Topic(one.topic));
            recorded.clone().find(|tab| *tab == open).or_else(|| recorded.next())
        }),
        Scope::Everywhere | Scope::Timeline | Scope::Tracks | Scope::Tables => None,
    }
}

/// Returns what a command of a scope needs if it can't run.
pub fn need(scope: Scope) -> &'static str {
    match scope {
        Scope::Tracks => "select a track first",
        Scope::Stacks => "select another frame or view first",
        Scope::Events | Scope::Topics | Scope::Tables => "select a row first",
        Scope::Columns => "select a column header first",
        Scope::Bytes => "open the hex view first",
        Scope::Everywhere | Scope::Timeline | Scope::Metadata => "not available right now",
    }
}

/// Returns all commands, and all targets in the page.
pub fn lines(app: App) -> Vec<Rc<Line>> {
    let (mac, used, open) = (is_mac(), used(app), app.tab.get_untracked());
    let recency = |key: &str| used.iter().position(|known| known == key);
    let mut lines = Vec::new();
    for binding in bindings().filter(|binding| !binding.command.is_motion()) {
        let (scope, command) = (binding.scope, binding.command);
        let (can, tab) = (app.actions.can(scope, command), tab_of(app, scope));
        let is_of_page = matches!(scope, Scope::Everywhere) || matches!(scope, Scope::Topics) && tab.is_none();
        if is_of_page && !can {
            continue;
        }
        let is_open = tab == Some(open);
        // Other tabs are opened first, so what they need isn't known.
        let of = match can || (tab.is_some() && !is_open) {
            true => scope.title().to_owned(),
            false => format!("{} · {}", scope.title(), need(scope)),
        };
        let rank = PaletteLine::new(LineKind::Command, binding.name, scope.title(), synonyms(scope, command));
        lines.push(Rc::new(Line {
            rank: rank.of_open_tab(is_open).used(recency(&key_of_command(scope, command))),
            name: binding.name.to_owned(),
            of,
            keys: binding.keys(mac),
            goes: Goes::Does(scope, command),
        }));
    }
    lines.extend(app.actions.places().into_iter().map(|Place { name, kind, of, go }| {
        let recency = recency(&key_of_name(kind.title(), &name));
        let rank = PaletteLine::new(kind, &name, of, "").used(recency);
        Rc::new(Line { rank, name, of: of.to_owned(), keys: String::new(), goes: Goes::To(go) })
    }));
    lines
}

/// Returns the line of a finding, which shows it in the Summary and on the timeline.
pub fn finding_line(app: App, finding: Finding) -> Rc<Line> {
    let rank = PaletteLine::new(LineKind::Finding, &finding.title, "Finding", "problem issue insight");
    let of = finding.cost.size();
    let name = finding.title.clone();
    let go = move || {
        app.tab.set(Tab::Summary);
        let end = finding.times.iter().map(|time| time.end).max();
        if let Some((start, end)) = finding.times.first().map(|time| time.start).zip(end) {
            let span = Span { start, end };
            app.show_evidence(span, finding.threads.clone(), finding.times.clone());
        }
    };
    Rc::new(Line { rank, name, of, keys: String::new(), goes: Goes::To(Rc::new(go)) })
}

/// Returns the line of a name of the trace. A function is selected in the stacks; an item is filtered to in its tab.
pub fn name_line(app: App, found: FoundName) -> Rc<Line> {
    let (kind, name, namespace) = match found.of {
        NameOf::Function(_) => {
            let (namespace, name) = split_namespace(&found.name);
            (LineKind::Function, name.to_owned(), namespace.trim_end_matches('.').to_owned())
        }
        NameOf::Item(topic) => (LineKind::Item, found.name.clone(), topic.title().to_owned()),
    };
    let rank = PaletteLine::new(kind, &found.name, "", "");
    let of = [found.note.as_str(), namespace.as_str()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
    let of = of.join(" · ");
    let go = move || match found.of {
        NameOf::Function(function) => {
            app.tab.set(Tab::Stacks);
            app.select(Selection::Function(function));
        }
        NameOf::Item(topic) => {
            app.add_condition(&found.condition);
            app.tab.set(Tab::Topic(topic));
        }
    };
    Rc::new(Line { rank, name, of, keys: String::new(), goes: Goes::To(Rc::new(go)) })
}
