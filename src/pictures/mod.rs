//! Pictures of the timeline, the flame graph and charts, as SVG or PNG files, or on the clipboard.

mod bitmap;
pub(crate) mod charts;
pub(crate) mod flame;
mod theme;
pub(crate) mod timeline;

use crate::app::state::App;
use crate::filtering::chips::filter_words;
use crate::widgets::menu::MenuEntry;
use crate::widgets::save_file::offer;
use bitmap::{copy, png};
use leptos::prelude::*;
use protocol::base::time::Span;
use protocol::file_names::stem;
use protocol::request::Filter;
pub use theme::Colors;
use view::draw::svg::sheet::{Picture, Sheet};
use view::draw::svg::theme::Theme;
use view::draw::units::CssPx;
use view::format;
use view::keys::keymap::{Command, Scope};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Blob, BlobPropertyBag};

/// Commands with the test IDs of their menu lines.
const COMMANDS: [(Command, &str); 3] =
    [(Command::SaveSvg, "picture-svg"), (Command::SavePng, "picture-png"), (Command::CopyPicture, "picture-copy")];

/// Offers the commands for the picture of a part of the page until the owner is removed: `can` returns whether there is
/// a picture now, `make` draws it. `subject` is the end of the file name.
pub fn offer_pictures(
    app: App,
    scope: Scope,
    subject: &'static str,
    can: impl Fn() -> bool + 'static,
    make: impl Fn() -> Option<Picture> + 'static,
) {
    let is_picture = |command| COMMANDS.iter().any(|(known, _)| *known == command);
    let act = move |command| match untrack(&make) {
        Some(picture) => {
            give(app, command, subject, picture);
            true
        }
        None => false,
    };
    app.actions.offer(scope, move |command| is_picture(command) && untrack(&can), act);
}

/// Returns the lines of a menu for the picture of a part of the page.
pub fn entries(app: App, scope: Scope) -> impl Iterator<Item = MenuEntry> {
    COMMANDS.into_iter().map(move |(command, testid)| {
        MenuEntry::of(scope, command, testid, move || _ = app.actions.run(scope, command))
    })
}

/// Begins a sheet about the open trace: file, program, time range and further facts.
fn sheet<'a>(app: App, theme: &'a Theme, width: CssPx, what: &str, range: Span, facts: &[String]) -> Sheet<'a> {
    let name = untrack(|| app.trace_name());
    let program = app.trace.with_untracked(|trace| trace.as_ref().map(|trace| trace.process_name.clone()));
    let program = program.filter(|program| !program.is_empty());
    let title = program.map_or_else(|| name.clone(), |program| format!("{name} · {program}"));
    let (range, length) = (app.face().range(range.start.0, range.end.0), format::duration(range.duration()));
    let fact = [format!("{what} · {range} ({length})")].into_iter().chain(facts.iter().cloned());
    let mut lines = vec![fact.collect::<Vec<_>>().join(" · ")];
    // Data of a part of the trace must not pass for that of the whole.
    let others = app.filter.with_untracked(|filter| Filter { span: None, ..filter.clone() });
    if others != Filter::default() {
        lines.push(format!("Filter: {}", untrack(|| filter_words(app, &others))));
    }
    Sheet::new(theme, width, &title, &lines)
}

/// Returns the selected time range, or that of the trace.
fn range_of(app: App) -> Span {
    let whole = || app.trace.with_untracked(|trace| trace.as_ref().map(|trace| trace.user_span));
    app.filter.with_untracked(|filter| filter.span).or_else(whole).unwrap_or_default()
}

/// Saves or copies a picture.
fn give(app: App, command: Command, subject: &str, picture: Picture) {
    if command == Command::CopyPicture {
        return spawn_local(async move {
            app.shell.say(match copy(picture).await {
                Ok(()) => "Picture copied.".to_owned(),
                Err(_) => "Picture not copied: the browser blocked clipboard access.".to_owned(),
            });
        });
    }
    let trace = untrack(|| app.trace_name());
    let ending = if command == Command::SavePng { "png" } else { "svg" };
    let name = format!("{}-{subject}.{ending}", stem(&trace));
    spawn_local(async move {
        let content = match command {
            Command::SavePng => png(&picture).await,
            _ => svg_blob(&picture.svg),
        };
        match content.map_err(|error| crate::app::browser::describe(&error)) {
            Ok(content) => match offer(&content, &name) {
                Ok(()) => app.shell.say(format!("Saved {name}.")),
                Err(failure) => app.shell.say(failure.to_string()),
            },
            Err(reason) => app.shell.say(format!("Can't draw the picture: {reason}")),
        }
    });
}

/// Returns the content of an SVG file.
fn svg_blob(svg: &str) -> Result<Blob, JsValue> {
    let kind = BlobPropertyBag::new();
    kind.set_type("image/svg+xml");
    Blob::new_with_str_sequence_and_options(&js_sys::Array::of1(&svg.into()), &kind)
}
