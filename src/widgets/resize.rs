//! Size changes of elements.

use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Element, ResizeObserver};

/// Calls a function with width and height in CSS pixels, now and whenever they change, until the owner is removed.
pub fn on_resize(element: &Element, called: impl Fn(f64, f64) + 'static) {
    let observed = element.clone();
    let callback = Closure::<dyn FnMut()>::new(move || {
        called(f64::from(observed.client_width()), f64::from(observed.client_height()));
    });
    if let Ok(observer) = ResizeObserver::new(callback.as_ref().unchecked_ref()) {
        observer.observe(element);
        let kept = StoredValue::new_local((observer, callback));
        on_cleanup(move || kept.with_value(|(observer, _)| observer.disconnect()));
    }
}

/// Returns the device pixels per CSS pixel.
pub fn device_pixel_ratio() -> f64 {
    web_sys::window().map_or(1.0, |window| window.device_pixel_ratio())
}
