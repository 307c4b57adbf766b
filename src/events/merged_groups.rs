//! Groups of the events of all traces, and the payload fields by which they can be grouped.

use super::merged_rows::{Of, OfTrace, of_all, traces_of};
use crate::app::state::App;
use crate::trace::join::join;
use crate::trace::live_query::LiveQuery;
use crate::trace::wanted::follow_wanted;
use leptos::prelude::*;
use protocol::request::{EventColumn, Filter, GroupQuery, Measure};
use protocol::tables::{EventGroups, FieldNames};
use protocol::{Failure, FailureCode, queries};
use std::collections::BTreeMap;
use std::sync::Arc;
use view::format;
use view::traces::{GroupsOf, MergedGroups};

/// Number of groups per request.
const PAGE: u32 = 10_000;
/// Maximum number of groups of a trace.
const MAX_GROUPS: u64 = 100_000;

/// What the groups depend on, apart from their order.
type Grouping = (Of, EventColumn, Option<Measure>);

/// Groups of all traces. Copies are handles to the same state.
#[derive(Clone, Copy)]
pub struct GroupsOfAll {
    of_each: RwSignal<Option<Arc<Vec<GroupsOf>>>>,
    merged: RwSignal<Option<Arc<MergedGroups>>>,
    pub failure: RwSignal<Option<Failure>>,
}

impl GroupsOfAll {
    /// Follows the groups while they are visible.
    pub fn follow(app: App, open: Memo<bool>) -> Self {
        let of = of_all(app.traces);
        let wanted = Memo::new(move |_| {
            let GroupQuery { by, measure, .. } = app.events.groups.get().filter(|_| open.get())?;
            Some((of.get(), by, measure))
        });
        let LiveQuery { value, failure } = follow_wanted(wanted, move |grouping: &Grouping| {
            let grouping = grouping.clone();
            async move { groups_of(app, &grouping).await }
        });
        let groups = Self { of_each: value, merged: RwSignal::new(None), failure };
        Effect::new(move |_| {
            let (Some(of_each), Some(query)) = (groups.of_each.get(), app.events.groups.get()) else { return };
            groups.merged.set(Some(Arc::new(MergedGroups::new(&of_each, &query))));
        });
        groups
    }

    /// Calls a function with the groups; `None` until they are loaded.
    pub fn with<V>(self, look: impl FnOnce(&MergedGroups) -> V) -> Option<V> {
        self.merged.with(|groups| groups.as_deref().map(look))
    }

    /// Returns the number of traces.
    pub fn traces(self) -> usize {
        self.of_each.with(|of_each| of_each.as_ref().map_or(0, |of_each| of_each.len()))
    }

    /// Returns the number of events of a trace in a group.
    pub fn count(self, row: u64, trace: usize) -> Option<u64> {
        self.with(|groups| groups.of_traces.get(row as usize)?.get(trace).copied()).flatten()
    }
}

async fn groups_of(app: App, (of, by, measure): &Grouping) -> Result<Vec<GroupsOf>, Failure> {
    let query = &GroupQuery { by: by.clone(), measure: measure.clone(), ..GroupQuery::default() };
    let of_trace = |(trace, (_, filter, _, shift)): (App, &OfTrace)| {
        let (filter, shift) = (filter.clone(), *shift);
        async move { Ok(GroupsOf { pages: pages_of(trace, &filter, query).await?, shift }) }
    };
    join(traces_of(app.traces, of)?.into_iter().zip(of).map(of_trace)).await
}

/// Requests all groups of a trace.
async fn pages_of(app: App, filter: &Filter, query: &GroupQuery) -> Result<Vec<EventGroups>, Failure> {
    let (mut pages, mut first) = (Vec::new(), 0);
    loop {
        let (filter, query) = (filter.clone(), query.clone());
        let page = app.ask(queries::EventGroups { filter, query, first, count: PAGE }).await?;
        let total = page.groups.first().copied().unwrap_or(0);
        if total > MAX_GROUPS {
            let message = format!("too many groups to merge (limit {} per trace)", format::count(MAX_GROUPS));
            let advice = "Group by another column, filter, or show one trace.";
            return Err(Failure::new(FailureCode::NotFound, message).with_detail(advice));
        }
        first += page.kind.len() as u64;
        let is_last = page.kind.is_empty() || first >= total;
        pages.push(page);
        if is_last {
            return Ok(pages);
        }
    }
}

/// Returns the payload fields of the matching events of all traces. Without an answer, none can be chosen.
pub fn field_names_of_all(app: App, of: Memo<Of>) -> Signal<Option<Arc<FieldNames>>> {
    let names = follow_wanted(Memo::new(move |_| Some(of.get())), move |of: &Of| {
        let of = of.clone();
        async move { names_of(app, &of).await }
    });
    names.value.into()
}

async fn names_of(app: App, of: &Of) -> Result<FieldNames, Failure> {
    let mut all: BTreeMap<String, u8> = BTreeMap::new();
    let of_trace =
        |(trace, (_, filter, ..)): (App, &OfTrace)| trace.ask(queries::FieldNames { filter: filter.clone() });
    for names in join(traces_of(app.traces, of)?.into_iter().zip(of).map(of_trace)).await? {
        for (name, is_number) in names.name.iter().zip(&names.is_number) {
            let known = all.entry(name.to_owned()).or_default();
            *known = (*known).max(*is_number);
        }
    }
    let (name, is_number): (Vec<String>, Vec<u8>) = all.into_iter().unzip();
    Ok(FieldNames { name: name.into_iter().collect(), is_number })
}
