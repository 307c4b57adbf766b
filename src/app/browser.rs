//! Helpers for browser APIs.

use wasm_bindgen::JsValue;

/// Returns the absolute URL of a part of this page.
pub fn absolute(relative: &str) -> String {
    let base = web_sys::window().and_then(|window| window.document()).and_then(|page| page.base_uri().ok().flatten());
    base.and_then(|base| web_sys::Url::new_with_base(relative, &base).ok())
        .map_or_else(|| relative.to_owned(), |url| url.href())
}

/// Reloads the page. If the browser doesn't, the user can: the URL is in place.
pub fn reload() {
    let _ = web_sys::window().map(|window| window.location().reload());
}

/// Returns the milliseconds since the page started.
pub fn now_ms() -> f64 {
    web_sys::window().and_then(|window| window.performance()).map_or(0.0, |performance| performance.now())
}

/// Returns the message of a thrown value.
pub fn describe(error: &JsValue) -> String {
    match wasm_bindgen::JsCast::dyn_ref::<js_sys::Error>(error) {
        Some(error) => String::from(error.message()),
        None => error.as_string().unwrap_or_else(|| format!("{error:?}")),
    }
}
