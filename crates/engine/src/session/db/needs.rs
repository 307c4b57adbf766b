//! What has to be there before a request can be answered.

use crate::analysis::intervals::gc::asks_of_events;
use protocol::Request;
use protocol::request::{Filter, Topic, TreeQuery};

/// Whether an answer needs all spans.
pub(crate) fn needs_spans(request: &Request) -> bool {
    match request {
        Request::Lanes { spans, .. } => *spans,
        Request::Intervals { kind, .. } => kind.is_spans(),
        Request::SpanRows | Request::Connections { .. } => true,
        Request::Excerpt { filter, from: 0 } => *filter != Filter::default(),
        _ => false,
    }
}

/// Whether an answer says how long things last.
pub(crate) fn needs_durations(request: &Request) -> bool {
    matches!(request, Request::Events { count: 1.., .. } | Request::EventText { count: 1.., .. })
}

/// The tree of stacks that an answer needs.
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

/// The topic that an answer is about.
pub(crate) fn topic_of(request: &Request) -> Option<Topic> {
    match request {
        Request::Topic { of, .. } => of.topic(),
        Request::Gcs { filter } => asks_of_events(filter).then_some(Topic::Gc),
        _ => None,
    }
}

/// The filter whose rows an answer needs.
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
