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
    /// Functions of a class that call each other.
    Classes,
    /// Functions of a namespace that call each other.
    Namespaces,
    /// Functions of a module that call each other.
    Modules,
}

/// What stacks begin with, so that those that have it in common are together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Roots {
    /// Nothing: all are together.
    #[default]
    None,
    /// Their process.
    Process,
    /// Their thread.
    Thread,
    /// What their thread is for.
    Role,
    /// The request or other piece of work that they are part of, by its name.
    Work,
}

/// Frames put together by patterns of their raw names, as PerfView writes them.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct FramePatterns {
    /// `pattern->group` and `pattern=>group`, with semicolons between them.
    pub groups: String,
    /// Frames that become part of their callers: patterns with semicolons between them.
    pub folds: String,
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
    /// What they begin with.
    pub roots: Roots,
    /// Whether the stack that scheduled or awaited what a thread runs stands above its own, as far as the trace tells.
    pub stitched: bool,
    /// Whether async methods that start one another, or go on after one another, stand in one chain without what .NET does
    /// between.
    pub awaits: bool,
    /// Whether code without a name is one frame a module, where it calls itself.
    pub unresolved: bool,
    /// Of .NET's own frames only those are shown that other code calls, and what called it first as one.
    pub just_my_code: bool,
    /// Families of .NET's own frames that are shown all the same ("System.Threading").
    pub shown: Vec<String>,
    /// Namespaces and modules that are .NET's own with all below them, in place of those that are known to be; none for these.
    pub framework: Vec<String>,
    /// What is put together by name.
    pub patterns: FramePatterns,
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
    /// Whether frames stay as they are, but for their direction and what they begin with.
    pub fn is_plain(&self) -> bool {
        let Self {
            roots: _,
            stitched: _,
            awaits,
            unresolved,
            just_my_code,
            shown: _,
            framework: _,
            patterns,
            grouping,
            without_recursion,
            transforms,
            inverted: _,
        } = self;
        let is_grouped = *grouping != Grouping::Functions || *patterns != FramePatterns::default();
        !awaits && !unresolved && !just_my_code && !is_grouped && !without_recursion && transforms.is_empty()
    }
}
