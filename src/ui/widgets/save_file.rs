//! Offering a file to be saved.

use crate::protocol::tables::ExportedFile;
use crate::protocol::{Failure, FailureCode};
use crate::ui::browser::describe;
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
    pub fn append(&self, bytes: &[u8]) -> Result<(), Failure> {
        let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(bytes));
        let blob = Blob::new_with_u8_array_sequence(&parts).map_err(no_room)?;
        self.0.push(blob.as_ref());
        Ok(())
    }

    /// What is there.
    ///
    /// # Errors
    /// If there is no room.
    pub fn content(&self) -> Result<Blob, Failure> {
        Blob::new_with_blob_sequence(&self.0).map_err(no_room)
    }

    /// Has the browser save it under a name.
    ///
    /// # Errors
    /// If it refuses.
    pub fn offer(&self, name: &str) -> Result<(), Failure> {
        offer(&self.content()?, name)
    }
}

/// Has the browser save a whole file; returns its name.
///
/// # Errors
/// If it refuses.
pub fn save(file: &ExportedFile) -> Result<String, Failure> {
    let (name, content) = (file.name.get(0), GrowingFile::default());
    content.append(&file.bytes)?;
    content.offer(name)?;
    Ok(name.to_owned())
}

/// Has the browser save a content under a name.
///
/// # Errors
/// If it refuses.
pub fn offer(content: &Blob, name: &str) -> Result<(), Failure> {
    click_on_link(content, name).map_err(|error| {
        Failure::new(FailureCode::OutOfMemory, "The browser refused to save the file.").with_detail(describe(&error))
    })
}

fn click_on_link(content: &Blob, name: &str) -> Result<(), JsValue> {
    let url = Url::create_object_url_with_blob(content)?;
    let page = web_sys::window().and_then(|window| window.document()).ok_or(JsValue::NULL)?;
    let link: HtmlAnchorElement = page.create_element("a")?.dyn_into()?;
    link.set_href(&url);
    link.set_download(name);
    link.click();
    Url::revoke_object_url(&url)
}

fn no_room(error: JsValue) -> Failure {
    Failure::new(FailureCode::OutOfMemory, "The browser has no room for the file.").with_detail(describe(&error))
}
