//! Requests of the page around the frame.

use super::message::{Message, Received, VERSION};
use super::{Embedding, text_of, view_of};
use crate::app::state::{App, Screen};
use crate::app::theme::{self, Theme};
use js_sys::{Array, ArrayBuffer};
use leptos::ev;
use leptos::prelude::*;
use view::url::state::UrlState;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, File, MessageEvent};

/// Longest name of a trace, in UTF-16 units.
const LONGEST_NAME: u32 = 1_000;
const LONGEST_URL: u32 = 8_000;
/// Longest view: notes make views long.
const LONGEST_VIEW: u32 = 1_000_000;

/// Trace to open.
enum Given {
    File(File),
    Url(String),
}

/// Reason why a request isn't carried out.
struct Refusal {
    code: &'static str,
    message: String,
}

impl Refusal {
    fn field(name: &str, expected: &str) -> Self {
        Self { code: "field", message: format!("\"{name}\" must be {expected}.") }
    }
}

/// Listens to requests, and reports that the page is ready for them.
pub fn listen(app: App, embedding: Embedding) {
    let messages = window_event_listener(ev::message, move |event: MessageEvent| {
        if is_from_host(&event, embedding)
            && let Some(received) = Received::new(event.data())
        {
            answer(app, embedding, &received);
        }
    });
    on_cleanup(move || messages.remove());
    embedding.post(ready());
}

/// Returns whether a message comes from the page around the frame, and this page has the origin that was allowed.
fn is_from_host(event: &MessageEvent, embedding: Embedding) -> bool {
    let is_parent = match (event.source(), window().parent().ok().flatten()) {
        (Some(source), Some(parent)) => JsValue::from(source) == JsValue::from(parent),
        _ => false,
    };
    is_parent && embedding.origin.with_value(|origin| event.origin() == *origin)
}

fn ready() -> Message {
    Message::new("ready").with("versions", Array::of1(&VERSION.into())).with("release", env!("CARGO_PKG_VERSION"))
}

fn answer(app: App, embedding: Embedding, received: &Received) {
    let id = received.id();
    let answer = match carry_out(app, embedding, received) {
        Ok(answer) => answer,
        Err(Refusal { code, message }) => Some(Message::new("error").with("code", code).with("message", message)),
    };
    if let Some(answer) = answer {
        embedding.post(answer.with("id", id));
    }
}

/// Carries out a request, and returns the answer. Reports answer a request to open a trace.
fn carry_out(app: App, embedding: Embedding, received: &Received) -> Result<Option<Message>, Refusal> {
    if !received.is_supported() {
        let message = format!("This page supports messages of version {VERSION} only.");
        return Err(Refusal { code: "version", message });
    }
    let kind = received.text("type", LONGEST_NAME).unwrap_or_default();
    let answer = match kind.as_str() {
        "hello" => ready(),
        "open" => {
            open(app, embedding, received)?;
            return Ok(None);
        }
        "getView" => {
            until_open(app)?;
            Message::new("view").with("view", text_of(&untrack(|| app.to_url())))
        }
        "setView" => {
            let view = view(received)?.ok_or_else(|| Refusal::field("view", "a string"))?;
            until_open(app)?;
            let trace = app.opening.opened.with_untracked(|opened| opened.link.clone());
            let view = UrlState { trace, ..view };
            embedding.history.update_value(|history| history.push(view.clone()));
            embedding.restore(view);
            Message::new("done")
        }
        "setTheme" => {
            let theme = received.text("theme", LONGEST_NAME).unwrap_or_default();
            let theme = Theme::named(&theme).ok_or_else(|| Refusal::field("theme", "light, dark or system"))?;
            theme::apply(app.shell, theme);
            Message::new("done")
        }
        "close" => {
            embedding.begin(JsValue::UNDEFINED, None);
            app.client().cancel_opening();
            app.close();
            Message::new("done")
        }
        _ => return Err(Refusal { code: "type", message: format!("Unknown request \"{kind}\".") }),
    };
    Ok(Some(answer))
}

/// Fails if no trace is open.
fn until_open(app: App) -> Result<(), Refusal> {
    match app.screen.get_untracked() {
        Screen::Workspace => Ok(()),
        _ => Err(Refusal { code: "closed", message: "No trace is open.".to_owned() }),
    }
}

fn open(app: App, embedding: Embedding, received: &Received) -> Result<(), Refusal> {
    let given = given(received)?;
    let view = view(received)?;
    let entry = received.text("entry", LONGEST_NAME).or_else(|| view.as_ref()?.trace.entry.clone());
    let is_linked = view.is_some();
    embedding.begin(received.id(), view);
    app.opening.is_linked.set_value(is_linked);
    match given {
        Given::File(file) => app.open_embedded(file, entry),
        Given::Url(url) => app.open_linked(&url, entry),
    }
    Ok(())
}

/// Returns the view of a request, if it has one.
fn view(received: &Received) -> Result<Option<UrlState>, Refusal> {
    match received.text("view", LONGEST_VIEW) {
        Some(text) => Ok(Some(view_of(&text))),
        None if received.field("view").is_undefined() => Ok(None),
        None => Err(Refusal::field("view", "a string from a `view` message")),
    }
}

/// Returns the trace of a request.
fn given(received: &Received) -> Result<Given, Refusal> {
    let (bytes, url) = (received.field("bytes"), received.text("url", LONGEST_URL));
    match (bytes.is_undefined(), url) {
        (true, Some(url)) => match web_sys::Url::new(&url) {
            Ok(url) => Ok(Given::Url(url.href())),
            Err(_) => Err(Refusal::field("url", "an absolute URL")),
        },
        (false, None) => file_of(&bytes, received.text("name", LONGEST_NAME)).map(Given::File),
        _ => Err(Refusal { code: "field", message: "Set either \"bytes\" or \"url\".".to_owned() }),
    }
}

/// Returns bytes as a file. A `Blob` isn't copied.
fn file_of(bytes: &JsValue, name: Option<String>) -> Result<File, Refusal> {
    let name = match (bytes.dyn_ref::<File>(), name) {
        (Some(file), None) => return Ok(file.clone()),
        (_, Some(name)) => name,
        (None, None) => return Err(Refusal::field("name", "a string, unless \"bytes\" is a File")),
    };
    let parts = Array::of1(bytes);
    let file = if bytes.is_instance_of::<Blob>() {
        File::new_with_blob_sequence(&parts, &name)
    } else if bytes.is_instance_of::<ArrayBuffer>() || ArrayBuffer::is_view(bytes) {
        File::new_with_buffer_source_sequence(&parts, &name)
    } else {
        return Err(Refusal::field("bytes", "an ArrayBuffer, a view of one, a Blob or a File"));
    };
    // Shared memory and detached buffers are refused by the browser.
    file.map_err(|_| Refusal::field("bytes", "readable"))
}
