//! Compiles a query for a trace.

use super::matcher::{Matcher, PreparedComparison, full_name, number_of};
use super::payload_field::PayloadField;
use super::route_leaf::RouteLeaf;
use super::text_leaf::TextLeaf;
use super::trace_context::TraceContextLeaf;
use super::{Node, Prepared};
use crate::analysis::filter::stacks::stacks_with;
use crate::analysis::stacks::families::{family_of, namespace_family};
use crate::analysis::stacks::frames::{class, namespace};
use crate::analysis::values::activity_path::guid_path;
use crate::analysis::values::labels::{span_text, trace_text, value_of_label};
use crate::analysis::values::property::property_values;
use crate::model::{Function, Process, Store, Thread};
use nettrace::{LabelList, LabelValue};
use protocol::base::ids::ActivityId;
use protocol::base::time::Span;
use protocol::filter::{Comparison, Condition, Extent, Name, Order, Pattern, Query};

/// Resolves the names of a query.
pub(super) fn compile(store: &Store, query: &Query, prepared: Prepared<'_>) -> Node {
    match query {
        Query::Is(condition) => of_condition(store, condition, prepared),
        Query::Not(inner) => Node::Not(Box::new(compile(store, inner, prepared))),
        Query::All(parts) => Node::All(parts.iter().map(|part| compile(store, part, prepared)).collect()),
        Query::Any(parts) => Node::Any(parts.iter().map(|part| compile(store, part, prepared)).collect()),
    }
}

fn of_condition(store: &Store, condition: &Condition, prepared: Prepared<'_>) -> Node {
    match condition {
        Condition::Text(pattern) => Node::Text(Box::new(TextLeaf::new(store, Matcher::new(pattern, Extent::Part)))),
        Condition::Named(name, pattern, extent) => of_name(store, *name, pattern, *extent, prepared),
        Condition::Level(order, level) => of_level(store, *order, *level),
        Condition::Duration(order, nanos) => Node::Picked(
            prepared.lasting.map(|lasting| lasting.rows_where(|lasts| order.holds(lasts, *nanos))).unwrap_or_default(),
        ),
        Condition::Time(from, until) => {
            let span = Span::new(from.unwrap_or(i64::MIN), until.unwrap_or(i64::MAX));
            Node::Rows(store.events.range(store.clock, span))
        }
        Condition::Label(name, comparison) => of_label(store, name, comparison),
        Condition::Payload(name, comparison) => {
            let field = PayloadField::new(store, name, comparison);
            if field.matches_no_type() { Node::Fixed(false) } else { Node::Payload(Box::new(field)) }
        }
    }
}

pub(super) fn of_level(store: &Store, order: Order, level: u8) -> Node {
    Node::Types(store.types.iter().map(|kind| order.holds(kind.record.level, level)).collect())
}

pub(super) fn of_name(store: &Store, name: Name, pattern: &Pattern, extent: Extent, prepared: Prepared<'_>) -> Node {
    let matcher = Matcher::new(pattern, extent);
    let meets = |text: &str| matcher.matches(text);
    match name {
        Name::Provider => Node::Types(store.types.iter().map(|kind| meets(&kind.provider)).collect()),
        Name::Event => {
            Node::Types(store.types.iter().map(|kind| meets(&full_name(kind)) || kind.has_name(meets)).collect())
        }
        Name::Thread => Node::Threads(store.threads.iter().map(|thread| is_thread(thread, &meets)).collect()),
        Name::Process => {
            let wanted: Vec<bool> = store.processes.iter().map(|process| is_process(process, &meets)).collect();
            let is_wanted = |thread: &Thread| wanted.get(thread.process.index()) == Some(&true);
            Node::Threads(store.threads.iter().map(is_wanted).collect())
        }
        Name::Property(property) => {
            let values = property_values(store, property).into_iter();
            Node::Writers(values.map(|value| value.is_some_and(|value| meets(&value.text))).collect())
        }
        Name::Stack => {
            let functions: Vec<bool> = store
                .functions
                .iter()
                .map(|function| {
                    meets(store.strings.get(function.name)) || extent == Extent::Whole && is_of(store, function, &meets)
                })
                .collect();
            Node::Stacks(stacks_with(store, &functions))
        }
        Name::Activity => {
            let is_wanted = |activity: u32| {
                let guid = store.activities.guid(ActivityId(activity));
                let path = guid_path(store, guid);
                meets(&guid.to_string()) || path.is_some_and(|path| meets(&path) || meets(path.trim_end_matches('/')))
            };
            // Events without an activity have the first ID.
            Node::Activities((0..store.activities.len() as u32).map(|id| id != 0 && is_wanted(id)).collect())
        }
        Name::Route => match prepared.requests {
            Some(requests) => Node::Routes(Box::new(RouteLeaf::new(requests, pattern, extent))),
            None => Node::Fixed(false),
        },
        Name::Trace => {
            let labels = by_label(store, |list| list.trace_id.is_some_and(|trace| meets(&trace_text(&trace))));
            by_label_or_payload(store, labels, true, matcher)
        }
        Name::Span => {
            let labels = by_label(store, |list| list.span_id.is_some_and(|span| meets(&span_text(span))));
            by_label_or_payload(store, labels, false, matcher)
        }
    }
}

/// Returns whether the class, namespace, namespace family or module of a function matches. Stacks show these in place
/// of functions.
fn is_of(store: &Store, function: &Function, meets: &impl Fn(&str) -> bool) -> bool {
    let raw_name = store.strings.get(function.raw_name);
    let groups = [
        class(raw_name),
        namespace(raw_name),
        namespace_family(store, function),
        family_of(store, function),
        store.strings.get(function.module),
    ];
    groups.into_iter().any(|group| !group.is_empty() && meets(group))
}

fn is_thread(thread: &Thread, meets: &impl Fn(&str) -> bool) -> bool {
    meets(&thread.numbered_label())
        || meets(&thread.numbered_role())
        || meets(thread.label())
        || thread.os_id().is_some_and(|id| meets(&id.to_string()))
}

fn is_process(process: &Process, meets: &impl Fn(&str) -> bool) -> bool {
    meets(&process.numbered_label()) || meets(&process.name) || meets(&process.os_process.to_string())
}

fn by_label(store: &Store, is_wanted: impl Fn(&LabelList) -> bool) -> Node {
    Node::Labels(store.label_lists.iter().map(is_wanted).collect())
}

/// Combines a condition on labels with one on the payload.
fn by_label_or_payload(store: &Store, labels: Node, is_of_trace: bool, matcher: Matcher) -> Node {
    let leaf = TraceContextLeaf::new(store, is_of_trace, matcher);
    if leaf.matches_no_type() { labels } else { Node::Any(vec![labels, Node::TraceContext(Box::new(leaf))]) }
}

fn of_label(store: &Store, name: &str, comparison: &Comparison) -> Node {
    let comparison = PreparedComparison::new(comparison);
    let holds = |value: &LabelValue| {
        let text = value_of_label(value);
        comparison.holds(&[&text], number_of(&text))
    };
    by_label(store, |list| list.pairs.iter().any(|(known, value)| known.eq_ignore_ascii_case(name) && holds(value)))
}
