//! Traces that are still being recorded.

use serde_json::json;
use traceglass_e2e::{Need, Page, Step, browser_test, fixtures, number};

/// Script that puts the first bytes of a trace into the page's own file system, and makes the picker return it.
/// `grow(share)` appends small pieces until a share of the trace is recorded.
const RECORD: &str = "
    const trace = new Uint8Array(await (await fetch('orders.nettrace')).arrayBuffer());
    const folder = await navigator.storage.getDirectory();
    const handle = await folder.getFileHandle('orders.nettrace', { create: true });
    let written = 0;
    const append = async (end) => {
      const writer = await handle.createWritable({ keepExistingData: true });
      await writer.seek(written);
      await writer.write(trace.slice(written, end));
      await writer.close();
      written = end;
    };
    await append(Math.floor(trace.length * 0.1));
    globalThis.showOpenFilePicker = async () => [handle];
    globalThis.grow = async (share) => {
      const end = Math.floor(trace.length * share);
      for (; written < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
        await append(Math.min(end, written + 60_001));
      }
    };
    globalThis.growing = Promise.resolve();";

/// Time while the view must stand still.
const STANDSTILL_MS: u32 = 1_500;

async fn events(page: &Page) -> Step<u64> {
    number(&page.text_when("event-count", |text| !text.is_empty()).await?)
}

#[browser_test(needs(Need::FileHandles))]
async fn recorded_trace_is_followed_to_its_end(page: &Page) -> Step {
    let trace = std::fs::read(fixtures::unpacked("orders-net31.nettrace")?).map_err(|error| error.to_string())?;
    page.server.replace("orders.nettrace", trace);
    page.open("").await?;
    page.run_async(RECORD, []).await?;
    page.run("growing = grow(0.5)", []).await?;
    page.click("choose-file").await?;
    page.text_when("recording", |text| text.contains("Method names arrive when the recording ends.")).await?;
    page.text_when("recording-time", |text| text.starts_with("Recording · ")).await?;
    let first = events(page).await?;
    page.run_async("await growing", []).await?;
    page.run("growing = grow(0.6)", []).await?;
    page.text_when("event-count", |text| number(text).is_ok_and(|events| events > first)).await?;
    page.screenshot("recording").await?;

    page.click("pause-recording").await?;
    page.text_when("recording-time", |text| text.starts_with("Paused at ")).await?;
    page.run_async("await growing", []).await?;
    let paused = events(page).await?;
    page.run("growing = grow(0.7)", []).await?;
    page.run_async(
        "await growing; await new Promise((resolve) => setTimeout(resolve, arguments[0]))",
        [json!(STANDSTILL_MS)],
    )
    .await?;
    assert_eq!(events(page).await?, paused);
    page.click("pause-recording").await?;
    page.text_when("event-count", |text| number(text).is_ok_and(|events| events > paused)).await?;

    page.run("grow(1)", []).await?;
    page.text_when("event-count", |text| text == "26,800").await?;
    page.until("the recording has ended", "return !document.querySelector('[data-testid=recording]')").await?;
    page.text_when("status-time", |text| text.starts_with("opened in")).await?;
    // Payloads are read from what was stored.
    page.press("3").await?;
    page.click("event-name").await?;
    page.text_when("detail-name", |text| !text.is_empty()).await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}
