//! Engine in a web worker: messages, files, time slices.

mod blob_source;
mod blob_stream;
mod byte_stream;
mod chunks;
mod clock;
mod crash;
mod disk;
mod fetching;
mod following;
mod growing;
mod host;
mod loading;
mod port;
mod readers;
mod secondary_module;
mod unpacking;
mod waker;
mod wasm_memory;
mod yardstick;

pub use yardstick::scan_headers;

use js_sys::Uint8Array;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen_futures::spawn_local;
use web_sys::{MessageEvent, MessagePort};

/// Reads a region for the worker that opens its trace. The first `length` bytes of `memory` are the job. Returns the result,
/// in the same memory if there is room; `None` if the region has something that only that worker handles.
pub fn read_region(memory: &Uint8Array, length: u32) -> Option<Uint8Array> {
    let rows = engine::session::read_region(&memory.subarray(0, length).to_vec())?;
    let length = rows.len() as u32;
    let into = if length <= memory.length() { memory.subarray(0, length) } else { Uint8Array::new_with_length(length) };
    into.copy_from(&rows);
    Some(into)
}

/// Serves the page behind `port` until the worker is terminated.
pub fn start(port: MessagePort) {
    let host = host::Host::new(port::Port::new(port.clone()));
    spawn_local(host.clone().warm_up());
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| host.receive(&event.data()));
    // Setting the handler also opens the port, which delivers earlier messages.
    port.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    // The handler lives as long as the worker.
    on_message.forget();
}
