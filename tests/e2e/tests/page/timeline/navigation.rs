//! Navigation by keys, wheel and touch: the URL contains the visible range, and a selected range filters the panels.

use serde_json::json;
use std::time::{Duration, Instant};
use thirtyfour::prelude::*;
use traceglass_e2e::{Need, Page, Step, Trouble, browser_test};

/// Returns the nanoseconds of two parameters of the URL.
fn span_in(hash: &str, keys: [&str; 2]) -> Option<(i64, i64)> {
    let value = |key| hash.split(['?', '&']).find_map(|part| part.strip_prefix(key)?.strip_prefix('=')?.parse().ok());
    Some((value(keys[0])?, value(keys[1])?))
}

/// Waits until the URL contains a time range that satisfies `is_right` and no longer changes.
async fn shown_when(page: &Page, what: &str, is_right: impl Fn((i64, i64)) -> bool) -> Step<(i64, i64)> {
    let start = Instant::now();
    let mut before = None;
    loop {
        let shown = span_in(&page.hash().await?, ["t0", "t1"]);
        if let Some(shown) = shown.filter(|shown| before == Some(*shown) && is_right(*shown)) {
            return Ok(shown);
        }
        before = shown;
        if start.elapsed() > Duration::from_secs(20) {
            return Err(Trouble(format!("{what}: shown is {shown:?}")));
        }
        // Longer than the timeline waits before it updates the URL.
        tokio::time::sleep(Duration::from_millis(400)).await;
    }
}

fn length((start, end): (i64, i64)) -> i64 {
    end - start
}

/// Turns the wheel over the middle of the tracks. `modifiers`: 2 is Control, 8 is Shift.
async fn wheel(page: &Page, modifiers: u32, pixels: f64) -> Step {
    let lanes = page.find("lanes").await?.rect().await?;
    page.wheel((lanes.x + lanes.width / 2.0, lanes.y + lanes.height / 2.0), modifiers, pixels).await
}

#[browser_test]
async fn keys_zoom_pan_and_select_range(page: &Page) -> Step {
    page.open_orders().await?;
    page.find("lanes").await?;
    page.press("www").await?;
    let near = shown_when(page, "W zooms in", |_| true).await?;
    page.press("d").await?;
    let later = shown_when(page, "D moves on", |shown| shown.0 > near.0).await?;
    assert!((length(later) - length(near)).abs() <= 2, "moving does not zoom: {near:?} {later:?}");
    page.press("s").await?;
    shown_when(page, "S zooms out", |shown| length(shown) > length(later)).await?;
    page.press("w").await?;
    let marked = shown_when(page, "W zooms in again", |shown| length(shown) <= length(later) + 2).await?;

    page.press("m").await?;
    let matches = page.text_when("matches", |text| text != "26,800" && !text.is_empty()).await?;
    assert_eq!(span_in(&page.hash().await?, ["r0", "r1"]), Some(marked), "what is shown is the range");
    page.press("3").await?;
    page.text_when("events-total", |text| text == matches).await?;
    page.press("2").await?;
    page.text_when("stacks-total", |text| text.contains("s")).await?;

    page.press("0").await?;
    let start = Instant::now();
    while span_in(&page.hash().await?, ["t0", "t1"]).is_some() {
        assert!(start.elapsed() < Duration::from_secs(20), "0 shows the whole trace");
    }
    page.press(Key::Escape).await?;
    page.text_when("matches", |text| text == "26,800").await?;
    Ok(())
}

#[browser_test]
async fn wheel_zooms_at_pointer_pans_and_scrolls(page: &Page) -> Step {
    page.open_orders().await?;
    page.find("lanes").await?;
    wheel(page, 2, -400.0).await?;
    let near = shown_when(page, "Control and the wheel zoom in", |_| true).await?;
    wheel(page, 8, 300.0).await?;
    let later = shown_when(page, "Shift and the wheel move on", |shown| shown.0 > near.0).await?;
    assert!((length(later) - length(near)).abs() <= 2, "moving does not zoom: {near:?} {later:?}");
    wheel(page, 2, 100.0).await?;
    let far = shown_when(page, "Control and the wheel zoom out", |shown| length(shown) > length(later)).await?;
    let (before, after) = (later.0 + length(later) / 2, far.0 + length(far) / 2);
    assert!((before - after).abs() < length(far) / 50, "the pointer stays over its time: {later:?} {far:?}");
    wheel(page, 0, 300.0).await?;
    page.until("the tracks have scrolled", "return document.querySelector('.tracks').scrollTop > 0").await?;
    assert_eq!(span_in(&page.hash().await?, ["t0", "t1"]), Some(far), "the plain wheel only scrolls");
    Ok(())
}

/// Puts fingers on the page, or moves them, with the browser's own gestures; only the driver of Chromium supports it.
async fn fingers(page: &Page, kind: &str, places: &[(f64, f64)]) -> Step {
    let points: Vec<_> = places.iter().zip(0..).map(|((x, y), id)| json!({ "x": x, "y": y, "id": id })).collect();
    let event = json!({ "type": kind, "touchPoints": points });
    page.browser().cdp().send_raw("Input.dispatchTouchEvent", event).await?;
    Ok(())
}

#[browser_test(needs(Need::Fingers))]
async fn fingers_pan_zoom_and_open_menu(page: &Page) -> Step {
    page.open_orders().await?;
    let lanes = page.find("lanes").await?.rect().await?;
    let (left, middle, y) = (lanes.x + 100.0, lanes.x + lanes.width / 2.0, lanes.y + 60.0);

    fingers(page, "touchStart", &[(middle - 50.0, y), (middle + 50.0, y)]).await?;
    for apart in [80.0, 120.0, 160.0, 200.0] {
        fingers(page, "touchMove", &[(middle - apart, y), (middle + apart, y)]).await?;
    }
    fingers(page, "touchEnd", &[]).await?;
    let near = shown_when(page, "two fingers that part zoom in", |_| true).await?;

    fingers(page, "touchStart", &[(middle, y)]).await?;
    for step in 1..=10 {
        fingers(page, "touchMove", &[(middle - 20.0 * f64::from(step), y)]).await?;
    }
    fingers(page, "touchEnd", &[]).await?;
    let later = shown_when(page, "a finger to the left shows what is later", |shown| shown.0 > near.0).await?;
    assert!((length(near) - length(later)).abs() <= 2, "moving does not zoom: {near:?} {later:?}");

    fingers(page, "touchStart", &[(left, y)]).await?;
    page.text_when("lane-from", |text| text.starts_with("Start range here")).await?;
    fingers(page, "touchEnd", &[]).await?;
    page.click("lane-from").await?;
    page.text_when("range-note", |text| text.contains("/s")).await?;
    let range = page.hash().await?;
    assert!(range.contains("r0="), "{range}");
    Ok(())
}

#[browser_test]
async fn right_click_opens_timeline_menu(page: &Page) -> Step {
    page.open_orders().await?;
    let (x, y) = page.below_top("lanes", 60.0).await?;
    page.right_click((x, y)).await?;
    page.find("lane-from").await?;
    assert_eq!(page.run("return document.querySelector('[data-testid=details]') === null", []).await?, true);
    page.click("lane-from").await?;
    page.text_when("range-note", |text| text.contains("/s")).await?;
    page.right_click((x + 200.0, y)).await?;
    page.click("lane-until").await?;
    page.until("both ends are in the address", "return /r0=/.test(location.hash) && /r1=/.test(location.hash)").await?;
    page.right_click((x + 100.0, y)).await?;
    page.text_when("lane-note-range", |text| text.starts_with("Add note to this range")).await?;
    page.click("lane-no-range").await?;
    page.until("the range is gone", "return !/r0=/.test(location.hash)").await
}
