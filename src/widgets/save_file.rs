//! Offering a file to be saved.

use crate::app::browser::describe;
use protocol::tables::ExportedFile;
use protocol::{Failure, FailureCode};
use wasm_bindgen::prelude::*;
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
    fn offer(&self, name: &str) -> Result<(), Failure> {
        offer(&self.content()?, name)
    }
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(thread_local_v2, js_namespace = ["traceglass", "files"], js_name = canStream)]
    static CAN_STREAM: bool;

    #[wasm_bindgen(catch, js_namespace = ["traceglass", "files"])]
    async fn stream(name: &str) -> Result<JsValue, JsValue>;

    /// A file on disk that is being written; the part of `FileSystemWritableFileStream` that is used.
    pub type Stream;

    #[wasm_bindgen(method, catch)]
    async fn write(this: &Stream, bytes: &js_sys::Uint8Array) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    async fn close(this: &Stream) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    async fn abort(this: &Stream) -> Result<JsValue, JsValue>;
}

/// A file of a size that nobody knows ahead: a large one goes to disk part by part where the browser does that, else it
/// grows in memory and is offered when it is whole.
pub enum LongFile {
    /// Where the user wanted it.
    OnDisk(Stream),
    /// In memory.
    Growing(GrowingFile),
}

impl LongFile {
    /// Begins a file, asking the user where to if it is large; none if the user wants it nowhere.
    ///
    /// # Errors
    /// If it cannot be written there.
    pub async fn begin(name: &str, is_large: bool) -> Result<Option<Self>, Failure> {
        if !is_large || !CAN_STREAM.with(|can| *can) {
            return Ok(Some(Self::Growing(GrowingFile::default())));
        }
        let stream = stream(name).await.map_err(not_written)?;
        Ok((!stream.is_null()).then(|| Self::OnDisk(stream.unchecked_into())))
    }

    /// Puts bytes behind what is there.
    ///
    /// # Errors
    /// If there is no room.
    pub async fn append(&self, bytes: &[u8]) -> Result<(), Failure> {
        match self {
            Self::OnDisk(stream) => {
                stream.write(&js_sys::Uint8Array::from(bytes)).await.map_err(not_written)?;
                Ok(())
            }
            Self::Growing(file) => file.append(bytes),
        }
    }

    /// Nothing more comes: the file is there, or the browser saves it under the name.
    ///
    /// # Errors
    /// If it cannot.
    pub async fn finish(self, name: &str) -> Result<(), Failure> {
        match self {
            Self::OnDisk(stream) => {
                stream.close().await.map_err(not_written)?;
                Ok(())
            }
            Self::Growing(file) => file.offer(name),
        }
    }

    /// What was written is not wanted any more.
    pub async fn give_up(self) {
        if let Self::OnDisk(stream) = self {
            // What cannot be given up was never there.
            let _ = stream.abort().await;
        }
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
        Failure::new(FailureCode::OutOfMemory, "The browser blocked the download.").with_detail(describe(&error))
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

fn not_written(error: JsValue) -> Failure {
    let words = "Couldn’t write the file. Check free space and folder permissions.";
    Failure::new(FailureCode::OutOfMemory, words).with_detail(describe(&error))
}

fn no_room(error: JsValue) -> Failure {
    Failure::new(FailureCode::OutOfMemory, "Not enough browser storage for the file.").with_detail(describe(&error))
}
