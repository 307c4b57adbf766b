//! Program of the worker: see [`traceglass_worker`].

use js_sys::Uint8Array;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{Blob, MessagePort};

/// Starts the worker. The worker's boot script calls it with the port to the page.
#[wasm_bindgen]
pub fn start(port: MessagePort) {
    traceglass_worker::start(port);
}

/// Reads a region for the worker that opens its trace, see [`traceglass_worker::read_region`].
#[wasm_bindgen]
pub fn read_region(memory: &Uint8Array, length: u32) -> Option<Uint8Array> {
    traceglass_worker::read_region(memory, length)
}

/// Runs the yardstick of `cargo xtask bench`, see [`traceglass_worker::scan_headers`]. Returns milliseconds and events.
///
/// # Errors
/// Fails if the file can't be read.
#[wasm_bindgen]
pub async fn scan_headers(file: Blob, expected: usize, streams: bool) -> Result<Vec<f64>, String> {
    let scanned = traceglass_worker::scan_headers(file, expected, streams).await;
    let (ms, events) = scanned.map_err(|failure| failure.to_string())?;
    Ok(vec![ms, events as f64])
}

fn main() {}
