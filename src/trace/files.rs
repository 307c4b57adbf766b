//! Bindings of `www/files.js`: choosing files, and reopening recent files.

use crate::app::browser::describe;
use crate::app::shell::{Chosen, Shell};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DataTransfer, File};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(thread_local_v2, js_namespace = ["traceglass", "files"], js_name = areKept)]
    static ARE_KEPT: bool;

    #[wasm_bindgen(thread_local_v2, js_namespace = ["traceglass", "files"], js_name = hasKept)]
    static HAS_KEPT: bool;

    #[wasm_bindgen(catch, js_namespace = ["traceglass", "files"], js_name = pick)]
    async fn pick_file() -> Result<JsValue, JsValue>;

    /// Stores the location of a dropped file. Must be called while the drop is handled.
    #[wasm_bindgen(js_namespace = ["traceglass", "files"])]
    pub fn dropped(data: &DataTransfer);

    #[wasm_bindgen(js_namespace = ["traceglass", "files"], js_name = takeMore)]
    fn take_more_files() -> js_sys::Array;

    #[wasm_bindgen(js_namespace = ["traceglass", "files"])]
    fn launched(open: &Closure<dyn FnMut(File)>);

    #[wasm_bindgen(js_namespace = ["traceglass", "files"])]
    fn opened(file: &File) -> js_sys::Promise;

    #[wasm_bindgen(catch, js_namespace = ["traceglass", "files"], js_name = handleOf)]
    async fn handle_of(file: &File) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["traceglass", "files"])]
    async fn list() -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["traceglass", "files"], js_name = mayOpen)]
    async fn may_open(id: f64) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["traceglass", "files"])]
    async fn open(id: f64) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_namespace = ["traceglass", "files"])]
    fn forget(id: Option<f64>) -> js_sys::Promise;

    /// Entry of the list.
    type Entry;

    #[wasm_bindgen(method, getter)]
    fn id(this: &Entry) -> f64;
    #[wasm_bindgen(method, getter)]
    fn name(this: &Entry) -> String;
    #[wasm_bindgen(method, getter)]
    fn bytes(this: &Entry) -> f64;
    #[wasm_bindgen(method, getter, js_name = opened)]
    fn opened_at(this: &Entry) -> f64;
}

#[derive(Clone, PartialEq, Debug)]
pub struct RecentFile {
    id: f64,
    pub name: String,
    /// Size when it was opened.
    pub bytes: u64,
    /// Time when it was opened, in milliseconds since 1970.
    pub opened_ms: f64,
}

impl RecentFile {
    /// Returns whether the file can be opened without asking the user.
    pub async fn may_be_opened(&self) -> bool {
        may_open(self.id).await.is_ok_and(|answer| answer.is_truthy())
    }

    /// Opens the file, after the user allows it.
    pub fn open(self, shell: Shell) {
        spawn_local(async move {
            match open(self.id).await {
                Ok(file) => shell.open(Chosen::File(file.unchecked_into())),
                Err(error) => shell.say(format!("Can't reopen {}. {}", self.name, describe(&error))),
            }
        });
    }

    /// Removes the file from the list.
    pub async fn forget(self) {
        // If that fails, the file stays on the list, and can be removed later.
        let _ = JsFuture::from(forget(Some(self.id))).await;
    }
}

/// Returns the files that were dropped or chosen with the last one that was opened, once.
pub fn take_more() -> Vec<File> {
    take_more_files().iter().map(JsCast::unchecked_into).collect()
}

/// Returns whether this browser can store the location of files.
pub fn are_kept() -> bool {
    ARE_KEPT.with(|kept| *kept)
}

/// Returns whether there were recent files when the page started.
pub fn has_kept() -> bool {
    HAS_KEPT.with(|kept| *kept)
}

/// Returns the recent files, latest first; empty if the browser doesn't or can't store them.
pub async fn kept() -> Vec<RecentFile> {
    if !are_kept() {
        return Vec::new();
    }
    let entries = list().await.map(|entries| js_sys::Array::from(&entries)).unwrap_or_default();
    let entries = entries.iter().map(|entry| {
        let entry: Entry = entry.unchecked_into();
        RecentFile { id: entry.id(), name: entry.name(), bytes: entry.bytes() as u64, opened_ms: entry.opened_at() }
    });
    entries.collect()
}

/// Removes all files from the list.
pub async fn forget_all() {
    let _ = JsFuture::from(forget(None)).await;
}

/// Adds an opened trace to the list.
pub fn keep(file: &File) {
    // If the browser doesn't allow it, nothing is stored.
    let kept = opened(file);
    spawn_local(async move {
        let _ = JsFuture::from(kept).await;
    });
}

/// Returns the handle of a file that may still be recorded: a trace that changed a moment ago.
pub async fn growing(file: &File) -> Option<JsValue> {
    const MOMENT_MS: f64 = 10_000.0;
    let is_fresh = js_sys::Date::now() - file.last_modified() < MOMENT_MS;
    if !is_fresh || !file.name().ends_with(".nettrace") {
        return None;
    }
    handle_of(file).await.ok().filter(JsValue::is_object)
}

/// Opens a file that the user chooses. Only in browsers that store locations.
pub fn pick(shell: Shell) {
    spawn_local(async move {
        match pick_file().await {
            Ok(file) if file.is_null() => {}
            Ok(file) => shell.open(Chosen::File(file.unchecked_into())),
            Err(error) => shell.say(format!("Can't open this file. {}", describe(&error))),
        }
    });
}

/// Opens files with which the system launches the page.
pub fn open_launched(shell: Shell) {
    let open = Closure::<dyn FnMut(File)>::new(move |file| shell.open(Chosen::File(file)));
    launched(&open);
    // Called as long as the page exists; the next program replaces it.
    open.forget();
}
