//! `traceglass summary` and analyses: findings of recordings, and none for good ones.

use crate::common::cli::traceglass;
use crate::common::recordings::{recording, traces};
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    crate::common::root().join("tests/fixtures").join(name)
}

fn json(command: &[&str], file: &Path) -> Value {
    serde_json::from_str(&traceglass(command, file)).expect("JSON")
}

/// Returns the names and costs of findings.
fn found(file: &Path) -> Vec<(String, f64)> {
    let summary = json(&["summary", "--json"], file);
    let of = |one: &Value| (one["finding"].as_str().unwrap_or("").to_owned(), one["cost"].as_f64().unwrap_or(-1.0));
    summary["findings"].as_array().expect("findings").iter().map(of).collect()
}

/// Returns a finding of a summary.
fn findings_of<'s>(summary: &'s Value, finding: &str) -> &'s Value {
    let all = summary["findings"].as_array().expect("findings");
    all.iter().find(|one| one["finding"] == finding).unwrap_or_else(|| panic!("{finding}"))
}

fn cost_of(file: &Path, finding: &str) -> Option<f64> {
    found(file).into_iter().find(|(name, _)| name == finding).map(|(_, cost)| cost)
}

#[test]
fn sampling_gaps_are_reported() {
    assert_eq!(cost_of(&fixture("dropped-net31.nettrace.gz"), "lost-events"), Some(562_542.0));
    let lost = json(&["info", "--json"], &fixture("dropped-net31.nettrace.gz"));
    assert_eq!(lost["eventsLost"], 562_542, "the same as everywhere else");
    assert_eq!(cost_of(&fixture("orders-net31.nettrace.gz"), "lost-events"), None);
    assert_eq!(cost_of(&fixture("orders-net31.nettrace.gz"), "no-names"), None);
    assert_eq!(
        cost_of(&fixture("orders-net31.nettrace.gz"), "sampling-gap").map(|nanos| nanos as i64 / 1_000_000),
        // One gap of all threads.
        Some(379)
    );
}

/// Returns the total pause of a trace, according to its report.
fn paused(file: &Path) -> Option<f64> {
    json(&["gc", "--json"], file)["figures"]["pauseTotalNs"].as_f64()
}

#[test]
fn large_object_allocations_are_a_finding() {
    let file = fixture("orders-net31.nettrace.gz");
    let names: Vec<String> = found(&file).into_iter().map(|(name, _)| name).collect();
    assert_eq!(
        names,
        [
            "cpu-saturation",
            "pause-share",
            "lock-contention",
            "compiling-heavy",
            "hot-allocations",
            "exception-storm",
            "sampling-gap"
        ]
    );
    let summary = json(&["summary", "--json"], &file);
    let of_threads = summary["threadTimeNs"]["gc"].as_f64();
    assert_eq!(cost_of(&file, "pause-share"), of_threads, "the same as in the thread times");
    assert_eq!(paused(&file).map(|nanos| nanos as i64 / 1_000_000), Some(1438));
    let details = findings_of(&summary, "pause-share")["details"].as_str().unwrap_or_default();
    assert!(
        details.starts_with("GCs paused the process for 1.44 s of wall time."),
        "the same as on the GC tab: {details}"
    );
    // Suspension takes most of the time of these GCs, too, so both have one fix.
    assert!(details.contains("35 of 53 GCs were triggered by LOH allocations."), "{details}");
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn frequent_induced_gcs_are_a_finding() {
    let Some(traces) = traces() else { return };
    let file = traces.join("gc-net10.nettrace");
    assert!(cost_of(&file, "induced-collections").is_some());
    assert_eq!(cost_of(&file, "large-object-churn"), None);
    assert_eq!(cost_of(&traces.join("web-net8.nettrace"), "induced-collections"), None);
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn web_server_stalls_are_found_with_call_site() {
    let Some(traces) = traces() else { return };
    let summary = json(&["summary", "--json"], &traces.join("web-net10.nettrace.zst"));
    let of = |finding: &str| {
        let one = findings_of(&summary, finding);
        ["sentence", "details"].map(|text| one[text].as_str().unwrap_or_default()).join(" ")
    };
    assert!(of("pool-starvation").contains("raised its target from 2 to 25 workers"));
    // The handler, which blocks, was inlined into .NET's generated caller. A middleware above only calls the next one.
    let blocks = of("sync-over-async");
    assert!(blocks.starts_with("Nearly all of it was in GET /legacy, waiting for LegacyGateway.CallAsync"), "{blocks}");
    let handler = "The handler of GET /legacy is inlined into lambda_method7 and calls Shop.LegacyGateway.CallAsync";
    assert!(blocks.contains(handler), "{blocks}");
    assert_eq!(summary["findings"][0]["finding"], "sync-over-async", "it cost most");
    for one in ["sync-over-async", "pool-starvation", "slow-requests", "lock-contention"] {
        assert!(!of(one).contains("Program.Main.λ5"), "{}", of(one));
    }
    assert!(of("slow-requests").contains("GET /legacy"));
    let mine = ["stacks", "--mine", "--weight", "time", "--activity", "blocked", "--format", "csv"];
    let mine = traceglass(&mine, &traces.join("web-net10.nettrace.zst"));
    let own_time = |name: &str| {
        let line = mine.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}: {mine}"));
        line.rsplit(',').nth(3).and_then(|nanos| nanos.parse::<f64>().ok()).expect("nanoseconds")
    };
    assert!(own_time("Task wait") > 23e9, "{mine}");
    assert_eq!(own_time("Microsoft.AspNetCore.Diagnostics.ExceptionHandlerMiddlewareImpl.Invoke"), 0.0);
    assert!(of("failed-requests").contains("GET /fail"));
    assert!(of("lock-contention").contains("Shop.Inventory.Reserve(string, int) accounts for 41%"));
    assert!(of("exception-storm").contains("System.OperationCanceledException, thrown in Shop.AuditWriter."));
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn quiet_traces_have_no_findings() {
    // Its program writes a long where the event declares an int, a hundred times.
    assert_eq!(found(&fixture("short-net10.nettrace.gz")), [("payload-misfit".to_owned(), 100.0)]);
    let Some(traces) = traces() else { return };
    // It computes on all of its CPUs, so suspending its threads takes long.
    let expected = ["cpu-saturation", "slow-suspension"];
    let names = |file: std::path::PathBuf| found(&file).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(recording(&traces, "cpu-net10.nettrace").map(names), Some(expected.map(str::to_owned).to_vec()));
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn unresolved_code_without_rundown_is_a_finding() {
    let Some(traces) = traces() else { return };
    let file = recording(&traces, "norundown-net10.nettrace").expect("a recording");
    assert_eq!(cost_of(&file, "no-names"), Some(5_819.0));
}

#[test]
fn overwritten_bytes_are_damage_and_not_lost_events() {
    let compressed = std::fs::File::open(fixture("short-net10.nettrace.gz")).expect("a recording");
    let mut whole = Vec::new();
    flate2::read::GzDecoder::new(compressed).read_to_end(&mut whole).expect("a recording");
    let file = std::env::temp_dir().join(format!("traceglass-overwritten-{}.nettrace", std::process::id()));
    // With 255, an event header can't be decoded; with 0, events are garbled.
    for (fill, title) in [(255, " of the file is damaged"), (0, "Part of the file is damaged")] {
        let mut bytes = whole.clone();
        let middle = bytes.len() / 2;
        bytes[middle..middle + 200].fill(fill);
        std::fs::write(&file, bytes).expect("a file");
        let summary = json(&["summary", "--json"], &file);
        let all = summary["findings"].as_array().expect("findings");
        assert!(all.iter().all(|one| one["finding"] != "lost-events"), "{summary}");
        let first = &all[0];
        assert_eq!(first["finding"], "incomplete-recording", "{summary}");
        assert!(first["title"].as_str().is_some_and(|found| found.ends_with(title)), "{first}");
        assert!(first["advice"].as_str().is_some_and(|advice| advice.starts_with("Copy the file again")), "{first}");
    }
    std::fs::remove_file(&file).expect("the file is removed");
}

#[test]
fn traces_without_findings_list_checked_topics() {
    let words = traceglass(&["summary"], &fixture("cases/mainrundown.nettrace"));
    assert!(words.starts_with("No significant issues found. Checked: lost events, CPU time."), "{words}");
    assert!(words.contains("Not recorded, so not checked:") && words.contains("lock contention"), "{words}");
}

#[test]
fn lost_events_come_first_and_counts_are_minimums() {
    let file = fixture("dropped-net31.nettrace.gz");
    let summary = json(&["summary", "--json"], &file);
    let first = &summary["findings"][0];
    assert_eq!(
        (first["finding"].as_str(), first["title"].as_str()),
        (Some("lost-events"), Some("562,542 events lost (99.6%)"))
    );
    let text = traceglass(&["summary"], &file);
    assert!(text.starts_with("562,542 events lost"), "{text}");
    let Some(drops) = traces().and_then(|traces| recording(&traces, "drops-net10.nettrace")) else { return };
    let thrown = traceglass(&["exceptions"], &drops);
    assert!(thrown.starts_with("At least 1,670 exceptions") && thrown.contains("at least 1,670"), "{thrown}");
    let minimums = &json(&["exceptions", "--json"], &drops)["minimums"];
    assert!(minimums.as_array().is_some_and(|keys| keys.contains(&Value::from("count"))), "{minimums}");
}

/// Examples in docs/findings.md: names of recordings, and the sentences quoted of their summaries.
fn examples() -> Vec<(String, Vec<String>)> {
    let document = std::fs::read_to_string(crate::common::root().join("docs/findings.md")).expect("the document");
    let (_, examples) = document.split_once("## Examples").expect("examples");
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for line in examples.lines() {
        if let Some((name, _)) = line.strip_prefix("**").and_then(|line| line.split_once(".**")) {
            found.push((name.to_owned(), Vec::new()));
        }
        let quoted = line.strip_prefix("| ").and_then(|row| row.split(" | ").next());
        if let (Some(quoted), Some((_, sentences))) = (quoted.filter(|quoted| *quoted != "Sentence"), found.last_mut())
        {
            sentences.push(quoted.to_owned());
        }
    }
    found
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn examples_in_docs_are_sentences_of_the_summary() {
    let Some(traces) = traces() else { return };
    let examples = examples();
    assert_eq!(examples.len(), 9);
    for (name, sentences) in &examples {
        assert!(!sentences.is_empty(), "{name}");
        let Some(file) = recording(&traces, &format!("{name}.nettrace")) else { continue };
        let summary = traceglass(&["summary"], &file);
        for quoted in sentences {
            // An ellipsis replaces words.
            for part in quoted.split(['…', ';']).flat_map(|part| part.split(". ")) {
                let part = part.trim().trim_end_matches('.');
                assert!(summary.contains(part), "{name}: the summary does not say \u{201c}{part}\u{201d}\n{summary}");
            }
        }
    }
}

#[test]
fn exception_tables_have_same_total() {
    let report = json(&["exceptions", "--json"], &fixture("orders-net31.nettrace.gz"));
    let sum = |table: &str| {
        report[table].as_array().expect("a table").iter().map(|row| row["count"].as_u64().unwrap_or(0)).sum::<u64>()
    };
    let rows = report["exceptions"].as_array().expect("a table").len() as u64;
    assert_eq!((report["figures"]["count"].as_f64(), sum("types"), sum("sites"), rows), (Some(76.0), 76, 76, 76));
    let narrow = json(
        &["exceptions", "--json", "--filter", "payload.ExceptionType=System.FormatException"],
        &fixture("orders-net31.nettrace.gz"),
    );
    assert_eq!(narrow["figures"]["count"], 47.0);
}

/// The sampler is often late, but late samples aren't gaps: the thread ran all the time.
#[test]
fn late_samples_belong_to_previous_run() {
    let file = fixture("cases/latesampler.nettrace");
    let summary = json(&["summary", "--json"], &file);
    let managed = summary["threadTimeNs"]["managed"].as_f64().expect("nanoseconds");
    assert!((managed / 6_114e6 - 1.0).abs() < 0.01, "{managed}");
    assert_eq!(found(&file).into_iter().map(|(name, _)| name).collect::<Vec<_>>(), ["cpu-hot-spot"], "no gap");
    let info = traceglass(&["info"], &file);
    let line = info.lines().find(|line| line.contains("Measured sampling interval")).expect("a line");
    assert!(line.ends_with("1.40 ms median, p95 13.0 ms"), "{line}");
}

/// The main thread writes the rundown when the app exits, but stays the main thread.
#[test]
fn main_thread_with_rundown_keeps_role() {
    let stacks = traceglass(&["stacks", "--by", "thread"], &fixture("cases/mainrundown.nettrace"));
    assert_eq!(stacks.trim_end(), "Main 13604;App!App.P.Main(class System.String[]);App!App.P.Work() 100");
}
