//! Time in a worker, and yielding to other messages.

use js_sys::Promise;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{MessageChannel, WorkerGlobalScope};

/// Returns the worker's global object.
pub(super) fn global() -> WorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Returns the milliseconds since the worker started.
pub(super) fn now_ms() -> f64 {
    global().performance().map_or(0.0, |performance| performance.now())
}

/// Yields to waiting messages within some microseconds (a timer would take 4 ms). Only one task may wait at a time.
pub(super) struct MessageYield(MessageChannel);

impl MessageYield {
    /// Creates a message channel; `None` if the browser doesn't support them.
    pub(super) fn new() -> Option<Self> {
        MessageChannel::new().ok().map(Self)
    }

    /// Resolves in a later task.
    pub(super) async fn next(&self) {
        let promise = Promise::new(&mut |resolve, _| {
            self.0.port1().set_onmessage(Some(&resolve));
            // Posting null can't fail: there is nothing to clone.
            let _ = self.0.port2().post_message(&JsValue::NULL);
        });
        let _ = JsFuture::from(promise).await;
    }
}
