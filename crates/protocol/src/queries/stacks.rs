//! Queries about stacks and functions.

use crate::base::ids::{FunctionId, ThreadId};
use crate::base::time::Span;
use crate::columns::Packed;
use crate::request::{FunctionOrder, TreeQuery, WhenOf};
use crate::stacks::format::StackFormat;
use serde::{Deserialize, Serialize};

/// Sources of stacks, with their weights.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StackSources;

/// Frames of a flame graph, with roots on top.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Flame {
    pub query: TreeQuery,
    /// Path of functions to the node that is zoomed to, outermost first; empty for the root.
    pub path: Vec<FunctionId>,
    /// Minimum share of the width. Narrower frames are merged.
    pub min_share: f64,
    /// Maximum number of levels below the node.
    pub max_depth: u16,
}

/// Children of a call-tree node, heaviest first.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Children {
    pub query: TreeQuery,
    /// Path of functions to the node, outermost first.
    pub path: Vec<FunctionId>,
}

/// Descendants of a call-tree node, heaviest first. Nearer levels come first, so rows at the limit may lack their
/// children.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Below {
    pub query: TreeQuery,
    /// Path of functions to the node, outermost first.
    pub path: Vec<FunctionId>,
    /// Maximum number of rows.
    pub most: u32,
}

/// Frames whose name or module contains a text, and their weight.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FindFrames {
    pub query: TreeQuery,
    /// Substring of the readable name, the raw name or the module (case-insensitive).
    pub text: String,
}

/// Hot path: the path from the root along the heaviest children.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct HotPath {
    pub query: TreeQuery,
    /// Maximum depth.
    pub max_depth: u16,
}

/// Functions with inclusive and exclusive weights.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Functions {
    pub query: TreeQuery,
    pub order: FunctionOrder,
    /// Maximum number of functions.
    pub limit: u32,
}

/// Weights of tree rows over time.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct When {
    pub query: TreeQuery,
    /// Rows or functions. Each gets one row in the answer.
    pub of: WhenOf,
}

/// Stacks as a file for another program, without folding.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StackFile {
    pub query: TreeQuery,
    pub format: StackFormat,
}

/// Hot locations in a function, without folding.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CodePlaces {
    /// Query. Its shape is ignored.
    pub query: TreeQuery,
    pub function: FunctionId,
}

/// Unresolved frames by module, with reasons.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct UnresolvedCode {
    /// Query. Its shape is ignored.
    pub query: TreeQuery,
}

/// Stacks of a thread over time.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TimeOrder {
    /// Query. Its root frames are ignored.
    pub query: TreeQuery,
    pub thread: ThreadId,
    /// Visible time range, padded by the caller.
    pub span: Span,
    /// Nanoseconds per pixel, a power of two. Shorter slices are merged.
    pub resolution: i64,
    /// Maximum stack depth.
    pub max_depth: u16,
}

/// Details of a function: names, modules, tiers, addresses.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FunctionDetail {
    pub function: FunctionId,
}

/// Weights of call paths by frame names, for comparing them with those of another trace. A baseline is ignored.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TraceStacks {
    pub query: TreeQuery,
}

/// Stores the stacks of another trace for [`crate::request::BaselineOf::OtherTrace`]. The answer is their number. Only
/// the latest ones are stored.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct OtherStacks {
    /// [`crate::tables::StackProfile`] of the other trace.
    pub stacks: Packed,
    /// Factor of the weights, for traces of different duration or load.
    pub factor: f64,
}

/// Stores the stacks of other traces for [`crate::request::BaselineOf::Sum`]. The answer is their number.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AddedStacks {
    /// [`crate::tables::StackProfile`] of each trace.
    pub stacks: Vec<Packed>,
}

/// Number of latest [`AddedStacks`] that are stored.
pub const MAX_ADDED_STACKS: usize = 8;
