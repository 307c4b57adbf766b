//! Analyses: reports and findings.

pub mod finding;
pub mod finding_text;
pub mod no_findings;
pub mod recording;
pub mod report;
pub mod topic;
