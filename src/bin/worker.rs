//! The program in the worker: see [`traceglass::worker`].

use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::MessagePort;

/// Called by the worker's boot script with the port that leads to the page.
#[wasm_bindgen]
pub fn start(port: MessagePort) {
    traceglass::worker::start(port);
}

fn main() {}
