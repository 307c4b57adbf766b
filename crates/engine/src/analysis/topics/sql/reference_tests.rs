//! Tests commands against counts by the recorded apps. None of them uses a database, but one has activities with
//! OpenTelemetry's database tags.

use crate::analysis::tests::reference::{recording, truth};
use crate::analysis::topics::tests::reports::{figure, findings, report, rows, table};
use protocol::topics::topic::Topic;

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn commands_match_activities_of_app() {
    for name in ["web-net8.nettrace", "web-net9.nettrace", "web-net10.nettrace"] {
        let Some(recording) = recording(name) else { continue };
        let truth = truth(&recording).expect("the program's own counts");
        let counted = truth["counted"]["activity.Shop.Db.SELECT orders"].as_f64().expect("a count");
        let (store, bytes) = (&recording.store, &recording.bytes);
        let report = report(Topic::Sql, store, bytes, "");
        assert_eq!((figure(&report, "commands"), figure(&report, "failed")), (counted, 0.0), "{name}");
        let shapes = rows(table(&report, "shapes"), &["shape", "database", "most"]);
        assert_eq!(shapes, [["SELECT id, customer, total FROM orders WHERE id = ?", "postgresql", "1"]], "{name}");
        let works = rows(table(&report, "commands"), &["work", "durationNs"]);
        assert!(works.iter().all(|row| row[0].starts_with("GET /orders/") && !row[1].is_empty()), "{name}");
        assert!(findings(Topic::Sql, store, bytes).is_empty(), "{name}");
        println!("{name}: {} {}", report.verdict, report.explanation);
    }
}
