//! Pictures as SVG files: draw lists, canvases and charts, with a title, the time range and a legend.
//!
//! A file has no external references: colors are those of the theme, fonts are generic families. Text of the trace is
//! escaped.

pub mod brush;
pub mod heads;
pub mod legend;
mod markup;
pub mod painter;
pub mod shapes;
pub mod sheet;
pub mod theme;
mod widths;

#[cfg(test)]
mod tests;
