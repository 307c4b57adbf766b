//! Analyses: reports and findings.

pub mod finding;
pub mod no_findings;
pub mod report;
pub mod topic;
