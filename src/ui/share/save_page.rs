//! The dialog that saves a page with the trace in it: says what it will hold and how large it is, then saves it.

use super::view_in_page;
use crate::ui::boot::BUILD;
use crate::ui::browser::describe;
use crate::ui::client::Source;
use crate::ui::state::App;
use crate::ui::widgets::dialog::Dialog;
use crate::ui::widgets::save_file::offer;
use crate::view::format;
use crate::view::saved_page::{PageSizes, file_name};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Blob, File};

#[wasm_bindgen]
extern "C" {
    /// What `www/save_page.js` is to pack.
    #[wasm_bindgen(extends = js_sys::Object)]
    type What;

    #[wasm_bindgen(method, setter)]
    fn set_name(this: &What, name: &str);
    #[wasm_bindgen(method, setter)]
    fn set_view(this: &What, view: &str);
    #[wasm_bindgen(method, setter)]
    fn set_file(this: &What, file: &File);
    #[wasm_bindgen(method, setter)]
    fn set_url(this: &What, url: &str);

    /// What came of it.
    type Packed;

    #[wasm_bindgen(method, getter)]
    fn page(this: &Packed) -> Blob;
    #[wasm_bindgen(method, getter, js_name = viewerBytes)]
    fn viewer_bytes(this: &Packed) -> f64;
    #[wasm_bindgen(method, getter, js_name = traceBytes)]
    fn trace_bytes(this: &Packed) -> f64;
    #[wasm_bindgen(method, getter, js_name = packedBytes)]
    fn packed_bytes(this: &Packed) -> f64;

    #[wasm_bindgen(catch, js_namespace = traceglass, js_name = packPage)]
    async fn pack_page(build: &str, what: What, go_on: &Closure<dyn FnMut(f64) -> bool>) -> Result<JsValue, JsValue>;
}

/// How far it is.
#[derive(Clone)]
enum Step {
    /// So many bytes of the trace are packed.
    Packing(u64),
    Packed(Blob, PageSizes),
    Failed(String),
}

/// The dialog.
#[component]
pub fn SavePage(
    /// Whether it is open.
    open: RwSignal<bool>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let step = RwSignal::new_local(Step::Packing(0));
    // Each opening packs anew what is shown then; an earlier one that still goes on is given up.
    let attempt = StoredValue::new(0_u32);
    Effect::new(move |_| {
        attempt.update_value(|attempt| *attempt += 1);
        if open.get() {
            let this = attempt.get_value();
            step.set(Step::Packing(0));
            let is_wanted = move || attempt.try_get_value() == Some(this);
            spawn_local(async move {
                let outcome = pack(app, step, is_wanted).await;
                if is_wanted()
                    && let Some(outcome) = outcome
                {
                    step.set(outcome);
                }
            });
        }
    });
    let name = move || file_name(&app.opened.get().name);
    let state = move || {
        match step.get() {
        Step::Packing(bytes) => view! {
            <p role="status" data-testid="save-page-packing">{format!("Packing the trace: {}…", format::bytes(bytes))}</p>
        }
        .into_any(),
        Step::Packed(_, sizes) => view! {
            <p role="status" data-testid="save-page-size"><b>{name}</b>" will have "{sizes.words()}</p>
        }
        .into_any(),
        Step::Failed(why) => view! { <p role="alert" data-testid="save-page-failed">{why}</p> }.into_any(),
    }
    };
    let save = move |_| {
        if let Step::Packed(page, _) = step.get_untracked() {
            // A browser that refuses to save says so itself.
            let _ = offer(&page, &name());
            app.shell.say(format!("{} is saved.", name()));
            open.set(false);
        }
    };
    let is_packed = move || step.with(|step| matches!(step, Step::Packed(..)));
    view! {
        <Dialog open title="Save as one page with the trace" testid="save-page-dialog">
            <div class="content">
                {state}
                <p>
                    "It opens from disk in a browser, needs no network and no host, and shows what you see now. Nothing in it can \
                     be sent anywhere: the policy in it forbids that."
                </p>
                <p>
                    "Whoever has it can read all that is in the trace: names of programs and files, command lines, texts in \
                     events, other parts of the time than the one you look at."
                </p>
                <div class="do">
                    <button class="btn line lg" on:click=move |_| open.set(false)>"Cancel"</button>
                    <button class="btn primary lg" data-testid="save-page-now" disabled=move || !is_packed() on:click=save>
                        "Save"
                    </button>
                </div>
            </div>
        </Dialog>
    }
}

/// Packs what is shown; none if that is not wanted any more.
async fn pack(
    app: App,
    step: RwSignal<Step, LocalStorage>,
    is_wanted: impl Fn() -> bool + Copy + 'static,
) -> Option<Step> {
    let what: What = js_sys::Object::new().unchecked_into();
    what.set_name(&app.opened.get_untracked().name);
    what.set_view(&view_in_page(app).encode());
    match app.source()? {
        Source::File(file) => what.set_file(&file),
        Source::Url { url, .. } => what.set_url(&url),
    }
    let go_on = Closure::<dyn FnMut(f64) -> bool>::new(move |bytes| {
        if is_wanted() {
            step.set(Step::Packing(bytes as u64));
        }
        is_wanted()
    });
    match pack_page(BUILD, what, &go_on).await {
        Ok(packed) if packed.is_null() => None,
        Ok(packed) => {
            let packed: Packed = packed.unchecked_into();
            let sizes = PageSizes {
                viewer: packed.viewer_bytes() as u64,
                trace: packed.trace_bytes() as u64,
                packed: packed.packed_bytes() as u64,
            };
            Some(Step::Packed(packed.page(), sizes))
        }
        Err(error) => Some(Step::Failed(describe(&error))),
    }
}
