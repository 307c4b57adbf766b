//! Cost of a trace ten and a hundred times as long: time and memory should grow linearly with the bytes.

use super::Figures;
use super::ratios::two_digits;
use super::report::{Measured, Place, longest_words, megabytes, milliseconds};
use super::traces::GROWN;
use crate::Outcome;
use std::fmt::Write;

/// Returns whether a trace is the growing one, or made of it.
fn is_grown(name: &str) -> bool {
    name == GROWN || GROWN.split_once('-').is_some_and(|(stem, _)| name.starts_with(&format!("{stem} ×")))
}

/// Times that are compared per byte.
const TIMES: [(&str, Place, &str); 3] = [
    ("Opening the file natively", Place::Native, "file_ms"),
    ("Opening in the worker", Place::Page, "load_ms"),
    ("Drop to complete", Place::Page, "complete_ms"),
];

/// Writes the table, if longer traces were measured.
pub(super) fn table(text: &mut String, measured: &[Measured], only_opened: &[Measured]) -> Outcome {
    let all: Vec<&Measured> = measured.iter().chain(only_opened).filter(|one| is_grown(&one.name)).collect();
    let (Some(first), true) = (all.first(), all.len() > 1) else { return Ok(()) };
    let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
    let _ = writeln!(text, "| Growth | {} |\n|---|{}", names.join(" | "), "---:|".repeat(names.len()));
    let mut row = |what: &str, value: &dyn Fn(&Measured) -> Outcome<String>| -> Outcome {
        let values = all.iter().map(|one| value(one)).collect::<Outcome<Vec<_>>>()?;
        let _ = writeln!(text, "| {what} | {} |", values.join(" | "));
        Ok(())
    };
    let a_byte = |one: &Measured, place: Place, name: &str| Ok::<f64, String>(place.of(one).get(name)? / bytes(one)?);
    for (what, place, name) in TIMES {
        row(&format!("{what}: time per byte, relative to the first"), &|one| {
            Ok(two_digits(a_byte(one, place, name)? / a_byte(first, place, name)?))
        })?;
    }
    row("MB", &|one| Ok(format!("{:.0}", bytes(one)? / 1e6)))?;
    row("Events", &|one| Ok(format!("{:.0}", one.native.get("events")?)))?;
    for (what, place, name) in TIMES {
        row(&format!("{what}, ms"), &|one| Ok(milliseconds(place.of(one).get(name)?)))?;
    }
    row("Drop to first pixels, ms", &|one| Ok(milliseconds(one.page.get("first_pixels_ms")?)))?;
    row("Drop to first preview, ms", &|one| Ok(milliseconds(one.page.get("usable_ms")?)))?;
    row("Memory in the worker, bytes per event with a row", &|one| {
        Ok(format!("{:.1}", one.page.get("held_bytes")? / one.native.get("rows")?))
    })?;
    row("Peak memory natively, MB", &|one| Ok(megabytes(&one.native, "peak_bytes")))?;
    row("Peak memory of the page's process, MB", &|one| Ok(megabytes(&one.page, "peak_bytes")))?;
    row("Longest task of the page, ms", &|one| Ok(longest_words(one.page.get("longest_task_ms")?)))?;
    text.push('\n');
    Ok(())
}

fn bytes(measured: &Measured) -> Outcome<f64> {
    let of = |figures: &Figures| figures.get("bytes");
    of(&measured.native)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str, factor: f64) -> Measured {
        let figures = |names: &[&str], value: f64| {
            let mut figures = Figures::default();
            names.iter().for_each(|name| figures.take(&format!("{name} {value}")));
            figures
        };
        let native = figures(&["bytes", "events", "rows", "file_ms", "peak_bytes"], 1e6 * factor);
        let names = ["load_ms", "complete_ms", "first_pixels_ms", "usable_ms", "held_bytes", "peak_bytes"];
        let mut page = figures(&names, 2e6 * factor * factor);
        page.take("longest_task_ms 0");
        Measured { name: name.to_owned(), native, page }
    }

    #[test]
    fn superlinear_growth_is_visible() {
        let mut text = String::new();
        let measured = [one(GROWN, 1.0), one("web-net10", 3.0), one("firehose ×10", 10.0)];
        assert_eq!(table(&mut text, &measured, &[one("firehose ×100", 100.0)]), Ok(()));
        assert!(text.starts_with("| Growth | firehose-net31 | firehose ×10 | firehose ×100 |\n"), "{text}");
        assert!(text.contains("natively: time per byte, relative to the first | 1.0 | 1.0 | 1.0 |"), "{text}");
        assert!(text.contains("worker: time per byte, relative to the first | 1.0 | 10.0 | 100.0 |"), "{text}");
    }

    #[test]
    fn table_without_grown_traces_is_empty() {
        let mut text = String::new();
        assert_eq!(table(&mut text, &[one(GROWN, 1.0)], &[]), Ok(()));
        assert_eq!(text, "");
    }
}
