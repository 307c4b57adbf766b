//! Measures of counters, for comparing traces.

use super::{Aspect, CounterFacts};
use crate::analysis::measures::Collector;
use crate::analysis::topics::Scope;
use protocol::compare::Subject;

/// Adds the values of counters.
pub(super) fn measures(facts: &CounterFacts, scope: &Scope<'_>, into: &mut Collector) {
    let names: Vec<String> = facts
        .series
        .iter()
        .map(|series| {
            let [source, instrument, tags] = [series.source, series.instrument, series.tags].map(|at| facts.text(at));
            let tags = if tags.is_empty() { String::new() } else { format!(" ({tags})") };
            format!("{source}/{instrument}{tags}")
        })
        .collect();
    let values = facts.points.iter().filter(|point| point.aspect == Aspect::Value && scope.has(point.event));
    for point in values {
        if let Some(name) = names.get(point.series as usize) {
            into.add(Subject::Counter, name, point.time, point.value);
        }
    }
}
