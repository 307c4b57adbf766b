//! The list of ranges that were kept: gone to, renamed, annotated, deleted.

use super::Handle;
use super::range::keep;
use super::state::Signals;
use crate::app::state::App;
use crate::widgets::dialog::Dialog;
use leptos::prelude::*;
use view::format;
use view::timeline::saved_range::Bookmark;

/// What keeping a range is good for.
const WHAT_FOR: &str =
    "A range that is kept has a name and a note, is marked above the timeline, and is part of the link.";

/// The list, shown while [`Signals::bookmarks`] holds.
#[component]
pub fn Bookmarks(
    /// The timeline.
    handle: Handle,
    /// What it shows.
    signals: Signals,
) -> impl IntoView {
    let app = expect_context::<App>();
    let count = Memo::new(move |_| app.timeline.bookmarks.with(Vec::len));
    let rows = move || (0..count.get()).map(|index| row(app, handle, signals, index)).collect_view();
    // What M does, for those who have no keys.
    let not_kept = Memo::new(move |_| {
        let span = app.filter.with(|filter| filter.span)?;
        let is_kept = app.timeline.bookmarks.with(|kept| kept.iter().any(|bookmark| bookmark.span == span));
        (!is_kept).then_some(span)
    });
    let keep_it = move || {
        not_kept.get().map(|span| {
            let words = format!("Keep {}", app.face().range(span.start.0, span.end.0));
            let keep_it = move |_| super::with(handle, |stage| keep(stage, span));
            view! { <button class="btn line" data-testid="bookmark-keep" on:click=keep_it>{words}</button> }
        })
    };
    view! {
        <Dialog open=signals.bookmarks title="Kept ranges" testid="bookmarks" wide=true>
            <div class="content kept">
                <Show when=move || count.get() == 0>
                    <p>{move || if not_kept.get().is_some() { WHAT_FOR } else { "No range is kept. Drag over the timeline to choose one, then press M." }}</p>
                </Show>
                <ul>{rows}</ul>
                {keep_it}
            </div>
        </Dialog>
    }
}

fn row(app: App, handle: Handle, signals: Signals, index: usize) -> impl IntoView {
    let bookmarks = app.timeline.bookmarks;
    let of = move |read: fn(&Bookmark) -> String| {
        bookmarks.with_untracked(|kept| kept.get(index).map(read)).unwrap_or_default()
    };
    let change = move |act: fn(&mut Bookmark, String), value: String| {
        bookmarks.update(|kept| {
            if let Some(bookmark) = kept.get_mut(index) {
                act(bookmark, value);
            }
        });
    };
    let go = move |_| {
        let span = bookmarks.with_untracked(|kept| kept.get(index).map(|bookmark| bookmark.span));
        if let (Some(span), Some(stage)) = (span, handle.get()) {
            signals.bookmarks.set(false);
            stage.app.choose_range(Some(span));
            stage.show_around(span);
        }
    };
    let delete = move |_| {
        bookmarks.update(|kept| {
            if index < kept.len() {
                kept.remove(index);
            }
        });
    };
    let range = bookmarks.with_untracked(|kept| kept.get(index).map(|bookmark| bookmark.span));
    let range = range.map_or_else(String::new, |span| app.face().range(span.start.0, span.end.0));
    let length = of(|bookmark| format::duration(bookmark.span.duration()));
    view! {
        <li>
            <span class="num">{range.clone()}<span class="muted">{format!(" {length}")}</span></span>
            <label class="field"><span class="sr">{format!("Name of {range}")}</span>
                <input type="text" prop:value=of(|bookmark| bookmark.name.clone()) data-testid="bookmark-name"
                    on:change:target=move |event| change(|bookmark, text| bookmark.name = text, event.target().value())/>
            </label>
            <label class="field note"><span class="sr">{format!("Note about {range}")}</span>
                <input type="text" placeholder="Note" prop:value=of(|bookmark| bookmark.note.clone()) data-testid="bookmark-note"
                    on:change:target=move |event| change(|bookmark, text| bookmark.note = text, event.target().value())/>
            </label>
            <button class="btn line" data-testid="bookmark-go" on:click=go>"Show"</button>
            <button class="btn line" data-testid="bookmark-delete" on:click=delete>"Delete"</button>
        </li>
    }
}
