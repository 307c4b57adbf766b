//! Colors of the current theme as numbers.

use crate::widgets::canvas;
use std::cell::RefCell;
use std::collections::BTreeMap;
use view::draw::drawlist::CharacterWidths;
use view::draw::svg::theme::{Color, Theme};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// Values of colors, which a canvas computes: the style sheet may mix them.
pub struct Colors {
    context: Option<CanvasRenderingContext2d>,
    known: RefCell<BTreeMap<String, Color>>,
}

impl Colors {
    /// Prepares a canvas.
    pub fn new() -> Self {
        let canvas = leptos::prelude::document().create_element("canvas").ok();
        let canvas = canvas.and_then(|canvas| canvas.dyn_into::<HtmlCanvasElement>().ok());
        let context = canvas.and_then(|canvas| {
            canvas.set_width(1);
            canvas.set_height(1);
            // Each color is read back, so a canvas in memory is faster.
            let options = js_sys::Object::new();
            js_sys::Reflect::set(&options, &"willReadFrequently".into(), &JsValue::TRUE).ok()?;
            canvas.get_context_with_context_options("2d", &options).ok().flatten()?.dyn_into().ok()
        });
        Self { context, known: RefCell::default() }
    }

    /// Returns the value of a color as in a style sheet.
    pub fn resolve(&self, color: &str) -> Color {
        let known = self.known.borrow().get(color).copied();
        known.unwrap_or_else(|| {
            let value = self.measure(color).unwrap_or_default();
            self.known.borrow_mut().insert(color.to_owned(), value);
            value
        })
    }

    fn measure(&self, color: &str) -> Option<Color> {
        let context = self.context.as_ref()?;
        context.clear_rect(0.0, 0.0, 1.0, 1.0);
        // An unknown color leaves the one before unchanged.
        context.set_fill_style_str("transparent");
        context.set_fill_style_str(color);
        context.fill_rect(0.0, 0.0, 1.0, 1.0);
        let pixel = context.get_image_data(0.0, 0.0, 1.0, 1.0).ok()?.data();
        let &[red, green, blue, alpha] = pixel.as_slice() else { return None };
        Some(Color { red, green, blue, alpha })
    }

    pub fn theme(&self, characters: CharacterWidths) -> Theme {
        let style = canvas::Colors::read();
        Theme::new(characters, |token| self.resolve(&style.get(token.property())))
    }
}
