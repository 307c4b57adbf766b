//! Editor of one note, beside its subject on the timeline.

use super::state::Draft;
use super::subject::Subject;
use crate::app::state::App;
use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use view::notes::MAX_TEXT;

/// Editor, visible while there is a draft.
#[component]
pub fn NoteEditor(
    /// Called when it is closed, to focus what was focused before.
    closed: Callback<()>,
) -> impl IntoView {
    let app = expect_context::<App>();
    move || app.notes.draft.get().map(|draft| view! { <Editor draft closed/> })
}

#[component]
fn Editor(draft: Draft, closed: Callback<()>) -> impl IntoView {
    let app = expect_context::<App>();
    let field = NodeRef::<html::Textarea>::new();
    Effect::new(move |_| {
        if let Some(field) = field.get() {
            // A field that can't be focused is reached by Tab.
            let _ = field.focus();
        }
    });
    let Draft { subject, x } = draft;
    let (words, text) = (format!("Note about {}", subject.about(app)), subject.text(app));
    let label = words.clone();
    let is_old = !text.is_empty();
    let subject = StoredValue::new(subject);
    let end = move |text: Option<String>| {
        if let Some(text) = text {
            subject.with_value(|subject: &Subject| subject.save(app, &text));
        }
        app.notes.draft.set(None);
        closed.run(());
    };
    let save = move || end(field.get_untracked().map(|field| field.value()));
    let on = move |event: &KeyboardEvent, key: &str, act: &dyn Fn()| {
        if event.key() == key && !event.is_composing() {
            event.prevent_default();
            event.stop_propagation();
            act();
        }
    };
    view! {
        <div class="note-editor" role="dialog" aria-label=label data-testid="note-editor"
            style:left=format!("clamp(4px, {x:.0}px, calc(100% - 304px))")
            on:keydown=move |event| on(&event, "Escape", &|| end(None))>
            <p class="what" data-testid="note-about">{words}</p>
            <textarea node_ref=field rows="3" maxlength=MAX_TEXT.to_string() aria-label="Text of the note" placeholder="Note"
                prop:value=text data-testid="note-field" on:keydown=move |event| on(&event, "Enter", &save)></textarea>
            <div class="acts">
                {is_old.then(|| view! {
                    <button class="btn line" data-testid="note-remove" on:click=move |_| end(Some(String::new()))>"Delete"</button>
                })}
                <span class="sp"></span>
                <button class="btn line" on:click=move |_| end(None)>"Cancel"</button>
                <button class="btn primary" data-testid="note-save" on:click=move |_| save()>"Save"</button>
            </div>
        </div>
    }
}
