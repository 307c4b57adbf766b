//! Offering a file to be saved.

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, HtmlAnchorElement, Url};

/// A file that grows, in memory that browsers may put on disk.
#[derive(Default)]
pub struct GrowingFile(js_sys::Array);

impl GrowingFile {
    /// Puts bytes behind what is there.
    ///
    /// # Errors
    /// If there is no room.
    pub fn append(&self, bytes: &[u8]) -> Result<(), JsValue> {
        let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(bytes));
        self.0.push(Blob::new_with_u8_array_sequence(&parts)?.as_ref());
        Ok(())
    }

    /// What is there.
    ///
    /// # Errors
    /// If there is no room.
    pub fn content(&self) -> Result<Blob, JsValue> {
        Blob::new_with_blob_sequence(&self.0)
    }

    /// Has the browser save it under a name.
    ///
    /// # Errors
    /// If it refuses.
    pub fn offer(&self, name: &str) -> Result<(), JsValue> {
        offer(&self.content()?, name)
    }
}

/// Has the browser save a content under a name.
///
/// # Errors
/// If it refuses.
pub fn offer(content: &Blob, name: &str) -> Result<(), JsValue> {
    let url = Url::create_object_url_with_blob(content)?;
    let page = web_sys::window().and_then(|window| window.document()).ok_or(JsValue::NULL)?;
    let link: HtmlAnchorElement = page.create_element("a")?.dyn_into()?;
    link.set_href(&url);
    link.set_download(name);
    link.click();
    Url::revoke_object_url(&url)
}
