//! Saving of files.

use crate::app::browser::describe;
use crate::app::state::App;
use crate::trace::pages::{Paged, Pages};
use leptos::prelude::*;
use protocol::export::TableFormat;
use protocol::table::{Column, column_with_key};
use protocol::tables::ExportedFile;
use protocol::{Failure, FailureCode};
use std::sync::Arc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Blob, HtmlAnchorElement, Url};

/// Growing file in memory, which browsers may put on disk.
#[derive(Default)]
pub struct GrowingFile(js_sys::Array);

impl GrowingFile {
    /// Appends bytes.
    ///
    /// # Errors
    /// Fails if memory runs out.
    pub fn append(&self, bytes: &[u8]) -> Result<(), Failure> {
        let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(bytes));
        let blob = Blob::new_with_u8_array_sequence(&parts).map_err(no_room)?;
        self.0.push(blob.as_ref());
        Ok(())
    }

    /// Returns the content.
    ///
    /// # Errors
    /// Fails if memory runs out.
    pub fn content(&self) -> Result<Blob, Failure> {
        Blob::new_with_blob_sequence(&self.0).map_err(no_room)
    }

    /// Saves the file under a name.
    ///
    /// # Errors
    /// Fails if the browser refuses.
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

    /// Writable file on disk: the used part of `FileSystemWritableFileStream`.
    pub type Stream;

    #[wasm_bindgen(method, catch)]
    async fn write(this: &Stream, bytes: &js_sys::Uint8Array) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    async fn close(this: &Stream) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    async fn abort(this: &Stream) -> Result<JsValue, JsValue>;
}

/// File of unknown size: a large one is written to disk in parts if the browser supports it; otherwise it grows in
/// memory and is saved when it is complete.
pub enum LongFile {
    /// File at the location that the user chose.
    OnDisk(Stream),
    /// File in memory.
    Growing(GrowingFile),
}

impl LongFile {
    /// Creates a file, and asks the user for the location if it is large; `None` if the user cancels.
    ///
    /// # Errors
    /// Fails if the location isn't writable.
    pub async fn begin(name: &str, is_large: bool) -> Result<Option<Self>, Failure> {
        if !is_large || !CAN_STREAM.with(|can| *can) {
            return Ok(Some(Self::Growing(GrowingFile::default())));
        }
        let stream = stream(name).await.map_err(not_written)?;
        Ok((!stream.is_null()).then(|| Self::OnDisk(stream.unchecked_into())))
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// Fails if the storage is full.
    pub async fn append(&self, bytes: &[u8]) -> Result<(), Failure> {
        match self {
            Self::OnDisk(stream) => {
                stream.write(&js_sys::Uint8Array::from(bytes)).await.map_err(not_written)?;
                Ok(())
            }
            Self::Growing(file) => file.append(bytes),
        }
    }

    /// Completes the file; saves it under the name if it is in memory.
    ///
    /// # Errors
    /// Fails if the file can't be completed or saved.
    pub async fn finish(self, name: &str) -> Result<(), Failure> {
        match self {
            Self::OnDisk(stream) => {
                stream.close().await.map_err(not_written)?;
                Ok(())
            }
            Self::Growing(file) => file.offer(name),
        }
    }

    /// Discards the file.
    pub async fn give_up(self) {
        if let Self::OnDisk(stream) = self {
            // Discarding fails only for a file that doesn't exist.
            let _ = stream.abort().await;
        }
    }
}

/// Saves a file; returns its name.
///
/// # Errors
/// Fails if the browser refuses.
pub fn save(file: &ExportedFile) -> Result<String, Failure> {
    let (name, content) = (file.name.get(0), GrowingFile::default());
    content.append(&file.bytes)?;
    content.offer(name)?;
    Ok(name.to_owned())
}

/// Columns of a table, and further columns of JSON.
type Columns<T, M> = (&'static [Column<T, M>], &'static [Column<T, M>]);

/// Returns the callback of a grid that saves all rows of a table; `rows` returns the number of rows of a page.
pub fn save_pages<T: Paged, M: Sync + 'static>(
    app: App,
    table: &'static str,
    columns: Columns<T, M>,
    pages: Pages<T>,
    rows: fn(&T) -> usize,
) -> Callback<(TableFormat, Vec<String>)> {
    Callback::new(move |(format, keys): (TableFormat, Vec<String>)| {
        spawn_local(async move {
            match pages.all(app, rows).await {
                Ok(all) => {
                    let rows = all.iter().flat_map(|page| (0..rows(page)).map(move |row| (page, row)));
                    save_rows(app, table, columns, (format, &keys), rows);
                }
                Err(failure) => app.shell.say(failure.to_string()),
            }
        });
    })
}

/// Returns the callback of a grid that saves records.
pub fn save_records<T: Send + Sync + 'static, M: Sync + 'static>(
    app: App,
    table: &'static str,
    columns: Columns<T, M>,
    records: Memo<Arc<Vec<T>>>,
) -> Callback<(TableFormat, Vec<String>)> {
    Callback::new(move |(format, keys): (TableFormat, Vec<String>)| {
        let records = records.get_untracked();
        save_rows(app, table, columns, (format, &keys), records.iter().map(|record| (record, 0)));
    })
}

/// Saves rows of a table: as CSV with the columns of these keys, as JSON with all. Rows are pairs of a table and a
/// position in it.
pub fn save_rows<'t, T: 't, M: 'static>(
    app: App,
    table: &str,
    (columns, facts): Columns<T, M>,
    (format, keys): (TableFormat, &[String]),
    rows: impl IntoIterator<Item = (&'t T, usize)>,
) {
    let columns: Vec<&Column<T, M>> = match format {
        TableFormat::Csv => keys.iter().filter_map(|key| column_with_key(columns, key)).collect(),
        TableFormat::Json => columns.iter().chain(facts).collect(),
    };
    let trace = app.trace.with_untracked(|trace| trace.as_ref().map(|trace| trace.file_name.clone()));
    let name = [format.file_name(&trace.unwrap_or_default(), table)].into_iter().collect();
    match save(&ExportedFile { name, bytes: format.text(&columns, rows).into_bytes() }) {
        Ok(name) => app.shell.announce.set(format!("Saved {name}.")),
        Err(failure) => app.shell.say(failure.to_string()),
    }
}

/// Saves content under a name.
///
/// # Errors
/// Fails if the browser refuses.
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
    let words = "Can't write the file. Check free space and folder permissions.";
    Failure::new(FailureCode::OutOfMemory, words).with_detail(describe(&error))
}

fn no_room(error: JsValue) -> Failure {
    Failure::new(FailureCode::OutOfMemory, "Not enough browser storage for the file.").with_detail(describe(&error))
}
