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

pub use engine::session::read_region;
pub use yardstick::scan_headers;

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen_futures::spawn_local;
use web_sys::{MessageEvent, MessagePort};

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
