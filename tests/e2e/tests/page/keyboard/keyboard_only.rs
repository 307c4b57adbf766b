//! A user answers a question with the keyboard only, and shares the answer.

use thirtyfour::Key;
use traceglass_e2e::{Page, Step, browser_test};

/// Returns the details of the selected event.
async fn selected(page: &Page) -> Step<(String, String, String)> {
    let name = page.text_when("detail-name", |text| !text.is_empty()).await?;
    let time = page.text("detail-time").await?;
    let frame = page.text_when("stack-frame", |text| !text.is_empty()).await?;
    Ok((name, time, frame))
}

#[browser_test]
async fn slowest_request_is_found_and_shared_by_keyboard(page: &Page) -> Step {
    page.open("").await?;
    page.tab_to("sample-web").await?;
    page.press(Key::Enter).await?;
    page.text_when("matches", |text| !text.is_empty()).await?;

    page.press("/").await?;
    page.until("the search has the focus", "return document.activeElement.dataset.testid === 'search'").await?;
    page.press("provider:System.Net.Http event=RequestStart").await?;
    page.press(Key::Enter).await?;
    page.text_when("matches", |text| text == "219").await?;
    page.press(Key::Tab).await?;
    page.press("3").await?;
    page.text_when("events-total", |text| text == "219").await?;
    page.tab_to("events-sort-duration").await?;
    page.press(Key::Enter).await?;
    // Sorted by duration; the event selected by the search stays visible.
    let sorted = "return document.querySelector('[aria-sort=descending] [data-testid=events-sort-duration]') !== null";
    page.until("they are sorted", sorted).await?;

    page.tab_back_to("events").await?;
    page.press(Key::Home).await?;
    let first =
        "return document.querySelector('[aria-rowindex=\"2\"] [data-testid=event-duration]')?.innerText === '2.22 s'";
    page.until("the longest is the first", first).await?;
    page.press(Key::Enter).await?;
    let shown = selected(page).await?;
    page.screenshot("keyboard-alone").await?;
    assert!(shown.0.contains("RequestStart"), "{shown:?}");

    page.watch_clipboard().await?;
    page.press_with(Key::Control, "k").await?;
    page.find("palette-field").await?;
    page.press("copy link").await?;
    page.press(Key::Enter).await?;
    let link = page.copied().await?;
    let hash = link.split_once('#').map(|(_, hash)| hash.to_owned());

    page.browser().goto("about:blank").await?;
    page.open(&hash.unwrap_or_default()).await?;
    page.text_when("matches", |text| text == "219").await?;
    page.text_when("event-duration", |text| text == "2.22 s").await?;
    assert_eq!(selected(page).await?, shown);
    Ok(())
}
