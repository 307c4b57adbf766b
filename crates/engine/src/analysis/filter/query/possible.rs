//! Possible matches of a query by thread and by event type, from the conditions that depend only on these.

use super::compile::{of_level, of_name};
use super::{Node, Prepared};
use crate::model::{EventType, Store};
use protocol::filter::{Condition, Name, Query};
use protocol::request::Filter;

/// Possible results of a query for the events of a thread or type.
#[derive(Clone, Copy)]
struct Outcome {
    wanted: bool,
    unwanted: bool,
}

const ANY: Outcome = Outcome { wanted: true, unwanted: true };

/// Returns, by thread ID, whether a filter with its parsed query can match events of the thread.
pub fn wanted_by(store: &Store, filter: &Filter, query: &Query) -> Vec<bool> {
    let mut wanted = wanted_threads(store, query);
    for (thread, wanted) in store.threads.iter().zip(&mut wanted) {
        *wanted &= (filter.threads.is_empty() || filter.threads.contains(&thread.id))
            && (filter.processes.is_empty() || filter.processes.contains(&store.os_process_of(thread)));
    }
    wanted
}

/// Returns, by thread ID, whether the query can match events of the thread. Conditions on events don't exclude threads.
fn wanted_threads(store: &Store, query: &Query) -> Vec<bool> {
    let leaf = |condition: &Condition| match condition {
        Condition::Named(name @ (Name::Thread | Name::Process), pattern, extent) => {
            match of_name(store, *name, pattern, *extent, Prepared::default()) {
                Node::Threads(wanted) => Some(wanted),
                _ => None,
            }
        }
        _ => None,
    };
    wanted(query, store.threads.len(), &leaf)
}

/// Returns, by type ID, whether the query can match events of the type.
pub(super) fn wanted_types(store: &Store, query: &Query) -> Vec<bool> {
    let has_field = |kind: &EventType, name: &str| kind.schema.fields.iter().any(|field| field.name == name);
    let leaf = |condition: &Condition| {
        let node = match condition {
            Condition::Named(name @ (Name::Provider | Name::Event), pattern, extent) => {
                of_name(store, *name, pattern, *extent, Prepared::default())
            }
            Condition::Level(order, level) => of_level(store, *order, *level),
            Condition::Payload(name, _) if !name.contains('.') => {
                return Some(store.types.iter().map(|kind| has_field(kind, name)).collect());
            }
            _ => return None,
        };
        match node {
            Node::Types(wanted) => Some(wanted),
            _ => None,
        }
    };
    wanted(query, store.types.len(), &leaf)
}

fn wanted(query: &Query, count: usize, leaf: &dyn Fn(&Condition) -> Option<Vec<bool>>) -> Vec<bool> {
    outcomes(query, count, leaf).into_iter().map(|outcome| outcome.wanted).collect()
}

/// Returns the outcomes of a query, where `leaf` returns who meets a condition, or nothing if that differs by event.
fn outcomes(query: &Query, count: usize, leaf: &dyn Fn(&Condition) -> Option<Vec<bool>>) -> Vec<Outcome> {
    let fold = |parts: &[Query], start: Outcome, join: fn(Outcome, Outcome) -> Outcome| {
        parts.iter().fold(vec![start; count], |all, part| {
            all.into_iter().zip(outcomes(part, count, leaf)).map(|(one, other)| join(one, other)).collect()
        })
    };
    match query {
        Query::Is(condition) => match leaf(condition) {
            Some(wanted) => wanted.into_iter().map(|wanted| Outcome { wanted, unwanted: !wanted }).collect(),
            None => vec![ANY; count],
        },
        Query::Not(inner) => {
            let turned = |Outcome { wanted, unwanted }| Outcome { wanted: unwanted, unwanted: wanted };
            outcomes(inner, count, leaf).into_iter().map(turned).collect()
        }
        Query::All(parts) => fold(parts, Outcome { wanted: true, unwanted: false }, |one, other| Outcome {
            wanted: one.wanted && other.wanted,
            unwanted: one.unwanted || other.unwanted,
        }),
        Query::Any(parts) => fold(parts, Outcome { wanted: false, unwanted: true }, |one, other| Outcome {
            wanted: one.wanted || other.wanted,
            unwanted: one.unwanted && other.unwanted,
        }),
    }
}
