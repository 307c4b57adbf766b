//! Part of this program that answers requests, downloaded with the first trace: see `xtask/pack/src/split.rs`.

use crate::blob_source::describe;
use js_sys::Promise;
use protocol::{Failure, FailureCode};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    /// Calls a function of `worker_boot.js`.
    #[wasm_bindgen(js_namespace = traceglass)]
    fn rest() -> Promise;
}

/// Starts the download, unless it has started.
pub(super) fn fetch() {
    // Failures are reported by `arrived`.
    let _ = rest();
}

/// Waits for the download.
///
/// # Errors
/// Fails if the download fails; calling it again is allowed.
pub(super) async fn arrived() -> Result<(), Failure> {
    let arrived = JsFuture::from(rest()).await;
    arrived.map(drop).map_err(|error| {
        let message = "Can't download part of Traceglass. Check your connection and try again.";
        Failure::new(FailureCode::Fetch, message).with_detail(describe(&error))
    })
}
