//! Signals whose followers shouldn't run for nothing.

use leptos::prelude::*;

/// Sets a signal only if its value changes.
pub trait SetChanged<T> {
    /// Sets the signal, unless it has this value; doesn't track it.
    fn set_changed(self, value: T);
}

impl<T: PartialEq + Send + Sync + 'static> SetChanged<T> for RwSignal<T> {
    fn set_changed(self, value: T) {
        if self.with_untracked(|now| *now != value) {
            self.set(value);
        }
    }
}
