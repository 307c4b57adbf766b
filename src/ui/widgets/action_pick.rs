//! A list that does something with what is picked from it, and then says again what it is for.

use leptos::prelude::*;

/// A list that does something with what is picked from it.
#[component]
pub fn ActionPick(
    /// What picking does, for people who listen.
    label: &'static str,
    /// What the list says while nothing is picked.
    words: &'static str,
    /// Stable name for tests.
    testid: &'static str,
    /// What can be picked: values with their words.
    #[prop(into)]
    options: Signal<Vec<(String, String)>>,
    /// Takes the picked value.
    pick: Callback<String>,
    /// Further classes.
    #[prop(default = "")]
    class: &'static str,
) -> impl IntoView {
    let options = move || {
        let option = |(value, words): (String, String)| view! { <option value=value>{words}</option> };
        options.get().into_iter().map(option).collect_view()
    };
    view! {
        <select
            class=format!("btn line {class}")
            aria-label=label
            data-testid=testid
            prop:value=""
            on:change:target=move |event| {
                let value = event.target().value();
                event.target().set_value("");
                if !value.is_empty() {
                    pick.run(value);
                }
            }
        >
            <option value="">{words}</option>
            {options}
        </select>
    }
}
