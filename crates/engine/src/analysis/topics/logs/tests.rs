//! Tests log messages with their templates, exceptions and scopes.

use crate::analysis::topics::tests::activity_traces::ActivityTrace;
use crate::analysis::topics::tests::activity_traces::FieldValue::{Int, Text};
use crate::analysis::topics::tests::reports::{figure, report, rows, table};
use crate::clr::source_names::LOGGERS;
use nettrace::testing::PayloadWriter;
use protocol::topics::topic::Topic;

/// Adds a message as text and, if `json` is set, again with its arguments.
fn log(trace: &mut ActivityTrace, at: i64, activity: &str, level: i32, message: &str, json: Option<(&str, &str)>) {
    let common = [("Level", Int(level)), ("LoggerName", Text("Shop.Orders")), ("EventName", Text(""))];
    let mut fields = common.to_vec();
    fields.push(("FormattedMessage", Text(message)));
    trace.event(at, 1, activity, (LOGGERS, "FormattedMessage"), &fields);
    if let Some((arguments, exception)) = json {
        let mut fields = common.to_vec();
        fields.extend([
            ("ExceptionJson", Text(exception)),
            ("ArgumentsJson", Text(arguments)),
            ("FormattedMessage", Text(message)),
        ]);
        trace.event(at + 1, 1, activity, (LOGGERS, "MessageJson"), &fields);
    }
}

#[test]
fn message_recorded_twice_is_merged() {
    let mut trace = ActivityTrace::default();
    let template = r#"{"OrderId":"7","{OriginalFormat}":"Order {OrderId} was declined"}"#;
    let exception = r#"{"TypeName":"Shop.Declined","Message":"no money","HResult":"1"}"#;
    log(&mut trace, 10, "", 4, "Order 7 was declined", Some((template, exception)));
    log(&mut trace, 20, "", 4, "Order 8 was declined", Some((&template.replace('7', "8"), "{}")));
    log(&mut trace, 30, "", 2, "Took 12 ms", None);
    log(&mut trace, 40, "", 2, "Took 9 ms", None);
    log(&mut trace, 50, "", 2, "Took a while", None);
    let (store, bytes) = trace.finish();
    let whole = report(Topic::Logs, &store, &bytes, "");
    let figures = ["messages", "errors", "warnings", "information", "withException"].map(|key| figure(&whole, key));
    assert_eq!(figures, [5.0, 2.0, 0.0, 3.0, 1.0]);
    assert!(whole.verdict.starts_with("5 messages from 1 logger in "), "{}", whole.verdict);
    let words = "Most frequent error (2 of 2): “Order {OrderId} was declined” from Shop.Orders.";
    assert_eq!(whole.explanation, words);
    assert_eq!(
        rows(table(&whole, "templates"), &["template", "level", "count", "withException", "example"]),
        [
            ["Order {OrderId} was declined", "Error", "2", "1", "Order 7 was declined"],
            ["Took {n} ms", "Information", "2", "0", "Took 12 ms"],
            ["Took a while", "Information", "1", "0", "Took a while"],
        ]
    );
    let messages = rows(table(&whole, "messages"), &["level", "category", "message", "exception"]);
    assert_eq!(messages[0], ["Error", "Shop.Orders", "Order 7 was declined", "Shop.Declined: no money"]);
    let categories = rows(table(&whole, "categories"), &["category", "count", "errors", "information", "debug"]);
    assert_eq!(categories, [["Shop.Orders", "5", "2", "3", "0"]]);
    let condition = table(&whole, "categories").rows(&[0]).condition.get(0).to_owned();
    let same = report(Topic::Logs, &store, &bytes, &condition);
    assert_eq!(figure(&same, "messages"), 5.0, "{condition}");
}

#[test]
fn message_has_enclosing_scopes() {
    let mut trace = ActivityTrace::default();
    let scope = |arguments| [("ID", Int(1)), ("LoggerName", Text("Shop")), ("ArgumentsJson", Text(arguments))];
    trace.event(10, 1, "1", (LOGGERS, "ActivityJsonStart"), &scope(r#"{"ConnectionId":"C1"}"#));
    let order = r#"{"OrderId":"7","{OriginalFormat}":"order {OrderId}"}"#;
    trace.event(20, 1, "1/1", (LOGGERS, "ActivityJsonStart"), &scope(order));
    log(&mut trace, 30, "1/1", 3, "slow", None);
    let end = [("ID", Int(1)), ("LoggerName", Text("Shop"))];
    trace.event(40, 1, "1/1", (LOGGERS, "ActivityJsonStop"), &end);
    log(&mut trace, 50, "1", 2, "done", None);
    trace.event(60, 1, "1", (LOGGERS, "ActivityJsonStop"), &end);
    log(&mut trace, 70, "", 2, "alone", None);
    let (store, bytes) = trace.finish();
    let report = report(Topic::Logs, &store, &bytes, "");
    let messages = rows(table(&report, "messages"), &["message", "scope"]);
    assert_eq!(messages, [["slow", "ConnectionId C1 → order 7"], ["done", "ConnectionId C1"], ["alone", ""]]);
}

#[test]
fn report_without_messages_says_so() {
    let mut trace = ActivityTrace::default();
    log(&mut trace, 10, "", 2, "one", None);
    let (store, bytes) = trace.finish();
    assert_eq!(report(Topic::Logs, &store, &bytes, "provider=Nobody").verdict, "No messages logged.");
}

/// .NET Core 3.1 can't describe arrays and structures: its messages and scopes have names and no fields.
#[test]
fn log_events_without_fields_are_read_by_name() {
    let arguments = |payload: PayloadWriter, pairs: &[(&str, &str)]| {
        let count = payload.u16(pairs.len() as u16);
        pairs.iter().fold(count, |payload, (key, value)| payload.utf16(key).utf16(value)).finish()
    };
    let scope = |id| PayloadWriter::new().i32(id).i32(1).utf16("Shop.Orders");
    let mut trace = ActivityTrace::default();
    let order = [("OrderId", "7"), ("{OriginalFormat}", "order {OrderId}")];
    let (start, stop) = ((LOGGERS, "ActivityStart"), (LOGGERS, "ActivityStop"));
    trace.event_without_fields(10, 1, "1", start, arguments(scope(4), &[("ConnectionId", "C1")]));
    trace.event_without_fields(20, 1, "1/1", start, arguments(scope(5), &order));
    let message = PayloadWriter::new().i32(4).i32(1).utf16("Shop.Orders").i32(12).utf16("Declined");
    let message = message.utf16("Shop.NoMoney").utf16("too expensive").i32(-1).utf16("at Shop.Orders.Pay()");
    let declined = [("Price", "12"), ("{OriginalFormat}", "Declined at {Price}")];
    trace.event_without_fields(30, 1, "1/1", (LOGGERS, "Message"), arguments(message, &declined));
    trace.event_without_fields(40, 2, "1/1", stop, scope(5).finish());
    trace.event_without_fields(50, 2, "1", stop, scope(4).finish());
    let (store, bytes) = trace.finish();
    let fields = |name: &str| {
        let event_type = store.types.iter().find(|one| one.display_name == name).expect(name);
        event_type.schema.fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(fields("ActivityStart"), "ID FactoryID LoggerName Arguments");
    assert_eq!(fields("Message"), "Level FactoryID LoggerName EventId EventName Exception Arguments");
    let report = report(Topic::Logs, &store, &bytes, "");
    assert_eq!(
        rows(table(&report, "messages"), &["level", "category", "message", "exception", "scope"]),
        [["Error", "Shop.Orders", "Declined at 12", "Shop.NoMoney: too expensive", "ConnectionId C1 → order 7"]]
    );
}
