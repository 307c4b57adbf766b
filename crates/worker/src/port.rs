//! Encoding of messages between page and worker.

use super::growing::FileHandle;
use js_sys::{Array, ArrayBuffer, Uint8Array};
use protocol::base::ids::TraceId;
use protocol::{Answer, Failure, Reply, ReplyEnvelope, RequestEnvelope, ToWorker};
use serde::Serialize;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{File, MessagePort};

/// Ids that an answer returns, so that the page can match it to its request.
#[derive(Clone, Copy)]
pub(super) struct Ticket {
    pub(super) id: u32,
    pub(super) generation: u32,
    pub(super) trace: TraceId,
}

impl From<&RequestEnvelope> for Ticket {
    fn from(envelope: &RequestEnvelope) -> Self {
        Self { id: envelope.id, generation: envelope.generation, trace: envelope.trace }
    }
}

/// Port to the page.
#[derive(Clone)]
pub(super) struct Port(MessagePort);

impl Port {
    pub(super) fn new(port: MessagePort) -> Self {
        Self(port)
    }

    /// Sends an answer. The body is transferred without a copy.
    pub(super) fn send(&self, ticket: Ticket, result: Result<Reply, Failure>) {
        let (result, body) = match result {
            Ok(reply) => (Ok(reply.answer), reply.body),
            Err(failure) => (Err(failure), Vec::new()),
        };
        let has_body = matches!(result, Ok(Answer::Table { .. } | Answer::Encoded | Answer::Progress(_)));
        let envelope = ReplyEnvelope { id: ticket.id, generation: ticket.generation, trace: ticket.trace, result };
        // 64-bit numbers are sent as BigInt, because addresses don't fit a double.
        let serializer = serde_wasm_bindgen::Serializer::new().serialize_large_number_types_as_bigints(true);
        let Ok(head) = envelope.serialize(&serializer) else { return };
        let sent = if has_body {
            let body = Uint8Array::from(body.as_slice()).buffer();
            self.0.post_message_with_transferable(&Array::of2(&head, &body), &Array::of1(&body))
        } else {
            self.0.post_message(&Array::of2(&head, &JsValue::NULL))
        };
        // A closed port means that the page is gone.
        let _ = sent;
    }
}

/// What the page sends with a message.
pub(super) enum Attached {
    File(File),
    /// File that is being recorded.
    Handle(FileHandle),
}

/// Decodes a message from the page. `Err` is a sentence for developers: the two sides don't match.
pub(super) fn decode(data: &JsValue) -> Result<(ToWorker, Option<Attached>), String> {
    let parts = data.dyn_ref::<Array>().ok_or("the message isn't an array")?;
    let message = serde_wasm_bindgen::from_value(parts.get(0)).map_err(|error| error.to_string())?;
    let attached = match parts.get(1).dyn_into::<FileHandle>() {
        Ok(handle) => Some(Attached::Handle(handle)),
        Err(value) => file_of(value).map(Attached::File),
    };
    Ok((message, attached))
}

/// Returns the file of a message, which is sent as bytes if workers can't read files of the page. The name is in the
/// message.
fn file_of(value: JsValue) -> Option<File> {
    match value.dyn_into::<ArrayBuffer>() {
        Ok(bytes) => File::new_with_buffer_source_sequence(&Array::of1(&bytes), "").ok(),
        Err(value) => value.dyn_into().ok(),
    }
}
