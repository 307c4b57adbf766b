//! Loading shows how far it is and can be given up.

use serde_json::json;
use std::time::{Duration, Instant};
use traceglass_e2e::{Trouble, drive, fixtures};
use xtask::synth::Size;

#[test]
fn loading_can_be_cancelled_at_once() {
    drive("cancel", async |page| {
        // A sample that takes a minute to arrive.
        page.server.trickle("samples/web.nettrace.gz");
        page.open("").await?;
        page.click("sample-web").await?;
        page.text_when("loading-bytes", |text| !text.is_empty()).await?;
        let cancel = page.find("cancel").await?;
        let start = Instant::now();
        cancel.click().await?;
        page.find("landing").await?;
        // 200 ms for the page; the rest is the driver's way of asking.
        assert!(start.elapsed() < Duration::from_millis(600), "{:?}", start.elapsed());

        page.open_trace(&fixtures::unpacked("short-net10.nettrace")?).await?;
        page.text_when("event-count", |text| text == "2,016").await?;
        Ok(())
    });
}

/// Elements that the page may put into the document without a pause in which it answers.
const ELEMENTS_AT_ONCE: u64 = 450;

/// Counts what is put into the document at once: an observer is called when the running task gives way.
const COUNT_ELEMENTS: &str = "
    globalThis.together = [];
    new MutationObserver((changes) => {
      const elements = new Set();
      for (const { addedNodes } of changes)
        for (const node of addedNodes)
          if (node instanceof Element) [node, ...node.getElementsByTagName('*')].forEach((one) => elements.add(one));
      together.push(elements.size);
    }).observe(document.body, { childList: true, subtree: true });";

#[test]
fn a_workspace_is_put_up_in_parts() {
    drive("parts", async |page| {
        page.open("").await?;
        page.run(COUNT_ELEMENTS, []).await?;
        page.open_trace(&fixtures::unpacked("orders-net31.nettrace")?).await?;
        page.text_when("summary-function", |text| !text.is_empty()).await?;
        page.text_when("summary-collection", |text| !text.is_empty()).await?;
        let together = page.run("return together", []).await?;
        let parts: Vec<u64> = together.as_array().into_iter().flatten().filter_map(|part| part.as_u64()).collect();
        assert!(parts.iter().sum::<u64>() > ELEMENTS_AT_ONCE, "the observer saw the workspace: {parts:?}");
        assert!(parts.iter().all(|part| *part <= ELEMENTS_AT_ONCE), "{parts:?}");
        let panels = page.run("return document.querySelectorAll('#panel > *').length", []).await?;
        assert_eq!(panels, 1, "only the open tab has content");
        Ok(())
    });
}

/// Enough for seconds of reading; what takes less than two is shown as a whole.
const LARGE: Size = Size::Bytes(1_000_000_000);

/// Scrolls, focuses and opens; `held` knows whether all of it still is so.
const HOLD_ON: &str = "
    const find = (selector) => document.querySelector(selector);
    const [tracks, rows] = [find('.tracks'), find('[data-testid=events] .viewport')];
    const head = find('[data-testid=tracks] [role=treeitem]');
    const [workspace, lanes] = [find('[data-testid=workspace]'), find('[data-testid=lanes]')];
    // Not the place of the scroll bar: that of the same row moves when there are more rows.
    const topRow = () =>
      Math.min(...[...rows.querySelectorAll('[role=row]:not([hidden])')].map((row) => row.ariaRowIndex));
    tracks.scrollTop = 30;
    rows.scrollTop = 990;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const top = topRow();
    head.focus({ preventScroll: true });
    find('[data-testid=status-memory]').parentElement.open = true;
    globalThis.held = [
      { what: 'workspace', holds: () => find('[data-testid=workspace]') === workspace },
      { what: 'timeline', holds: () => find('[data-testid=lanes]') === lanes },
      { what: 'tracks', holds: () => tracks.isConnected && tracks.scrollTop === 30 },
      { what: 'rows', holds: () => rows.isConnected && top > 2 && topRow() === top },
      { what: 'focus', holds: () => document.activeElement === head },
      { what: 'memory', holds: () => find('[data-testid=status-memory]').parentElement.open },
    ];";

#[test]
fn a_large_trace_can_be_looked_into_while_it_is_read() {
    if std::env::var_os("TRACEGLASS_FULL").is_none() {
        return println!("SKIPPED: a gigabyte is written and read by `cargo xtask test --full` only");
    }
    drive("preview", async |page| {
        let small = fixtures::unpacked("orders-net31.nettrace")?;
        let large = small.with_file_name("large.nettrace");
        xtask::synth::run(&small, LARGE, &large).map_err(Trouble)?;
        page.open("").await?;
        page.open_trace(&large).await?;
        page.text_when("still-reading", |text| text.contains("% of")).await?;
        let events = |text: &str| text.replace(',', "").parse::<u64>().unwrap_or(0);
        let before = events(&page.text_when("event-count", |text| !text.is_empty()).await?);
        assert!(before > 0, "something is shown");
        // What is chosen now stays chosen.
        page.press("3").await?;
        page.pick("pick-thread", "6712").await?;
        let chosen = page.text_when("events-total", |text| events(text) > 0 && events(text) < before).await?;
        page.run_async(HOLD_ON, []).await?;
        page.until("reading ends", "return !document.querySelector('[data-testid=still-reading]')").await?;
        let after = events(&page.text_when("event-count", |text| events(text) > before).await?);
        let whole = page.text_when("events-total", |text| events(text) > events(&chosen)).await?;
        assert_eq!(page.text_when("matches", |text| text == whole).await?, whole);
        assert!(events(&whole) < after && page.hash().await?.contains("6712"));
        let lost = page.run("return held.filter((one) => !one.holds()).map((one) => one.what)", []).await?;
        assert_eq!(lost, json!([]), "what one looks at stays while more is shown");
        let removed = std::fs::remove_file(&large);
        removed.map_err(|error| Trouble(error.to_string()))
    });
}
