//! A line when the reader has not answered for long: it is at work on something large, or stuck.

use crate::app::state::App;
use crate::widgets::icon::{Icon, WARNING};
use leptos::prelude::*;
use std::time::Duration;

/// How often it is looked at whether answers come.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// So many looks in a row, during which something waited and nothing came, are long. Looks are counted instead of time: a
/// computer that slept, or a tab that rested in the background, has not waited.
const LOOKS_OF_SILENCE: u32 = 4;

/// The line, as long as nothing comes.
#[component]
pub fn UnresponsiveBanner() -> impl IntoView {
    let app = expect_context::<App>();
    let looks = RwSignal::new(0_u32);
    let heard_before = StoredValue::new(None::<u32>);
    let look = move || {
        // While a file is still being read another line says so, and has a button of its own.
        let is_open = app.trace.with_untracked(|trace| trace.as_ref().is_some_and(|trace| !trace.is_partial));
        let heard = app.client().messages_while_waiting().filter(|_| is_open);
        let is_silent = heard.is_some() && heard == heard_before.get_value();
        heard_before.set_value(heard);
        looks.set(if is_silent { looks.get_untracked() + 1 } else { 0 });
    };
    // Without a clock nothing is known of silence; everything else works.
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
                        " A large query can take this long. This message goes away when it finishes."
                    </p>
                    <button class="btn" data-testid="give-up" on:click=move |_| app.client().give_up()>"Stop"</button>
                </div>
            }
        })
    }
}
