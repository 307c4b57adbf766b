//! One filter, one count: the Summary tab, the event table, its groups and its histogram, reports and stacks show the
//! same number.

use traceglass_e2e::{Page, Step, browser_test, fixtures, number};

const TRACE: &str = "orders-net31.nettrace";
/// Seconds one to six.
const RANGE: &str = "r0=1000000000&r1=6000000000";
const RUNTIME: &str = "Microsoft-Windows-DotNETRuntime";
const SAMPLER: &str = "Microsoft-DotNETCore-SampleProfiler";

/// Opens the recording with a time range, the main thread, and a provider.
async fn open(page: &Page, tab: &str, provider: &str) -> Step {
    page.open(&format!("/{tab}?v=1&file={TRACE}&{RANGE}&th=6702&p={provider}")).await?;
    page.open_trace(&fixtures::unpacked(TRACE)?).await?;
    page.chips_when(&["Time 1.000–6.000 s", "Thread Main 6702", &format!("Provider {provider}")]).await?;
    page.text_when("status-selection", |text| text == "Selection 5.00 s · 1 thread").await?;
    Ok(())
}

/// Checks that the groups of the table add up to its events.
async fn groups_add_up(page: &Page, events: &str) -> Step {
    page.click("tab-events").await?;
    page.pick("pick-group", "Level").await?;
    page.text_when("groups-events", |text| text == events).await?;
    let groups = number(&page.text("groups-total").await?)?;
    let counts = "return [...document.querySelectorAll('[data-testid=groups-row]:not([hidden]) > :nth-child(2)')]
        .map((cell) => cell.innerText)";
    let counts = page.run(counts, []).await?;
    let counts: Vec<u64> =
        counts.as_array().into_iter().flatten().filter_map(|count| number(count.as_str()?).ok()).collect();
    assert_eq!((counts.len() as u64, counts.iter().sum::<u64>()), (groups, number(events)?));
    page.pick("pick-group", "No groups").await
}

#[browser_test]
async fn summary_events_and_exceptions_have_same_counts(page: &Page) -> Step {
    open(page, "summary", RUNTIME).await?;
    page.text_when("metric-events", |text| text == "657").await?;
    page.text_when("metric-exceptions", |text| text == "40").await?;
    // GCs pause all threads, so a filter to one thread includes them.
    page.text_when("metric-collections", |text| text == "36").await?;
    page.text_when("summary-exception", |text| text.contains("FormatException") && text.contains("27")).await?;
    page.events_when("657").await?;
    groups_add_up(page, "657").await?;
    page.click("tab-exceptions").await?;
    page.text_when("figure-count", |text| text == "40").await?;
    page.text_when("cell-count", |text| text == "27").await?;
    page.click("tab-gc").await?;
    page.text_when("figure-count", |text| text == "36").await?;
    // Without the chip of the provider.
    page.remove_chip("provider").await?;
    page.events_when("1,272").await?;
    page.press("1").await?;
    page.text_when("metric-events", |text| text == "1,272").await?;
    page.text_when("metric-exceptions", |text| text == "40").await?;
    // Without the chip of the thread.
    page.remove_chip("thread").await?;
    page.text_when("metric-exceptions", |text| text == "40").await?;
    page.text_when("metric-collections", |text| text == "36").await?;
    page.text_when("metric-events", |text| text == "14,690").await?;
    page.events_when("14,690").await
}

#[browser_test]
async fn stacks_and_events_have_same_sample_count(page: &Page) -> Step {
    open(page, "summary", SAMPLER).await?;
    page.text_when("metric-events", |text| text == "108").await?;
    page.events_when("108").await?;
    groups_add_up(page, "108").await?;
    page.press("2").await?;
    page.click("activity-all").await?;
    page.pick("pick-weight", "Samples").await?;
    page.text_when("stacks-total", |text| text.starts_with("108")).await?;
    Ok(())
}

/// The histogram shows the events of the table, over the selected time range.
#[browser_test]
async fn event_histogram_follows_filter(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("3").await?;
    let words = async || -> Step<String> {
        Ok(page.find("event-histogram").await?.attr("aria-label").await?.unwrap_or_default())
    };
    page.text_when("events-total", |text| text == "26,800").await?;
    assert!(words().await?.starts_with("Events over 0.001–7.739 s: peak "), "{}", words().await?);
    page.pick("pick-provider", "Workload-Orders").await?;
    page.events_when("586").await?;
    let few =
        "return /peak [0-9]{1,3} in/.test(document.querySelector('[data-testid=event-histogram]').ariaLabel ?? '')";
    page.until("few events are in a bar", few).await?;
    page.remove_chip("provider").await?;
    page.type_filter("time:2s..3s").await?;
    page.until(
        "they are of the second that was typed",
        "return /^Events over 0.001–7.739 s: peak [0-9]+ in 2\\.[0-9]+–[23]\\.[0-9]+ s/
           .test(document.querySelector('[data-testid=event-histogram]').getAttribute('aria-label'))",
    )
    .await
}

/// Dragging on the histogram selects a time range, as on the timeline; a click selects an event.
#[browser_test]
async fn event_histogram_drag_selects_range(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("3").await?;
    page.events_when("26,800").await?;
    page.find("event-histogram").await?;
    let strip = page.find("event-histogram").await?.rect().await?;
    let at = |share: f64| ((strip.x + strip.width * share) as i64, (strip.y + strip.height / 2.0) as i64);
    let ((from, y), (middle, _), (to, _)) = (at(0.25), at(0.4), at(0.5));
    let drag = page.pointer().move_to(from, y).click_and_hold().move_to(middle, y).move_to(to, y);
    drag.perform().await?;
    page.text_when("histogram-range", |text| text.starts_with("1.9") && text.ends_with(" s")).await?;
    page.pointer().release().perform().await?;
    // A quarter of 7.738 s, in whole pixels.
    page.text_when("status-selection", |text| text.starts_with("Selection 1.94")).await?;
    page.find("chip-time").await?;
    let inside = page.text_when("matches", |text| !text.is_empty() && text != "26,800").await?;
    page.events_when(&inside).await?;
    let words = "return /^Events over 1\\.9[0-9]*–3\\.8[0-9]* s/
        .test(document.querySelector('[data-testid=event-histogram]').getAttribute('aria-label'))";
    page.until("the bars are of the range", words).await?;

    // The first event from the middle on is selected and visible.
    let (x, y) = at(0.5);
    page.click_at((x as f64, y as f64)).await?;
    page.text_when("detail-time", |text| text.starts_with("2.9") || text.starts_with("2.8")).await?;
    page.remove_chip("time").await?;
    page.events_when("26,800").await
}
