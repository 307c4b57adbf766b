//! Dropdown that runs an action for the chosen option, and then shows its label again.

use leptos::prelude::*;
use web_sys::HtmlSelectElement;

/// Dropdown that runs an action for the chosen option.
#[component]
pub fn ActionPick(
    /// Description of the action for screen readers.
    label: &'static str,
    /// Label of the dropdown.
    words: &'static str,
    /// Test ID.
    testid: &'static str,
    /// Options: values with their texts.
    #[prop(into)]
    options: Signal<Vec<(String, String)>>,
    /// Receives the chosen value.
    pick: Callback<String>,
    /// Additional classes.
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

/// Makes the dropdown report the same choice again. WebKit compares a choice with the last reported one, and notices a
/// change by the program only when the dropdown gets the focus.
fn forget_last_choice(list: &HtmlSelectElement) {
    // If it fails, a choice must be made twice.
    let _ = list.blur();
    let _ = list.focus();
}
