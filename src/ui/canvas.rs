//! Canvases: device pixels, and the colours of the page's style sheet.

use crate::ui::widgets::resize::device_pixel_ratio;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, CssStyleDeclaration, HtmlCanvasElement, HtmlElement};

/// The colours that the current theme gives to the custom properties of the page.
pub struct Colors(Option<CssStyleDeclaration>);

impl Colors {
    /// As they are now; to be read again after a change of theme.
    pub fn read() -> Self {
        let root = document().document_element();
        Self(root.and_then(|root| window().get_computed_style(&root).ok().flatten()))
    }

    /// The value of a custom property, or a grey that is seen on any ground.
    pub fn get(&self, property: &str) -> String {
        let value = self.0.as_ref().and_then(|style| style.get_property_value(property).ok());
        value
            .map(|value| value.trim().to_owned())
            .filter(|value| !value.is_empty())
            .unwrap_or_else(|| "#808080".to_owned())
    }
}

/// Gives a canvas a size in CSS pixels at full resolution, clears it, and hands out a context in CSS pixels.
pub fn prepare(canvas: &HtmlCanvasElement, width: f64, height: f64) -> Option<CanvasRenderingContext2d> {
    let ratio = device_pixel_ratio();
    let (device_width, device_height) = ((width * ratio).round() as u32, (height * ratio).round() as u32);
    if canvas.width() != device_width || canvas.height() != device_height {
        canvas.set_width(device_width);
        canvas.set_height(device_height);
    }
    let style = HtmlElement::style(canvas);
    style.set_property("height", &format!("{height}px")).ok()?;
    let context = canvas.get_context("2d").ok()??.dyn_into::<CanvasRenderingContext2d>().ok()?;
    context.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0).ok()?;
    context.clear_rect(0.0, 0.0, width, height);
    Some(context)
}
