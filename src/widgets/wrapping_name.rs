//! Names and paths that take more lines than one.

use leptos::prelude::*;
use view::draw::unbroken::name_parts;

/// A name or a path that is broken after its dots and slashes and before its capitals, rather than inside its words.
pub fn breakable(name: &str) -> impl IntoView + use<> {
    name_parts(name).into_iter().map(|part| view! { {part.to_owned()} <wbr/> }).collect_view()
}
