//! List of saved ranges and notes, for navigation, editing and deletion.

use crate::app::state::App;
use crate::notes::NoteList;
use crate::timeline::interaction::range::keep;
use crate::timeline::state::Signals;
use crate::timeline::{Handle, notes, with};
use crate::widgets::dialog::Dialog;
use leptos::prelude::*;
use view::format;
use view::timeline::saved_range::SavedRange;

const WHAT_FOR: &str =
    "Saved ranges have a name and a note, appear above the timeline, and are included in shared links.";

/// List of saved ranges and notes, visible while [`Signals::saved_ranges`] is set.
#[component]
pub fn Bookmarks(
    /// The timeline.
    handle: Handle,
    /// Signals of the timeline.
    signals: Signals,
) -> impl IntoView {
    let app = expect_context::<App>();
    let count = Memo::new(move |_| app.timeline.saved_ranges.with(Vec::len));
    let rows = move || (0..count.get()).map(|index| row(app, handle, signals, index)).collect_view();
    // The command of the M key, for users without a keyboard.
    let not_kept = Memo::new(move |_| {
        let span = app.filter.with(|filter| filter.span)?;
        let is_kept = app.timeline.saved_ranges.with(|kept| kept.iter().any(|saved_range| saved_range.span == span));
        (!is_kept).then_some(span)
    });
    let keep_it = move || {
        not_kept.get().map(|span| {
            let words = format!("Save {}", app.face().range(span.start.0, span.end.0));
            let keep_it = move |_| with(handle, |stage| keep(stage, span));
            view! { <button class="btn line" data-testid="bookmark-keep" on:click=keep_it>{words}</button> }
        })
    };
    let has_notes = Memo::new(move |_| app.notes.notes.with(|notes| !notes.is_empty()));
    let has_both = move || has_notes.get() && count.get() > 0;
    let show_note = Callback::new(move |index: usize| {
        signals.saved_ranges.set(false);
        // The dialog gives the focus back first.
        request_animation_frame(move || with(handle, |stage| notes::show(stage, index)));
    });
    view! {
        <Dialog open=signals.saved_ranges title="Notes and saved ranges" testid="bookmarks" wide=true>
            <div class="content kept">
                <Show when=move || has_notes.get()>
                    <h3>"Notes"</h3>
                    <NoteList show=show_note/>
                </Show>
                <Show when=has_both>
                    <h3>"Saved ranges"</h3>
                </Show>
                <Show when=move || count.get() == 0 && !has_notes.get()>
                    <p>{move || if not_kept.get().is_some() { WHAT_FOR } else { "No notes and no saved ranges. Press N on the timeline to add a note. To save a time range, drag, then press M." }}</p>
                </Show>
                <ul>{rows}</ul>
                {keep_it}
            </div>
        </Dialog>
    }
}

fn row(app: App, handle: Handle, signals: Signals, index: usize) -> impl IntoView {
    let saved_ranges = app.timeline.saved_ranges;
    let of = move |read: fn(&SavedRange) -> String| {
        saved_ranges.with_untracked(|kept| kept.get(index).map(read)).unwrap_or_default()
    };
    let change = move |act: fn(&mut SavedRange, String), value: String| {
        saved_ranges.update(|kept| {
            if let Some(saved_range) = kept.get_mut(index) {
                act(saved_range, value);
            }
        });
    };
    let go = move |_| {
        let span = saved_ranges.with_untracked(|kept| kept.get(index).map(|saved_range| saved_range.span));
        if let (Some(span), Some(stage)) = (span, handle.get()) {
            signals.saved_ranges.set(false);
            stage.app.choose_range(Some(span));
            stage.show_around(span);
        }
    };
    let delete = move |_| {
        saved_ranges.update(|kept| {
            if index < kept.len() {
                kept.remove(index);
            }
        });
    };
    let range = saved_ranges.with_untracked(|kept| kept.get(index).map(|saved_range| saved_range.span));
    let range = range.map_or_else(String::new, |span| app.face().range(span.start.0, span.end.0));
    let length = of(|saved_range| format::duration(saved_range.span.duration()));
    view! {
        <li>
            <span class="num">{range.clone()}<span class="muted">{format!(" {length}")}</span></span>
            <label class="field"><span class="sr">{format!("Name of {range}")}</span>
                <input type="text" prop:value=of(|saved_range| saved_range.name.clone()) data-testid="bookmark-name"
                    on:change:target=move |event| change(|saved_range, text| saved_range.name = text, event.target().value())/>
            </label>
            <label class="field note"><span class="sr">{format!("Note about {range}")}</span>
                <input type="text" placeholder="Note" prop:value=of(|saved_range| saved_range.note.clone()) data-testid="bookmark-note"
                    on:change:target=move |event| change(|saved_range, text| saved_range.note = text, event.target().value())/>
            </label>
            <button class="btn line" data-testid="bookmark-go" on:click=go>"Show"</button>
            <button class="btn line" data-testid="bookmark-delete" on:click=delete>"Delete"</button>
        </li>
    }
}
