//! A frame that something is to be done to.

use crate::app::state::App;
use leptos::prelude::*;
use protocol::filter::{Condition, Name};
use protocol::stacks::shape::{FrameName, NodeName, Roots};
use protocol::tables::frame_flag::{DOING, GROUP, NAMELESS, NO_FUNCTION, ROOT};
use view::events::filter_text::{condition_text, named};

/// A frame that was pointed at.
#[derive(Clone, PartialEq, Debug)]
pub struct Target {
    /// Its number.
    pub function: u32,
    /// Readable name.
    pub name: String,
    /// Module.
    pub module: String,
    /// The family whose frames it stands for; empty if it is not folded.
    pub family: String,
    /// Bits of [`protocol::tables::frame_flag`].
    pub flags: u8,
    /// The number of its path, where it stands for one node of the tree.
    pub path: Option<u64>,
}

impl Target {
    /// Whether it is no function, but several, or what stacks begin with.
    pub fn is_group(&self) -> bool {
        self.flags & NO_FUNCTION != 0
    }

    /// Narrows everything to events that have it on their stack; where it is a function, or no longer. Whether a filter can say so.
    pub fn narrow(&self, app: App) -> bool {
        if self.is_group() {
            return self.add_group(app, false);
        }
        app.toggle_frame(&self.frame());
        true
    }

    /// Leaves out events that have it on their stack; whether a filter can say so.
    pub fn exclude(&self, app: App) -> bool {
        if self.is_group() {
            return self.add_group(app, true);
        }
        app.exclude_frame(&self.frame());
        true
    }

    /// Whether a filter has words for what it stands for.
    pub fn can_narrow(&self, app: App) -> bool {
        !self.is_group() || self.condition(app).is_some()
    }

    /// What begins stacks: a thread, say.
    pub fn is_root(&self) -> bool {
        self.flags & ROOT != 0
    }

    /// What a filter says of what is no function. None for groups by patterns, code without a name and what threads do, which
    /// have no name that functions could be found by, and for stacks that begin with something else than their process or
    /// thread.
    fn condition(&self, app: App) -> Option<Condition> {
        let (roots, has_patterns) =
            app.stacks.with_untracked(|look| (look.shape.roots, !look.shape.patterns.groups.is_empty()));
        match (self.is_root(), roots) {
            (true, Roots::Process) => Some(named(Name::Process, &self.name)),
            // Of several processes each stands before its threads.
            (true, Roots::Thread) => {
                let thread = self.name.rsplit_once(" · ").map_or(self.name.as_str(), |(_, thread)| thread);
                Some(named(Name::Thread, thread))
            }
            (true, _) => None,
            (false, _) => {
                let has_name = self.flags & (NO_FUNCTION | NAMELESS | DOING) == GROUP && !has_patterns;
                has_name.then(|| named(Name::Stack, &self.name))
            }
        }
    }

    fn add_group(&self, app: App, is_excluded: bool) -> bool {
        let Some(condition) = self.condition(app) else { return false };
        app.add_condition(&condition_text(condition, is_excluded));
        true
    }

    /// Its name in questions.
    pub fn frame(&self) -> FrameName {
        FrameName { name: self.name.clone(), module: self.module.clone() }
    }

    /// The name of its node in questions.
    pub fn node(&self) -> Option<NodeName> {
        self.path.map(|path| NodeName { path, name: self.name.clone() })
    }

    /// Shows the frames that it stands for.
    pub fn show_family(&self, app: App) {
        let family = self.family.clone();
        app.stacks.update(|look| {
            if !look.shape.shown.contains(&family) {
                look.shape.shown.push(family);
            }
        });
    }
}
