//! One filter for all panels: a filter from any panel applies to all others, and a link restores it.

use traceglass_e2e::{Page, Step, browser_test};

/// Drags with the mouse over the timeline, from `from` to `to` pixels right of the middle.
async fn drag_range(page: &Page, from: i64, to: i64) -> Step {
    let lanes = page.find("lanes").await?;
    let drag = page.pointer();
    let drag = drag.move_to_element_with_offset(&lanes, from, 0).click_and_hold();
    drag.move_by_offset((to - from) / 2, 0).move_by_offset(to - from - (to - from) / 2, 0).release().perform().await?;
    Ok(())
}

#[browser_test]
async fn dragged_range_filters_every_panel(page: &Page) -> Step {
    page.open_orders().await?;
    page.until_still().await?;
    drag_range(page, -300, 100).await?;
    let matches = page.text_when("matches", |text| text != "26,800" && !text.is_empty()).await?;
    page.press("3").await?;
    page.text_when("events-total", |text| text == matches).await?;
    page.press("2").await?;
    let narrow = page.text_when("stacks-total", |text| text.contains(" s")).await?;
    assert!(page.hash().await?.contains("r0="), "the range is in the address");
    page.click("clear-filters").await?;
    page.text_when("matches", |text| text == "26,800").await?;
    page.text_when("stacks-total", |text| text.contains(" s") && text != narrow).await?;
    Ok(())
}

#[browser_test]
async fn thread_filters_every_panel(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("3").await?;
    page.pick("pick-thread", "6712").await?;
    page.text_when("matches", |text| text == "1,135").await?;
    page.text_when("events-total", |text| text == "1,135").await?;
    Ok(())
}

#[browser_test]
async fn event_sort_order_is_in_url(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("3").await?;
    page.text_when("event-time", |text| text == "0.000637").await?;
    page.click("events-sort-time").await?;
    page.text_when("event-time", |text| text == "7.754020").await?;
    page.pick("sort-by-field", "AllocationAmount").await?;
    page.text_when("event-payload", |text| text.starts_with("AllocationAmount=102408, ")).await?;
    page.click("sort-field").await?;
    page.text_when("event-payload", |text| text.starts_with("AllocationAmount=260904, ")).await?;
    assert!(page.hash().await?.contains("sort=-field.AllocationAmount"), "the order is in the address");
    let sorted = "return document.querySelector('[data-testid=sort-field]').parentElement.ariaSort === 'descending'";
    page.until("the head of the column says so", sorted).await?;
    Ok(())
}

#[browser_test]
async fn event_shows_decoded_payload_and_stack(page: &Page) -> Step {
    page.open_an_order().await?;
    let details = page.text_when("details", |text| text.contains("customer-0")).await?;
    assert!(details.contains("customer"), "fields have names: {details}");
    page.text_when("stack-frame", |text| !text.is_empty()).await?;
    // Its activity is a button that filters to events of the same activity.
    page.text_when("filter-to-label", |text| text.starts_with("/#6702/1/")).await?;
    page.click("filter-to-label").await?;
    page.text_when("events-total", |text| text == "3").await?;
    page.find("chip-label-Activity").await?;
    assert!(page.hash().await?.contains("&l=activity."), "the activity is in the address");
    Ok(())
}

/// What `RanOnThread` answers for the time of a wait.
#[browser_test]
async fn span_shows_what_ran_on_its_thread(page: &Page) -> Step {
    page.open_orders().await?;
    page.click("tab-contention").await?;
    page.click("table-waits").await?;
    // Rows move until the charts are drawn.
    page.until_still().await?;
    page.click("cell-thread").await?;
    let shown = page.text_when("ran-on-thread", |text| text.starts_with("Where the time went\n354 ms")).await?;
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[2..5], ["Waiting for a lock", "354 ms", "100%"], "states: {shown}");
    assert!(shown.contains("Monitor.Enter") && shown.contains("Contention/Start"), "{shown}");
    // A function is a link.
    page.run("document.querySelector('[data-testid=ran-on-thread] .link').click()", []).await?;
    page.text_when("detail-name", |text| text.contains("Enter")).await?;
    Ok(())
}

#[browser_test]
async fn flame_graph_names_function_under_pointer(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("2").await?;
    page.text_when("function-name", |text| !text.is_empty()).await?;
    let canvas = page.find("flame-canvas").await?;
    let (_, height) = canvas.rect().await.map(|rect| (rect.width as i64, rect.height as i64))?;
    // The second row, below the threads.
    page.pointer().move_to_element_with_offset(&canvas, -300, 30 - height / 2).perform().await?;
    page.text_when("flame-tip", |text| text.contains('.') && text.contains('%')).await?;
    Ok(())
}

#[browser_test]
async fn metadata_lists_providers_events_and_fields(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("4").await?;
    page.find("file-pane").await?;
    page.click("part-schemas").await?;
    assert!(page.hash().await?.contains("&part=schemas"), "the part is in the address");
    let search = page.find("find-schema").await?;
    search.send_keys("OrderStart").await?;
    let panel = page.text_when("schemas", |text| text.contains("OrderStart") && text.contains("280")).await?;
    assert!(panel.contains("Workload-Orders"), "{panel}");
    Ok(())
}

#[browser_test]
async fn reload_restores_view(page: &Page) -> Step {
    page.open("").await?;
    page.click("sample-gc").await?;
    page.text_when("event-count", |text| text == "116,276").await?;
    drag_range(page, -200, 0).await?;
    page.press("3").await?;
    let total = page.text_when("events-total", |text| text != "116,276" && !text.is_empty()).await?;
    let hash = page.hash().await?;
    page.reload().await?;
    page.text_when("events-total", |text| text == total).await?;
    assert_eq!(page.hash().await?, hash);
    Ok(())
}
