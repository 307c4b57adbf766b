//! Creates a page with the viewer and a trace.

use crate::app::boot::BUILD;
use crate::app::browser::describe;
use view::page::saved_page::PageSizes;
use wasm_bindgen::prelude::*;
use web_sys::Blob;

#[wasm_bindgen]
extern "C" {
    /// Input of `www/save_page.js`.
    #[wasm_bindgen(extends = js_sys::Object)]
    type What;

    #[wasm_bindgen(method, setter)]
    fn set_name(this: &What, name: &str);
    #[wasm_bindgen(method, setter)]
    fn set_view(this: &What, view: &str);
    #[wasm_bindgen(method, setter)]
    fn set_traces(this: &What, traces: js_sys::Array);

    /// Trace of the input.
    #[wasm_bindgen(extends = js_sys::Object)]
    type Trace;

    #[wasm_bindgen(method, setter)]
    fn set_file(this: &Trace, file: &Blob);
    #[wasm_bindgen(method, setter)]
    fn set_url(this: &Trace, url: &str);
    #[wasm_bindgen(method, setter)]
    fn set_about(this: &Trace, about: js_sys::Object);

    /// Result of `www/save_page.js`.
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

/// Content of a trace.
pub(super) enum Content {
    File(Blob),
    /// URL that the page may download.
    Url(String),
}

pub(super) struct PageTrace {
    pub(super) content: Content,
    /// What `www/saved_page.js` says about it.
    pub(super) about: Vec<(&'static str, String)>,
}

impl PageTrace {
    fn into_js(self) -> Trace {
        let trace: Trace = js_sys::Object::new().unchecked_into();
        match self.content {
            Content::File(file) => trace.set_file(&file),
            Content::Url(url) => trace.set_url(&url),
        }
        let about = js_sys::Object::new();
        for (key, value) in self.about {
            // Setting a field of a plain object can't fail.
            let _ = js_sys::Reflect::set(&about, &key.into(), &value.into());
        }
        trace.set_about(about);
        trace
    }
}

/// Creates a page with this name that shows a view of traces; `go_on` gets the number of packed bytes of the traces, and
/// returns whether to continue. `None` if it was canceled.
///
/// # Errors
/// Fails with a sentence about the problem.
pub(super) async fn pack(
    name: &str,
    view: &str,
    traces: Vec<PageTrace>,
    go_on: impl Fn(u64) -> bool + 'static,
) -> Result<Option<(Blob, PageSizes)>, String> {
    let what: What = js_sys::Object::new().unchecked_into();
    what.set_name(name);
    what.set_view(view);
    let count = traces.len() as u64;
    what.set_traces(traces.into_iter().map(PageTrace::into_js).collect());
    let go_on = Closure::<dyn FnMut(f64) -> bool>::new(move |bytes| go_on(bytes as u64));
    let packed = pack_page(BUILD, what, &go_on).await.map_err(|error| describe(&error))?;
    if packed.is_null() {
        return Ok(None);
    }
    let packed: Packed = packed.unchecked_into();
    let sizes = PageSizes {
        traces: count,
        viewer: packed.viewer_bytes() as u64,
        trace: packed.trace_bytes() as u64,
        packed: packed.packed_bytes() as u64,
    };
    Ok(Some((packed.page(), sizes)))
}
