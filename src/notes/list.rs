//! List of all notes, to show, edit and delete them.

use super::subject::Subject;
use crate::app::state::App;
use leptos::prelude::*;
use view::notes::MAX_TEXT;

/// Rows of all notes.
#[component]
pub fn NoteList(
    /// Shows the note with an index on the timeline.
    show: Callback<usize>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let count = Memo::new(move |_| app.notes.notes.with(Vec::len));
    let row = move |index: usize| {
        let subject = Subject::Existing(index);
        let (about, text) = (subject.about(app), subject.text(app));
        let change = move |text: String| Subject::Existing(index).save(app, &text);
        view! {
            <li>
                <span class="num">{about.clone()}</span>
                <label class="field note"><span class="sr">{format!("Note about {about}")}</span>
                    <input type="text" maxlength=MAX_TEXT.to_string() prop:value=text data-testid="note-text"
                        on:change:target=move |event| change(event.target().value())/>
                </label>
                <button class="btn line" data-testid="note-go" on:click=move |_| show.run(index)>"Show"</button>
                <button class="btn line" data-testid="note-delete" on:click=move |_| change(String::new())>"Delete"</button>
            </li>
        }
    };
    view! { <ul>{move || (0..count.get()).map(row).collect_view()}</ul> }
}
