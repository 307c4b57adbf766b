//! What `www/files.js` does: choosing files, and opening those again that the browser keeps handles of.

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

    /// Notes where a dropped file lies; while the drop is handled.
    #[wasm_bindgen(js_namespace = ["traceglass", "files"])]
    pub fn dropped(data: &DataTransfer);

    #[wasm_bindgen(js_namespace = ["traceglass", "files"])]
    fn launched(open: &Closure<dyn FnMut(File)>);

    #[wasm_bindgen(js_namespace = ["traceglass", "files"])]
    fn opened(file: &File) -> js_sys::Promise;

    #[wasm_bindgen(catch, js_namespace = ["traceglass", "files"])]
    async fn list() -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["traceglass", "files"], js_name = mayOpen)]
    async fn may_open(id: f64) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_namespace = ["traceglass", "files"])]
    async fn open(id: f64) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_namespace = ["traceglass", "files"])]
    fn forget(id: Option<f64>) -> js_sys::Promise;

    /// An entry of the list.
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

/// A file that can be opened again.
#[derive(Clone, PartialEq, Debug)]
pub struct RecentFile {
    id: f64,
    /// Its name.
    pub name: String,
    /// Its size when it was opened.
    pub bytes: u64,
    /// When it was opened: milliseconds since 1970.
    pub opened_ms: f64,
}

impl RecentFile {
    /// Whether the user needs not be asked again.
    pub async fn may_be_opened(&self) -> bool {
        may_open(self.id).await.is_ok_and(|answer| answer.is_truthy())
    }

    /// Opens it, once the user allows it.
    pub fn open(self, shell: Shell) {
        spawn_local(async move {
            match open(self.id).await {
                Ok(file) => shell.open(Chosen::File(file.unchecked_into())),
                Err(error) => shell.say(format!("Couldn’t reopen {}. {}", self.name, describe(&error))),
            }
        });
    }

    /// Takes it off the list.
    pub async fn forget(self) {
        // What cannot be forgotten now is still on the list, where it can be removed again.
        let _ = JsFuture::from(forget(Some(self.id))).await;
    }
}

/// Whether this browser can keep where files lie.
pub fn are_kept() -> bool {
    ARE_KEPT.with(|kept| *kept)
}

/// Whether there was something to open again when the page started.
pub fn has_kept() -> bool {
    HAS_KEPT.with(|kept| *kept)
}

/// The files that can be opened again, latest first; none where the browser keeps none, or may not.
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

/// Takes all files off the list.
pub async fn forget_all() {
    let _ = JsFuture::from(forget(None)).await;
}

/// Keeps where a trace lies that is open.
pub fn keep(file: &File) {
    // Whoever forbids that keeps nothing.
    let kept = opened(file);
    spawn_local(async move {
        let _ = JsFuture::from(kept).await;
    });
}

/// Asks the user for a file and opens it. Only where files are kept.
pub fn pick(shell: Shell) {
    spawn_local(async move {
        match pick_file().await {
            Ok(file) if file.is_null() => {}
            Ok(file) => shell.open(Chosen::File(file.unchecked_into())),
            Err(error) => shell.say(format!("Couldn’t open the file. {}", describe(&error))),
        }
    });
}

/// From now on opens what the system opens this page with.
pub fn open_launched(shell: Shell) {
    let open = Closure::<dyn FnMut(File)>::new(move |file| shell.open(Chosen::File(file)));
    launched(&open);
    // Called as long as the page lives; the program that takes over puts its own in place.
    open.forget();
}
