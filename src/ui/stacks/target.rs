//! A frame that something is to be done to.

use crate::protocol::stack_shape::{FrameName, NodeName};
use crate::protocol::tables::frame_flag::NO_FUNCTION;
use crate::ui::state::App;
use leptos::prelude::*;

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
    /// Bits of [`crate::protocol::tables::frame_flag`].
    pub flags: u8,
    /// The number of its path, where it stands for one node of the tree.
    pub path: Option<u64>,
}

impl Target {
    /// Whether it is no function, but several, or what stacks begin with.
    pub fn is_group(&self) -> bool {
        self.flags & NO_FUNCTION != 0
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
