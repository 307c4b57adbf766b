//! Banner for a background worker that hasn't answered for a long time.

use crate::app::state::App;
use crate::widgets::icon::{Icon, WARNING};
use leptos::prelude::*;
use std::time::Duration;

/// Interval between checks for answers.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Number of consecutive checks without an answer, while one was expected, that count as unresponsive. Checks are
/// counted instead of time, because a suspended computer or a background tab hasn't waited.
const LOOKS_OF_SILENCE: u32 = 4;

/// Banner while the worker is unresponsive.
#[component]
pub fn UnresponsiveBanner() -> impl IntoView {
    let app = expect_context::<App>();
    let looks = RwSignal::new(0_u32);
    let heard_before = StoredValue::new(None::<u32>);
    let look = move || {
        // While a file is being read, another banner with its own button is visible.
        let is_open = app.trace.with_untracked(|trace| trace.as_ref().is_some_and(|trace| !trace.is_partial));
        let heard = app.client().messages_while_waiting().filter(|_| is_open);
        let is_silent = heard.is_some() && heard == heard_before.get_value();
        heard_before.set_value(heard);
        looks.set(if is_silent { looks.get_untracked() + 1 } else { 0 });
    };
    // Without a timer, the banner never appears.
    if let Ok(interval) = set_interval_with_handle(look, LOOK_EVERY) {
        on_cleanup(move || interval.clear());
    }
    let is_long = Memo::new(move |_| looks.get() >= LOOKS_OF_SILENCE);
    move || {
        is_long.get().then(|| {
            view! {
                <div class="banner" role="alert" data-testid="silence">
                    <Icon shape=WARNING class="s"/>
                    <p>
                        <b>"Still working after 20 seconds."</b>
                        " A large query can take this long. This message disappears when the query finishes."
                    </p>
                    <button class="btn" data-testid="give-up" on:click=move |_| app.client().give_up()>"Stop"</button>
                </div>
            }
        })
    }
}
