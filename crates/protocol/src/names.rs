//! Names in a trace that contain a searched text: functions, routes and types.

use crate::base::ids::FunctionId;
use crate::topics::topic::Topic;
use serde::{Deserialize, Serialize};

/// Subject of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum NameOf {
    Function(FunctionId),
    /// Item of an analysis: a route of HTTP, a type of Exceptions or Allocations.
    Item(Topic),
}

/// Name in a trace.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FoundName {
    pub name: String,
    /// Module of a function; otherwise empty.
    pub module: String,
    /// Number of events: with the function on the stack, or of the item.
    pub count: u64,
    /// The number with its noun: "on the stack: 767", "280 requests".
    pub note: String,
    pub condition: String,
    pub of: NameOf,
}
