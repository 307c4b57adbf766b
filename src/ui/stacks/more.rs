//! What is needed seldom: recursion, and stacks as files for other programs.

use super::{StackMenu, compared};
use crate::protocol::request::StackSource;
use crate::protocol::stack_format::StackFormat;
use crate::protocol::{Failure, Request, tables};
use crate::ui::state::{App, StackView, mismatch};
use crate::ui::widgets::menu::{MenuEntry, OpenMenu, below_button};
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{Blob, HtmlAnchorElement, Url};

const FORMATS: [(StackFormat, &str, &str); 6] = [
    (StackFormat::Folded, "folded stacks", "export-folded"),
    (StackFormat::Speedscope, "speedscope file", "export-speedscope"),
    (StackFormat::Firefox, "Firefox Profiler file", "export-firefox"),
    (StackFormat::Chrome, "Perfetto or Chrome trace", "export-chrome"),
    (StackFormat::Pprof, "pprof profile", "export-pprof"),
    (StackFormat::Csv, "CSV of functions", "export-csv"),
];

/// A button that opens a menu.
#[component]
pub fn MoreButton() -> impl IntoView {
    let app = expect_context::<App>();
    let menu = expect_context::<StackMenu>();
    let failure = RwSignal::new(None::<Failure>);
    let open = move |event: web_sys::MouseEvent| {
        let at = below_button(&event);
        let of_samples = app.stacks.with_untracked(|look| look.source == StackSource::Samples);
        let formats = FORMATS.into_iter().filter(|(format, ..)| of_samples || !format.is_over_time());
        let entries = formats.map(|(format, words, testid)| {
            let act = Callback::new(move |()| save(app, format, failure));
            MenuEntry { words: format!("Save as {words}"), keys: "", chosen: None, testid, act }
        });
        let is_merged = app.stacks.with_untracked(|look| look.shape.without_recursion);
        let merge = Callback::new(move |()| app.stacks.update(|look| look.shape.without_recursion ^= true));
        let words = if is_merged { "Show recursion" } else { "Merge recursion" }.to_owned();
        let recursion = MenuEntry { words, keys: "", chosen: None, testid: "merge-recursion", act: merge };
        let entries = std::iter::once(recursion).chain(entries).collect();
        menu.0.set(Some(OpenMenu { at, label: "More".to_owned(), entries }));
    };
    view! {
        <button class="btn line sp more" aria-haspopup="menu" title="Recursion; the selected stacks for other programs, nothing folded"
            data-testid="more" on:click=open>"More…"</button>
        {move || failure.get().map(|failure| view! { <span class="trouble" role="alert">{failure.to_string()}</span> })}
    }
}

fn save(app: App, format: StackFormat, failure: RwSignal<Option<Failure>>) {
    let query = untrack(|| app.stacks.with(|look| look.query(compared(app), StackView::Tree)));
    failure.set(None);
    spawn_local(async move {
        let packed = app.ask_packed(Request::StackFile { query, format }).await;
        match packed.and_then(|packed| tables::ExportedFile::unpack(&packed).map_err(mismatch)) {
            Ok(file) => {
                // A browser that refuses to save says so itself.
                let _ = offer(file.name.get(0), &file.bytes);
                app.shell.announce.set(format!("{} is saved.", file.name.get(0)));
            }
            Err(problem) => failure.set(Some(problem)),
        }
    });
}

/// Has the browser save bytes under a name.
fn offer(name: &str, bytes: &[u8]) -> Result<(), JsValue> {
    let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(bytes));
    let url = Url::create_object_url_with_blob(&Blob::new_with_u8_array_sequence(&parts)?)?;
    let link: HtmlAnchorElement = document().create_element("a")?.dyn_into()?;
    link.set_href(&url);
    link.set_download(name);
    link.click();
    Url::revoke_object_url(&url)
}
