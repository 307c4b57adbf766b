//! Tests commands with the traces in `tests/fixtures/cases`, each of which has one defect.

use std::ffi::OsString;
use std::path::PathBuf;

/// Returns the exit code and the printed text of a command, output before notes.
fn ran(command: &str, case: &str) -> (u8, String) {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let file = root.join("tests/fixtures/cases").join(case).with_extension("nettrace");
    let (name, options) = command.split_once(' ').unwrap_or((command, ""));
    let arguments = [OsString::from(name), file.into()];
    let arguments = arguments.into_iter().chain(options.split_whitespace().map(OsString::from));
    let (mut output, mut notes) = (Vec::new(), Vec::new());
    let code = super::run(arguments, &mut output, &mut notes);
    output.extend(notes);
    (code, String::from_utf8(output).expect("UTF-8"))
}

#[test]
fn git_lfs_pointer_failure_has_advice() {
    let (code, text) = ran("check", "lfs");
    assert!(
        code == 2
            && text.starts_with("This isn't a .NET trace: the file looks like a Git LFS pointer. Run git lfs pull.\n"),
        "{text}"
    );
    let (code, text) = ran("info", "lfs");
    assert!(code == 1 && text.contains("a Git LFS pointer"), "{text}");
}

#[test]
fn text_mode_transfer_is_first_parse_issue() {
    let (code, text) = ran("check", "crlf");
    let issues = text.split_once("Parse issues\n").map_or("", |(_, issues)| issues);
    let first = issues.lines().next().unwrap_or_default();
    assert!(code == 1 && first.contains("A text-mode transfer changed LF bytes"), "{text}");
    assert!(first.contains("binary mode") && first.contains("*.nettrace binary"), "{text}");
    assert!(text.ends_with("The damage to the trace was repaired.\n"), "{text}");
    let (_, text) = ran("events", "crlf");
    assert!(text.contains("note: A text-mode transfer changed LF bytes"), "{text}");
    let events = text.lines().filter(|line| line.contains("P/E")).count();
    assert_eq!((events, text.contains("n=9")), (10, true), "what was damaged is restored: {text}");
    for sound in ["garbage", "names", "esc", "misfit"] {
        assert!(!ran("check", sound).1.contains("text-mode"), "{sound}");
    }
}

#[test]
fn bytes_after_end_of_stream_are_counted() {
    let (code, text) = ran("check", "garbage");
    assert!(code == 0 && text.contains("950 bytes follow the end of the stream"), "{text}");
    assert!(ran("info", "garbage").1.contains("950 bytes follow the end of the stream"));
    assert!(ran("check --json", "garbage").1.contains("\"bytesAfterEnd\":950"));
    assert!(!ran("check", "esc").1.contains("follow the end"));
}

#[test]
fn misfitting_payloads_are_marked() {
    let (code, text) = ran("check", "misfit");
    for line in [
        "Prof/Longer (ID 1, version 0): 4 bytes longer than declared",
        "Prof/Ids (ID 2, version 0): 2 bytes shorter than declared; field “Ids” is inferred",
        "Prof/Flag (ID 3, version 0): 3 bytes shorter than declared; field “on” is inferred",
    ] {
        assert!(text.contains(line), "{text}");
    }
    // The exit code is that of the parse issue: a metadata record has two lists of fields.
    assert_eq!(code, 1, "{text}");
    assert!(!ran("check", "esc").1.contains("schema"));
    let (_, events) = ran("events", "misfit");
    for line in [
        "n=7, undescribed=\"08000000\"  (4 bytes longer than declared)",
        "Count=3, Ids=[20,24,28]  (2 bytes shorter than declared; field “Ids” is inferred)",
        "name=\"x\", on=true  (3 bytes shorter than declared; field “on” is inferred)",
    ] {
        assert!(events.contains(line), "{events}");
    }
    let (_, json) = ran("events --json --payload", "misfit");
    assert!(json.contains("\"undescribed\":{\"bytes\":\"08000000\"}"), "{json}");
    let (_, schema) = ran("schema", "misfit");
    assert!(schema.contains("payloads: 4 bytes longer than declared"), "{schema}");
    assert!(
        ran("schema --json", "misfit")
            .1
            .contains("\"payloads\":\"2 bytes shorter than declared; field “Ids” is inferred\"")
    );
}

#[test]
fn unknown_names_are_rejected_with_valid_names() {
    for (command, case, words) in [
        (
            "events --by coun",
            "misfit",
            ["can't group by “coun”: use thread, provider, event", "\nPayload fields:\n  Count\n"],
        ),
        ("events --by count", "misfit", ["can't group by “count”: use thread, provider, event", "\n  Count\n"]),
        ("events --by event --sum name", "misfit", ["can't sum “name”: use dur or", "Numeric fields:\n  Count\n"]),
        ("events --filter provder:Prof", "misfit", ["“provder” isn't a filter key", "provider"]),
        ("events --filter payload.nope=3", "misfit", ["payload field “nope”", "\n  Count\n"]),
        ("summary --filter -(payload.nope=3)", "misfit", ["payload field “nope”", "\n  Count\n"]),
        ("gc --filter label.nope=3", "misfit", ["label “nope”", ""]),
        ("stacks --weight foo", "asyncstacks", ["can't weight stacks by “foo”: use count, time or", "of samples"]),
        ("stacks --baseline payload.nope=3", "asyncstacks", ["payload field “nope”", "Payload fields:"]),
        ("stacks --source nope", "asyncstacks", ["no stacks for “nope”", "\nSources with stacks:\n  samples\n"]),
    ] {
        let (code, text) = ran(command, case);
        assert_eq!(code, 2, "{command}: {text}");
        assert!(text.contains("traceglass: ") && words.iter().all(|part| text.contains(part)), "{command}: {text}");
    }
    for command in [
        "events --by Count --sum Count",
        "events --filter payload.COUNT=3",
        "events --filter \"nope=3\"",
        "stacks --weight time",
    ] {
        assert_eq!(ran(command, "misfit").0, 0, "{command}");
    }
}

#[test]
fn printed_names_are_escaped() {
    let commands = [
        "summary",
        "info",
        "events",
        "events --by event",
        "events --by provider",
        "events --by thread",
        "schema",
        "schema --values",
        "schema --csharp",
        "blocks",
        "dump --offset 0 --length 4000",
        "check",
        "stacks",
        "stacks --source all",
        "stacks --source nothing",
        "logs",
        "counters",
        "gc",
        "http",
        "events --json --payload",
        "info --json",
        "schema --json",
        "blocks --json",
        "dump --offset 0 --length 4000 --json",
    ];
    for case in ["names", "esc"] {
        for command in commands {
            let (_, text) = ran(command, case);
            let raw = text.chars().find(|one| *one != '\n' && protocol::format::needs_escape(*one));
            assert_eq!(raw, None, "{command} {case}: {text}");
        }
    }
    let (_, events) = ran("events", "names");
    assert_eq!(events.lines().count(), 10, "one line for each event: {events}");
    for part in ["Ev\\nLine2", "مرحبا", "🚀Launch", &"x".repeat(300)] {
        assert!(events.contains(part), "{part}: {events}");
    }
    let (_, groups) = ran("events --by event", "names");
    assert_eq!(groups.lines().count(), 11, "{groups}");
    let (_, events) = ran("events", "esc");
    assert!(events.contains("P\\u{1b}[31m/Red\\u{1b}[2JName"), "{events}");
}

#[test]
fn stacks_include_async_callers_of_runtime() {
    let (code, text) = ran("stacks --format folded", "asyncstacks");
    let lines: Vec<&str> = text.lines().collect();
    let chain = "WorkerThreadStart();Shop!Shop.Program.HandleAsync();Shop!Shop.Orders.ListAsync()";
    for end in [";Shop!Shop.Orders.LoadAsync();Shop!Shop.Orders.Parse() 3", ";Shop!Shop.Orders.Parse() 6", " 3"] {
        assert!(code == 0 && lines.iter().any(|line| line.ends_with(&format!("{chain}{end}"))), "{end}: {text}");
    }
    assert!(!text.contains("Continuation_Wrapper"), "{text}");
    let (_, text) = ran("tasks", "asyncstacks");
    assert!(text.contains("Program.HandleAsync → Orders.ListAsync → Orders.LoadAsync"), "{text}");
    assert!(text.contains("the stacks of 15 events show their async callers"), "{text}");
}
