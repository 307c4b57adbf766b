//! A page with the viewer and a trace in it.

use crate::app::boot::BUILD;
use crate::app::browser::describe;
use view::page::saved_page::PageSizes;
use wasm_bindgen::prelude::*;
use web_sys::Blob;

#[wasm_bindgen]
extern "C" {
    /// What `www/save_page.js` is to pack.
    #[wasm_bindgen(extends = js_sys::Object)]
    type What;

    #[wasm_bindgen(method, setter)]
    fn set_name(this: &What, name: &str);
    #[wasm_bindgen(method, setter)]
    fn set_view(this: &What, view: &str);
    #[wasm_bindgen(method, setter)]
    fn set_file(this: &What, file: &Blob);
    #[wasm_bindgen(method, setter)]
    fn set_url(this: &What, url: &str);

    /// What came of it.
    type Packed;

    #[wasm_bindgen(method, getter)]
    fn page(this: &Packed) -> Blob;
    #[wasm_bindgen(method, getter, js_name = viewerBytes)]
    fn viewer_bytes(this: &Packed) -> f64;
    #[wasm_bindgen(method, getter, js_name = traceBytes)]
    fn trace_bytes(this: &Packed) -> f64;
    #[wasm_bindgen(method, getter, js_name = packedBytes)]
    fn packed_bytes(this: &Packed) -> f64;

    #[wasm_bindgen(catch, js_namespace = traceglass, js_name = packPage)]
    async fn pack_page(build: &str, what: What, go_on: &Closure<dyn FnMut(f64) -> bool>) -> Result<JsValue, JsValue>;
}

/// The trace of a page.
pub(super) enum Content {
    /// These bytes.
    File(Blob),
    /// What is at an address that the page may fetch.
    Url(String),
}

/// Packs a page that shows a trace of this name with a view; `go_on` gets how many bytes of the trace were packed, and
/// returns whether to go on. None if that was given up.
///
/// # Errors
/// A sentence that says what is wrong.
pub(super) async fn pack(
    name: &str,
    view: &str,
    content: Content,
    go_on: impl Fn(u64) -> bool + 'static,
) -> Result<Option<(Blob, PageSizes)>, String> {
    let what: What = js_sys::Object::new().unchecked_into();
    what.set_name(name);
    what.set_view(view);
    match content {
        Content::File(file) => what.set_file(&file),
        Content::Url(url) => what.set_url(&url),
    }
    let go_on = Closure::<dyn FnMut(f64) -> bool>::new(move |bytes| go_on(bytes as u64));
    let packed = pack_page(BUILD, what, &go_on).await.map_err(|error| describe(&error))?;
    if packed.is_null() {
        return Ok(None);
    }
    let packed: Packed = packed.unchecked_into();
    let sizes = PageSizes {
        viewer: packed.viewer_bytes() as u64,
        trace: packed.trace_bytes() as u64,
        packed: packed.packed_bytes() as u64,
    };
    Ok(Some((packed.page(), sizes)))
}
