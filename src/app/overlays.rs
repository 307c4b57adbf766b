//! Overlays of all screens: drop target, dialogs that need no trace, announcements.

use super::shell::Shell;
use crate::start::OpenUrl;
use crate::start::drop_zone::{DropTarget, Picker};
use leptos::prelude::*;
use std::time::Duration;

const TOAST: Duration = Duration::from_millis(2_500);

/// Common overlays of all screens.
#[component]
pub fn Overlays(
    /// Picker that uses [`DropTarget`].
    picker: Picker,
    /// List of shortcuts.
    children: Children,
) -> impl IntoView {
    let shell = expect_context::<Shell>();
    view! {
        <DropTarget picker/>
        <OpenUrl/>
        {children()}
        <p class="sr" role="status" aria-live="polite" data-testid="announce">{move || shell.announce.get()}</p>
        <Toast/>
    }
}

/// Short confirmation, which the status line announces to screen readers.
#[component]
fn Toast() -> impl IntoView {
    let shell = expect_context::<Shell>();
    let shown = StoredValue::new(0_u32);
    Effect::new(move |_| {
        if shell.toast.get().is_none() {
            return;
        }
        let this = shown.get_value() + 1;
        shown.set_value(this);
        set_timeout(
            move || {
                if shown.try_get_value() == Some(this) {
                    shell.toast.set(None);
                }
            },
            TOAST,
        );
    });
    move || shell.toast.get().map(|words| view! { <p class="toast" aria-hidden="true" data-testid="toast">{words}</p> })
}
