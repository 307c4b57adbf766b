//! Tests counters against their tracks and against the recorded apps.

use crate::analysis::filter::select::select;
use crate::analysis::tests::reference::{recording, recordings_with, truth};
use crate::analysis::timeline::counters::counters;
use crate::analysis::timeline::lines::Lines;
use crate::analysis::topics::recorded_topics::is_recorded;
use crate::analysis::topics::tests::reports::{figure, report, rows, table};
use protocol::request::Filter;
use protocol::topics::topic::Topic;

/// The report lists every value and percentile on the timeline, for every recording.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn counter_values_match_timeline() {
    for name in recordings_with(".summary.json") {
        let Some(recording) = recording(&name).filter(|one| is_recorded(Topic::Counters, &one.store)) else { continue };
        let (store, bytes) = (&recording.store, &recording.bytes);
        let report = report(Topic::Counters, store, bytes, "");
        let all = select(store, bytes, &Filter::default()).expect("payloads");
        let mut lines = Lines::default();
        counters(store, bytes, &all, &mut lines).expect("payloads");
        let drawn = lines.points().collect::<Vec<_>>();
        let listed = rows(table(&report, "values"), &["timeNs", "instrument", "what", "value"]);
        let of_lines = listed.iter().filter(|row| row[2] != "count" && row[2] != "sum" && !row[3].is_empty());
        let mut ours: Vec<(String, String, String)> =
            of_lines.map(|row| (row[0].clone(), row[1].clone(), row[3].clone())).collect();
        let mut theirs: Vec<(String, String, String)> =
            drawn.iter().map(|(lane, time, value)| (time.to_string(), (*lane).to_owned(), value.to_string())).collect();
        ours.sort();
        theirs.sort();
        assert_eq!(ours.len(), theirs.len(), "{name}");
        assert!(ours == theirs, "{name}");
        println!("{name}: {} {}", report.verdict, report.explanation);
    }
}

/// Meters match the app's own counts, for intervals that were published completely.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn meters_match_app() {
    for name in ["web-net8.nettrace", "web-net9.nettrace", "web-net10.nettrace"] {
        let Some(recording) = recording(name) else { continue };
        let truth = truth(&recording).expect("the program's own counts");
        let counted = |key: &str| truth["counted"][key].as_f64().unwrap_or(0.0);
        let report = report(Topic::Counters, &recording.store, &recording.bytes, "");
        assert!(figure(&report, "instruments") > 20.0, "{name}");
        let instruments = rows(table(&report, "instruments"), &["instrument", "sum", "measured"]);
        let sum = |instrument: &str, column: usize| {
            let of = instruments.iter().filter(|row| row[0] == instrument && !row[column].is_empty());
            of.map(|row| row[column].parse::<f64>().expect("a number")).sum::<f64>()
        };
        let queries = sum("shop.db.query.duration", 2);
        let all = counted("queriesStopped");
        assert!(queries <= all && queries > all * 0.5, "{name}: {queries} of {all} queries");
        let checkouts = sum("Checkouts", 1);
        assert!(checkouts <= counted("checkoutsStarted") + 10.0, "{name}: {checkouts}");
    }
}
