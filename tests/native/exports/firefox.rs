//! Validates files for the Firefox Profiler by the types of its processed format (`src/types/profile` of
//! github.com/firefox-devtools/profiler at version 48).

use super::ByDepth;
use serde_json::Value;

/// Content of a file.
#[derive(Default)]
pub struct Found {
    /// Samples by thread and depth of stack.
    pub samples: ByDepth,
    /// Total weight of samples, if they have weights.
    pub weight_ms: f64,
    pub functions: usize,
}

/// Validates a file: all columns of a table have its length, and all indices are valid.
pub fn validate(file: &Value) -> Result<Found, String> {
    let meta = &file["meta"];
    if (&meta["preprocessedProfileVersion"], &meta["processType"]) != (&Value::from(48), &Value::from(0)) {
        return Err("another version".to_owned());
    }
    if !(meta["interval"].as_f64() > Some(0.0) && meta["startTime"].is_number() && meta["markerSchema"].is_array()) {
        return Err(format!("a member of meta is missing: {meta}"));
    }
    let categories = list(&meta["categories"])?;
    if !categories.iter().any(|category| category["color"] == "grey" && category["name"].is_string()) {
        return Err("no category is the one of everything else".to_owned());
    }
    let categories = categories.len();
    let libs = list(&file["libs"])?;
    if libs
        .iter()
        .any(|lib| !lib["name"].is_string() || !lib["debugName"].is_string() || !lib["breakpadId"].is_string())
    {
        return Err("a library without a name".to_owned());
    }
    let mut found = Found::default();
    for thread in list(&file["threads"])? {
        check(thread, categories, libs.len(), &mut found).map_err(|wrong| format!("{}: {wrong}", thread["name"]))?;
    }
    Ok(found)
}

fn check(thread: &Value, categories: usize, libs: usize, found: &mut Found) -> Result<(), String> {
    if !(thread["pid"].is_string() && thread["isMainThread"].is_boolean() && thread["processType"] == "default") {
        return Err("a member of the thread is missing".to_owned());
    }
    for moment in ["processStartupTime", "registerTime"] {
        every(&[thread[moment].clone()], Holds::Number).map_err(|wrong| format!("{moment}: {wrong}"))?;
    }
    for moment in ["processShutdownTime", "unregisterTime"] {
        every(&[thread[moment].clone()], Holds::NumberOrNull).map_err(|wrong| format!("{moment}: {wrong}"))?;
    }
    if !thread["pausedRanges"].is_array() || !thread["name"].is_string() {
        return Err("the thread has no name or no paused ranges".to_owned());
    }
    let texts = list(&thread["stringArray"])?;
    every(texts, Holds::Text)?;
    let length = |name: &str| thread[name]["length"].as_u64().ok_or(format!("{name} has no length"));
    let strings = texts.len();
    let [resources, functions, frames, stacks, symbols] =
        ["resourceTable", "funcTable", "frameTable", "stackTable", "nativeSymbols"].map(length);
    let (resources, functions, frames) = (resources? as usize, functions? as usize, frames? as usize);
    let (stacks, symbols) = (stacks? as usize, symbols? as usize);
    let tables: [(&str, &[(&str, Holds)]); 7] = [
        (
            "resourceTable",
            &[
                ("lib", Holds::OneOrNull(libs)),
                ("name", Holds::OneOf(strings)),
                ("host", Holds::OneOrNull(strings)),
                ("type", Holds::Number),
            ],
        ),
        (
            "funcTable",
            &[
                ("isJS", Holds::Boolean),
                ("relevantForJS", Holds::Boolean),
                ("name", Holds::OneOf(strings)),
                ("resource", Holds::OneOrMinusOne(resources)),
                ("fileName", Holds::OneOrNull(strings)),
                ("lineNumber", Holds::NumberOrNull),
                ("columnNumber", Holds::NumberOrNull),
            ],
        ),
        (
            "frameTable",
            &[
                ("address", Holds::Number),
                ("inlineDepth", Holds::Number),
                ("category", Holds::OneOrNull(categories)),
                ("subcategory", Holds::NumberOrNull),
                ("func", Holds::OneOf(functions)),
                ("nativeSymbol", Holds::OneOrNull(symbols)),
                ("innerWindowID", Holds::NumberOrNull),
                ("implementation", Holds::OneOrNull(strings)),
                ("line", Holds::NumberOrNull),
                ("column", Holds::NumberOrNull),
            ],
        ),
        (
            "stackTable",
            &[
                ("frame", Holds::OneOf(frames)),
                ("category", Holds::OneOf(categories)),
                ("subcategory", Holds::Number),
                ("prefix", Holds::OneOrNull(stacks)),
            ],
        ),
        ("samples", &[("stack", Holds::OneOrNull(stacks)), ("time", Holds::Number)]),
        (
            "markers",
            &[
                ("data", Holds::Any),
                ("name", Holds::OneOf(strings)),
                ("startTime", Holds::NumberOrNull),
                ("endTime", Holds::NumberOrNull),
                ("phase", Holds::Number),
                ("category", Holds::OneOf(categories)),
            ],
        ),
        (
            "nativeSymbols",
            &[
                ("libIndex", Holds::OneOf(libs)),
                ("address", Holds::Number),
                ("name", Holds::OneOf(strings)),
                ("functionSize", Holds::NumberOrNull),
            ],
        ),
    ];
    for (name, columns) in tables {
        table(&thread[name], columns).map_err(|wrong| format!("{name}: {wrong}"))?;
    }
    let kind = thread["samples"]["weightType"].as_str();
    if !matches!(kind, Some("samples" | "tracing-ms" | "bytes")) {
        return Err(format!("samples are weighed by {kind:?}"));
    }
    let weights = &thread["samples"]["weight"];
    if !weights.is_null() {
        table(&thread["samples"], &[("weight", Holds::Number)])?;
    }
    found.functions += functions;
    let times: Vec<f64> = list(&thread["samples"]["time"])?.iter().filter_map(Value::as_f64).collect();
    if !times.is_sorted() {
        return Err("samples are not in order".to_owned());
    }
    found.weight_ms +=
        thread["samples"]["weight"].as_array().into_iter().flatten().filter_map(Value::as_f64).sum::<f64>();
    count(thread, found)
}

/// Counts the samples of a thread by the depth of their stacks. Callers must precede their callees.
fn count(thread: &Value, found: &mut Found) -> Result<(), String> {
    let mut depths = Vec::new();
    for prefix in list(&thread["stackTable"]["prefix"])? {
        let depth = match prefix.as_u64() {
            Some(caller) => *depths.get(caller as usize).ok_or("a callee before its caller")? + 1,
            None => 1,
        };
        depths.push(depth);
    }
    let thread_id = thread["tid"].as_u64().ok_or("no id")?;
    for stack in list(&thread["samples"]["stack"])? {
        let depth = stack.as_u64().map_or(0, |stack| depths[stack as usize]);
        *found.samples.entry((thread_id, depth)).or_default() += 1;
    }
    Ok(())
}

fn list(value: &Value) -> Result<&Vec<Value>, String> {
    value.as_array().ok_or_else(|| format!("no list: {value}"))
}

/// Allowed values of a column.
#[derive(Clone, Copy, Debug)]
enum Holds {
    Any,
    Text,
    Boolean,
    Number,
    NumberOrNull,
    /// Index below a number.
    OneOf(usize),
    OneOrNull(usize),
    OneOrMinusOne(usize),
}

/// Checks that all columns of a table exist, with its length and their types.
fn table(table: &Value, columns: &[(&str, Holds)]) -> Result<(), String> {
    let length = table["length"].as_u64().ok_or("no length")? as usize;
    for (name, holds) in columns {
        let column = list(&table[*name]).map_err(|wrong| format!("{name}: {wrong}"))?;
        if column.len() != length {
            return Err(format!("the column {name} is not of length {length}"));
        }
        every(column, *holds).map_err(|wrong| format!("{name}: {wrong}"))?;
    }
    Ok(())
}

fn every(values: &[Value], holds: Holds) -> Result<(), String> {
    let is_one = |value: &Value, things: usize| value.as_u64().is_some_and(|at| at < things as u64);
    let is_right = |value: &Value| match holds {
        Holds::Any => true,
        Holds::Text => value.is_string(),
        Holds::Boolean => value.is_boolean(),
        Holds::Number => value.is_number(),
        Holds::NumberOrNull => value.is_number() || value.is_null(),
        Holds::OneOf(things) => is_one(value, things),
        Holds::OneOrNull(things) => value.is_null() || is_one(value, things),
        Holds::OneOrMinusOne(things) => value.as_i64() == Some(-1) || is_one(value, things),
    };
    match values.iter().find(|value| !is_right(value)) {
        Some(value) => Err(format!("{value} is not {holds:?}")),
        None => Ok(()),
    }
}

/// Each change makes a profile invalid.
#[test]
fn invalid_files_are_rejected() {
    let path = super::fixtures().nth(1).expect("a trace");
    let file = super::json(&path, &["--format", "firefox"]);
    assert!(validate(&file).is_ok());
    for (place, wrong) in [
        ("/meta/interval", Value::Null),
        ("/threads/0/pid", Value::from(1)),
        ("/threads/0/registerTime", Value::Null),
        ("/threads/0/stringArray/0", Value::Null),
        ("/threads/0/samples/time/0", Value::Null),
        ("/threads/0/samples/stack/0", Value::from(1_000_000)),
        ("/threads/0/samples/weightType", Value::Null),
        ("/threads/0/stackTable/frame/0", Value::Null),
        ("/threads/0/stackTable/prefix/0", Value::from(-1)),
        ("/threads/0/frameTable/func/0", Value::from("f")),
        ("/threads/0/funcTable/isJS/0", Value::Null),
        ("/threads/0/funcTable/resource/0", Value::Null),
        ("/threads/0/frameTable/length", Value::from(0)),
    ] {
        let mut changed = file.clone();
        *changed.pointer_mut(place).unwrap_or_else(|| panic!("{place} is in the file")) = wrong;
        assert!(validate(&changed).is_err(), "{place}");
    }
}
