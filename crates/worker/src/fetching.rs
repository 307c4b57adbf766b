//! Downloads a trace from a URL. Uncompressed traces are parsed while they arrive.

use super::blob_source::describe;
use super::byte_stream::{self, Bytes, Kept};
use super::clock;
use super::loading::Opening;
use crate::wasm_memory::prime_heap;
use engine::session::container::{WRAPPING_BYTES, Wrapping};
use engine::session::{FileFacts, Loader, Progress, broken_off, unreachable_address};
use js_sys::Uint8Array;
use protocol::{Failure, FailureCode};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, ReadableStreamDefaultReader, Response};

/// Downloaded data.
pub(super) enum Fetched {
    /// Parsed trace.
    Trace(Box<Loader>, Bytes),
    /// Compressed data.
    Packed(Blob),
}

impl Opening {
    /// Downloads a URL.
    ///
    /// # Errors
    /// Fails if the download fails or contains nothing readable.
    pub(super) async fn fetch(&self, url: &str, file: &FileFacts) -> Result<Fetched, Failure> {
        let response =
            JsFuture::from(clock::global().fetch_with_str(url)).await.map_err(|error| unreachable(url, &error))?;
        let response: Response = response.unchecked_into();
        if !response.ok() {
            let status = format!("{} {}", response.status(), response.status_text());
            return Err(Failure::new(
                FailureCode::Fetch,
                format!("The server returned “{}” instead of the trace.", status.trim()),
            )
            .with_detail(url));
        }
        let length = response.headers().get("content-length").ok().flatten();
        self.total.set(length.and_then(|length| length.parse::<u64>().ok()).map_or(0.0, |length| length as f64));
        let Some(body) = response.body() else { return Err(broken(url, &JsValue::NULL)) };
        let reader = ReadableStreamDefaultReader::new(&body).map_err(|error| broken(url, &error))?;
        prime_heap(self.total.get());
        let result = self.receive(&reader, url, file).await;
        // Canceling a stream that has ended may fail, which is irrelevant.
        let _ = reader.cancel();
        result
    }

    /// Parses a trace while it arrives; stores compressed data until it is complete.
    async fn receive(
        &self,
        reader: &ReadableStreamDefaultReader,
        url: &str,
        file: &FileFacts,
    ) -> Result<Fetched, Failure> {
        let (mut loader, mut kept) = (self.loader(), Kept::default());
        // First bytes, until there are enough to detect the format.
        let mut beginning = Vec::new();
        let mut is_packed = None;
        while let Some(bytes) = byte_stream::read(reader).await.map_err(|error| broken(url, &error))? {
            match is_packed {
                Some(false) => kept.add_trace(&bytes).await?,
                _ => kept.add(&bytes)?,
            }
            let Some(is_packed) = is_packed else {
                beginning.extend(bytes.to_vec());
                if beginning.len() >= WRAPPING_BYTES {
                    is_packed = Some(Wrapping::of(&beginning).is_some());
                    if is_packed == Some(false) {
                        self.feed(&mut loader, &Uint8Array::from(beginning.as_slice()), None).await?;
                    }
                }
                continue;
            };
            if is_packed {
                self.place.set(kept.bytes() as f64);
                self.breathe(&loader).await?;
            } else if self.feed(&mut loader, &bytes, None).await? == Progress::Ended {
                break;
            } else if self.is_preview_due() {
                self.preview(&loader, file, &kept.so_far()?)?;
            }
        }
        match is_packed {
            Some(true) => return Ok(Fetched::Packed(kept.into_blob()?)),
            Some(false) => {}
            None => loader.append(beginning.len(), |space| space.copy_from_slice(&beginning)),
        }
        Ok(Fetched::Trace(Box::new(loader), kept.into_bytes()?))
    }
}

fn unreachable(url: &str, error: &JsValue) -> Failure {
    with_cause(unreachable_address(url, &clock::global().origin()), error)
}

fn broken(url: &str, error: &JsValue) -> Failure {
    with_cause(broken_off(url), error)
}

/// Appends the browser's error to the URL in the details.
fn with_cause(failure: Failure, error: &JsValue) -> Failure {
    let detail = format!("{}\n{}", failure.detail, describe(error));
    failure.with_detail(detail)
}
