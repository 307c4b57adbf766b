//! Tests in a worker of a real browser that messages between page and worker arrive unchanged.

#![cfg(target_arch = "wasm32")]

use protocol::base::ids::{ThreadId, TraceId};
use protocol::base::time::Span;
use protocol::reply::Progress;
use protocol::request::{Filter, TreeQuery};
use protocol::{Answer, EncodedRequest, Failure, FailureCode, ReplyEnvelope, RequestEnvelope, ToWorker, queries};
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

#[wasm_bindgen]
extern "C" {
    /// Clones a message as `postMessage` does.
    #[wasm_bindgen(js_name = structuredClone)]
    fn structured_clone(value: &JsValue) -> JsValue;
}

fn travels<T: Serialize + DeserializeOwned + PartialEq + Debug>(message: &T) {
    // As worker and page do it: 64-bit numbers become BigInts.
    let serializer = serde_wasm_bindgen::Serializer::new().serialize_large_number_types_as_bigints(true);
    let value = message.serialize(&serializer).expect("a message becomes a JavaScript value");
    let arrived: T = serde_wasm_bindgen::from_value(structured_clone(&value)).expect("it becomes a message again");
    assert_eq!(&arrived, message);
}

#[wasm_bindgen_test]
fn request_keeps_negative_and_64_bit_times() {
    let filter = Filter {
        span: Some(Span::new(-15_970_000, i64::MAX)),
        threads: vec![ThreadId(0), ThreadId(u32::MAX)],
        providers: vec!["Microsoft-Windows-DotNETRuntime".to_owned(), String::new()],
        query: "emoji 🧵, a NUL \0 and a quote \"".to_owned(),
        ..Filter::default()
    };
    let query = TreeQuery { filter, ..TreeQuery::default() };
    let request = queries::HotPath { query, max_depth: 64 };
    travels(&ToWorker::Ask(
        RequestEnvelope { id: 1, generation: u32::MAX, trace: TraceId(3), request: EncodedRequest::new(&request) }
            .into(),
    ));
}

#[wasm_bindgen_test]
fn answer_keeps_sizes_beyond_four_gigabytes() {
    let progress = Progress { bytes: 5 << 32, total_bytes: u64::MAX, elapsed_ms: 0.1, ..Progress::default() };
    let result = Ok(Answer::Progress(progress));
    travels(&ReplyEnvelope { id: 0, generation: 0, trace: TraceId(0), result });
}

#[wasm_bindgen_test]
fn failure_keeps_offset_and_message() {
    let mut failure = Failure::new(FailureCode::Cancelled, "Cancelled.").with_detail("at „offset“ 4,294,967,296");
    for offset in [None, Some(1 << 32)] {
        failure.offset = offset;
        travels(&ReplyEnvelope { id: 9, generation: 2, trace: TraceId(1), result: Err(failure.clone()) });
    }
}
