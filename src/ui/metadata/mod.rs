//! What the file says about itself: header, schemas, blocks, problems, losses.

mod file;
mod schemas;

use super::follow::{Trouble, follow};
use super::state::{App, Tab};
use super::workspace::is_open;
use crate::protocol::{Answer, Failure, FailureCode, Request};
pub use file::named_values;
use file::{FilePane, ReadingPane};
use leptos::prelude::*;
use schemas::Schemas;

/// The tab about the file.
#[component]
pub fn Metadata() -> impl IntoView {
    let app = expect_context::<App>();
    let open = is_open(app, Tab::Metadata);
    let header = follow(
        app,
        move || open.get().then_some(Request::Header),
        |reply| match reply.answer {
            Answer::Header(header) => Ok(*header),
            _ => Err(Failure::new(FailureCode::VersionSkew, "The reader answered something else than was asked.")),
        },
    );
    view! {
        <div class="body" hidden=move || !open.get() data-testid="metadata-panel">
            <Trouble failure=header.failure/>
            <div class="meta">
                <FilePane header=header.value/>
                <Schemas open/>
                <ReadingPane header=header.value/>
            </div>
        </div>
    }
}
