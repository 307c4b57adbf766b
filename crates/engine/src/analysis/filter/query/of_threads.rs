//! Threads with possible matches, by a query's conditions on threads and processes.

use super::Node;
use super::compile::of_name;
use crate::model::Store;
use protocol::filter::{Condition, Name, Query};
use protocol::request::Filter;

/// Possible results of a query for events of a thread.
#[derive(Clone, Copy)]
struct Outcome {
    wanted: bool,
    unwanted: bool,
}

const ANY: Outcome = Outcome { wanted: true, unwanted: true };

/// Returns, by thread ID, whether a filter with its parsed query can match events of the thread.
pub fn wanted_by(store: &Store, filter: &Filter, query: &Query) -> Vec<bool> {
    let mut wanted = wanted_threads(store, query);
    for (thread, wanted) in store.threads().iter().zip(&mut wanted) {
        *wanted &= (filter.threads.is_empty() || filter.threads.contains(&thread.id))
            && (filter.processes.is_empty() || filter.processes.contains(&store.os_process_of(thread)));
    }
    wanted
}

/// Returns, by thread ID, whether the query can match events of the thread. Conditions on events don't exclude threads.
fn wanted_threads(store: &Store, query: &Query) -> Vec<bool> {
    outcomes(store, query).into_iter().map(|outcome| outcome.wanted).collect()
}

fn outcomes(store: &Store, query: &Query) -> Vec<Outcome> {
    let count = store.threads().len();
    let fold = |parts: &[Query], start: Outcome, join: fn(Outcome, Outcome) -> Outcome| {
        parts.iter().fold(vec![start; count], |all, part| {
            all.into_iter().zip(outcomes(store, part)).map(|(one, other)| join(one, other)).collect()
        })
    };
    match query {
        Query::Is(Condition::Named(name @ (Name::Thread | Name::Process), pattern, extent)) => {
            match of_name(store, *name, pattern, *extent) {
                Node::Threads(wanted) => {
                    wanted.into_iter().map(|wanted| Outcome { wanted, unwanted: !wanted }).collect()
                }
                _ => vec![ANY; count],
            }
        }
        Query::Is(_) => vec![ANY; count],
        Query::Not(inner) => {
            let turned = |Outcome { wanted, unwanted }| Outcome { wanted: unwanted, unwanted: wanted };
            outcomes(store, inner).into_iter().map(turned).collect()
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
