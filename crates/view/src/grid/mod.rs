//! Columns of a grid: declared once per table; chosen, moved, resized and sorted by users.

mod arrangement;
mod column;

pub use arrangement::Arrangement;
pub use column::{GridColumn, Shown, Sorted};
