//! Picture of a flame graph with all its levels.

use super::{Colors, range_of, sheet};
use crate::app::state::App;
use crate::widgets::canvas::Palette;
use view::draw::svg::brush::Brush;
use view::draw::svg::legend::Entry;
use view::draw::svg::sheet::Picture;
use view::draw::units::CssPx;

/// Draws a picture of what `draw_into` draws; the facts are the name of the view and its total.
pub fn draw(
    app: App,
    (name, total): (&str, String),
    size: (CssPx, CssPx),
    draw_into: &dyn Fn(&dyn Brush),
    legend: &[Entry],
) -> Picture {
    let colors = Colors::new();
    let theme = colors.theme(Palette::read().characters());
    let mut sheet = sheet(app, &theme, size.0, name, range_of(app), &[total]);
    let resolve = |color: &str| colors.resolve(color);
    sheet.part(0.0, size, |painter| draw_into(&painter.brush(&resolve)));
    sheet.end_row(size.1);
    sheet.legend(legend);
    sheet.finish()
}
