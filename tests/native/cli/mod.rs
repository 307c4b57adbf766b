//! The command-line tool over fixtures and recordings.

mod check;
mod excerpts;
mod field_conditions;
mod file_structure;
mod findings;
mod golden;
