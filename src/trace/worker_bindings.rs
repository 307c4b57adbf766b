//! Bindings of workers from `www/boot.js`.

use crate::app::browser::describe;
use protocol::{Failure, FailureCode};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, MessagePort};

#[wasm_bindgen]
extern "C" {
    /// Running worker from `boot.js`.
    pub type Worker;

    /// Starts a worker of a build.
    #[wasm_bindgen(js_namespace = traceglass, js_name = spawnWorker)]
    pub fn spawn_worker(build: &str) -> js_sys::Promise;

    #[wasm_bindgen(method, getter)]
    pub fn port(this: &Worker) -> MessagePort;

    /// Returns whether the worker can read files of the page.
    #[wasm_bindgen(method, getter, js_name = readsBlobs)]
    pub fn reads_blobs(this: &Worker) -> bool;

    /// Returns a promise that resolves with a message when the worker crashes.
    #[wasm_bindgen(method, getter)]
    pub fn died(this: &Worker) -> js_sys::Promise;

    /// Terminates the worker and frees its memory.
    #[wasm_bindgen(method)]
    pub fn terminate(this: &Worker);
}

/// Returns the file as sent to a worker: the file, or its bytes if the worker can't read files of the page
/// (`www/memory_blobs.js`).
///
/// # Errors
/// Fails if the browser can't read the file.
pub async fn content(file: &File, reads_blobs: bool) -> Result<JsValue, Failure> {
    if reads_blobs {
        return Ok(file.clone().into());
    }
    JsFuture::from(file.array_buffer()).await.map_err(|error| {
        let words = format!("Can't read {}. It may have changed since you opened it; open it again.", file.name());
        Failure::new(FailureCode::Unreadable, words).with_detail(describe(&error))
    })
}
