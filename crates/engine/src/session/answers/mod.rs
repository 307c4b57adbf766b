//! Answers to requests, one file per query.

pub(crate) mod dispatch;
pub(crate) mod event_text;
pub(crate) mod excerpt;
pub(crate) mod file_structure;
pub(crate) mod function_table;
pub(crate) mod groups;
pub(crate) mod report_text;
pub(crate) mod schemas;
pub(crate) mod time_order;
