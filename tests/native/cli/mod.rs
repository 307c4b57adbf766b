//! Tests of the command-line tool with fixtures and recordings.

mod check;
mod compare;
mod excerpts;
mod field_conditions;
mod file_structure;
mod findings;
mod golden;
mod json_schemas;
mod redaction;
mod thread_times;
