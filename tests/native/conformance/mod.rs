//! The reader against its rules: one row of `rows.txt` a rule, tests that name their rows, and the document made of both.
//!
//! A test proves a row by naming it at the beginning of a line of its comment: `/// S41, S137: numbers end.`

mod container;
mod document;
mod event_headers;
mod filters;
mod metadata;
mod netperf;
mod recordings;
mod reference;
mod rows;
mod scan;
mod sequence_points;
mod speedscope;
mod support;
mod time;
mod v6_framing;
mod v6_metadata;
mod v6_tables;
