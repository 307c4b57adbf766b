//! Validates files for speedscope by their schema (<https://www.speedscope.app/file-format-schema.json>) and the
//! requirements of the viewer.

use serde_json::{Map, Value};

/// Validates a file and returns the number of its stack changes.
pub fn validate(file: &Value) -> Result<usize, String> {
    let members = object(file, &["$schema", "shared", "profiles"], &["name", "exporter", "activeProfileIndex"])?;
    if members["$schema"] != "https://www.speedscope.app/file-format-schema.json" {
        return Err(format!("another schema: {}", members["$schema"]));
    }
    let frames = array(&object(&members["shared"], &["frames"], &[])?["frames"])?;
    for frame in frames {
        text(&object(frame, &["name"], &["file", "line", "col"])?["name"])?;
    }
    let profiles = array(&members["profiles"])?;
    let active = members.get("activeProfileIndex").map_or(Some(0), Value::as_u64);
    if !profiles.is_empty() && active.is_none_or(|active| active >= profiles.len() as u64) {
        return Err("the active profile does not exist".to_owned());
    }
    let mut changes = 0;
    for profile in profiles {
        changes += evented(profile, frames.len())
            .map_err(|wrong| format!("{}: {wrong}", profile["name"].as_str().unwrap_or("a profile")))?;
    }
    Ok(changes)
}

/// Validates a profile: balanced, nested and ordered events inside its time. Returns their number.
fn evented(profile: &Value, frames: usize) -> Result<usize, String> {
    let members = object(profile, &["type", "name", "unit", "startValue", "endValue", "events"], &[])?;
    text(&members["name"])?;
    if members["type"] != "evented" {
        return Err(format!("of type {}", members["type"]));
    }
    if !["none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"].contains(&text(&members["unit"])?) {
        return Err(format!("in {}", members["unit"]));
    }
    let [start, end] = [number(&members["startValue"])?, number(&members["endValue"])?];
    let events = array(&members["events"])?;
    let mut open = Vec::new();
    let mut now = start;
    for event in events {
        let members = object(event, &["type", "frame", "at"], &[])?;
        let (frame, at) = (number(&members["frame"])? as usize, number(&members["at"])?);
        if frame >= frames {
            return Err(format!("there is no frame {frame}"));
        }
        if at < now || at > end {
            return Err(format!("{at} is not between {now} and {end}"));
        }
        now = at;
        match text(&members["type"])? {
            "O" => open.push(frame),
            "C" if open.last() == Some(&frame) => drop(open.pop()),
            "C" => return Err(format!("frame {frame} closes, open are {open:?}")),
            other => return Err(format!("an event of type {other}")),
        }
    }
    if open.is_empty() { Ok(events.len()) } else { Err(format!("{open:?} stay open")) }
}

fn object<'v>(value: &'v Value, needs: &[&str], may: &[&str]) -> Result<&'v Map<String, Value>, String> {
    let members = value.as_object().ok_or_else(|| format!("no object: {value}"))?;
    if let Some(missing) = needs.iter().find(|key| !members.contains_key(**key)) {
        return Err(format!("“{missing}” is missing"));
    }
    match members.keys().find(|key| !needs.contains(&key.as_str()) && !may.contains(&key.as_str())) {
        Some(unknown) => Err(format!("“{unknown}” is not known")),
        None => Ok(members),
    }
}

fn array(value: &Value) -> Result<&Vec<Value>, String> {
    value.as_array().ok_or_else(|| format!("no array: {value}"))
}

fn text(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or_else(|| format!("no text: {value}"))
}

fn number(value: &Value) -> Result<f64, String> {
    value.as_f64().ok_or_else(|| format!("no number: {value}"))
}
