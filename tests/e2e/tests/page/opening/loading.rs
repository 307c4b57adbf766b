//! Loading shows progress and can be canceled.

use serde_json::json;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use traceglass_e2e::accessibility::{can_look, none, violations};
use traceglass_e2e::{Need, Page, Step, Trouble, browser_test, fixtures};
use xtask::synth::Size;

#[browser_test(alone)]
async fn loading_is_canceled_at_once(page: &Page) -> Step {
    // A bundled trace that takes a minute to arrive.
    page.server.trickle("samples/web.nettrace.gz");
    page.open("").await?;
    page.click("sample-web").await?;
    page.text_when("loading-bytes", |text| !text.is_empty()).await?;
    let cancel = page.find("cancel").await?;
    let start = Instant::now();
    cancel.click().await?;
    page.find("landing").await?;
    // 200 ms for the page; the rest is for the polling of the driver.
    assert!(start.elapsed() < Duration::from_millis(600), "{:?}", start.elapsed());

    page.open_trace(&fixtures::unpacked("short-net10.nettrace")?).await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    Ok(())
}

const MEDIUM: Size = Size::Bytes(100_000_000);
/// Script that runs in the worker before its program, and simulates a slow disk whose last piece arrives late, so that
/// there is time to cancel on any machine.
const SLOW_DISK: &str = "
    const { slice, arrayBuffer } = Blob.prototype;
    let turn = null;
    Blob.prototype.slice = function (start, end, type) {
      return Object.assign(slice.call(this, start, end, type), { isLast: end >= this.size });
    };
    Blob.prototype.arrayBuffer = function () {
      // The first read may be of the end: a look ahead.
      const ms = turn && this.isLast ? 400 : 40;
      turn = Promise.resolve(turn).then(() => new Promise((resolve) => setTimeout(resolve, ms)));
      return turn.then(() => arrayBuffer.call(this));
    };
    // 25 MB per second.
    const streams = self.ReadableStreamBYOBReader?.prototype ?? {};
    const { read } = streams;
    streams.read = async function (view) {
      const step = await read.call(this, view);
      await new Promise((resolve) => setTimeout(resolve, (step.value?.byteLength ?? 0) / 25_000));
      return step;
    };\n";
/// Shares of the file at which reading is canceled.
const GIVEN_UP_AT: [f64; 5] = [0.0, 0.2, 0.45, 0.7, 0.9];
/// Maximum time in milliseconds from the click to the start page. Users don't notice a tenth of a second; the rest is
/// for machines under load.
const MAX_MS: f64 = 300.0;

/// Opens the page with a simulated slow disk, and returns a file that is large enough.
async fn on_a_slow_disk(page: &Page, name: &str) -> Step<PathBuf> {
    let small = fixtures::unpacked("orders-net31.nettrace")?;
    let medium = page.folder().join(name);
    xtask::synth::run(&small, MEDIUM, &medium).map_err(Trouble)?;
    let program = fixtures::built("worker.js")?;
    page.server.replace("worker.js", [SLOW_DISK.as_bytes(), &program].concat());
    page.open("").await?;
    Ok(medium)
}

#[browser_test(needs(Need::Full), alone)]
async fn reading_is_canceled_at_any_time(page: &Page) -> Step {
    page.before_everything(include_str!("../../../src/bin/watch.js"))?;
    let medium = on_a_slow_disk(page, "given-up.nettrace").await?;
    for share in GIVEN_UP_AT {
        page.run("seen.share = 0", []).await?;
        let field = page.field_with(&medium).await?.to_json()?;
        let ms = page.run_async(include_str!("../../../src/bin/cancel.js"), [field, json!(share)]).await?;
        let ms = ms.as_f64().ok_or_else(|| Trouble(format!("it was open before {share} of it were read")))?;
        assert!(ms < MAX_MS, "{ms} ms at {share}");
    }
    // Nothing of it remains.
    page.open_trace(&fixtures::unpacked("short-net10.nettrace")?).await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    Ok(())
}

/// Older engines can't read a file into existing memory.
#[browser_test]
async fn file_without_stream_support_is_read_in_slices(page: &Page) -> Step {
    let program = fixtures::built("worker.js")?;
    page.server.replace("worker.js", [b"delete self.ReadableStreamBYOBReader;\n", program.as_slice()].concat());
    page.open("").await?;
    page.open_trace(&fixtures::unpacked("orders-net31.nettrace")?).await?;
    page.events_when("26,800").await?;
    // Payloads are read from the file.
    page.type_filter("nowhere-to-be-found").await?;
    page.matches_when("0").await
}

/// Returns what the page shows of a trace: the number of events, and the first rows.
async fn first_rows(page: &Page) -> Step<(String, String)> {
    page.open("").await?;
    page.open_trace(&fixtures::unpacked("orders-net31.nettrace")?).await?;
    page.events_when("26,800").await?;
    page.click("tab-events").await?;
    page.text_when("events", |text| text.lines().count() > 20).await?;
    page.until_still().await?;
    Ok((page.text("event-count").await?, page.text("events").await?))
}

#[browser_test]
async fn further_workers_read_the_same_trace(page: &Page) -> Step {
    page.count_regions_read()?;
    let alone = first_rows(page).await?;
    assert_eq!(page.regions_read().await?, 0);
    page.use_region_workers(2)?;
    assert_eq!(first_rows(page).await?, alone);
    assert!(page.regions_read().await? > 0);
    Ok(())
}

/// Typed text stays while more of the trace is being read.
#[browser_test(alone)]
async fn filter_typed_while_reading_is_kept(page: &Page) -> Step {
    let medium = on_a_slow_disk(page, "typed-meanwhile.nettrace").await?;
    page.open_trace(&medium).await?;
    page.text_when("still-reading", |text| !text.is_empty()).await?;
    let before = page.text_when("event-count", |text| !text.is_empty()).await?;
    page.press("/").await?;
    page.until("the field has the focus", "return document.activeElement.dataset.testid === 'search'").await?;
    page.press("provider:").await?;
    page.text_when("event-count", |text| text != before).await?;
    page.until_still().await?;
    assert_eq!(page.typed_filter().await?, "provider:");
    page.press("Workload-Orders").await?;
    page.chips_when(&["provider:Workload-Orders"]).await?;
    Ok(())
}

/// Returns the worker's program with a maximum memory.
fn with_memory(most_bytes: usize) -> Step<Vec<u8>> {
    const PAGE_BYTES: usize = 64 * 1024;
    const MEMORY: u8 = 5;
    let program = fixtures::built("worker_bg.wasm")?;
    // After the header, sections with their numbers and lengths.
    let mut at = 8;
    while program.get(at).is_some_and(|section| *section != MEMORY) {
        let (length, content) = number_at(&program, at + 1);
        at = content + length;
    }
    let (length, content) = number_at(&program, at + 1);
    // One memory with flags and its initial number of pages.
    let (first_pages, _) = number_at(&program, content + 2);
    let (mut memory, has_most) = (vec![1], 1);
    memory.push(has_most);
    for mut pages in [first_pages, most_bytes / PAGE_BYTES] {
        while pages >= 0x80 {
            memory.push(0x80 | (pages & 0x7f) as u8);
            pages >>= 7;
        }
        memory.push(pages as u8);
    }
    let section = [&[MEMORY, memory.len() as u8], memory.as_slice()].concat();
    Ok([&program[..at], section.as_slice(), &program[content + length..]].concat())
}

/// Parses a LEB128 number, and returns its end.
fn number_at(bytes: &[u8], mut at: usize) -> (usize, usize) {
    let (mut value, mut shift) = (0, 0);
    loop {
        value |= usize::from(bytes[at] & 0x7f) << shift;
        (at, shift) = (at + 1, shift + 7);
        if bytes[at - 1] & 0x80 == 0 {
            return (value, at);
        }
    }
}

async fn open_with_memory(page: &Page, most_bytes: usize, trace: &std::path::Path) -> Step {
    page.server.replace("worker_bg.wasm", with_memory(most_bytes)?);
    page.open("").await?;
    page.drop_file(trace).await
}

#[browser_test]
async fn out_of_memory_is_reported_and_page_keeps_working(page: &Page) -> Step {
    // The reserved headroom takes 32 MiB.
    open_with_memory(page, 36 << 20, &fixtures::unpacked("orders-net31.nettrace")?).await?;
    let message = page.text_when("failure-message", |text| !text.is_empty()).await?;
    assert!(message.contains("memory"), "{message}");
    assert_eq!(page.find("failed").await?.attr("data-code").await?.as_deref(), Some("OutOfMemory"));
    page.find("choose-file").await?;
    Ok(())
}

#[browser_test(needs(Need::RealTraces))]
async fn little_memory_indexes_part_of_trace(page: &Page) -> Step {
    let traces = fixtures::real_traces();
    let firehose = fixtures::unzstd(&traces.join("firehose-net31.nettrace.zst"))?;
    // Enough events for half of the rows to be useful.
    let large = page.folder().join("twice.nettrace");
    xtask::synth::run(&firehose, Size::Times(2), &large).map_err(Trouble)?;
    open_with_memory(page, 140 << 20, &large).await?;
    // All events are counted; the page shows the indexed part.
    let part = page.text_when("part", |text| !text.is_empty()).await?;
    let all = page.text_when("event-count", |text| !text.is_empty()).await?;
    assert!(number_in(&all) > 5_000_000 && part.contains(&format!("of {all}")), "{part}");

    // Another part can be chosen.
    page.click("change-part").await?;
    for (field, seconds) in [("part-from", "2"), ("part-to", "3")] {
        let fill = "const field = document.querySelector(`[data-testid=${arguments[0]}]`);
            field.value = arguments[1];
            field.dispatchEvent(new Event('input', { bubbles: true }));";
        page.run(fill, [json!(field), json!(seconds)]).await?;
    }
    let size = page.text_when("part-size", |text| text.ends_with("OK")).await?;
    if can_look() {
        none(violations(page, "the choice of a part").await?)?;
    }
    page.click("index-part").await?;
    let part = page.text_when("part", |text| text.starts_with("2.000–3.000 s")).await?;
    let rows = number_in(&part.replace("2.000–3.000 s", ""));
    let estimate = number_in(&size);
    assert!(rows > 0 && rows.abs_diff(estimate) < estimate / 4, "{part}; {size}");
    page.press("3").await?;
    page.text_when("events-total", |text| number_in(text) == rows).await?;
    Ok(())
}

/// Returns the first number in a text.
fn number_in(text: &str) -> u64 {
    let digits = text.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    let end = digits.find(|letter: char| !letter.is_ascii_digit() && letter != ',').unwrap_or(digits.len());
    digits[..end].replace(',', "").parse().unwrap_or(0)
}

/// Maximum number of elements that the page may add in one task.
const ELEMENTS_AT_ONCE: u64 = 400;

/// Script that counts elements added in one task: observers are called when the task ends. Moved elements aren't
/// counted.
const COUNT_ELEMENTS: &str = "
    window.together = [];
    const known = new WeakSet(document.getElementsByTagName('*'));
    new MutationObserver((changes) => {
      const elements = new Set();
      for (const { addedNodes } of changes)
        for (const node of addedNodes)
          if (node instanceof Element) [node, ...node.getElementsByTagName('*')].forEach((one) => elements.add(one));
      together.push([...elements].filter((one) => !known.has(one) && known.add(one)).length);
    }).observe(document.body, { childList: true, subtree: true });";

#[browser_test]
async fn workspace_is_rendered_in_parts(page: &Page) -> Step {
    page.open("").await?;
    page.run(COUNT_ELEMENTS, []).await?;
    page.open_trace(&fixtures::unpacked("orders-net31.nettrace")?).await?;
    page.text_when("hot-function", |text| !text.is_empty()).await?;
    page.text_when("summary-collection", |text| !text.is_empty()).await?;
    let together = page.run("return window.together", []).await?;
    let parts: Vec<u64> = together.as_array().into_iter().flatten().filter_map(|part| part.as_u64()).collect();
    assert!(parts.iter().sum::<u64>() > ELEMENTS_AT_ONCE, "the observer saw the workspace: {parts:?}");
    assert!(parts.iter().all(|part| *part <= ELEMENTS_AT_ONCE), "{parts:?}");
    let panels = page.run("return document.querySelectorAll('#panel > *').length", []).await?;
    assert_eq!(panels, 1, "only the open tab has content");
    Ok(())
}

/// Large enough for seconds of reading; traces that load in less than two are shown only when complete.
const LARGE: Size = Size::Bytes(1_000_000_000);

/// Script that scrolls, focuses and expands; `held` returns whether the state is unchanged.
const HOLD_ON: &str = "
    const find = (selector) => document.querySelector(selector);
    const [tracks, rows] = [find('.tracks'), find('[data-testid=events] .viewport')];
    const head = find('[data-testid=tracks] [role=treeitem]');
    const [workspace, lanes] = [find('[data-testid=workspace]'), find('[data-testid=lanes]')];
    // The row, not the position of the scroll bar, which changes with the number of rows.
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

#[browser_test(needs(Need::Full))]
async fn large_trace_is_usable_while_reading(page: &Page) -> Step {
    let small = fixtures::unpacked("orders-net31.nettrace")?;
    let large = page.folder().join("large.nettrace");
    xtask::synth::run(&small, LARGE, &large).map_err(Trouble)?;
    page.open("").await?;
    page.open_trace(&large).await?;
    page.text_when("still-reading", |text| text.contains("% of")).await?;
    let events = |text: &str| text.replace(',', "").parse::<u64>().unwrap_or(0);
    let before = events(&page.text_when("event-count", |text| !text.is_empty()).await?);
    assert!(before > 0, "something is shown");
    // A selection made now stays.
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
    Ok(())
}
