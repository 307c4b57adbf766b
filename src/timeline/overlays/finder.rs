//! Dialog for finding a track by name.

use crate::app::state::App;
use crate::timeline::{Handle, with};
use crate::widgets::dialog::Dialog;
use crate::widgets::list_keys::{focused_field, walk_lines};
use leptos::prelude::*;
use view::timeline::track_key::TrackKey;

/// Maximum number of listed tracks; typing more finds others.
const MAX_LISTED: usize = 40;

/// Track with its groups and name.
type Named = (TrackKey, Vec<TrackKey>, String);

/// List of tracks, visible while [`crate::timeline::choices::TimelineChoices::finder`] is set.
#[component]
pub fn Finder(
    /// The timeline.
    handle: Handle,
) -> impl IntoView {
    let app = expect_context::<App>();
    view! {
        <Dialog open=app.timeline.finder title="Find track" testid="finder">
            <FinderList handle open=app.timeline.finder/>
        </Dialog>
    }
}

/// Returns whether a name contains every typed word, case-insensitively.
fn is_match(name: &str, typed: &str) -> bool {
    let name = name.to_lowercase();
    typed.to_lowercase().split_whitespace().all(|word| name.contains(word))
}

#[component]
fn FinderList(handle: Handle, open: RwSignal<bool>) -> impl IntoView {
    // Tracks may still be loading.
    let all = Memo::new(move |_| {
        let stage = handle.get()?;
        stage.signals.layout.track();
        stage.signals.words.track();
        Some(untrack(|| stage.all_tracks()))
    });
    let (typed, at) = (RwSignal::new(String::new()), RwSignal::new(0_usize));
    let found = Memo::new(move |_| {
        let typed = typed.get();
        all.with(|all| {
            let names = all.iter().flatten().filter(|(.., name)| is_match(name, &typed));
            names.take(MAX_LISTED).cloned().collect::<Vec<Named>>()
        })
    });
    let field = focused_field();
    let go = move |index: usize| {
        let Some((key, above, _)) = found.with_untracked(|found| found.get(index).cloned()) else { return };
        open.set(false);
        // After the dialog has restored the focus.
        request_animation_frame(move || with(handle, |stage| stage.go_to_track(key, &above)));
    };
    let on_key = walk_lines(at, move || found.with_untracked(Vec::len), go);
    let option = move |(index, named): (usize, Named)| {
        let (_, above, name) = named;
        view! {
            <li role="option" id=format!("found-{index}") aria-selected=move || (at.get() == index).to_string()
                style:padding-left=format!("{}px", 12 + above.len() * 12) on:click=move |_| go(index)>
                {name}
            </li>
        }
    };
    view! {
        <div class="content finder">
            <label class="field">
                <span class="sr">"Track name or thread ID"</span>
                <input node_ref=field type="search" role="combobox" aria-expanded="true" aria-controls="found-tracks"
                    placeholder="Search tracks by name or thread ID" autocomplete="off" spellcheck="false"
                    aria-activedescendant=move || format!("found-{}", at.get()) data-testid="finder-field"
                    on:input:target=move |event| { typed.set(event.target().value()); at.set(0); }
                    on:keydown=on_key/>
            </label>
            <ul role="listbox" id="found-tracks" aria-label="Tracks" data-testid="finder-list">
                {move || found.get().into_iter().enumerate().map(option).collect_view()}
            </ul>
            <Show when=move || found.with(Vec::is_empty)>
                <p role="status">"No matching tracks"</p>
            </Show>
        </div>
    }
}
