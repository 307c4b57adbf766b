//! What is done to stacks before they are summed: what is folded, and what was asked for since.

use serde::{Deserialize, Serialize};

/// A frame by what tables call it: whatever number it has, it is found again in another loading of the trace.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct FrameName {
    /// Readable name.
    pub name: String,
    /// Module; empty where there is none.
    pub module: String,
}

/// A node of a call tree.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct NodeName {
    /// A number of all frames from the outermost to its own, as tables have it.
    pub path: u64,
    /// Its frame's readable name, to show.
    pub name: String,
}

/// What is one frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Grouping {
    /// A function.
    #[default]
    Functions,
    /// Functions of a namespace that call each other.
    Namespaces,
    /// Functions of a module that call each other.
    Modules,
}

/// A change of all stacks. Each is made to what those before it left.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Transform {
    /// Only what goes through the frame, from its outermost call on.
    FocusFunction(FrameName),
    /// Only what goes through the node, from it on.
    FocusNode(NodeName),
    /// The frame is left out: who calls it calls what it calls.
    MergeFunction(FrameName),
    /// The same at one node only.
    MergeNode(NodeName),
    /// All that the frame calls becomes part of it.
    CollapseFunction(FrameName),
    /// What the frame calls up to its next call of itself is left out, so that it calls itself no more.
    CollapseRecursion(FrameName),
    /// Frames of a module that call each other become one.
    CollapseModule(String),
    /// What goes through the frame is left out.
    Drop(FrameName),
    /// What does not go through the frame is left out.
    Keep(FrameName),
}

/// What is done to stacks.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Shape {
    /// Of .NET's own frames only those are shown that other code calls, and what called it first as one.
    pub just_my_code: bool,
    /// Families of .NET's own frames that are shown all the same ("System.Threading").
    pub shown: Vec<String>,
    /// What is one frame.
    pub grouping: Grouping,
    /// A frame that was already called is that frame again.
    pub without_recursion: bool,
    /// What was asked for since.
    pub transforms: Vec<Transform>,
    /// Leaves become roots: callees first, callers below them.
    pub inverted: bool,
}

impl Shape {
    /// Whether stacks stay as they are, but for their direction.
    pub fn is_plain(&self) -> bool {
        let Self { just_my_code, shown: _, grouping, without_recursion, transforms, inverted: _ } = self;
        !just_my_code && *grouping == Grouping::Functions && !without_recursion && transforms.is_empty()
    }
}
