//! Summary tab: key figures, times of findings, and a small flame graph.

pub mod key_figures;
pub mod small_flame;
pub mod time_strip;
