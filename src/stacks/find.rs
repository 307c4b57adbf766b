//! Search for frames by name: matches are highlighted in all views, with their share of the weight.

use super::query;
use crate::app::state::{App, StackView};
use crate::trace::live_query::{LiveQuery, follow};
use crate::widgets::icon::{Icon, SEARCH};
use leptos::prelude::*;
use protocol::{queries, tables};
use std::collections::HashSet;
use std::sync::Arc;
use view::format;

/// Search in the visible stacks.
#[derive(Clone, Copy)]
pub struct Finder {
    text: RwSignal<String>,
    answer: LiveQuery<tables::FoundFrames>,
    /// Matching frames; `None` without a search.
    pub found: Memo<Option<Arc<HashSet<u32>>>>,
}

impl Finder {
    /// Creates a search, which runs while the stacks are visible.
    pub fn new(app: App, open: Memo<bool>) -> Self {
        let text = RwSignal::new(String::new());
        let answer = follow(app, move || {
            let text = text.with(|text| text.trim().to_owned());
            let query = query(app, open, StackView::Functions).filter(|_| !text.is_empty())?;
            Some(queries::FindFrames { query, text })
        });
        let found = Memo::new(move |_| {
            let is_asked = text.with(|text| !text.trim().is_empty());
            let found = answer.value.get().filter(|_| is_asked)?;
            Some(Arc::new(found.function.iter().copied().collect()))
        });
        Self { text, answer, found }
    }

    /// Returns whether a frame matches, if there is a search.
    pub fn has(self, frame: u32) -> bool {
        self.found.with(|found| found.as_ref().is_some_and(|found| found.contains(&frame)))
    }

    fn words(self) -> Option<String> {
        let found = self.found.get()?;
        let answer = self.answer.value.get()?;
        let value = |column: &[f64]| column.first().copied().unwrap_or(0.0);
        let share = format::percent(value(&answer.weight), value(&answer.total));
        Some(format!("{} found · {share}", format::count(found.len() as u64)))
    }
}

/// Search field with the result.
#[component]
pub fn FindField(testid: &'static str) -> impl IntoView {
    let finder = expect_context::<Finder>();
    view! {
        <span class="sp" aria-live="polite" title="Matching functions and their share of the weight" data-testid=format!("{testid}-share")>
            {move || finder.words()}
        </span>
        <label class="field small">
            <Icon shape=SEARCH class="xs"/>
            <span class="sr">"Find function"</span>
            <input
                type="search"
                placeholder="Find"
                prop:value=move || finder.text.get()
                data-testid=testid
                on:input:target=move |event| finder.text.set(event.target().value())
            />
        </label>
    }
}
