//! Unresponsive worker: a banner appears, the user can wait, and a new worker restores the view.

use std::time::Duration;
use traceglass_e2e::{Need, Page, Step, browser_test};

/// Script that shortens the interval of the checks to a tenth.
const IMPATIENCE: &str = "
    const every = window.setInterval;
    window.setInterval = (look, ms, ...rest) => every(look, ms === 5000 ? 500 : ms, ...rest);";

/// Opens the filtered events of the orders app while the worker is busy, and waits for the banner.
async fn open_silent(page: &Page, before: &str) -> Step {
    page.prepare_busy_worker_with(before)?;
    page.open_orders().await?;
    page.press("3").await?;
    page.events_when("26,800").await?;
    page.until_still().await?;
    page.be_busy().await?;
    page.pick("pick-provider", "Workload-Orders").await?;
    let shown = "return document.querySelector('[data-testid=silence]')?.textContent.includes('Still working after 20 seconds')";
    page.until_within(Duration::from_secs(60), "the silence is shown", shown).await?;
    page.screenshot("silence").await?;
    Ok(())
}

#[browser_test(needs(Need::Full))]
async fn unresponsive_banner_is_visible_until_answer(page: &Page) -> Step {
    open_silent(page, "").await?;
    page.go_on().await?;
    page.events_when("586").await?;
    page.until("nothing is shown any more", "return !document.querySelector('[data-testid=silence]')").await?;
    Ok(())
}

#[browser_test]
async fn unresponsive_worker_is_replaced_and_view_restored(page: &Page) -> Step {
    open_silent(page, IMPATIENCE).await?;
    page.click("give-up").await?;
    page.text_when("failure-message", |text| text.contains("it wasn't responding")).await?;
    assert_eq!(page.find("failed").await?.attr("data-code").await?.as_deref(), Some("Silent"));
    page.go_on().await?;
    page.click("retry").await?;
    page.chips_when(&["Provider Workload-Orders"]).await?;
    page.events_when("586").await?;
    assert!(page.hash().await?.contains("/events?"), "the same tab");
    Ok(())
}
