//! A list that does something with what is picked from it, and then says again what it is for.

use leptos::prelude::*;
use web_sys::HtmlSelectElement;

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
                let list = event.target();
                let value = list.value();
                list.set_value("");
                if !value.is_empty() {
                    forget_last_choice(&list);
                    pick.run(value);
                }
            }
        >
            <option value="">{words}</option>
            {options}
        </select>
    }
}

/// Makes a list report the same choice again. WebKit compares a choice with the one that it reported last, and looks at
/// what a program has chosen since only when the list gets the focus.
fn forget_last_choice(list: &HtmlSelectElement) {
    // Where it fails, a choice has to be made twice.
    let _ = list.blur();
    let _ = list.focus();
}
