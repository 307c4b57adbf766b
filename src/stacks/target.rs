//! Frame to which a command applies.

use super::sum::select_function;
use crate::app::state::App;
use leptos::prelude::*;
use protocol::base::ids::FunctionId;
use protocol::filter::{Condition, Name};
use protocol::stacks::shape::{FrameName, NodeName, Roots};
use protocol::tables::frame_flag::{CATEGORY, GROUP, NO_FUNCTION, ROOT, UNRESOLVED};
use view::events::filter_text::{condition_text, named};

/// Frame under the pointer or with the focus.
#[derive(Clone, PartialEq, Debug)]
pub struct Target {
    /// Function or other frame.
    pub function: u32,
    /// Readable name.
    pub name: String,
    pub module: String,
    /// Family of folded frames; empty if the frame isn't folded.
    pub family: String,
    /// Bits of [`protocol::tables::frame_flag`].
    pub flags: u8,
    /// Path of the node; `None` if the frame represents several nodes.
    pub path: Option<u64>,
}

impl Target {
    /// Returns whether it is a group of functions or a root frame.
    pub fn is_group(&self) -> bool {
        self.flags & NO_FUNCTION != 0
    }

    /// Filters to events with the frame on the stack, or removes that filter. Returns whether a filter can express it.
    pub fn narrow(&self, app: App) -> bool {
        if self.is_group() {
            return self.add_group(app, false);
        }
        app.toggle_frame(&self.frame());
        true
    }

    /// Excludes events with the frame on the stack; returns whether a filter can express it.
    pub fn exclude(&self, app: App) -> bool {
        if self.is_group() {
            return self.add_group(app, true);
        }
        app.exclude_frame(&self.frame());
        true
    }

    /// Returns whether a filter can express the frame.
    pub fn can_narrow(&self, app: App) -> bool {
        !self.is_group() || self.condition(app).is_some()
    }

    /// Shows the details of the function.
    pub fn select(&self, app: App) {
        select_function(app, FunctionId(self.function), self.frame());
    }

    /// Returns whether it is a root frame, such as a thread.
    pub fn is_root(&self) -> bool {
        self.flags & ROOT != 0
    }

    /// Returns the filter condition for a frame that isn't a function. `None` for groups by patterns, unresolved code
    /// and categories, which have no name by which functions could be found, and for roots other than process and
    /// thread.
    fn condition(&self, app: App) -> Option<Condition> {
        let (roots, has_patterns) =
            app.stacks.with_untracked(|look| (look.shape.roots, !look.shape.patterns.groups.is_empty()));
        match (self.is_root(), roots) {
            (true, Roots::Process) => Some(named(Name::Process, &self.name)),
            // With several processes, each is above its threads.
            (true, Roots::Thread) => {
                let thread = self.name.rsplit_once(" · ").map_or(self.name.as_str(), |(_, thread)| thread);
                Some(named(Name::Thread, thread))
            }
            (true, _) => None,
            (false, _) => {
                let is_grouped = self.flags & (NO_FUNCTION | UNRESOLVED | CATEGORY) == GROUP;
                // The name of a family covers several namespaces.
                let has_name = is_grouped && !has_patterns && self.family.is_empty();
                has_name.then(|| named(Name::Stack, &self.name))
            }
        }
    }

    fn add_group(&self, app: App, is_excluded: bool) -> bool {
        let Some(condition) = self.condition(app) else { return false };
        app.add_condition(&condition_text(condition, is_excluded));
        true
    }

    /// Returns its name in queries.
    pub fn frame(&self) -> FrameName {
        FrameName { name: self.name.clone(), module: self.module.clone() }
    }

    /// Returns the name of its node in queries.
    pub fn node(&self) -> Option<NodeName> {
        self.path.map(|path| NodeName { path, name: self.name.clone() })
    }

    /// Shows the folded frames.
    pub fn show_family(&self, app: App) {
        let family = self.family.clone();
        app.stacks.update(|look| {
            if !look.shape.shown.contains(&family) {
                look.shape.shown.push(family);
            }
        });
    }
}
