//! What `www/boot.js` does for the page's programs.

use super::browser::describe;
use super::shell::Chosen;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// Which build this is; the page's programs and the worker must agree.
pub const BUILD: &str = match option_env!("TRACEGLASS_BUILD") {
    Some(build) => build,
    None => "dev",
};

#[wasm_bindgen]
extern "C" {
    /// What was chosen on the first screen, as it goes from one program to the other. One of the fields is set.
    #[wasm_bindgen(extends = js_sys::Object)]
    type Handed;

    #[wasm_bindgen(method, getter)]
    fn file(this: &Handed) -> Option<web_sys::File>;
    #[wasm_bindgen(method, setter)]
    fn set_file(this: &Handed, file: &web_sys::File);
    #[wasm_bindgen(method, getter)]
    fn url(this: &Handed) -> Option<String>;
    #[wasm_bindgen(method, setter)]
    fn set_url(this: &Handed, url: &str);
    #[wasm_bindgen(method, getter)]
    fn sample(this: &Handed) -> Option<String>;
    #[wasm_bindgen(method, setter)]
    fn set_sample(this: &Handed, sample: &str);

    #[wasm_bindgen(thread_local_v2, js_namespace = traceglass, js_name = isSaved)]
    static IS_SAVED: bool;

    #[wasm_bindgen(js_namespace = traceglass, js_name = allowsUrl)]
    fn allows_url(address: &str) -> bool;

    #[wasm_bindgen(js_namespace = traceglass, js_name = prepareWorker)]
    fn prepare_worker_of(build: &str);

    #[wasm_bindgen(js_namespace = traceglass, js_name = prepareApp)]
    fn prepare_app_of(build: &str);

    #[wasm_bindgen(js_namespace = traceglass, js_name = startApp)]
    fn start_app_with(build: &str, chosen: Option<Handed>) -> js_sys::Promise;

    #[wasm_bindgen(js_namespace = traceglass, js_name = takeChosen)]
    fn take_handed() -> Option<Handed>;
}

/// Whether this is a page that was saved with a trace in it: it comes from no host and can fetch nothing.
pub fn is_saved() -> bool {
    IS_SAVED.with(|is_saved| *is_saved)
}

/// Whether this load's security policy lets the worker fetch from an address.
pub fn policy_allows(address: &str) -> bool {
    allows_url(address)
}

/// Downloads and compiles the worker's program ahead of need.
pub fn prepare_worker() {
    prepare_worker_of(BUILD);
}

/// Downloads and compiles the program that opens traces ahead of need.
pub fn prepare_app() {
    prepare_app_of(BUILD);
}

/// Loads the program that opens traces, and hands it what was chosen.
///
/// # Errors
/// What the browser says when the program cannot be loaded.
pub async fn start_app(chosen: Chosen) -> Result<(), String> {
    let handed: Handed = js_sys::Object::new().unchecked_into();
    match chosen {
        Chosen::File(file) => handed.set_file(&file),
        Chosen::Url(url) => handed.set_url(&url),
        Chosen::Sample(name) => handed.set_sample(&name),
    }
    let started = JsFuture::from(start_app_with(BUILD, Some(handed))).await;
    started.map(drop).map_err(|error| describe(&error))
}

/// Loads the program that opens traces, which finds what to open in the address.
pub fn start_app_at_once() {
    // Not waited for: `boot.js` waits, and says so if it fails.
    drop(start_app_with(BUILD, None));
}

/// What the first screen handed over; once.
pub fn take_chosen() -> Option<Chosen> {
    let handed = take_handed()?;
    let file = handed.file().map(Chosen::File);
    file.or_else(|| handed.url().map(Chosen::Url)).or_else(|| handed.sample().map(Chosen::Sample))
}
