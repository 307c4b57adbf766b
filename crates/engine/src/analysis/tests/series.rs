//! Tests the tracks of values, messages, loads and losses of recordings against the files, the reference, and counts by
//! the recorded apps.

use super::reference::{Recording, recording, truth};
use crate::analysis::filter::select::select;
use crate::analysis::intervals::finalizers::finalizer_runs;
use crate::analysis::intervals::interval_set::IntervalSet;
use crate::analysis::intervals::jit::tier_ups;
use crate::analysis::intervals::lost_events::losses;
use crate::analysis::intervals::tracks::TrackIndex;
use crate::analysis::samples::index::SampleIndex;
use crate::analysis::timeline::allocation_rate::allocations;
use crate::analysis::timeline::lines::SeriesRows;
use crate::analysis::timeline::series::{of_processes, series};
use crate::analysis::timeline::series_source::SeriesPayloads;
use crate::clr::KnownEvent;
use protocol::base::ids::ThreadId;
use protocol::base::time::Span;
use protocol::request::Filter;
use protocol::tables::{Series, interval_flag, shade};
use protocol::timeline::track::TrackKind;

fn payloads_of(recording: &Recording) -> SeriesPayloads {
    let mut payloads = SeriesPayloads::new(&recording.store);
    payloads.complete(&recording.store, &recording.bytes).expect("payloads");
    payloads
}

fn series_of(recording: &Recording, filter: &Filter) -> Series {
    let (store, bytes) = (&recording.store, &recording.bytes);
    let wider = of_processes(store, filter);
    let rows = SeriesRows {
        selected: &select(store, bytes, filter).expect("payloads"),
        of_processes: &select(store, bytes, &wider).expect("payloads"),
        is_wider: wider != *filter,
    };
    let samples = SampleIndex::build(store).expect("memory");
    series(store, bytes, &payloads_of(recording), &samples, &rows).expect("payloads")
}

/// Returns the lines of a track: names, and times with values.
fn lane(table: &Series, track: TrackKind) -> Vec<(String, Vec<(i64, f64)>)> {
    let start = |line: usize| if line == 0 { 0 } else { table.until[line - 1] as usize };
    let is_of_lane = |line: &usize| table.lane_kind[usize::from(table.lane[*line])] == track.number();
    let values = |line: usize| {
        let rows = start(line)..table.until[line] as usize;
        rows.map(|row| (table.time[row], table.value[row])).collect()
    };
    let found = (0..table.until.len()).filter(is_of_lane);
    found.map(|line| (table.name.get(line).to_owned(), values(line))).collect()
}

fn count_of(recording: &Recording, known: KnownEvent) -> usize {
    recording.store.types.of_known(known).map(|event_type| event_type.count as usize).sum()
}

/// There are as many values as events in the file.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn series_have_every_recorded_value() {
    for (name, counters) in [("orders-net31.nettrace", 133), ("web-net8.nettrace", 108), ("aot-net9.nettrace", 108)] {
        let Some(recording) = recording(name) else { continue };
        let table = series_of(&recording, &Filter::default());
        let lines = lane(&table, TrackKind::ThreadPool);
        let of = |wanted: &str| lines.iter().find(|(name, _)| name == wanted).map_or(0, |(_, values)| values.len());
        use KnownEvent::{ThreadPoolWorkerStart, ThreadPoolWorkerStop, ThreadPoolWorkerWait};
        let workers = [ThreadPoolWorkerStart, ThreadPoolWorkerStop, ThreadPoolWorkerWait];
        assert_eq!(of("Active"), workers.map(|known| count_of(&recording, known)).iter().sum::<usize>(), "{name}");
        assert_eq!(of("Target"), count_of(&recording, KnownEvent::ThreadPoolAdjustment), "{name}");
        assert_eq!(table.note_row.len(), of("Target"), "{name}: every change has a reason");
        let of_runtime = |line: &usize| {
            let is_counter = table.lane_kind[usize::from(table.lane[*line])] == u8::MAX;
            table.source.get(*line) == "System.Runtime" && is_counter
        };
        let start = |line: usize| if line == 0 { 0 } else { table.until[line - 1] };
        let values: u32 = (0..table.until.len()).filter(of_runtime).map(|line| table.until[line] - start(line)).sum();
        assert_eq!(values, counters, "{name}");
    }
}

/// Starvation must not be overlooked: it occurs in web apps whose requests wait for tasks, and not in the other app.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn pool_with_blocked_workers_is_urgent() {
    for (name, wanted) in [
        ("web-net8.nettrace", true),
        ("web-net9.nettrace", true),
        ("web-net10.nettrace", true),
        ("orders-net31.nettrace", false),
    ] {
        let Some(recording) = recording(name) else { continue };
        let table = series_of(&recording, &Filter::default());
        let lanes = table.lane_is_urgent.iter().zip(&table.lane_kind);
        let urgent: Vec<u8> = lanes.filter(|(urgent, _)| **urgent == 1).map(|(_, kind)| *kind).collect();
        assert_eq!(urgent, if wanted { vec![TrackKind::ThreadPool.number()] } else { vec![] }, "{name}");
    }
}

/// The queue length is never negative, and every enqueued work item is dequeued.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn queue_length_is_enqueued_minus_dequeued() {
    let Some(recording) = recording("orders-net31.nettrace") else { return };
    let table = series_of(&recording, &Filter::default());
    let lines = lane(&table, TrackKind::QueueLength);
    let values = &lines[0].1;
    assert_eq!(values.len(), 36, "18 enqueued, 18 dequeued");
    assert!(values.iter().all(|(_, value)| *value >= 0.0) && values.iter().any(|(_, value)| *value > 0.0));
}

/// Bytes in a range of the rate equal those of its events: exactly for ticks (reference), within 5% of the app's count
/// for samples.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn allocated_bytes_match_reference_and_app() {
    for name in ["orders-net31.nettrace", "web-net8.nettrace", "web-net10.nettrace", "aot-net9.nettrace"] {
        let Some(recording) = recording(name) else { continue };
        let all = select(&recording.store, &recording.bytes, &Filter::default()).expect("payloads");
        let (_, found) = allocations(&recording.store, &payloads_of(&recording), &all).expect("ticks");
        let ticks = recording.analysis["allocationTicks"].as_array().expect("ticks");
        let sum = |key: &str| ticks.iter().map(|tick| tick[key].as_f64().expect(key)).sum::<f64>();
        assert_eq!(found.len() as f64, sum("count"), "{name}");
        assert_eq!(found.iter().map(|(_, bytes)| bytes).sum::<f64>(), sum("bytes"), "{name}");
        let table = series_of(&recording, &Filter::default());
        let rate = &lane(&table, TrackKind::AllocationRate)[0].1;
        let area: f64 = rate.windows(2).map(|pair| pair[0].1 * (pair[1].0 - pair[0].0) as f64 / 1e9).sum();
        assert!((area / sum("bytes") - 1.0).abs() < 1e-6, "{name}: {area}");
        assert!(rate.len() <= 514, "{name}");
    }
    let Some(recording) = recording("gc-net10.nettrace") else { return };
    let Some(truth) = truth(&recording) else { return };
    let all = select(&recording.store, &recording.bytes, &Filter::default()).expect("payloads");
    let (name, found) = allocations(&recording.store, &payloads_of(&recording), &all).expect("samples");
    let (ours, theirs) = (
        found.iter().map(|(_, bytes)| bytes).sum::<f64>(),
        truth["gc"]["totalAllocatedBytes"].as_f64().expect("bytes"),
    );
    println!("{name}: {ours} of {theirs} bytes");
    assert!((ours / theirs - 1.0).abs() < 0.05, "{ours} and {theirs}");
}

/// Time range and threads limit the allocation rate; values of the process stay, and are marked.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn series_follow_applicable_filter() {
    let Some(recording) = recording("orders-net31.nettrace") else { return };
    let half = Filter { span: Some(Span::new(1_000_000_000, 3_000_000_000)), ..Filter::default() };
    let table = series_of(&recording, &half);
    assert!(table.lane_is_wider.iter().all(|wider| *wider == 0));
    let pool = lane(&table, TrackKind::ThreadPool);
    assert!(
        pool.iter().all(|(_, values)| values.iter().all(|(time, _)| (1_000_000_000..3_000_000_000).contains(time)))
    );
    let threads = &recording.store.threads;
    let busiest = threads.iter().find(|thread| thread.os_thread == 6712).expect("a thread").id;
    let one = series_of(&recording, &Filter { threads: vec![busiest], ..Filter::default() });
    let whole = series_of(&recording, &Filter::default());
    assert_eq!(lane(&one, TrackKind::ThreadPool), lane(&whole, TrackKind::ThreadPool));
    let area = |table: &Series| lane(table, TrackKind::AllocationRate).iter().map(|line| line.1.len()).sum::<usize>();
    assert!(area(&one) < area(&whole));
    let wider = |track: TrackKind| {
        let lane = one.lane_kind.iter().position(|kind| *kind == track.number());
        lane.map(|lane| one.lane_is_wider[lane])
    };
    assert_eq!((wider(TrackKind::ThreadPool), wider(TrackKind::AllocationRate)), (Some(1), Some(0)));
    assert!(series_of(&recording, &Filter { threads: vec![ThreadId(u32::MAX)], ..Filter::default() }).time.is_empty());
}

fn whole(set: &IntervalSet, row: u16) -> usize {
    set.intervals().iter().filter(|interval| interval.row == row && interval.is_whole()).count()
}

/// Messages recorded as text and as JSON count once.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn messages_match_app() {
    for (name, count) in [("web-net8.nettrace", 466), ("web-net9.nettrace", 354), ("web-net10.nettrace", 1626)] {
        let Some(recording) = recording(name) else { continue };
        let mut tracks = TrackIndex::default();
        let set = tracks.intervals(&recording.store, &recording.bytes, TrackKind::Logs).expect("payloads");
        assert_eq!(set.intervals().len(), count, "{name}");
        let of = |level: u8| set.intervals().iter().filter(|interval| interval.shade == level).count();
        println!("{name}: {} errors, {} warnings", of(shade::LEVEL_ERROR), of(shade::LEVEL_WARNING));
        assert_eq!((1..=6).map(of).sum::<usize>(), count, "{name}: every message has a level");
        let request =
            set.intervals().iter().find(|interval| set.text(interval.name).starts_with("Request starting HTTP/"));
        assert_eq!(
            request.map(|interval| (interval.shade, set.text(interval.note))),
            Some((shade::LEVEL_INFORMATION, "Microsoft.AspNetCore.Hosting.Diagnostics")),
            "{name}"
        );
    }
}

/// Numbers of modules, assemblies and assembly searches match the reference's summary.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn loads_and_tier_ups_match_reference() {
    let expected = [
        ("cpu-net10.nettrace", 19 + 19, 28, 304),
        ("norundown-net10.nettrace", 17 + 17, 26, 0),
        ("orders-net31.nettrace", 33 + 33, 0, 21),
        ("web-net9.nettrace", 4 + 4, 0, 707),
    ];
    for (name, loaded, searches, batches) in expected {
        let Some(recording) = recording(name) else { continue };
        let mut tracks = TrackIndex::default();
        let set = tracks.intervals(&recording.store, &recording.bytes, TrackKind::Loads).expect("payloads");
        assert_eq!((whole(set, 0), whole(set, 1)), (loaded, searches), "{name}");
        assert!(set.intervals().iter().all(|interval| !set.text(interval.name).is_empty()), "{name}");
        let set = tier_ups(&recording.store, &recording.bytes).expect("payloads");
        assert_eq!((set.intervals().len(), whole(&set, 0)), (batches, batches), "{name}");
    }
}

/// CPU usage has the values of the counter. From samples, it adds up to their CPU time.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn cpu_usage_matches_counter_and_samples() {
    let expected: [(&str, &[f64]); 3] = [
        ("orders-net31.nettrace", &[0.0, 63.0, 53.0, 54.0, 68.0, 60.0, 64.0]),
        ("aot-net9.nettrace", &[0.0, 62.0, 60.0, 61.0]),
        ("web-net8.nettrace", &[0.0, 34.0, 34.0, 39.0]),
    ];
    for (name, values) in expected {
        let Some(recording) = recording(name) else { continue };
        let found = lane(&series_of(&recording, &Filter::default()), TrackKind::CpuUsage);
        assert_eq!(found[0].1.iter().map(|(_, value)| value.round()).collect::<Vec<_>>(), values, "{name}");
    }
    for (name, samples, share) in [("orders-v6.nettrace", 7_215, 91.0), ("cpu-v6-net10.nettrace", 5_586, 93.0)] {
        let Some(recording) = recording(name) else { continue };
        let usage = &lane(&series_of(&recording, &Filter::default()), TrackKind::CpuUsage)[0].1;
        let area = usage.windows(2).map(|pair| pair[0].1 / 100.0 * (pair[1].0 - pair[0].0) as f64).sum::<f64>();
        let length = (usage[usage.len() - 1].0 - usage[0].0) as f64;
        println!("{name}: {:.1}% of 2 CPUs, {:.0} ms", 100.0 * area / length, 2.0 * area / 1e6);
        assert!((100.0 * area / length - share).abs() < 1.0, "{name}");
        // A sample a millisecond.
        assert!((2.0 * area / 1e6 / f64::from(samples) - 1.0).abs() < 0.02, "{name}");
    }
}

/// Each end event is a run, and the runs have as many finalizers as the ends count. Except in aot-net9, the file also
/// has an event for each finalized object; their number is the same.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn finalizer_runs_match_events() {
    let expected = [
        ("gc-net10.nettrace", 52, 1_857),
        ("web-net10.nettrace", 21, 142),
        ("web-net8.nettrace", 7, 76),
        ("orders-net31.nettrace", 37, 54),
        ("aot-net9.nettrace", 29, 93),
    ];
    for (name, runs, finalizers) in expected {
        let Some(recording) = recording(name) else { continue };
        let set = finalizer_runs(&recording.store, &recording.bytes).expect("payloads");
        assert_eq!(count_of(&recording, KnownEvent::GcFinalizersEnd), runs, "{name}");
        assert_eq!(whole(&set, 0), runs, "{name}");
        let count = |name: &str| name.split(' ').next().and_then(|count| count.parse::<u64>().ok());
        let counts = set.intervals().iter().filter_map(|run| count(set.text(run.name)));
        assert_eq!(counts.sum::<u64>(), finalizers, "{name}");
    }
}

/// Losses match a scan of the file's sequence numbers, including those before a thread's first event and those of
/// threads without recorded events, which the reference omits (its flaw 3).
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn losses_are_listed_by_thread_and_time() {
    for (name, has_unseen) in [
        ("drops-net10.nettrace", false),
        ("dropped-net31.nettrace", true),
        ("shapes-net10.nettrace", false),
        ("orders-net31.nettrace", false),
    ] {
        let Some(recording) = recording(name) else { continue };
        let set = losses(&recording.store);
        let table = set.window(&|_| true, recording.store.full_span, 1 << 40);
        let scanned = &recording.summary["scan"]["sequence"];
        let lost = ["lostBetweenEvents", "lostBeforeFirst", "lostAtSequencePoints", "lostOnUnseenThreads"];
        let theirs: u64 = lost.iter().map(|key| scanned[key].as_u64().expect(key)).sum();
        assert_eq!((table.total[0], recording.store.lost_events), (theirs, Some(theirs)), "{name}");
        assert!(
            set.intervals()
                .iter()
                .all(|interval| interval.start <= interval.end && !set.text(interval.name).is_empty()),
            "{name}"
        );
        let homeless = set.intervals().iter().filter(|interval| recording.store.threads.get(interval.thread).is_none());
        assert_eq!(homeless.count() > 0, has_unseen, "{name}: threads of which nothing survived have an interval");
    }
    let Some(recording) = recording("orders-net21.netperf") else { return };
    let set = losses(&recording.store);
    assert_eq!(set.intervals().iter().map(|interval| interval.flags).collect::<Vec<_>>(), [interval_flag::UNKNOWN]);
}
