//! Tests spans and links against counts by the recorded apps.

use super::reference::{Recording, recording};
use crate::analysis::events::connections::{Known, connections};
use crate::analysis::intervals::spans::index::SpanIndex;
use crate::analysis::intervals::spans::search::SpanSearch;
use crate::analysis::intervals::tracks::TrackIndex;
use crate::analysis::scan::payload_batches::Step;
use crate::clr::KnownEvent;
use protocol::base::ids::EventId;
use protocol::events::connections::LinkKind;
use protocol::timeline::track::TrackKind;
use serde_json::Value;

/// Returns all spans of a recording, and the intervals of other analyses.
pub(crate) fn all_spans(recording: &Recording) -> (SpanIndex, TrackIndex) {
    let (mut search, mut tracks) = (SpanSearch::new(&recording.store), TrackIndex::default());
    while search.step(&recording.store, &recording.bytes, false).expect("payloads") != Step::Done {}
    let spans = search.finish(&recording.store, &recording.bytes, &mut tracks).expect("payloads");
    (spans, tracks)
}

fn truth(recording: &Recording) -> Value {
    let path = recording.folder.join(recording.name.replace(".nettrace", ".truth.json"));
    serde_json::from_slice(&std::fs::read(path).expect("the truth")).expect("JSON")
}

/// Returns the events of a type.
fn events_of(recording: &Recording, known: KnownEvent) -> Vec<EventId> {
    let rows = (0..recording.store.events.len() as u32).map(EventId);
    let is_known = |event: &EventId| {
        let event_type = recording.store.events.row(*event).event_type;
        recording.store.types.get(event_type).is_some_and(|event_type| event_type.known == known)
    };
    rows.filter(is_known).collect()
}

/// Every activity that a listener of the app saw, by source and name, is a complete span.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn activities_match_app() {
    for name in ["web-net8.nettrace", "web-net9.nettrace", "web-net10.nettrace"] {
        let Some(recording) = recording(name) else { continue };
        let (spans, _) = all_spans(&recording);
        let truth = truth(&recording);
        let mut compared = 0;
        for (key, count) in truth["counted"].as_object().expect("counts") {
            let Some(activity) = key.strip_prefix("activity.") else { continue };
            let of = |name: &str| activity.ends_with(&format!(".{name}"));
            let is_one = |note: &str, name: &str| note == "Microsoft-Diagnostics-DiagnosticSource" && of(name);
            let found = spans.spans().iter().filter(|span| {
                let event_type = recording.store.events.row(span.interval.event).event_type;
                let base = recording.store.types.get(event_type).map(|one| one.display_name.as_str());
                let (name, note) = (spans.text(span.interval.name), spans.text(span.interval.note));
                base == Some("ActivityStart") && span.interval.is_whole() && is_one(note, name)
            });
            assert_eq!(Some(found.count() as u64), count.as_u64(), "{name}: {activity}");
            compared += 1;
        }
        assert!(compared >= 4, "{name}");
    }
}

/// Every request that the app sent to itself is linked to the incoming one, and every task to its run.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn links_connect_requests_and_tasks_with_runs() {
    let Some(recording) = recording("web-net10.nettrace") else { return };
    let (store, source) = (&recording.store, &recording.bytes);
    let (spans, tracks) = all_spans(&recording);
    let known = Known { store, source, spans: &spans, tracks: &tracks };
    let ask = |event| connections(known, event).expect("payloads");
    let links = |event, kind, outgoing| {
        let links = ask(event).links.into_iter();
        links.filter(move |link| link.kind == kind && link.outgoing == outgoing).collect::<Vec<_>>()
    };
    let named = |wanted: &str| {
        let of = spans.spans().iter().filter(|span| spans.text(span.interval.name) == wanted);
        of.filter(|span| spans.work_of(span.interval.event).is_some())
            .map(|span| span.interval.event)
            .collect::<Vec<_>>()
    };
    let served = named("Microsoft.AspNetCore.Hosting.HttpRequestIn");
    let answered = served.iter().filter(|event| links(**event, LinkKind::Request, false).len() == 1).count();
    let sent = named("System.Net.Http.HttpRequestOut");
    let leads_to_a_served_one = |event: &&EventId| {
        let links = links(**event, LinkKind::Request, true);
        links.iter().any(|link| link.to.name == "Microsoft.AspNetCore.Hosting.HttpRequestIn")
    };
    let asking = sent.iter().filter(leads_to_a_served_one).count();
    // One request was refused immediately.
    assert_eq!((served.len(), answered, sent.len(), asking), (759, 759, 760, 759));
    // The same is true for the request tracks, which other providers report.
    let on_track = |kind, outgoing| {
        let intervals = spans.track(kind).expect("requests").intervals();
        let linked = intervals.iter().filter(|interval| !links(interval.event, LinkKind::Request, outgoing).is_empty());
        (intervals.len(), linked.count())
    };
    assert_eq!(on_track(TrackKind::OutgoingRequests, true), (760, 759));
    assert_eq!(on_track(TrackKind::IncomingRequests, false), (759, 759));

    let scheduled = events_of(&recording, KnownEvent::TaskScheduled);
    let run = |event: &&EventId| links(**event, LinkKind::TaskRuns, true).len() == 1;
    assert_eq!((scheduled.len(), scheduled.iter().filter(run).count()), (427, 427));
    let awaits = events_of(&recording, KnownEvent::TaskWaitBegin);
    let goes_on = awaits.iter().filter(|event| links(**event, LinkKind::Continues, true).len() == 1).count();
    println!("{goes_on} of {} awaits go on", awaits.len());
    assert!(goes_on * 10 > awaits.len() * 9, "{goes_on} of {} awaits go on", awaits.len());

    let waits = events_of(&recording, KnownEvent::ContentionStart);
    for wait in &waits {
        let detail = ask(*wait).span.expect("a wait");
        assert!(detail.start.is_some() && detail.stop.is_some() && detail.owner.is_some(), "{detail:?}");
    }
    assert_eq!(waits.len(), 120);
}

/// Threads have the roles that the reference finds, and more.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn thread_roles_match_reference() {
    use crate::model::ThreadRole::*;
    for name in
        ["orders-net31.nettrace", "web-net9.nettrace", "web-net10.nettrace", "cpu-net10.nettrace", "gc-net10.nettrace"]
    {
        let Some(recording) = recording(name) else { continue };
        let role = |os_thread: Option<u64>| {
            let found = recording.store.threads.iter().find(|thread| Some(thread.os_thread) == os_thread);
            found.map(|thread| thread.role).expect("a thread")
        };
        let mut compared = 0;
        for process in recording.analysis["processes"].as_array().expect("processes") {
            for thread in process["threads"].as_array().expect("threads") {
                let expected = match thread["info"].as_str() {
                    Some(".NET Finalizer Thread") => vec![Finalizer],
                    Some(".NET ThreadPool") => vec![PoolWorker, PoolGate, PoolWait, PoolIo],
                    Some(".NET Background GC Thread") => vec![BackgroundCollector],
                    _ => continue,
                };
                let found = role(thread["thread"].as_u64());
                assert!(expected.contains(&found), "{name}: {thread} is {found:?}");
                compared += 1;
            }
        }
        assert!(compared >= 3, "{name}");
        let truth = recording.folder.join(name.replace(".nettrace", ".truth.json"));
        if truth.exists() {
            let main = self::truth(&recording)["threads"][0]["osThreadId"].as_u64();
            assert_eq!(role(main), Main, "{name}");
        }
    }
}
