//! What a file for the Firefox Profiler must be, by the types of its processed format
//! (`src/types/profile` of github.com/firefox-devtools/profiler at version 48).

use super::ByDepth;
use serde_json::Value;

/// What a file says.
#[derive(Default)]
pub struct Found {
    /// Samples by thread and depth of stack.
    pub samples: ByDepth,
    /// The weights of all samples, if they have any.
    pub weight_ms: f64,
    pub functions: usize,
}

/// Checks a file: every column has the length of its table, every number points at something.
pub fn validate(file: &Value) -> Result<Found, String> {
    let meta = &file["meta"];
    if (&meta["preprocessedProfileVersion"], &meta["processType"]) != (&Value::from(48), &Value::from(0)) {
        return Err("another version".to_owned());
    }
    if !(meta["interval"].as_f64() > Some(0.0) && meta["startTime"].is_number() && meta["markerSchema"].is_array()) {
        return Err(format!("a member of meta is missing: {meta}"));
    }
    let categories = list(&meta["categories"])?.len();
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
    let strings = list(&thread["stringArray"])?.len();
    let resources = table(&thread["resourceTable"], &["lib", "name", "host", "type"])?;
    points(&thread["resourceTable"]["name"], strings)?;
    points(&thread["resourceTable"]["lib"], libs)?;
    let functions = table(
        &thread["funcTable"],
        &["isJS", "relevantForJS", "name", "resource", "fileName", "lineNumber", "columnNumber"],
    )?;
    points(&thread["funcTable"]["name"], strings)?;
    points(&thread["funcTable"]["resource"], resources)?;
    let frames = table(
        &thread["frameTable"],
        &[
            "address",
            "inlineDepth",
            "category",
            "subcategory",
            "func",
            "nativeSymbol",
            "innerWindowID",
            "line",
            "column",
        ],
    )?;
    points(&thread["frameTable"]["func"], functions)?;
    let stacks = table(&thread["stackTable"], &["frame", "category", "subcategory", "prefix"])?;
    points(&thread["stackTable"]["frame"], frames)?;
    points(&thread["stackTable"]["category"], categories)?;
    table(&thread["markers"], &["data", "name", "startTime", "endTime", "phase", "category"])?;
    table(&thread["nativeSymbols"], &["libIndex", "address", "name", "functionSize"])?;
    table(&thread["samples"], &["stack", "time"])?;
    points(&thread["samples"]["stack"], stacks)?;
    found.functions += functions;
    let times: Vec<f64> = list(&thread["samples"]["time"])?.iter().filter_map(Value::as_f64).collect();
    if !times.is_sorted() {
        return Err("samples are not in order".to_owned());
    }
    found.weight_ms +=
        thread["samples"]["weight"].as_array().into_iter().flatten().filter_map(Value::as_f64).sum::<f64>();
    count(thread, found)
}

/// Counts the samples of a thread by the depth of their stacks. A caller stands before its callees.
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

/// The length of a table, whose columns are all there and of that length.
fn table(table: &Value, columns: &[&str]) -> Result<usize, String> {
    let length = table["length"].as_u64().ok_or("a table without a length")? as usize;
    match columns.iter().find(|column| table[**column].as_array().is_none_or(|column| column.len() != length)) {
        Some(column) => Err(format!("the column {column} is not of length {length}")),
        None => Ok(length),
    }
}

/// That every number of a column is one of so many things. Null and -1 stand for none.
fn points(column: &Value, things: usize) -> Result<(), String> {
    let is_one = |number: &Value| number.is_null() || number.as_i64().is_some_and(|at| at >= -1 && at < things as i64);
    match list(column)?.iter().find(|number| !is_one(number)) {
        Some(number) => Err(format!("{number} is none of {things}")),
        None => Ok(()),
    }
}
