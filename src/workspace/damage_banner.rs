//! Banner for damaged or truncated files, so that users know what is missing.

use crate::app::state::{App, Tab};
use crate::widgets::icon::{CLOSE, Icon, WARNING};
use leptos::prelude::*;
use view::format;

/// Banner for parse issues, until it is closed.
#[component]
pub fn Banner() -> impl IntoView {
    let app = expect_context::<App>();
    let closed = RwSignal::new(false);
    move || {
        let trace = app.trace.get().filter(|trace| trace.diagnostic_count > 0 && !closed.get())?;
        let first = trace.diagnostics.first();
        let message = first.map(|first| match first.message.strip_suffix('.') {
            // Some issues contain their offset; it would be misplaced after several sentences.
            Some(sentence) if !sentence.contains("at byte") && !sentence.contains(". ") => {
                format!("{sentence} (at byte {}).", format::count(first.offset))
            }
            _ => first.message.clone(),
        });
        let (title, outcome) = match trace.is_restored {
            true => ("Repaired a damaged trace.", ""),
            false => ("Part of this file is damaged or missing.", " Showing everything that could be read."),
        };
        let others = (trace.diagnostics.len() > 1 || trace.diagnostic_count > 1)
            .then(|| format!("Show all {}", format::count(trace.diagnostic_count)));
        Some(view! {
            <div class="banner" role="alert" data-testid="damage-banner">
                <Icon shape=WARNING class="s"/>
                <p><b>{title}</b> " " {message} {outcome}</p>
                <button class="btn" data-testid="show-diagnostics" on:click=move |_| app.tab.set(Tab::Metadata)>
                    {others.unwrap_or_else(|| "Show".to_owned())}
                </button>
                <button class="btn icon" aria-label="Dismiss" on:click=move |_| closed.set(true)>
                    <Icon shape=CLOSE class="s"/>
                </button>
            </div>
        })
    }
}
