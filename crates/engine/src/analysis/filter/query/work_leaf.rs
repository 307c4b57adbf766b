//! The trace or the span (of the W3C's trace context) that the payload of an event names: arguments of DiagnosticSource,
//! fields of loggers.

use super::evaluate::Row;
use super::matching::Matcher;
use crate::analysis::intervals::spans::work::w3c_parts;
use crate::analysis::values::fields::{ARGUMENTS, arguments};
use crate::clr::Provider;
use crate::model::{EventType, Store};
use nettrace::Value;
use protocol::base::ids::TypeId;

/// Names of what has the ID of a trace, and of a span.
const TRACE: [&str; 2] = ["TraceId", "ActivityTraceId"];
const SPAN: [&str; 2] = ["SpanId", "ActivitySpanId"];
/// The name of what has both.
const WHOLE: &str = "ActivityId";

/// A condition on the trace or the span.
pub(super) struct WorkLeaf {
    matcher: Matcher,
    is_of_trace: bool,
    /// By type: whether its payloads may name one.
    types: Vec<bool>,
}

impl WorkLeaf {
    /// Traces, or else spans, whose ID meets `matcher`.
    pub fn new(store: &Store, is_of_trace: bool, matcher: Matcher) -> Self {
        Self { matcher, is_of_trace, types: store.types().iter().map(names_work).collect() }
    }

    /// Whether no event can meet it.
    pub fn is_of_none(&self) -> bool {
        !self.types.contains(&true)
    }

    /// Whether the payload of such events may name a trace or a span.
    pub fn may_be_of(&self, event_type: TypeId) -> bool {
        self.types.get(event_type.index()) == Some(&true)
    }

    /// Whether the payload of an event names one that meets the condition.
    pub fn wants(&self, row: &Row<'_>) -> bool {
        if !self.may_be_of(row.event_type.id) {
            return false;
        }
        let fields = &row.event_type.schema.fields;
        let own = fields.iter().zip(row.values()).filter_map(|(field, value)| match value {
            Value::String(text) => Some((field.name.as_str(), text.as_str())),
            _ => None,
        });
        own.chain(arguments(fields.iter().zip(row.values()))).any(|(name, text)| self.is_met_by(name, text))
    }

    fn is_met_by(&self, name: &str, text: &str) -> bool {
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
        !id.is_empty() && self.matcher.is_met_by(id)
    }
}

fn names_work(event_type: &EventType) -> bool {
    let is_known =
        matches!(Provider::from_name(&event_type.provider), Some(Provider::DiagnosticSource | Provider::Loggers));
    let names_it = |name: &str| name == ARGUMENTS || TRACE.contains(&name) || SPAN.contains(&name);
    is_known && event_type.schema.fields.iter().any(|field| names_it(&field.name))
}
