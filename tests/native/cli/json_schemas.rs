//! `docs/schemas`: the published schemas are those of the code, and what commands print with `--json` conforms to them.

mod events;
mod file;
mod reports;
mod shape;

use crate::common::cli::traceglass;
use crate::common::root;
use flate2::read::GzDecoder;
use protocol::topics::topic::Topic;
use serde_json::Value;
use shape::Shape;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Returns the schemas of all commands that print JSON, by name (<https://json-schema.org>, 2020-12).
fn schemas() -> BTreeMap<&'static str, Value> {
    let of = |(name, command, shape): (_, &str, Shape)| {
        let schema = shape.schema(&format!("Output of traceglass {command}"));
        (name, serde_json::from_str(&schema).expect("JSON"))
    };
    let all = [
        ("summary", "summary FILE --json", reports::SUMMARY),
        ("report", "ANALYSIS FILE --json, such as traceglass gc", reports::REPORT),
        ("compare", "compare OLD NEW --json", reports::COMPARE),
        ("info", "info FILE --json", file::INFO),
        ("check", "check FILE --json", file::CHECK),
        ("blocks", "blocks FILE --json", file::BLOCKS),
        ("dump", "dump FILE --json", file::DUMP),
        ("schema", "schema FILE --json", events::SCHEMAS),
        ("schema-changes", "schema OLD NEW --json", events::SCHEMA_CHANGES),
        ("events", "events FILE --json, one line", events::EVENT),
        ("event-groups", "events FILE --by KEY --json, one line", events::GROUP),
    ];
    all.map(of).into()
}

#[test]
fn published_schemas_are_current() {
    let folder = root().join("docs/schemas");
    let schemas = schemas();
    if std::env::var("BLESS").is_ok_and(|value| value == "1") {
        std::fs::create_dir_all(&folder).expect("a folder");
        for (name, schema) in &schemas {
            let text = serde_json::to_string_pretty(schema).expect("JSON") + "\n";
            std::fs::write(folder.join(format!("{name}.json")), text).expect("a writable folder");
        }
    }
    for (name, schema) in &schemas {
        let published = std::fs::read(folder.join(format!("{name}.json"))).unwrap_or_default();
        let published: Value = serde_json::from_slice(&published).unwrap_or_default();
        assert!(published == *schema, "docs/schemas/{name}.json is out of date; BLESS=1 updates it");
    }
    let files = std::fs::read_dir(&folder).expect("the folder").count();
    assert_eq!(files, schemas.len(), "schemas without a command");
}

/// Compares a value with a schema. Problems are added with their place.
fn check(value: &Value, schema: &Value, whole: &Value, place: &str, problems: &mut Vec<String>) {
    if let Some(name) = schema["$ref"].as_str() {
        let named = whole.pointer(name.trim_start_matches('#')).expect("a definition");
        return check(value, named, whole, place, problems);
    }
    if let Some(options) = schema["anyOf"].as_array() {
        let fits = options.iter().any(|option| {
            let mut found = Vec::new();
            check(value, option, whole, place, &mut found);
            found.is_empty()
        });
        if !fits {
            problems.push(format!("{place}: {value} is none of the options"));
        }
    }
    if let Some(words) = schema["enum"].as_array()
        && !words.contains(value)
    {
        problems.push(format!("{place}: {value}"));
    }
    let is_of = |name: &str| match name {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("unknown type {other}"),
    };
    let fits = match &schema["type"] {
        Value::String(name) => is_of(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is_of),
        _ => true,
    };
    if !fits {
        return problems.push(format!("{place}: {value} isn't {}", schema["type"]));
    }
    if let (Some(text), Some(pattern)) = (value.as_str(), schema["pattern"].as_str()) {
        let fits = match pattern {
            "^-?[0-9]+$" => text.parse::<i128>().is_ok(),
            "^(NaN|-?Infinity)$" => ["NaN", "Infinity", "-Infinity"].contains(&text),
            other => panic!("unknown pattern {other}"),
        };
        if !fits {
            problems.push(format!("{place}: {text}"));
        }
    }
    for (at, item) in value.as_array().into_iter().flatten().enumerate() {
        check(item, &schema["items"], whole, &format!("{place}/{at}"), problems);
    }
    let Some(members) = value.as_object() else { return };
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !members.contains_key(name) {
            problems.push(format!("{place}: {name} is missing"));
        }
    }
    for (name, member) in members {
        let place = format!("{place}/{name}");
        match (&schema["properties"][name], &schema["additionalProperties"]) {
            (Value::Null, Value::Bool(false)) => problems.push(format!("{place} isn't declared")),
            (Value::Null, others) => check(member, others, whole, &place, problems),
            (declared, _) => check(member, declared, whole, &place, problems),
        }
    }
}

/// Decompresses committed traces into a folder, and returns their paths.
fn traces() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("json-schemas");
    std::fs::create_dir_all(&folder).expect("a folder to unpack into");
    let names = [
        "www/samples/web.nettrace",
        "tests/fixtures/orders-net31.nettrace",
        "tests/fixtures/cpu-v6-net10.nettrace",
        "tests/fixtures/shapes-net10.nettrace",
        "tests/fixtures/dropped-net31.nettrace",
        "tests/fixtures/cut-net10.nettrace",
        "tests/fixtures/many-processes.nettrace",
        "tests/fixtures/orders-net21.netperf",
    ];
    let unpack = |name: &str| {
        let path = folder.join(Path::new(name).file_name().expect("a file name"));
        let packed = std::fs::File::open(root().join(format!("{name}.gz"))).expect("a committed trace");
        let mut bytes = Vec::new();
        GzDecoder::new(packed).read_to_end(&mut bytes).expect("a whole gzip file");
        std::fs::write(&path, bytes).expect("room to unpack");
        path
    };
    names.map(unpack).to_vec()
}

#[test]
fn printed_json_conforms_to_schemas() {
    let (traces, schemas) = (traces(), schemas());
    let mut problems = Vec::new();
    let mut lines = 0;
    let mut conforms = |name: &str, arguments: &[&str], trace: &Path| {
        let arguments: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
        let printed = traceglass(&arguments, trace);
        let place = format!("{name} of {}", trace.file_name().unwrap_or_default().to_string_lossy());
        // Each line is a value.
        for line in printed.lines() {
            // UTF-16 texts may have lone surrogates, which this parser rejects.
            let line = &line.replace("\\ud", "\\u0");
            let value: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{place}: {error}: {line}"));
            check(&value, &schemas[name], &schemas[name], &place, &mut problems);
            lines += 1;
        }
        assert!(!printed.is_empty(), "{place} prints nothing");
    };
    for trace in &traces {
        for name in ["summary", "check", "blocks", "schema"] {
            conforms(name, &[name], trace);
        }
        conforms("info", &["info", "--digest"], trace);
        conforms("dump", &["dump", "--offset", "0", "--length", "3000"], trace);
        conforms("events", &["events", "--payload", "--limit", "3000"], trace);
        conforms("event-groups", &["events", "--by", "event", "--sum", "dur"], trace);
    }
    for topic in Topic::ALL {
        traces.iter().take(2).for_each(|trace| conforms("report", &[topic.slug()], trace));
    }
    let other = traces[1].to_string_lossy().into_owned();
    conforms("compare", &["compare", &other, "--per", "total"], &traces[0]);
    conforms("compare", &["compare", &other, "--fail-if", "events > +1%"], &traces[7]);
    conforms("schema-changes", &["schema", &other], &traces[7]);
    conforms("check", &["check"], Path::new("/nowhere/app.nettrace"));
    problems.truncate(20);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(lines > 10_000, "{lines} values");
}
