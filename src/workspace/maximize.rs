//! Double click on a tab: maximizes it. The first click opens the tab, which moves the row of tabs, so the second one
//! may hit something else.

use crate::app::state::App;
use gloo::events::{EventListener, EventListenerOptions};
use leptos::prelude::*;
use view::draw::units::CssPx;
use view::keys::keymap::{Command, Scope};
use wasm_bindgen::JsCast;
use web_sys::MouseEvent;

/// Maximum time between the clicks in milliseconds.
const LONGEST_MS: f64 = 500.0;
/// Maximum distance of the clicks.
const REACH: CssPx = 4.0;

/// Position and time of the last click on a tab.
pub type TabClick = StoredValue<Option<(CssPx, CssPx, f64)>>;

/// Returns the position and time of a click.
pub fn place_of(event: &MouseEvent) -> (CssPx, CssPx, f64) {
    (f64::from(event.client_x()), f64::from(event.client_y()), event.time_stamp())
}

/// Listens for the second click, which then has no other effect.
pub fn listen_to_second_click(app: App, last: TabClick) {
    let options = EventListenerOptions::run_in_capture_phase();
    let listener = EventListener::new_with_options(&window(), "click", options, move |event| {
        let Some(event) = event.dyn_ref::<MouseEvent>() else { return };
        let Some((x, y, at)) = last.try_get_value().flatten() else { return };
        last.set_value(None);
        let (second_x, second_y, later) = place_of(event);
        let is_near = (x - second_x).abs() <= REACH && (y - second_y).abs() <= REACH;
        // Clicks by keyboard have a count of 0.
        if is_near && later - at <= LONGEST_MS && event.detail() > 0 {
            event.stop_propagation();
            app.actions.run(Scope::Everywhere, Command::MaximizeTab);
        }
    });
    let kept = StoredValue::new_local(listener);
    on_cleanup(move || kept.dispose());
}
