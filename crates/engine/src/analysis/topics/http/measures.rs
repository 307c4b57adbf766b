//! Measures of requests, for comparing traces.

use super::HttpFacts;
use crate::analysis::measures::Collector;
use crate::analysis::topics::Scope;
use protocol::compare::Subject;

/// Adds the durations of requests, in total and by route or host, and the number of failed ones.
pub(super) fn measures(facts: &HttpFacts, scope: &Scope<'_>, into: &mut Collector) {
    let (served, sent) = facts.counted(scope);
    for (subject, requests) in [(Subject::Requests, &served), (Subject::SentRequests, &sent)] {
        if requests.is_empty() {
            continue;
        }
        into.record(subject);
        for (_, request) in requests {
            let Some(nanos) = request.duration() else { continue };
            let place = facts.texts.get(if request.is_sent { request.host } else { request.route });
            let name = [facts.texts.get(request.method), place].join(" ");
            into.add(subject, "", request.start, nanos as f64);
            into.add(subject, name.trim(), request.start, nanos as f64);
        }
    }
    if !served.is_empty() {
        into.record(Subject::FailedRequests);
    }
    for (_, request) in served.iter().filter(|(_, request)| request.is_failed()) {
        into.add(Subject::FailedRequests, "", request.start, 1.0);
    }
}
