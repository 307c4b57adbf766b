//! Names and paths that wrap over several lines.

use leptos::prelude::*;
use view::draw::unbroken::name_parts;

/// Returns a name or path that breaks after dots and slashes and before capitals, not inside words.
pub fn breakable(name: &str) -> impl IntoView + use<> {
    name_parts(name).into_iter().map(|part| view! { {part.to_owned()} <wbr/> }).collect_view()
}
