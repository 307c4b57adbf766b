//! What the page answers.

use leptos::prelude::*;

/// Questions, each with its answer in a line and a picture.
const QUESTIONS: [[&str; 3]; 5] = [
    [
        "What is using the CPU?",
        "Flame graph of running time, your functions first",
        r#"<path d="M0 0h120v8H0z"/><path class="m" d="M0 9h74v8H0zM76 9h30v8H76zM0 18h40v8H0zM76 18h18v8H76zM0 27h22v8H0z"/>"#,
    ],
    [
        "Why do threads wait?",
        "Locks, tasks, I/O and GC pauses of each thread",
        r#"<path class="m" d="M0 2h18v8H0zM90 2h30v8H90zM0 14h30v8H0zM96 14h24v8H96zM0 26h12v8H0z"/><path class="t" d="M20 3h68v6H20zM32 15h62v6H32zM14 27h50v6H14z"/>"#,
    ],
    [
        "Why is a request slow?",
        "Percentiles, routes and the phases of each request",
        r#"<path class="io" d="M0 0h14v8H0zM8 9h20v8H8zM22 18h92v8H22zM40 27h12v8H40z"/>"#,
    ],
    [
        "What changed?",
        "Requests, code and GCs of two traces",
        r#"<path d="M0 0h60v8H0zM0 18h44v8H0z"/><path class="b" d="M0 9h102v8H0z"/><path class="m" d="M0 27h26v8H0z"/>"#,
    ],
    [
        "What is in this file?",
        "Every event, its schema, and what each byte means",
        r#"<path class="s" d="M0 4h118M0 15h118M0 26h118"/><path class="m" d="M33 11h30v8H33z"/>"#,
    ],
];

/// Section with the questions.
#[component]
pub fn Questions() -> impl IntoView {
    view! {
        <section class="asks" aria-labelledby="h-asks">
            <h2 id="h-asks">"What you can find out"</h2>
            <ul>
                {QUESTIONS.map(|[question, answer, picture]| view! {
                    <li>
                        <svg viewBox="0 0 120 36" aria-hidden="true" inner_html=picture></svg>
                        <b>{question}</b>
                        <span class="muted">{answer}</span>
                    </li>
                }).into_iter().collect_view()}
            </ul>
        </section>
    }
}
