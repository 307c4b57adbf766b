//! Conformance of the parser: `rows.txt` contains the rules, tests name the rows that they prove, and both generate a
//! document.
//!
//! A test names its rows at the beginning of a line of its comment: `/// S41, S137: numbers end.`

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
