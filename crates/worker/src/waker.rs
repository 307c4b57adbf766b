//! Wakes the loop that answers questions when it waits for bytes of the file.

use js_sys::{Function, Promise};
use std::cell::RefCell;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

thread_local! {
    /// What resolves the promise of the one who waits.
    static SLEEPER: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Something came: bytes, or a message.
pub(super) fn ring() {
    if let Some(wake) = SLEEPER.with(RefCell::take) {
        // Resolving a promise cannot fail.
        let _ = wake.call0(&JsValue::NULL);
    }
}

/// Waits until the bell rings. One waits at a time.
pub(super) async fn rung() {
    let promise = Promise::new(&mut |resolve, _| SLEEPER.with(|sleeper| *sleeper.borrow_mut() = Some(resolve)));
    let _ = JsFuture::from(promise).await;
}
