//! First screen of a trace: threads in sight, and heights that the open tab and the user choose.

use serde_json::json;
use thirtyfour::prelude::*;
use traceglass_e2e::{Need, Page, Step, browser_test, fixtures};

/// Sizes of the window, and the number of threads that are visible in full at least.
const EXPECTED: [((u32, u32), u64); 3] = [((1440, 900), 9), ((1920, 1080), 14), ((1024, 768), 5)];

/// Counts the headers of threads that are visible in full.
const VISIBLE_THREADS: &str = "const pane = document.querySelector('.tracks').getBoundingClientRect();
    const heads = [...document.querySelectorAll('[role=treeitem][data-testid^=thread-]')];
    const visible = heads.map((head) => head.getBoundingClientRect())
      .filter((head) => head.top >= pane.top - 0.5 && head.bottom <= pane.bottom + 0.5).length;";

/// Waits until enough threads are visible in each size.
async fn threads_are_in_sight(page: &Page, trace: &str) -> Step {
    for ((width, height), expected) in EXPECTED {
        page.resize((width, height)).await?;
        let what = format!("{trace}, {width} x {height}: {expected} threads are visible");
        page.until(&what, &format!("{VISIBLE_THREADS} return visible >= {expected}")).await?;
    }
    Ok(())
}

/// Clicks an element twice in quick succession.
async fn double_click(page: &Page, id: &str) -> Step {
    let element = page.find(id).await?;
    page.pointer().double_click_element(&element).perform().await?;
    Ok(())
}

/// The first screen shows the threads of the top finding and the busiest ones.
#[browser_test(needs(Need::RealTraces), limit_seconds(120))]
async fn first_screen_shows_threads_of_top_finding(page: &Page) -> Step {
    let traces = fixtures::real_traces();
    for trace in ["web-net8", "cpu-net10", "gc-net10"] {
        page.open("").await?;
        page.open_trace(&traces.join(format!("{trace}.nettrace"))).await?;
        page.text_when("group-threads", |text| !text.is_empty()).await?;
        threads_are_in_sight(page, trace).await?;
        page.browser().goto("about:blank").await?;
    }
    page.open("").await?;
    page.open_trace(&fixtures::unzstd(&traces.join("web-net10.nettrace.zst"))?).await?;
    page.resize((1440, 900)).await?;
    page.text_when("group-threads", |text| text.contains("40 · top finding first")).await?;
    page.text_when("more-tracks", |text| text.contains(" counters")).await?;
    threads_are_in_sight(page, "web-net10").await
}

/// Sizes of the window, with the minimum number of rows of events and of GCs.
const ROWS: [((u32, u32), u64, u64); 3] = [((1440, 900), 20, 8), ((1920, 1080), 24, 7), ((1024, 768), 20, 6)];

/// Rows are in sight in each size, and the summary doesn't scroll in a usual one.
#[browser_test]
async fn tables_and_summary_are_in_sight(page: &Page) -> Step {
    page.open_orders().await?;
    let whole = "const bottom = document.querySelector('[data-testid=status-time]').getBoundingClientRect().top;
        const is_visible = (one) => one.getBoundingClientRect().bottom <= bottom + 0.5;";
    page.resize(ROWS[0].0).await?;
    page.text_when("findings", |text| text.contains("costliest first")).await?;
    let summary = format!(
        "{whole} const all = (id) => [...document.querySelectorAll(`[data-testid=${{id}}]`)];
         const lists = [...all('summary-topic'), ...all('summary-missing')];
         return all('finding').filter(is_visible).length >= 6 && lists.length === 15 && lists.every(is_visible)"
    );
    page.until("six findings and all analyses are visible", &summary).await?;
    for (tab, row, of) in [("tab-events", "event-name", 0), ("tab-gc", "report-row", 1)] {
        page.click(tab).await?;
        page.find(row).await?;
        for (size, events, gcs) in ROWS {
            page.resize(size).await?;
            let expected = [events, gcs][of];
            let rows = format!(
                "{whole} const rows = [...document.querySelectorAll('[data-testid={row}]')].filter((one) => one.checkVisibility());
                 return rows.filter(is_visible).length >= {expected}"
            );
            page.until(&format!("{tab}, {} x {}: {expected} rows are visible", size.0, size.1), &rows).await?;
        }
    }
    Ok(())
}

/// The default heights cut no low track in half.
#[browser_test]
async fn default_heights_cut_no_track(page: &Page) -> Step {
    page.open_orders().await?;
    page.text_when("group-threads", |text| text.contains("top finding first")).await?;
    let none_is_cut = "const bottom = document.querySelector('.tracks').getBoundingClientRect().bottom;
        const heads = [...document.querySelectorAll('[role=treeitem]')].map((head) => head.getBoundingClientRect());
        return heads.every((head) => head.height > 36 || head.bottom <= bottom + 0.5 || head.top >= bottom - 0.5)";
    for size in [(1440, 900), (1920, 1080), (1024, 768)] {
        page.resize(size).await?;
        for tab in ["tab-summary", "tab-events", "tab-gc"] {
            page.click(tab).await?;
            page.until(&format!("{tab}, {} x {}: no track is cut", size.0, size.1), none_is_cut).await?;
        }
    }
    Ok(())
}

/// Each tab has its own height, which is remembered; a tab takes the place of the timeline and gives it back; an
/// analysis shows its own track; a filter chip moves nothing, and heads show how many items match.
#[browser_test]
async fn timeline_follows_open_tab(page: &Page) -> Step {
    page.open_orders().await?;
    page.text_when("group-threads", |text| text.contains("top finding first")).await?;
    page.until_still().await?;
    let place = "const top = document.querySelector('[data-testid=splitter]').getBoundingClientRect().top;";
    let top = page.run(&format!("{place} return top"), []).await?;
    // Browsers round positions to a fraction of a pixel.
    let same = format!("{place} return Math.abs(top - {top}) < 0.1");
    page.press("3").await?;
    page.until("events have more height", &format!("{place} return top < {top}")).await?;
    page.press("1").await?;
    page.until("the summary has its own height", &same).await?;
    page.run("document.querySelector('[role=treeitem][data-testid^=thread-]').focus()", []).await?;
    page.press("t").await?;
    page.find_by(By::Css(".chip")).await?;
    assert_eq!(page.run(&format!("{place} return top"), []).await?, top, "nothing moves when a chip appears");
    page.text_when("group-collections", |text| text.contains(" of ")).await?;

    double_click(page, "tab-exceptions").await?;
    page.until("the tab is maximized", "return document.querySelector('.upper').clientHeight === 0").await?;
    page.press_with(Key::Shift, "F").await?;
    page.until("the timeline is back", "return document.querySelector('.upper').clientHeight > 150").await?;
    page.find("group-exceptions").await?;
    let own = "return document.querySelectorAll('[role=treeitem][data-testid=group-collections]').length === 0";
    page.until("its track is the only one of the runtime", own).await?;
    page.until("threads are below it", &format!("{VISIBLE_THREADS} return visible >= 4")).await?;

    page.run("document.querySelector('[data-testid=splitter]').focus()", []).await?;
    page.press(Key::End).await?;
    let stored = format!("return Object.values(localStorage).includes({})", json!("exceptions:88.0"));
    page.until("the height is remembered", &stored).await?;
    page.press(Key::Enter).await?;
    page.until("the default height is restored", &format!("return !({})", &stored["return ".len()..])).await?;
    Ok(())
}
