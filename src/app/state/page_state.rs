//! What the state of each folder of the page must provide.

use super::App;
use leptos::prelude::*;
use std::sync::Arc;

/// State of a folder of the page. Copies are handles to the same state.
pub trait PageState: Copy + Default {
    /// Resets the state for another trace.
    fn reset(self);
}

/// State with a part in the URL.
pub trait LinkedState: PageState {
    /// Part of the URL.
    type Link;

    /// Returns the state as in the URL. Reads all signals that may change it.
    fn to_url(self, app: App) -> Self::Link;

    /// Applies the state of a URL to the open trace.
    fn apply_url(self, app: App, link: Self::Link);
}

/// Data of the open trace.
impl<T: Send + Sync + 'static> PageState for RwSignal<Option<Arc<T>>> {
    fn reset(self) {
        self.set(None);
    }
}

/// Declares the state of a folder: signals for the fields of its part of the URL, if it has one, and other signals. All
/// are reset except those that are `kept` for other traces.
macro_rules! page_state {
    (@reset $signal:expr) => { $signal.set(Default::default()) };
    (@reset $signal:expr, kept) => {};
    (
        $(#[$doc:meta])*
        $name:ident $(: $link:ident {
            $($(#[$field_doc:meta])* $field:ident: $field_type:ty $(=> $field_kept:ident)?,)*
        })? {
            $($(#[$other_doc:meta])* $other:ident: $other_type:ty $(=> $other_kept:ident)?,)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Default)]
        pub struct $name {
            $($($(#[$field_doc])* pub $field: RwSignal<$field_type>,)*)?
            $($(#[$other_doc])* pub $other: RwSignal<$other_type>,)*
        }

        impl $crate::app::state::page_state::PageState for $name {
            fn reset(self) {
                $($($crate::app::state::page_state::page_state!(@reset self.$field $(, $field_kept)?);)*)?
                $($crate::app::state::page_state::page_state!(@reset self.$other $(, $other_kept)?);)*
            }
        }

        $(impl $crate::app::state::page_state::LinkedState for $name {
            type Link = $link;

            fn to_url(self, _: $crate::app::state::App) -> $link {
                $link { $($field: self.$field.get(),)* }
            }

            fn apply_url(self, _: $crate::app::state::App, link: $link) {
                let $link { $($field,)* } = link;
                $(self.$field.set($field);)*
            }
        })?
    };
}
pub(crate) use page_state;

/// Implements the state of a folder that is one signal, as in the URL.
macro_rules! whole_state {
    ($link:ident) => {
        impl $crate::app::state::page_state::PageState for RwSignal<$link> {
            fn reset(self) {
                self.set($link::default());
            }
        }

        impl $crate::app::state::page_state::LinkedState for RwSignal<$link> {
            type Link = $link;

            fn to_url(self, _: $crate::app::state::App) -> $link {
                self.get()
            }

            fn apply_url(self, _: $crate::app::state::App, link: $link) {
                self.set(link);
            }
        }
    };
}
pub(crate) use whole_state;
