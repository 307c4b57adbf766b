//! A reader that does not answer: the page says so, waits as long as its user does, and shows the same again with another one.

use std::time::Duration;
use traceglass_e2e::{Page, Step, browser_test};

/// Looks ten times as often whether the worker answers.
const IMPATIENCE: &str = "
    const every = window.setInterval;
    window.setInterval = (look, ms, ...rest) => every(look, ms === 5000 ? 500 : ms, ...rest);";

/// The orders program's events, filtered while the worker is busy: the page has to say that it waits.
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

#[browser_test]
async fn long_silence_is_shown_until_an_answer_comes(page: &Page) -> Step {
    open_silent(page, "").await?;
    page.go_on().await?;
    page.events_when("586").await?;
    page.until("nothing is shown any more", "return !document.querySelector('[data-testid=silence]')").await?;
    Ok(())
}

#[browser_test]
async fn a_silent_reader_is_stopped_and_another_one_shows_the_same_view(page: &Page) -> Step {
    open_silent(page, IMPATIENCE).await?;
    page.click("give-up").await?;
    page.text_when("failure-message", |text| text.contains("it wasn’t responding")).await?;
    assert_eq!(page.find("failed").await?.attr("data-code").await?.as_deref(), Some("Silent"));
    page.go_on().await?;
    page.click("retry").await?;
    page.chips_when(&["Provider Workload-Orders"]).await?;
    page.events_when("586").await?;
    assert!(page.hash().await?.contains("/events?"), "the same tab");
    Ok(())
}
