//! Columns of a grid: declared once per table; chosen, moved, resized and sorted by users.

mod arrangement;
mod column;
mod tree;

pub use crate::draw::tooltip::DECIMALS;
pub use arrangement::Arrangement;
pub use column::{GridColumn, Shown, Sorted, cell_words, number_words};
pub use tree::sort_tree;
