//! Time in a worker, and giving way to other messages.

use js_sys::Promise;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{MessageChannel, WorkerGlobalScope};

/// The worker's global object.
pub(super) fn global() -> WorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Milliseconds since the worker started.
pub(super) fn now_ms() -> f64 {
    global().performance().map_or(0.0, |performance| performance.now())
}

/// Lets waiting messages be delivered, at the cost of some microseconds (a timer would take 4 ms). One waits at a time.
pub(super) struct Turns(MessageChannel);

impl Turns {
    /// `None` if the browser has no message channels, which are older than WebAssembly.
    pub(super) fn new() -> Option<Self> {
        MessageChannel::new().ok().map(Self)
    }

    /// Resolves in a later task.
    pub(super) async fn next(&self) {
        let promise = Promise::new(&mut |resolve, _| {
            self.0.port1().set_onmessage(Some(&resolve));
            // Posting null cannot fail: there is nothing to clone.
            let _ = self.0.port2().post_message(&JsValue::NULL);
        });
        let _ = JsFuture::from(promise).await;
    }
}
