//! Reports of analyses: charts and tables.

pub mod chart;
pub mod chart_words;
pub mod columns;
pub mod losses;
