//! Choice of the private text that is masked in a saved file, with counts and examples.

use super::save::saved_traces;
use super::saving::Saving;
use crate::app::state::App;
use crate::trace::client::Client;
use crate::trace::join::join;
use crate::trace::live_query::{LiveQuery, Trouble};
use crate::trace::wanted::follow_wanted;
use crate::widgets::radio_group::Choice;
use leptos::prelude::*;
use protocol::queries;
use protocol::redaction::{Mask, Redaction, TextKind};
use protocol::request::Filter;
use protocol::tables::PrivateTexts;
use view::format;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = crypto, js_name = getRandomValues)]
    fn get_random_values(bytes: &js_sys::Uint8Array);
}

/// Returns a random number from which tokens are made.
pub(super) fn random_key() -> u64 {
    let bytes = js_sys::Uint8Array::new_with_length(8);
    get_random_values(&bytes);
    let mut key = [0; 8];
    bytes.copy_to(&mut key);
    u64::from_le_bytes(key)
}

/// Returns the redaction that the dialog describes. Reads all signals that may change it.
pub(super) fn redaction(saving: Saving) -> Redaction {
    if !saving.is_masked.get() {
        return Redaction::default();
    }
    let kept = saving.kept_text.get();
    let kinds = TextKind::private().into_iter().filter(|kind| !kept.contains(kind)).collect();
    Redaction { kinds, mask: saving.mask.get(), key: saving.key.get(), ..Redaction::default() }
}

/// Returns the private text of all traces that are saved, while the dialog shows it.
fn follow_texts(app: App) -> LiveQuery<PrivateTexts> {
    let saving = app.saving;
    let wanted = Memo::new(move |_| {
        let is_shown = saving.is_open.get() && saving.is_masked.get();
        let filter = if saving.is_part.get() { app.filter.get() } else { Filter::default() };
        let of: Vec<usize> = saved_traces(app).iter().map(Client::id).collect();
        is_shown.then(|| (queries::PrivateTexts { filter, mask: saving.mask.get(), key: saving.key.get() }, of))
    });
    follow_wanted(wanted, move |(query, _)| {
        let (clients, query) = (untrack(|| saved_traces(app)), query.clone());
        async move {
            let mut all = PrivateTexts::default();
            let texts = join(clients.iter().map(|client| client.ask(query.clone()))).await?;
            texts.iter().for_each(|texts| all.add(texts));
            Ok(all)
        }
    })
}

/// Choices of private text.
#[component]
pub(super) fn PrivateText() -> impl IntoView {
    let app = expect_context::<App>();
    let saving = app.saving;
    let LiveQuery { value: texts, failure } = follow_texts(app);
    let kinds = move || {
        let Some(texts) = texts.get() else {
            return view! { <p class="help" role="status">"Looking for private text…"</p> }.into_any();
        };
        let rows = TextKind::private().into_iter().filter_map(|kind| row(saving, &texts, kind)).collect_view();
        view! { <div class="private-text" role="group" aria-label="Text to mask" data-testid="private-text">{rows}</div> }
            .into_any()
    };
    let about = move || match saving.mask.get() {
        Mask::Tokens => {
            "Each word is always replaced by the same random word of equal length, so grouping still works."
        }
        Mask::Blank => "Letters become x and digits become 0, so different texts may look alike.",
    };
    view! {
        <div class="row">
            <span>"Private text"</span>
            <Choice label="Private text" value=saving.is_masked choose=Callback::new(move |chosen| saving.is_masked.set(chosen)) options=choices()/>
        </div>
        <Show when=move || saving.is_masked.get()>
            <div class="row">
                <span>"Replace with"</span>
                <Choice label="Replace with" value=saving.mask choose=Callback::new(move |chosen| saving.mask.set(chosen)) options=masks()/>
            </div>
            <p class="help">{about}</p>
            <Trouble failure/>
            {kinds}
        </Show>
    }
}

fn choices() -> Vec<(bool, &'static str, &'static str)> {
    vec![(false, "Keep", "keep-text"), (true, "Mask", "mask-text")]
}

fn masks() -> Vec<(Mask, &'static str, &'static str)> {
    vec![(Mask::Tokens, "Random words", "mask-tokens"), (Mask::Blank, "x and 0", "mask-blank")]
}

/// Returns the row of a kind; `None` if the trace has no such text.
fn row(saving: Saving, texts: &PrivateTexts, kind: TextKind) -> Option<impl IntoView + use<>> {
    let (count, examples) = texts.of_kind(kind, 1);
    if count == 0 {
        return None;
    }
    let example = examples.first().map(|(text, mask)| ((*text).to_owned(), (*mask).to_owned()));
    let is_masked = move || saving.kept_text.with(|kept| !kept.contains(&kind));
    let toggle = move |_| {
        saving.kept_text.update(|kept| match kept.iter().position(|one| *one == kind) {
            Some(at) => drop(kept.remove(at)),
            None => kept.push(kind),
        });
    };
    let example = example.map(|(text, mask)| {
        let masked = move || is_masked().then(|| view! { <span>"→ "{mask.clone()}</span> });
        view! {
            <span class="example mono">
                <span>{text}</span>
                {masked}
            </span>
        }
    });
    Some(view! {
        <label class="check" data-testid=format!("text-{}", kind.slug())>
            <input type="checkbox" prop:checked=is_masked on:change=toggle/>
            <span>{kind.title()}</span>
            <span class="num">{format::count(count)}</span>
            {example}
        </label>
    })
}
