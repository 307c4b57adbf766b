//! Flame graphs, call trees and functions.

pub mod clipboard;
pub mod code_place;
pub mod flame_boxes;
pub mod flame_levels;
pub mod function_columns;
pub mod function_name;
pub mod measure;
pub mod of_events;
pub mod tree_rows;
pub mod when;
