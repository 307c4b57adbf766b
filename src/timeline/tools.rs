//! Buttons beside the ruler: clock, notes and saved ranges, menu of tracks, position among matches.

use super::Handle;
use super::state::Signals;
use super::track_headers::menu::open_menu_of_all;
use crate::app::state::App;
use crate::commands::shortcuts::title;
use crate::widgets::icon::{FLAG, Icon, MORE};
use crate::widgets::menu::{MenuEntry, OpenMenu};
use leptos::prelude::*;
use view::format;
use view::keys::keymap::{Command, Scope};
use view::timeline::clock::Clock;
use wasm_bindgen::JsCast;
use web_sys::{Element, MouseEvent};

pub const CLOCKS: [(Command, Clock); 3] =
    [(Command::ClockRelative, Clock::Relative), (Command::ClockUtc, Clock::Utc), (Command::ClockLocal, Clock::Local)];

/// Returns the position below the button of an event.
fn below(event: &MouseEvent) -> (f64, f64) {
    let button = event.current_target().and_then(|target| target.dyn_into::<Element>().ok());
    button.map_or((0.0, 0.0), |button| {
        let area = button.get_bounding_client_rect();
        (area.left(), area.bottom() + 2.0)
    })
}

/// Buttons beside the ruler.
#[component]
pub fn Tools(
    /// The timeline.
    handle: Handle,
    /// Signals of the timeline.
    signals: Signals,
) -> impl IntoView {
    let app = expect_context::<App>();
    let place = move || {
        app.timeline.place.get().map(|(place, total)| {
            view! { <span class="place" data-testid="match-place">{format!("{} of {}", format::count(place), format::count(total))}</span> }
        })
    };
    let clocks = move |event: MouseEvent| {
        let entries = CLOCKS.into_iter().map(|(command, clock)| {
            let choose = move || app.timeline.clock.set(clock);
            let is_chosen = app.timeline.clock.get_untracked() == clock;
            MenuEntry::of(Scope::Timeline, command, "menu-clock", choose).chosen(is_chosen)
        });
        signals.menu.set(Some(OpenMenu {
            at: below(&event),
            label: "Time format".to_owned(),
            entries: entries.collect(),
        }));
    };
    let clock_words = move || match app.face().day() {
        Some(day) => format!("Time format. Trace started on {day}"),
        None => "Time format".to_owned(),
    };
    let kept = move || {
        let ranges = format::counted(app.timeline.saved_ranges.with(Vec::len) as u64, "saved range");
        format!("{}, {ranges}", format::counted(app.notes.notes.with(Vec::len) as u64, "note"))
    };
    view! {
        {place}
        <span class="tools-right">
            <button class="btn xs" title=clock_words aria-haspopup="menu" data-testid="clock" on:click=clocks>
                {move || app.timeline.clock.get().words()}
            </button>
            <button class="btn icon xs" title=title(Scope::Timeline, Command::Bookmarks) aria-label=kept
                data-testid="kept" data-command=Command::Bookmarks.id() on:click=move |_| signals.saved_ranges.set(true)>
                <Icon shape=FLAG class="s"/>
            </button>
            <button class="btn icon xs" title="Find, sort and show tracks" aria-label="Tracks" aria-haspopup="menu"
                data-testid="tracks-menu" on:click=move |event| open_menu_of_all(handle, below(&event))>
                <Icon shape=MORE class="s"/>
            </button>
        </span>
    }
}
