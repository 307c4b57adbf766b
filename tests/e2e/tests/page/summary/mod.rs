//! Browser tests of the Summary tab.

mod findings;
mod reference_numbers;
