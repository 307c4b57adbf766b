//! Row of radio buttons.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

/// Returns the option to choose after an arrow key in a group of `count` options, of which one is chosen; `None` for
/// other keys, which aren't handled.
pub fn stepped(event: &KeyboardEvent, chosen: usize, count: usize) -> Option<usize> {
    let step = match event.key().as_str() {
        "ArrowRight" | "ArrowDown" => 1,
        "ArrowLeft" | "ArrowUp" => count.saturating_sub(1),
        _ => return None,
    };
    event.prevent_default();
    event.stop_propagation();
    Some((chosen + step) % count.max(1))
}

/// Row of radio buttons.
#[component]
pub fn Choice<T>(
    /// Label for screen readers.
    label: &'static str,
    /// Chosen option.
    #[prop(into)]
    value: Signal<T>,
    /// Receives the chosen option.
    choose: Callback<T>,
    /// Options, with their texts and test IDs.
    options: Vec<(T, &'static str, &'static str)>,
    /// Returns the figure beside an option.
    #[prop(optional)]
    figure: Option<Callback<T, Option<String>>>,
    /// Returns the classes of the swatch before an option.
    #[prop(optional)]
    swatch: Option<fn(T) -> Option<&'static str>>,
) -> impl IntoView
where
    T: Copy + PartialEq + Send + Sync + 'static,
{
    let group = NodeRef::<html::Div>::new();
    let values: Vec<T> = options.iter().map(|(option, ..)| *option).collect();
    let on_key = move |event: KeyboardEvent| {
        let now = values.iter().position(|option| *option == value.get_untracked()).unwrap_or(0);
        let Some(next) = stepped(&event, now, values.len()) else { return };
        if let Some(option) = values.get(next) {
            choose.run(*option);
        }
        if let Some(group) = group.get_untracked() {
            super::focus_child(&group, next as u32);
        }
    };
    view! {
        <div class="seg" role="radiogroup" aria-label=label node_ref=group on:keydown=on_key>
            {options
                .into_iter()
                .map(|(option, words, testid)| {
                    let chosen = move || value.get() == option;
                    view! {
                        <button
                            role="radio"
                            aria-checked=move || chosen().to_string()
                            tabindex=move || if chosen() { "0" } else { "-1" }
                            data-testid=testid
                            on:click=move |_| choose.run(option)
                        >
                            {swatch.and_then(|swatch| swatch(option)).map(|class| view! { <i class=class aria-hidden="true"></i> })}
                            {words}
                            {move || figure.and_then(|figure| figure.run(option)).map(|figure| view! { <span class="n">{figure}</span> })}
                        </button>
                    }
                })
                .collect_view()}
        </div>
    }
}
