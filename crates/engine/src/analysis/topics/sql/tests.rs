//! Tests database commands as each library reports them.

use crate::analysis::topics::tests::activity_traces::ActivityTrace;
use crate::analysis::topics::tests::activity_traces::FieldValue::{Int, Pairs, Text};
use crate::analysis::topics::tests::reports::{figure, findings, report, rows, table};
use protocol::topics::finding::FindingKind;
use protocol::topics::topic::Topic;

const CLIENT: &str = "Microsoft.Data.SqlClient.EventSource";
const DIAGNOSTICS: &str = "Microsoft-Diagnostics-DiagnosticSource";
const LOGGERS: &str = "Microsoft-Extensions-Logging";
const KESTREL: &str = "Microsoft-AspNetCore-Server-Kestrel";

#[test]
fn event_source_commands_are_paired_by_object() {
    let mut trace = ActivityTrace::default();
    let begin = |id, command| {
        [("objectId", Int(id)), ("dataSource", Text("db1")), ("database", Text("shop")), ("commandText", Text(command))]
    };
    let end =
        |id, state, error| [("objectId", Int(id)), ("compositeState", Int(state)), ("sqlExceptionNumber", Int(error))];
    trace.event(10, 1, "", (CLIENT, "BeginExecute"), &begin(1, "SELECT * FROM orders WHERE id = 7"));
    trace.event(20, 1, "", (CLIENT, "BeginExecute"), &begin(2, "SELECT * FROM orders WHERE id = 8"));
    trace.event(30, 2, "", (CLIENT, "EndExecute"), &end(1, 5, 0));
    trace.event(60, 2, "", (CLIENT, "EndExecute"), &end(2, 4, 1205));
    trace.event(70, 1, "", (CLIENT, "BeginExecute"), &begin(3, "DELETE FROM orders"));
    let (store, bytes) = trace.finish();
    let report = report(Topic::Sql, &store, &bytes, "");
    assert_eq!(
        rows(table(&report, "shapes"), &["shape", "count", "maxNs", "totalNs", "failed", "database"]),
        [
            ["SELECT * FROM orders WHERE id = ?", "2", "40", "60", "1", "db1/shop"],
            ["DELETE FROM orders", "1", "", "0", "0", "db1/shop"],
        ]
    );
    assert_eq!(rows(table(&report, "commands"), &["failure"]), [[""], ["SQL error 1205"], [""]]);
    assert_eq!(report.verdict, "3 queries (2 distinct): 60 ns in total, p50 20 ns, p99 40 ns.");
    assert_eq!(["commands", "shapes", "failed"].map(|key| figure(&report, key)), [3.0, 2.0, 1.0]);
}

/// Adds an event of Entity Framework through DiagnosticSource.
fn entity_framework(trace: &mut ActivityTrace, at: i64, activity: &str, name: &str, id: &str, command: &str) {
    let event = format!("Microsoft.EntityFrameworkCore.Database.Command.{name}");
    let fields = [
        ("SourceName", Text("Microsoft.EntityFrameworkCore")),
        ("EventName", Text(&event)),
        ("Arguments", Pairs(&[("CommandId", id), ("CommandText", command)])),
    ];
    trace.event(at, 1, activity, (DIAGNOSTICS, "Event"), &fields);
}

/// Returns a request that sends this many commands, one after the other.
fn request_with(commands: usize) -> ActivityTrace {
    let mut trace = ActivityTrace::default();
    let request =
        [("connectionId", Text("C")), ("requestId", Text("C:1")), ("path", Text("/orders")), ("method", Text("GET"))];
    trace.event(5, 1, "1", (KESTREL, "RequestStart"), &request);
    for number in 0..commands {
        let (at, id) = (10 + 10 * number as i64, format!("id{number}"));
        let command = format!("SELECT name FROM items WHERE id = {number}");
        entity_framework(&mut trace, at, "1", "CommandExecuting", &id, &command);
        entity_framework(&mut trace, at + 4, "1", "CommandExecuted", &id, &command);
    }
    trace.event(1000, 1, "1", (KESTREL, "RequestStop"), &request);
    trace
}

#[test]
fn request_with_repeated_command_is_found() {
    let (store, bytes) = request_with(12).finish();
    let report = report(Topic::Sql, &store, &bytes, "");
    let expected = [["GET /orders", "SELECT name FROM items WHERE id = ?", "12", "48"]];
    assert_eq!(rows(table(&report, "repeated"), &["work", "shape", "count", "totalNs"]), expected);
    assert_eq!(rows(table(&report, "shapes"), &["works", "most"]), [["1", "12"]]);
    assert_eq!(report.explanation, "GET /orders ran the same query 12 times.");
    let found = findings(Topic::Sql, &store, &bytes);
    let titles: Vec<_> = found.iter().map(|one| (one.kind, one.title.as_str(), one.cost.value)).collect();
    assert_eq!(titles, [(FindingKind::RepeatedCommands, "N+1: GET /orders runs one query 12 times (48 ns)", 48.0)]);
}

#[test]
fn request_with_few_commands_has_no_finding() {
    let (store, bytes) = request_with(4).finish();
    assert!(table(&report(Topic::Sql, &store, &bytes, ""), "repeated").is_empty());
    assert!(findings(Topic::Sql, &store, &bytes).is_empty());
}

#[test]
fn command_reported_twice_counts_once() {
    let mut trace = request_with(1);
    let message = "Executed DbCommand (12ms) [Parameters=[], CommandType='Text', CommandTimeout='30']\nSELECT 1";
    let fields = [
        ("Level", Int(2)),
        ("LoggerName", Text("Microsoft.EntityFrameworkCore.Database.Command")),
        ("EventName", Text("")),
        ("FormattedMessage", Text(message)),
    ];
    trace.event(20_000_000, 1, "", (LOGGERS, "FormattedMessage"), &fields);
    let (store, bytes) = trace.finish();
    let both = report(Topic::Sql, &store, &bytes, "");
    assert_eq!(rows(table(&both, "commands"), &["text"]), [["SELECT name FROM items WHERE id = 0"]]);
    // If no other source reports commands, the log does.
    let mut trace = ActivityTrace::default();
    trace.event(20_000_000, 1, "", (LOGGERS, "FormattedMessage"), &fields);
    let (store, bytes) = trace.finish();
    let alone = report(Topic::Sql, &store, &bytes, "");
    assert_eq!(
        rows(table(&alone, "commands"), &["timeNs", "text", "durationNs"]),
        [["8000000", "SELECT 1", "12000000"]]
    );
}

#[test]
fn activities_with_database_tags_are_commands() {
    let mut trace = ActivityTrace::default();
    let ended = |name, tags| [("SourceName", Text("Npgsql")), ("ActivityName", Text(name)), ("Arguments", Pairs(tags))];
    let command =
        "[db.system.name, postgresql],[db.query.text, SELECT id, total FROM orders WHERE id = $1],[db.namespace, shop]";
    let tags = [("DurationTicks", "3"), ("Tags", command)];
    trace.event(1000, 1, "", (DIAGNOSTICS, "ActivityStop"), &ended("SELECT orders", &tags));
    trace.event(
        2000,
        1,
        "",
        (DIAGNOSTICS, "ActivityStop"),
        &ended("other", &[("DurationTicks", "3"), ("Tags", "[order.id, 7]")]),
    );
    let (store, bytes) = trace.finish();
    let report = report(Topic::Sql, &store, &bytes, "");
    let commands = rows(table(&report, "commands"), &["timeNs", "text", "durationNs", "database"]);
    assert_eq!(commands, [["700", "SELECT id, total FROM orders WHERE id = $1", "300", "postgresql/shop"]]);
    assert_eq!(rows(table(&report, "shapes"), &["shape"]), [["SELECT id, total FROM orders WHERE id = ?"]]);
}
