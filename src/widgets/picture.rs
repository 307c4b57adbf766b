//! Canvas that is painted again when its content, its size or the theme changes.

use super::canvas::{CanvasPainter, Palette, colors_changed};
use crate::app::shell::Shell;
use leptos::html;
use leptos::prelude::*;
use view::draw::drawlist::CharacterWidths;
use view::draw::units::CssPx;

use super::resize::on_resize;

/// Follows the size of the element around a canvas, and paints it while it is visible. Tracks everything that `paint`
/// reads.
pub fn paint_whenever(
    shell: Shell,
    frame: NodeRef<html::Div>,
    canvas: NodeRef<html::Canvas>,
    open: Memo<bool>,
    size: RwSignal<(CssPx, CssPx)>,
    paint: impl Fn(&mut CanvasPainter<'_>, CharacterWidths) + 'static,
) {
    frame.on_load(move |frame| {
        on_resize(&frame, move |width, height| {
            if size.get_untracked() != (width, height) {
                size.set((width, height));
            }
        });
    });
    let palette = StoredValue::new_local(None::<(u32, Palette)>);
    let colors = colors_changed(shell);
    Effect::new(move |_| {
        let (now, (width, height)) = (colors.get(), size.get());
        let Some(canvas) = canvas.get().filter(|_| open.get() && width > 0.0 && height > 0.0) else { return };
        palette.update_value(|palette| {
            let known = palette.take().filter(|(read, _)| *read == now);
            let (_, palette) = palette.insert(known.unwrap_or_else(|| (now, Palette::read())));
            if let Some(mut painter) = CanvasPainter::new(&canvas, width, height, palette) {
                paint(&mut painter, palette.characters());
            }
        });
    });
}
