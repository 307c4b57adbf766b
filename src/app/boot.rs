//! Bindings of `www/boot.js` for the page's programs.

use super::browser::describe;
use super::shell::Chosen;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// Build ID; the page's programs and the worker must match.
pub const BUILD: &str = match option_env!("TRACEGLASS_BUILD") {
    Some(build) => build,
    None => "dev",
};

#[wasm_bindgen]
extern "C" {
    /// Selection on the start page, as passed from one program to the other. One of the fields is set.
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
    /// Other traces of a saved page.
    #[wasm_bindgen(method, getter)]
    fn others(this: &Handed) -> Option<js_sys::Array>;

    /// Trace of a saved page other than the first one, as `www/saved_page.js` describes it.
    pub type SavedTrace;

    #[wasm_bindgen(method, getter)]
    pub fn file(this: &SavedTrace) -> web_sys::File;
    /// View as in a URL.
    #[wasm_bindgen(method, getter)]
    pub fn view(this: &SavedTrace) -> Option<String>;
    /// Some if the panels are about it.
    #[wasm_bindgen(method, getter)]
    pub fn shown(this: &SavedTrace) -> Option<String>;

    #[wasm_bindgen(thread_local_v2, js_namespace = traceglass, js_name = isSaved)]
    static IS_SAVED: bool;

    #[wasm_bindgen(thread_local_v2, js_namespace = traceglass, js_name = embedder)]
    static EMBEDDER: Option<String>;

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

/// Returns whether this is a saved page with a trace, which has no host and can't download anything.
pub fn is_saved() -> bool {
    IS_SAVED.with(|is_saved| *is_saved)
}

/// Returns the origin of the page that has this one in a frame and controls it.
pub fn embedder() -> Option<String> {
    EMBEDDER.with(Clone::clone)
}

/// Returns whether the current security policy lets the worker download from a URL.
pub fn policy_allows(address: &str) -> bool {
    allows_url(address)
}

/// Downloads and compiles the worker's program in advance.
pub fn prepare_worker() {
    prepare_worker_of(BUILD);
}

/// Downloads and compiles the program that opens traces in advance.
pub fn prepare_app() {
    prepare_app_of(BUILD);
}

/// Loads the program that opens traces, and passes the selection to it.
///
/// # Errors
/// Fails with the browser's message if the program can't be loaded.
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

/// Loads the program that opens traces, which opens the view in the URL.
pub fn start_app_at_once() {
    // `boot.js` waits for it, and reports failures.
    drop(start_app_with(BUILD, None));
}

/// Returns the selection from the start page, or the traces of a saved page, once. The first one is to be opened.
pub fn take_chosen() -> Option<(Chosen, Vec<SavedTrace>)> {
    let handed = take_handed()?;
    let file = handed.file().map(Chosen::File);
    let chosen = file.or_else(|| handed.url().map(Chosen::Url)).or_else(|| handed.sample().map(Chosen::Sample))?;
    let others = handed.others().map(|others| others.iter().map(JsCast::unchecked_into).collect());
    Some((chosen, others.unwrap_or_default()))
}
