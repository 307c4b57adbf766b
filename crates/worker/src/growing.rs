//! Files that are still being recorded.

use super::byte_stream::{self, shorter, unreadable};
use super::clock;
use super::loading::Complete;
use engine::session::broken_off;
use js_sys::{Promise, Uint8Array};
use protocol::Failure;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, Request, Response};

#[wasm_bindgen]
extern "C" {
    /// Handle of a file, which returns the current state of the file.
    #[wasm_bindgen(js_name = FileSystemFileHandle)]
    #[derive(Clone)]
    pub type FileHandle;

    #[wasm_bindgen(method, catch, js_name = getFile)]
    async fn get_file(this: &FileHandle) -> Result<JsValue, JsValue>;
}

/// First bytes of traces that can be followed. Others are read when they are complete.
const MAGIC: &[u8] = b"Nettrace";

/// Number of bytes read at once.
const PIECE_BYTES: f64 = (4 << 20) as f64;

/// Time within which a file must grow to count as being recorded, and the interval between reads.
const GROWTH_MS: i32 = 1_000;
const LOOK_MS: i32 = 100;

/// Number of attempts to read a file. Browsers refuse to read a file that has changed since it was opened.
const ATTEMPTS: u32 = 5;

/// File that may still be recorded.
pub(super) enum Growing {
    /// Local file.
    Handle(FileHandle),
    /// URL of a host that supports ranges.
    Url(String),
}

impl Growing {
    /// Returns whether the file is a trace that can be followed, and grows.
    pub(super) async fn is_recorded(&self) -> Result<bool, Failure> {
        let start = self.next(0.0).await?.map_or_else(Vec::new, |bytes| bytes.subarray(0, MAGIC.len() as u32).to_vec());
        let is_trace = MAGIC.starts_with(&start);
        let Self::Handle(handle) = self else { return Ok(is_trace) };
        let before = file_of(handle).await?.size();
        for _ in 0..GROWTH_MS / LOOK_MS {
            if !is_trace {
                break;
            }
            pause(LOOK_MS).await;
            if file_of(handle).await?.size() > before {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the file in its current state.
    pub(super) async fn into_complete(self) -> Result<Complete, Failure> {
        Ok(match self {
            Self::Handle(handle) => Complete::File(file_of(&handle).await?),
            Self::Url(url) => Complete::Url(url),
        })
    }

    /// Returns the next bytes after an offset; `None` if there are none yet.
    pub(super) async fn next(&self, offset: f64) -> Result<Option<Uint8Array>, Failure> {
        match self {
            Self::Handle(handle) => next_of_file(handle, offset).await,
            Self::Url(url) => next_of_url(url, offset).await,
        }
    }
}

async fn file_of(handle: &FileHandle) -> Result<File, Failure> {
    Ok(handle.get_file().await.map_err(|error| unreadable(&error))?.unchecked_into())
}

async fn next_of_file(handle: &FileHandle, offset: f64) -> Result<Option<Uint8Array>, Failure> {
    let mut failure = shorter();
    for _ in 0..ATTEMPTS {
        let file = file_of(handle).await?;
        if file.size() < offset {
            return Err(shorter());
        }
        if file.size() == offset {
            return Ok(None);
        }
        match byte_stream::slice(&file, offset, file.size().min(offset + PIECE_BYTES)).await {
            Ok(bytes) => return Ok(Some(bytes)),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

async fn next_of_url(url: &str, offset: f64) -> Result<Option<Uint8Array>, Failure> {
    let broken = |error: JsValue| broken_off(url).with_detail(super::blob_source::describe(&error));
    let request = Request::new_with_str(url).map_err(broken)?;
    let range = format!("bytes={offset}-{}", offset + PIECE_BYTES - 1.0);
    request.headers().set("Range", &range).map_err(broken)?;
    let response = JsFuture::from(clock::global().fetch_with_request(&request)).await.map_err(broken)?;
    let response: Response = response.unchecked_into();
    match response.status() {
        206 => {
            let buffer = JsFuture::from(response.array_buffer().map_err(broken)?).await.map_err(broken)?;
            Ok(Some(Uint8Array::new(&buffer)))
        }
        // The file ends before this offset.
        416 => Ok(None),
        status => Err(broken(format!("status {status} instead of a range").into())),
    }
}

/// Waits for some milliseconds.
pub(super) async fn pause(ms: i32) {
    let promise = Promise::new(&mut |resolve, _| {
        // Without a timer, the next read follows immediately.
        if clock::global().set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, ms).is_err() {
            let _ = resolve.call0(&JsValue::NULL);
        }
    });
    let _ = JsFuture::from(promise).await;
}
