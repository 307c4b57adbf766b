//! Text on the page for small traces of known faults (`tests/fixtures/cases`).

use serde_json::Value;
use traceglass_e2e::{Page, Step, browser_test, fixtures};

/// Drops a case on the page.
async fn open(page: &Page, case: &str) -> Step {
    page.open_trace(&fixtures::committed(&format!("cases/{case}.nettrace"))).await
}

/// Waits until the page shows a text.
async fn reads(page: &Page, words: &str) -> Step {
    let words = Value::from(words).to_string();
    page.until(&format!("it reads {words}"), &format!("return document.body.innerText.includes({words})")).await
}

/// Opens cases in turn and checks the start of the analysis in a tab of each.
async fn verdicts(page: &Page, cases: &[(&str, &str, &str)]) -> Step {
    page.open("").await?;
    for (case, tab, words) in cases {
        open(page, case).await?;
        page.click(&format!("tab-{tab}")).await?;
        page.text_when("topic-verdict", |text| text.starts_with(words)).await?;
    }
    Ok(())
}

/// Returns the text of a part of a finding in the summary.
async fn finding(page: &Page, kind: &str, part: &str) -> Step<String> {
    page.click("tab-summary").await?;
    let element = format!("document.querySelector('[data-finding={kind}] {part}')");
    page.until(&format!("there is {kind}"), &format!("return {element} !== null")).await?;
    let text = page.run(&format!("return {element}.innerText"), []).await?;
    Ok(text.as_str().unwrap_or_default().to_owned())
}

#[browser_test]
async fn requests_of_other_recorders_are_listed(page: &Page) -> Step {
    let cases = [
        ("monitor-http5", "http", "4 incoming requests, 1 failed (25%)."),
        ("hosting-noactivity", "http", "3 incoming requests, none failed."),
    ];
    verdicts(page, &cases).await?;
    reads(page, "Duration unknown for 3 requests").await?;
    page.click("tab-summary").await?;
    reads(page, "Durations of 3 requests are unknown").await?;
    reads(page, "System.Threading.Tasks.TplEventSource:0x80:4").await
}

#[browser_test]
async fn trace_id_in_payload_is_filtered(page: &Page) -> Step {
    page.open("").await?;
    open(page, "monitor-http5").await?;
    page.click("tab-events").await?;
    page.text_when("events-total", |text| text == "16").await?;
    page.click("event-name").await?;
    page.choose_from("filter-by-event", "filter-to-trace").await?;
    page.text_when("matches", |text| !text.is_empty() && text != "16").await?;
    reads(page, "trace=4bf92f3577b34da6a3ce929d0e0e4700").await
}

#[browser_test]
async fn non_numbers_and_decimal_commas_are_read(page: &Page) -> Step {
    let cases = [
        ("counters", "counters", "3 instruments from 2 sources, 16 readings"),
        ("metrics-comma", "counters", "4 instruments from 1 source, 16 readings"),
    ];
    verdicts(page, &cases[..1]).await?;
    reads(page, "Excluded 2 values that aren't numbers, from Queue Length of My-Counters.").await?;
    verdicts(page, &cases[1..]).await
}

#[browser_test]
async fn events_of_other_runtimes_are_analyzed(page: &Page) -> Step {
    let cases = [
        (
            "asyncprofiler",
            "tasks",
            "12 async events on 4 threads, from System.Runtime.CompilerServices.AsyncProfilerEventSource.",
        ),
        ("mono-heapdump", "heap", "10 objects of 1 type occupy 640 B."),
        ("datas", "gc", "4 GC dynamic events and no GC"),
        ("v6-dotnet-version", "gc", "GC paused the process for 8.00 ms"),
    ];
    verdicts(page, &cases[..1]).await?;
    page.click("tab-summary").await?;
    reads(page, "Not recorded. Exceptions require the .NET runtime provider").await?;
    verdicts(page, &cases[1..]).await?;
    page.type_filter("event=GC/Start").await?;
    page.matches_when("1").await
}

#[browser_test]
async fn faults_of_event_sources_are_findings(page: &Page) -> Step {
    page.open("").await?;
    open(page, "eventsource-error").await?;
    let title = finding(page, "event-source-error", "h3").await?;
    assert_eq!(title, "EventSource Contoso-Orders reported 1 error");
    assert!(finding(page, "event-source-error", ".cost").await?.contains("error reported"));
    open(page, "misfit").await?;
    assert_eq!(finding(page, "payload-misfit", "h3").await?, "3 event types (3 events) don't match their schemas");
    assert!(finding(page, "payload-misfit", ".evidence").await?.contains("4 bytes longer than declared"));
    Ok(())
}

#[browser_test]
async fn late_samples_and_late_threads_are_handled(page: &Page) -> Step {
    page.open("").await?;
    open(page, "latesampler").await?;
    page.click("tab-summary").await?;
    page.text_when("role-times", |text| text.contains("6.12 s")).await?;
    let gaps = page.run("return document.querySelectorAll('[data-finding=sampling-gap]').length", []).await?;
    assert_eq!(gaps, Value::from(0));
    open(page, "mainrundown").await?;
    page.text_when("thread-13604", |text| text.contains("Main")).await?;
    Ok(())
}

#[browser_test]
async fn code_named_only_by_entry_point_has_name(page: &Page) -> Step {
    page.open("").await?;
    open(page, "r2r-only").await?;
    page.click("tab-stacks").await?;
    page.text_when("stacks-total", |text| text == "8.00 ms").await?;
    reads(page, "Startup.Configure").await
}

#[browser_test]
async fn strange_names_are_shown_in_one_line(page: &Page) -> Step {
    page.open("").await?;
    for (case, events) in [("esc", "1"), ("names", "10")] {
        open(page, case).await?;
        page.text_when("event-count", |text| text == events).await?;
        page.click("tab-events").await?;
        page.text_when("events-total", |text| text == events).await?;
        page.find("event-name").await?;
    }
    Ok(())
}

#[browser_test]
async fn transfer_damage_is_named(page: &Page) -> Step {
    page.open("").await?;
    open(page, "crlf").await?;
    let banner = page.text_when("damage-banner", |text| text.contains("text-mode transfer")).await?;
    assert!(banner.starts_with("Repaired a damaged trace."), "{banner}");
    open(page, "garbage").await?;
    page.text_when("event-count", |text| text == "10").await?;
    page.click("tab-metadata").await?;
    reads(page, "950 bytes follow the end of the stream").await?;
    page.drop_file(&fixtures::committed("cases/lfs.nettrace")).await?;
    page.text_when("failure-message", |text| text.contains("Git LFS pointer")).await?;
    Ok(())
}
