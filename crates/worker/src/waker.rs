//! Wakes the request loop while it waits for bytes of the file.

use js_sys::{Function, Promise};
use std::cell::RefCell;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

thread_local! {
    /// Function that resolves the waiting promise.
    static SLEEPER: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Wakes the waiting task, because bytes or a message have arrived.
pub(super) fn ring() {
    if let Some(wake) = SLEEPER.with(RefCell::take) {
        // Resolving a promise can't fail.
        let _ = wake.call0(&JsValue::NULL);
    }
}

/// Waits for [`ring`]. Only one task may wait at a time.
pub(super) async fn rung() {
    let promise = Promise::new(&mut |resolve, _| SLEEPER.with(|sleeper| *sleeper.borrow_mut() = Some(resolve)));
    let _ = JsFuture::from(promise).await;
}
