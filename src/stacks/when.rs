//! Column with the weights of rows over time.

use crate::app::state::App;
use leptos::prelude::*;
use protocol::request::{TreeQuery, WhenOf};
use protocol::{queries, tables};
use std::collections::HashMap;
use std::sync::Arc;
use view::stacks::when::{HEIGHT, RowTimes};

/// Query: stacks, rows, and the key of each row.
pub type Asked = (TreeQuery, WhenOf, Vec<u64>);

/// Weights over time of the rows that have been visible.
#[derive(Clone, Copy)]
pub struct Times {
    known: RwSignal<HashMap<u64, Arc<RowTimes>>>,
    /// Trace revision and query of the loaded weights.
    of: StoredValue<Option<(u32, TreeQuery)>, LocalStorage>,
}

impl Times {
    /// Requests weights whenever the visible rows change.
    pub fn follow(app: App, question: impl Fn() -> Option<Asked> + 'static) -> Self {
        let times = Self { known: RwSignal::default(), of: StoredValue::new_local(None) };
        let latest = app.latest();
        let last = StoredValue::new_local(None::<(u32, TreeQuery, WhenOf)>);
        Effect::new(move |_| {
            let revision = app.revision.get();
            let Some((query, of, keys)) = question() else { return };
            let asked = (revision, query.clone(), of.clone());
            if last.with_value(|last| last.as_ref() == Some(&asked)) {
                return;
            }
            last.set_value(Some(asked));
            latest.ask(queries::When { query: query.clone(), of }, move |answer| {
                // If the request fails, the column stays empty; the table shows the reason.
                let Ok(table) = answer else { return };
                let stacks = Some((revision, query));
                let is_same = times.of.with_value(|of| *of == stacks);
                times.of.set_value(stacks);
                times.known.update(|known| {
                    if !is_same {
                        known.clear();
                    }
                    let rows = keys.iter().enumerate();
                    known.extend(rows.filter_map(|(row, key)| Some((*key, Arc::new(RowTimes::new(&table, row)?)))));
                });
            });
        });
        times
    }

    fn row(self, key: Option<u64>) -> Option<Arc<RowTimes>> {
        self.known.with(|known| known.get(&key?).cloned())
    }
}

/// Cell of a row.
#[component]
pub fn WhenCell<K>(
    /// Loaded weights.
    times: Times,
    /// Key of the row in the cell.
    key: K,
) -> impl IntoView
where
    K: Fn() -> Option<u64> + Copy + Send + Sync + 'static,
{
    let row = Memo::new(move |_| times.row(key()));
    let words = move || row.with(|row| row.as_ref().map(|row| row.words().to_owned()));
    let outline = move || row.with(|row| row.as_ref().map(|row| row.outline()));
    let frame = format!("0 0 {} {HEIGHT}", tables::WHEN_BUCKETS);
    view! {
        <span role="gridcell" class="c-when" aria-label=words title=words data-testid="when">
            <svg viewBox=frame preserveAspectRatio="none" aria-hidden="true" focusable="false"><path d=outline></path></svg>
        </span>
    }
}

/// Column heading.
#[component]
pub fn WhenHead() -> impl IntoView {
    view! {
        <span role="columnheader" class="c-when" title="Time on stack (scaled per row)">
            "When"
        </span>
    }
}
