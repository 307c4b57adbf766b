//! Queries about analyses and findings.

use crate::request::{Filter, RowOrder};
use crate::topics::topic::Topic;
use serde::{Deserialize, Serialize};

/// Analyses with data in the trace.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Topics;

/// Numbers of matching items of each analysis, as [`crate::topics::topic::Topic::counts`] counts them, and of runtime
/// tracks.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ItemCounts {
    pub filter: Filter,
}

/// Time of threads by role. Only the filter's time range, processes and threads apply.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RoleTimes {
    pub filter: Filter,
}

/// Findings, costliest first.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Findings {
    pub filter: Filter,
}

/// Report of an analysis.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Report {
    pub topic: Topic,
    pub filter: Filter,
}

/// Rows of a table of a report.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ReportRows {
    pub topic: Topic,
    pub filter: Filter,
    pub order: RowOrder,
    /// Index of the first row.
    pub first: u64,
    /// Number of rows.
    pub count: u32,
}

/// Table of a report as comma-separated values.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ReportFile {
    pub topic: Topic,
    pub filter: Filter,
    pub order: RowOrder,
}
