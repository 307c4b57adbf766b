//! Shape of stacks: folding, grouping and transforms before weights are summed.

use crate::named;
use serde::{Deserialize, Serialize};

/// Name of a frame, which stays valid when the trace is loaded again.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct FrameName {
    /// Readable name.
    pub name: String,
    /// Module; empty if there is none.
    pub module: String,
}

/// Node of a call tree.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct NodeName {
    /// Hash of the frames from the root to the node, as in tables.
    pub path: u64,
    /// Readable name of the node's frame, for display.
    pub name: String,
}

named! {
    /// Grouping of frames.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
    pub enum Grouping {
        /// No grouping.
        #[default]
        Functions: "functions", "Function";
        /// Functions of a class that call each other are one frame.
        Classes: "classes", "Class";
        /// Functions of a namespace that call each other are one frame.
        Namespaces: "namespaces", "Namespace";
        /// Functions of a module that call each other are one frame.
        Modules: "modules", "Module";
    }
    /// Returns the name in URLs and on the command line.
    fn slug;
    /// Returns the display name.
    fn title;
}

named! {
    /// Root frames that group stacks.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
    pub enum Roots {
        /// No root frames.
        #[default]
        None: "none", "Not grouped";
        Process: "process", "By process";
        Thread: "thread", "By thread";
        Role: "role", "By thread role";
        /// Request or other activity, by name.
        Work: "work", "By request or activity";
    }
    /// Returns the name in URLs.
    fn slug;
    /// Returns the display name.
    fn title;
}

/// PerfView's patterns of raw names that group and fold frames.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct FramePatterns {
    /// `pattern->group` and `pattern=>group`, separated by semicolons.
    pub groups: String,
    /// Patterns of frames that are folded into their callers, separated by semicolons.
    pub folds: String,
}

/// Transform of all stacks. Each transform applies to the result of the previous one.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Transform {
    /// Keeps stacks with the frame, starting at its outermost call.
    FocusFunction(FrameName),
    /// Keeps stacks through the node, starting at the node.
    FocusNode(NodeName),
    /// Removes the frame; its callees become callees of its caller.
    MergeFunction(FrameName),
    /// Removes the frame at one node; its callees become callees of its caller.
    MergeNode(NodeName),
    /// Folds all callees into the frame.
    CollapseFunction(FrameName),
    /// Removes the frames between recursive calls of the frame, so it doesn't call itself.
    CollapseRecursion(FrameName),
    /// Merges frames of a module that call each other.
    CollapseModule(String),
    /// Removes stacks with the frame.
    Drop(FrameName),
    /// Removes stacks without the frame.
    Keep(FrameName),
}

/// Shape of stacks.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Shape {
    pub roots: Roots,
    /// True to attach the work of a task to the stack that scheduled or awaited it, if known.
    pub stitched: bool,
    /// True to join async methods that call or continue each other into one chain, hiding the runtime's frames between
    /// them.
    pub awaits: bool,
    /// True to merge unresolved frames that call each other by module.
    pub unresolved: bool,
    /// True to hide framework frames, except the first one below other code.
    pub just_my_code: bool,
    /// True to attribute GC polls and spinning to their callers.
    pub without_polls: bool,
    /// True to attribute all framework and native code to the other code that calls it.
    pub without_callees: bool,
    /// Families of framework frames that are shown anyway ("Thread pool").
    pub shown: Vec<String>,
    /// Namespaces and modules of the framework, including nested ones; empty for the default list.
    pub framework: Vec<String>,
    /// Grouping and folding patterns.
    pub patterns: FramePatterns,
    pub grouping: Grouping,
    /// True to merge recursive calls.
    pub without_recursion: bool,
    /// Transforms, in order.
    pub transforms: Vec<Transform>,
    /// True to invert stacks: callees first, callers below them.
    pub inverted: bool,
}

impl Shape {
    /// Returns whether frames are unchanged, apart from inversion and root frames.
    pub fn is_plain(&self) -> bool {
        let Self {
            roots: _,
            stitched: _,
            awaits,
            unresolved,
            just_my_code,
            without_polls,
            without_callees,
            shown: _,
            framework: _,
            patterns,
            grouping,
            without_recursion,
            transforms,
            inverted: _,
        } = self;
        let is_folded = *just_my_code || *without_polls || *without_callees;
        let is_grouped = *grouping != Grouping::Functions || *patterns != FramePatterns::default();
        !awaits && !unresolved && !is_folded && !is_grouped && !without_recursion && transforms.is_empty()
    }
}
