//! Conditions on the W3C trace ID or span ID in payloads: arguments of DiagnosticSource, fields of loggers.

use super::evaluate::Row;
use super::matcher::Matcher;
use crate::analysis::intervals::spans::work::w3c_parts;
use crate::analysis::values::fields::{ARGUMENTS, arguments};
use crate::clr::Provider;
use crate::model::{EventType, Store};
use nettrace::Value;
use protocol::base::ids::TypeId;

/// Field names of trace IDs and span IDs.
const TRACE: [&str; 2] = ["TraceId", "ActivityTraceId"];
const SPAN: [&str; 2] = ["SpanId", "ActivitySpanId"];
/// Name of the field with both.
const WHOLE: &str = "ActivityId";

/// A condition on the trace ID or span ID.
pub(super) struct TraceContextLeaf {
    matcher: Matcher,
    is_of_trace: bool,
    /// By type: true if its payloads may contain one.
    types: Vec<bool>,
}

impl TraceContextLeaf {
    /// Creates a condition on trace IDs, or else span IDs, for a matcher.
    pub fn new(store: &Store, is_of_trace: bool, matcher: Matcher) -> Self {
        Self { matcher, is_of_trace, types: store.types.iter().map(has_trace_context).collect() }
    }

    /// Returns whether no event can match.
    pub fn matches_no_type(&self) -> bool {
        !self.types.contains(&true)
    }

    /// Returns whether the payload of such events may contain a trace ID or span ID.
    pub fn type_can_match(&self, event_type: TypeId) -> bool {
        self.types.get(event_type.index()) == Some(&true)
    }

    /// Returns whether the payload of an event contains a matching ID.
    pub fn matches_row(&self, row: &Row<'_>) -> bool {
        if !self.type_can_match(row.event_type.id) {
            return false;
        }
        let fields = &row.event_type.schema.fields;
        let own = fields.iter().zip(row.values()).filter_map(|(field, value)| match value {
            Value::String(text) => Some((field.name.as_str(), text.as_str())),
            _ => None,
        });
        own.chain(arguments(fields.iter().zip(row.values()))).any(|(name, text)| self.matches(name, text))
    }

    fn matches(&self, name: &str, text: &str) -> bool {
        let names = if self.is_of_trace { TRACE } else { SPAN };
        let id = match w3c_parts(text) {
            Some((trace, span)) if name == WHOLE => {
                if self.is_of_trace {
                    trace
                } else {
                    span
                }
            }
            _ if names.contains(&name) => text,
            _ => return false,
        };
        !id.is_empty() && self.matcher.matches(id)
    }
}

fn has_trace_context(event_type: &EventType) -> bool {
    let is_known =
        matches!(Provider::from_name(&event_type.provider), Some(Provider::DiagnosticSource | Provider::Loggers));
    let names_it = |name: &str| name == ARGUMENTS || TRACE.contains(&name) || SPAN.contains(&name);
    is_known && event_type.schema.fields.iter().any(|field| names_it(&field.name))
}
