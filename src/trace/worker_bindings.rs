//! The worker that holds a trace, as `www/boot.js` hands it out, and how it gets a file.

use crate::app::browser::describe;
use protocol::{Failure, FailureCode};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, MessagePort};

#[wasm_bindgen]
extern "C" {
    /// A running worker, as `boot.js` hands it out.
    pub type Worker;

    /// Starts one of a build.
    #[wasm_bindgen(js_namespace = traceglass, js_name = spawnWorker)]
    pub fn spawn_worker(build: &str) -> js_sys::Promise;

    /// Where it is talked to.
    #[wasm_bindgen(method, getter)]
    pub fn port(this: &Worker) -> MessagePort;

    /// Whether it reads files of the page.
    #[wasm_bindgen(method, getter, js_name = readsBlobs)]
    pub fn reads_blobs(this: &Worker) -> bool;

    /// Resolves with a message when it has crashed.
    #[wasm_bindgen(method, getter)]
    pub fn died(this: &Worker) -> js_sys::Promise;

    /// Ends it and frees its memory.
    #[wasm_bindgen(method)]
    pub fn terminate(this: &Worker);
}

/// What a worker is sent of a file: the file, or its bytes where it reads no files of the page (`www/memory_blobs.js`).
///
/// # Errors
/// When the browser cannot read the file.
pub async fn content(file: &File, reads_blobs: bool) -> Result<JsValue, Failure> {
    if reads_blobs {
        return Ok(file.clone().into());
    }
    JsFuture::from(file.array_buffer()).await.map_err(|error| {
        let words = format!("Couldn’t read {}. It may have changed since you opened it; open it again.", file.name());
        Failure::new(FailureCode::Unreadable, words).with_detail(describe(&error))
    })
}
