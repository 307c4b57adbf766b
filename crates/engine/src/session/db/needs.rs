//! Prerequisites of answers.

use crate::analysis::intervals::gc::asks_of_events;
use protocol::Request;
use protocol::request::{Filter, Topic, TreeQuery};

/// Returns whether the answer needs all spans.
pub(crate) fn needs_spans(request: &Request) -> bool {
    match request {
        Request::Lanes { spans, .. } => *spans,
        Request::Intervals { kind, .. } => kind.is_spans(),
        Request::SpanRows | Request::Connections { .. } => true,
        Request::Excerpt { filter, from: 0 } => *filter != Filter::default(),
        _ => false,
    }
}

/// Returns whether the answer contains durations.
pub(crate) fn needs_durations(request: &Request) -> bool {
    matches!(request, Request::Events { count: 1.., .. } | Request::EventText { count: 1.., .. })
}

/// Returns the tree query of a request, if it has one.
pub(crate) fn tree_query_of(request: &Request) -> Option<&TreeQuery> {
    match request {
        Request::Flame { query, .. }
        | Request::Children { query, .. }
        | Request::HotPath { query, .. }
        | Request::Below { query, .. }
        | Request::FindFrames { query, .. }
        | Request::When { query, .. }
        | Request::StackFile { query, .. }
        | Request::CodePlaces { query, .. }
        | Request::UnresolvedCode { query }
        | Request::TimeOrder { query, .. }
        | Request::Functions { query, .. } => Some(query),
        _ => None,
    }
}

/// Returns the analysis of a request, if it has one.
pub(crate) fn topic_of(request: &Request) -> Option<Topic> {
    match request {
        Request::Topic { of, .. } => of.topic(),
        Request::Gcs { filter } => asks_of_events(filter).then_some(Topic::Gc),
        _ => None,
    }
}

/// Returns the filter whose rows the answer needs.
pub(crate) fn filter_of(request: &Request) -> Option<&Filter> {
    match request {
        Request::Exceptions { filter, .. }
        | Request::Intervals { filter, .. }
        | Request::Series { filter }
        | Request::Density { filter, .. }
        | Request::Events { filter, .. }
        | Request::EventFields { filter, .. }
        | Request::EventText { filter, .. }
        | Request::EventGroups { filter, .. }
        | Request::FieldValues { filter, .. }
        | Request::Topic { filter, .. }
        | Request::Excerpt { filter, .. }
        | Request::EventPosition { filter, .. } => Some(filter),
        Request::Threads { filter } => (*filter != Filter::default()).then_some(filter),
        Request::Gcs { filter } => asks_of_events(filter).then_some(filter),
        other => tree_query_of(other).map(|query| &query.filter),
    }
}
