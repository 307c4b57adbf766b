//! Columns of the event table: moving, resizing, hiding, and copying.

use thirtyfour::prelude::*;
use traceglass_e2e::{Page, Step, browser_test, fixtures};

/// Waits until the visible column headings are these, from left to right.
async fn heads_when(page: &Page, wanted: &str) -> Step {
    let script = format!(
        "return [...document.querySelectorAll('[data-testid=events] [role=columnheader]')]
            .filter(head => head.offsetWidth).map(head => head.innerText.trim()).join('|') === '{wanted}'"
    );
    page.until(&format!("heads are {wanted}"), &script).await
}

/// Returns the widths of a column heading and of the first cell below it, in CSS pixels.
async fn widths(page: &Page, head: &str, cell: &str) -> Step<(i64, i64)> {
    let script = format!(
        "return [document.getElementById('{head}'), document.querySelector('[data-testid={cell}]')]
            .map(one => Math.round(one.getBoundingClientRect().width))"
    );
    let widths = page.run(&script, []).await?;
    let width = |at: usize| widths.get(at).and_then(serde_json::Value::as_i64).unwrap_or(0);
    Ok((width(0), width(1)))
}

async fn drag(page: &Page, from: &WebElement, x: i64) -> Step {
    let drag = page.pointer().move_to_element_center(from).click_and_hold();
    drag.move_by_offset(x / 2, 0).move_by_offset(x - x / 2, 0).release().perform().await?;
    Ok(())
}

async fn open_events(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("3").await?;
    page.text_when("event-time", |text| text == "0.000637").await?;
    Ok(())
}

#[browser_test]
async fn columns_are_moved_and_resized_by_pointer_and_keys(page: &Page) -> Step {
    open_events(page).await?;
    heads_when(page, "Time, s|Thread|Provider|Event|Level|Duration|Activity, labels|Payload").await?;
    let (before, cell) = widths(page, "head-thread", "event-thread").await?;
    assert_eq!(before, cell);
    let grip = page.browser().query(By::Css("#head-thread .grip")).first().await?;
    drag(page, &grip, 60).await?;
    let after = widths(page, "head-thread", "event-thread").await?;
    assert_eq!(after, (before + 60, before + 60));
    page.until("the width is in the address", &format!("return location.hash.includes('colw=thread-{}')", before + 60))
        .await?;
    // A dragged heading moves to the position of the one under the pointer, and doesn't sort.
    let head = page.find("sort-event").await?;
    let way = "const middle = id => {
            const area = document.querySelector(`[data-testid=${id}]`).getBoundingClientRect();
            return area.x + area.width / 2;
        };
        return Math.round(middle('sort-time') - middle('sort-event'))";
    let way = page.run(way, []).await?.as_i64().unwrap_or(0);
    drag(page, &head, way).await?;
    heads_when(page, "Event|Time, s|Thread|Provider|Level|Duration|Activity, labels|Payload").await?;
    assert!(!page.hash().await?.contains("sort="));
    // The same by keys; the focus stays on the column.
    page.run("document.querySelector('[data-testid=sort-level]').focus()", []).await?;
    page.press_with(Key::Alt, Key::Left).await?;
    heads_when(page, "Event|Time, s|Thread|Level|Provider|Duration|Activity, labels|Payload").await?;
    page.until("the head keeps the focus", "return document.activeElement?.dataset.testid === 'sort-level'").await?;
    page.until(
        "it is announced",
        "return document.querySelector('[data-testid=announce]').textContent === 'Moved Level to column 4 of 8.'",
    )
    .await?;
    let (narrow, _) = widths(page, "head-level", "event-level").await?;
    page.press_with(Key::Shift, Key::Right).await?;
    assert_eq!(widths(page, "head-level", "event-level").await?, (narrow + 16, narrow + 16));
    // A field's column behaves like the others.
    page.pick("pick-column", "AllocationAmount").await?;
    heads_when(page, "Event|Time, s|Thread|Level|Provider|Duration|Activity, labels|AllocationAmount|Payload").await?;
    page.run("document.querySelector('[data-testid=sort-column]').focus()", []).await?;
    for _ in 0..7 {
        page.press_with(Key::Alt, Key::Left).await?;
        page.until("the head keeps the focus", "return document.activeElement?.dataset.testid === 'sort-column'")
            .await?;
    }
    heads_when(page, "AllocationAmount|Event|Time, s|Thread|Level|Provider|Duration|Activity, labels|Payload").await?;
    page.click("sort-column").await?;
    page.text_when("event-field", |text| text == "102408").await?;
    page.until("the order is in the address", "return location.hash.includes('cols=0.event.time.thread.level')")
        .await?;
    page.reload().await?;
    page.open_trace(&fixtures::unpacked("orders-net31.nettrace")?).await?;
    page.text_when("event-field", |text| text == "102408").await?;
    heads_when(page, "AllocationAmount|Event|Time, s|Thread|Level|Provider|Duration|Activity, labels|Payload").await?;
    assert_eq!(widths(page, "head-thread", "event-thread").await?, after);
    // The menu of a heading resets the columns.
    page.run("document.querySelector('[data-testid=sort-event]').focus()", []).await?;
    page.press_with(Key::Shift, Key::F10).await?;
    page.click("columns-reset").await?;
    heads_when(page, "Time, s|Thread|Provider|Event|Level|Duration|Activity, labels|AllocationAmount|Payload").await?;
    assert!(!page.hash().await?.contains("cols="));
    page.run("document.querySelector('[data-testid=sort-column]').focus()", []).await?;
    page.press(Key::Delete).await?;
    // Rows are still sorted by the hidden column.
    let heads = "Time, s|Thread|Provider|Event|Level|Duration|Activity, labels|Payload, by AllocationAmount";
    heads_when(page, heads).await?;
    Ok(())
}

#[browser_test]
async fn columns_are_hidden_and_shown_again(page: &Page) -> Step {
    open_events(page).await?;
    page.run("document.querySelector('[data-testid=sort-provider]').focus()", []).await?;
    page.press(Key::Delete).await?;
    heads_when(page, "Time, s|Thread|Event|Level|Duration|Activity, labels|Payload").await?;
    let is_beside = "return document.activeElement?.dataset.testid === 'sort-event'";
    page.until("the head beside it has the focus", is_beside).await?;
    let announced = "return document.querySelector('[data-testid=announce]').textContent === 'Column Provider hidden.'";
    page.until("it is announced", announced).await?;
    // From the menu of a heading, for a column that has moved.
    page.run("document.querySelector('[data-testid=sort-level]').focus()", []).await?;
    page.press_with(Key::Alt, Key::Left).await?;
    heads_when(page, "Time, s|Thread|Level|Event|Duration|Activity, labels|Payload").await?;
    let is_moved = "return document.activeElement?.dataset.testid === 'sort-level'";
    page.until("the moved head has the focus", is_moved).await?;
    page.run("document.querySelector('[data-testid=sort-time]').focus()", []).await?;
    page.press_with(Key::Shift, Key::F10).await?;
    page.click("column-remove").await?;
    let heads = "Thread|Level|Event|Duration|Activity, labels|Payload";
    heads_when(page, heads).await?;
    // Copied text has the visible order.
    page.watch_clipboard().await?;
    page.click("event-name").await?;
    page.press_with(Key::Control, "a").await?;
    page.text_when("selected-count", |text| text == "26,800 selected").await?;
    page.press_with(Key::Control, "c").await?;
    let copied = page.copied().await?;
    let mut lines = copied.lines();
    assert_eq!(lines.next(), Some("Thread\tLevel\tEvent\tDuration, s\tActivity, labels\tPayload"));
    assert_eq!(lines.count(), 26_800);
    // The URL contains it.
    page.until("the address says it", "return location.hash.includes('nocol=time.provider')").await?;
    page.reload().await?;
    page.open_trace(&fixtures::unpacked("orders-net31.nettrace")?).await?;
    page.text_when("events-total", |text| text == "26,800").await?;
    heads_when(page, heads).await?;
    page.pick("pick-column", "Provider").await?;
    heads_when(page, "Thread|Provider|Level|Event|Duration|Activity, labels|Payload").await?;
    page.run("document.querySelector('[data-testid=sort-event]').focus()", []).await?;
    page.press_with(Key::Shift, Key::F10).await?;
    page.click("columns-reset").await?;
    heads_when(page, "Time, s|Thread|Provider|Event|Level|Duration|Activity, labels|Payload").await?;
    page.until("the address says nothing", "return !/cols?=/.test(location.hash)").await?;
    page.pick("pick-column", "CPU number").await?;
    heads_when(page, "Time, s|Thread|Provider|Event|Level|Duration|Activity, labels|CPU number|Payload").await?;
    page.until("the added column is in the address", "return location.hash.includes('morecol=cpu')").await?;
    page.click("sort-cpu").await?;
    page.until("the order is in the address", "return location.hash.includes('sort=cpu')").await?;
    Ok(())
}
