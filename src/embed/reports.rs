//! Events that the page reports to the page around the frame.

use super::Embedding;
use super::message::Message;
use crate::app::state::{App, Screen};
use leptos::prelude::*;
use protocol::Failure;
use protocol::reply::Summary;
use view::url::selection::SelectionLink;
use wasm_bindgen::JsValue;

/// Reports events from now on.
pub fn start(app: App, embedding: Embedding) {
    let about_trace = move |kind| Message::new(kind).with("id", embedding.opened_by.get_value());
    Effect::new(move |before: Option<Screen>| {
        let screen = app.screen.get();
        match &screen {
            Screen::Failed(failure) => embedding.post(with_failure(about_trace("failed"), failure)),
            Screen::Landing if before.is_some_and(|before| before != Screen::Landing) => {
                embedding.post(about_trace("closed"));
            }
            _ => {}
        }
        screen
    });
    Effect::new(move |reported: Option<bool>| match app.screen.get() {
        Screen::Workspace => app.trace.with(|trace| match trace {
            Some(trace) if !trace.is_partial && reported != Some(true) => {
                embedding.post(with_summary(about_trace("opened"), trace));
                true
            }
            _ => reported == Some(true),
        }),
        _ => false,
    });
    Effect::new(move |_| {
        let progress = app.opening.progress.get();
        if progress.bytes > 0 {
            let message = about_trace("progress")
                .with("bytes", progress.bytes as f64)
                .with("totalBytes", progress.total_bytes as f64)
                .with("events", progress.events as f64);
            embedding.post(message);
        }
    });
    Effect::new(move |before: Option<Option<SelectionLink>>| {
        let link = app.details.link.get();
        if link != before.flatten() {
            embedding.post(with_selection(Message::new("selection"), link.as_ref()));
        }
        link
    });
}

fn with_failure(message: Message, failure: &Failure) -> Message {
    message
        .with("code", format!("{:?}", failure.code))
        .with("message", failure.message.as_str())
        .with("offset", failure.offset.map_or(JsValue::UNDEFINED, |offset| (offset as f64).into()))
}

fn with_summary(message: Message, trace: &Summary) -> Message {
    message
        .with("name", trace.file_name.as_str())
        .with("events", trace.events as f64)
        .with("durationNs", trace.user_span.duration() as f64)
        .with("process", trace.process_name.as_str())
        .with("processId", trace.os_process)
        .with("runtime", trace.runtime.as_str())
        .with("operatingSystem", trace.operating_system.as_str())
}

fn with_selection(message: Message, link: Option<&SelectionLink>) -> Message {
    let Some(link) = link else { return message.with("selection", JsValue::NULL) };
    let fields: Vec<(&str, JsValue)> = match link {
        SelectionLink::Event { time, os_thread, event_id, provider } => vec![
            ("kind", "event".into()),
            ("timeNs", (*time as f64).into()),
            ("thread", (*os_thread as f64).into()),
            ("provider", provider.as_str().into()),
            ("eventId", (*event_id).into()),
        ],
        SelectionLink::Function { module, name } => {
            vec![("kind", "function".into()), ("module", module.as_str().into()), ("name", name.as_str().into())]
        }
        SelectionLink::Thread(thread) => {
            vec![("kind", "thread".into()), ("thread", (thread.os_thread as f64).into()), ("nth", thread.nth.into())]
        }
        SelectionLink::Gc(gc) => {
            vec![("kind", "gc".into()), ("number", gc.number.into()), ("process", gc.process.into())]
        }
        SelectionLink::Type(event_type) => vec![
            ("kind", "eventType".into()),
            ("provider", event_type.provider.as_str().into()),
            ("eventId", event_type.event_id.into()),
            ("version", event_type.version.into()),
        ],
    };
    message.with_fields("selection", &fields)
}
