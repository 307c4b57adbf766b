//! Names and paths that take more lines than one.

use leptos::prelude::*;

/// A name or a path that is broken after its dots and slashes rather than inside its words.
pub fn breakable(name: &str) -> impl IntoView + use<> {
    name.split_inclusive(['.', '/', '\\']).map(|part| view! { {part.to_owned()} <wbr/> }).collect_view()
}
