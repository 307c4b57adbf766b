//! Schemas as files.

use crate::app::state::App;
use crate::commands::shortcuts::title;
use crate::widgets::icon::{DROP, Icon};
use crate::widgets::save_file;
use leptos::prelude::*;
use protocol::file::schema_tables::SchemaFormat;
use protocol::queries;
use view::keys::keymap::{Command, Scope};
use wasm_bindgen_futures::spawn_local;

/// Buttons for saving all schemas as JSON or C#.
#[component]
pub fn SaveSchemas() -> impl IntoView {
    let app = expect_context::<App>();
    view! {
        <button class="btn line" title=title(Scope::Metadata, Command::SaveSchemasJson)
            data-testid="save-schemas-json" data-command=Command::SaveSchemasJson.id() on:click=move |_| save(app, SchemaFormat::Json)>
            <Icon shape=DROP class="s"/>"JSON"
        </button>
        <button class="btn line" title=title(Scope::Metadata, Command::SaveSchemasCSharp)
            data-testid="save-schemas-csharp" data-command=Command::SaveSchemasCSharp.id() on:click=move |_| save(app, SchemaFormat::CSharp)>
            <Icon shape=DROP class="s"/>"C#"
        </button>
    }
}

/// Offers the commands for saving schemas.
pub fn offer_files(app: App) {
    app.actions.on(Scope::Metadata, Command::SaveSchemasJson, move || save(app, SchemaFormat::Json));
    app.actions.on(Scope::Metadata, Command::SaveSchemasCSharp, move || save(app, SchemaFormat::CSharp));
}

fn save(app: App, format: SchemaFormat) {
    spawn_local(async move {
        let file = app.ask(queries::SchemaFile { format, provider: String::new() }).await;
        match file.and_then(|file| save_file::save(&file)) {
            Ok(name) => app.shell.announce.set(format!("Saved {name}.")),
            Err(failure) => app.shell.say(failure.to_string()),
        }
    });
}
