//! Tab of an analysis: reading, sorting, filtering, copying, and navigating back.

use thirtyfour::prelude::*;
use traceglass_e2e::{Need, Page, Step, Trouble, browser_test, fixtures};
use xtask::synth::Size;

/// Number of repetitions of the bundled GC trace, for more than a million lock waits.
const REPEATED: u64 = 31;
const WAITS: &str = "1,030,936";
/// `aria-rowindex` of the last row, including the headings.
const LAST_ROW: &str = "1030937";

/// Opens the exceptions of the orders app's recording.
async fn open_exceptions(page: &Page) -> Step {
    page.open_orders().await?;
    page.text_when("tab-exceptions", |text| text.contains("76")).await?;
    page.click("tab-exceptions").await?;
    page.text_when("figure-count", |text| text == "76").await?;
    page.text_when("cell-type", |text| text == "System.FormatException").await?;
    Ok(())
}

/// Returns the sort order of a column heading.
async fn order_of(page: &Page, head: &str) -> Step<String> {
    let script = format!("return document.querySelector('[data-testid={head}]').parentElement.ariaSort");
    Ok(page.run(&script, []).await?.as_str().unwrap_or_default().to_owned())
}

#[browser_test]
async fn topic_row_filters_everything(page: &Page) -> Step {
    open_exceptions(page).await?;
    page.text_when("topic-verdict", |text| text.starts_with("74 exceptions of 4 types")).await?;
    page.text_when("topic-explanation", |text| text.starts_with("System.FormatException leads with 47 ")).await?;
    assert_eq!(page.text("topic-rows").await?, "4");
    assert_eq!(page.text("cell-count").await?, "47");
    page.screenshot("topic-exceptions").await?;
    page.click("cell-type").await?;
    page.press("t").await?;
    page.text_when("matches", |text| text == "47").await?;
    page.text_when("figure-count", |text| text == "47").await?;
    page.text_when("topic-verdict", |text| text.starts_with("47 exceptions of 1 type")).await?;
    // So does the tab, in as much room as before.
    page.text_when("tab-exceptions", |text| text.split_whitespace().last() == Some("47")).await?;
    let whole = "return document.querySelector('[data-testid=tab-exceptions]').title === '47 of 76'";
    page.until("the tab also names the whole", whole).await?;
    page.press("3").await?;
    page.text_when("events-total", |text| text == "47").await?;
    page.click("clear-filters").await?;
    page.click("tab-exceptions").await?;
    page.text_when("figure-count", |text| text == "76").await?;
    // Excluding a row excludes only events like it.
    page.click("cell-type").await?;
    page.press("x").await?;
    page.text_when("figure-count", |text| text == "29").await?;
    page.text_when("matches", |text| text == "26,753").await?;
    page.type_filter("provider:SampleProfiler").await?;
    page.text_when("topic-verdict", |text| text == "None of 76 exceptions match the filter.").await?;
    page.click("topic-clear-filters").await?;
    page.text_when("topic-verdict", |text| text.starts_with("74 exceptions of 4 types")).await?;
    Ok(())
}

#[browser_test]
async fn row_of_route_filters_to_what_its_requests_did(page: &Page) -> Step {
    page.open("").await?;
    page.open_trace(&fixtures::unpacked("web.nettrace")?).await?;
    page.click("tab-http").await?;
    page.click("table-routes").await?;
    page.text_when("cell-route", |text| text == "/legacy").await?;
    assert_eq!(page.text("cell-count").await?, "60");
    page.click("cell-route").await?;
    page.press("t").await?;
    page.text_when("figure-served", |text| text == "60").await?;
    page.text_when("chip-typed-0", |text| text.contains("route=\"GET /legacy\"")).await?;
    // Stacks have the threads that served the requests, not the background service.
    page.press("2").await?;
    page.text_when("stacks-total", |text| text.ends_with(" ms")).await?;
    let has = "const names = [...document.querySelectorAll('[data-testid=function-name]')].map((name) => name.innerText);
        return names.some((name) => name.includes('LegacyGateway')) && !names.some((name) => name.includes('PriceFeed'))";
    page.until("functions of the requests only", has).await?;
    // The details of a request filter to the same route.
    page.click("clear-filters").await?;
    page.click("filter-to-route").await?;
    page.text_when("chip-typed-0", |text| text.contains("route=\"GET /legacy\"")).await?;
    page.click("clear-filters").await?;
    page.click("without-filter-to-route").await?;
    page.text_when("chip-typed-0", |text| text.contains("-route=\"GET /legacy\"")).await?;
    Ok(())
}

#[browser_test]
async fn exception_has_details_timeline_position_and_stacks(page: &Page) -> Step {
    open_exceptions(page).await?;
    page.click("table-exceptions").await?;
    page.text_when("topic-rows", |text| text == "76").await?;
    page.text_when("cell-thread", |text| !text.is_empty()).await?;
    page.click("cell-message").await?;
    page.text_when("detail-name", |text| text == "Exception/Start").await?;
    let before = page.hash().await?;
    assert!(!before.contains("t0="), "{before}");
    page.press("l").await?;
    page.until("the timeline shows it", "return location.hash.includes('t0=')").await?;
    page.press_with(Key::Shift, Key::F10).await?;
    page.find("details-of-row").await?;
    page.watch_saving().await?;
    page.watch_clipboard().await?;
    page.click("copy-row").await?;
    page.until("it is copied", "return window.copied.split('\\t').length > 4").await?;
    page.press_with(Key::Shift, Key::F10).await?;
    page.click("range-of-row").await?;
    page.text_when("figure-count", |text| text == "1").await?;
    page.click("clear-filters").await?;
    page.text_when("figure-count", |text| text == "76").await?;
    page.click("topic-stacks").await?;
    page.text_when("stacks-total", |text| text.starts_with("76")).await?;
    page.until("their kind is in the address", "return location.hash.includes('of=Microsoft-Windows-DotNETRuntime.')")
        .await
}

#[browser_test]
async fn tables_are_sorted_copied_and_saved_completely(page: &Page) -> Step {
    open_exceptions(page).await?;
    page.watch_saving().await?;
    page.watch_clipboard().await?;
    assert_eq!(order_of(page, "report-sort-count").await?, "none");
    page.click("report-sort-count").await?;
    page.text_when("cell-count", |text| text == "47").await?;
    assert_eq!(order_of(page, "report-sort-count").await?, "descending");
    page.click("report-sort-count").await?;
    page.text_when("cell-count", |text| text == "1").await?;
    page.text_when("cell-type", |text| text == "System.IO.IOException").await?;
    assert_eq!(order_of(page, "report-sort-count").await?, "ascending");
    page.click("save-table").await?;
    page.until("it is saved", "return window.saved.startsWith('type,')").await?;
    let name = page.run("return window.savedAs", []).await?;
    assert!(name.as_str().is_some_and(|name| name.ends_with(".exceptions.types.csv")), "{name}");
    let first = page
        .run("return window.saved.split('\\n').slice(0, 2).map(line => line.split(',').slice(0, 2).join())", [])
        .await?;
    assert_eq!(first, serde_json::json!(["type,exceptions", "System.IO.IOException,1"]));
    page.click("table-exceptions").await?;
    page.text_when("topic-rows", |text| text == "76").await?;
    page.click("copy-table").await?;
    // A message may have several lines.
    page.until("it is copied", "return window.copied.trim().split('\\n').length >= 77").await
}

/// The search covers all rows, not only the visible ones; saving and links use it.
#[browser_test]
async fn rows_are_found_by_text(page: &Page) -> Step {
    open_exceptions(page).await?;
    page.watch_saving().await?;
    page.click("table-exceptions").await?;
    page.text_when("topic-rows", |text| text == "76").await?;
    page.click("find-rows").await?;
    page.press("formatexc").await?;
    page.text_when("topic-rows", |text| text == "47").await?;
    let said = "return document.querySelector('[data-testid=topic-rows]').parentElement.innerText";
    assert_eq!(page.run(said, []).await?, "47 of 76 rows");
    page.screenshot("topic-find").await?;
    page.click("save-table").await?;
    page.until("what is found is saved", "return (window.saved.match(/System.FormatException/g) ?? []).length >= 47")
        .await?;
    page.until("and nothing else", "return !window.saved.includes('IOException')").await?;
    page.until("the words are in the address", "return location.hash.includes('find=formatexc')").await?;
    Ok(())
}

/// Columns can be hidden and shown; a link restores them.
#[browser_test]
async fn table_columns_are_chosen(page: &Page) -> Step {
    page.open_sample("sample-web").await?;
    page.click("tab-exceptions").await?;
    page.text_when("cell-type", |text| !text.is_empty()).await?;
    let count = page.text_when("cell-count", |text| !text.is_empty()).await?;
    page.pick("pick-report-column", "Type").await?;
    page.until("it is hidden", "return !document.querySelector('[data-testid=cell-type]')").await?;
    page.text_when("cell-count", |text| text == count).await?;
    let hash = page.hash().await?;
    assert!(hash.contains("shown=") && !hash.contains("shown=type"), "{hash}");
    page.reload().await?;
    page.text_when("cell-count", |text| text == count).await?;
    page.until("it is still hidden", "return !document.querySelector('[data-testid=cell-type]')").await?;
    page.pick("pick-report-column", "Type").await?;
    page.text_when("cell-type", |text| !text.is_empty()).await?;
    page.text_when("cell-count", |text| text == count).await?;
    Ok(())
}

/// Columns of reports are moved and resized like those of events; a link restores them. In a narrow window they scroll
/// below the first one, together with their headings.
#[browser_test]
async fn report_columns_are_arranged_and_scroll(page: &Page) -> Step {
    open_exceptions(page).await?;
    page.run("document.querySelector('[data-testid=report-sort-type]').focus()", []).await?;
    page.press_with(Key::Alt, Key::Right).await?;
    page.until("it has moved", "return /shown=[^.&]+\\.type\\./.test(location.hash)").await?;
    let is_focused = "return document.activeElement?.dataset.testid === 'report-sort-type'";
    page.until("the heading keeps the focus", is_focused).await?;
    page.press_with(Key::Shift, Key::Right).await?;
    page.until("the width is in the address", "return location.hash.includes('widths=type-')").await?;
    page.press_with(Key::Shift, Key::F10).await?;
    page.click("columns-reset").await?;
    page.until("as before", "return !/shown=|widths=/.test(location.hash)").await?;
    page.browser().set_window_rect(0, 0, 520, 800).await?;
    let scrolls = "const grid = document.querySelector('[data-testid=report].wide');
        const view = grid?.querySelector('.viewport');
        if (!view) return false;
        view.scrollLeft = 120;
        const left = view.getBoundingClientRect().left;
        const starts = ['.row:not([hidden])', '.colhead'].map(row => grid.querySelector(row).firstElementChild)
            .map(cell => Math.abs(cell.getBoundingClientRect().left - left) < 2);
        const under = ['[data-testid=cell-message]', '#report-head-message']
            .map(cell => grid.querySelector(cell).getBoundingClientRect().left);
        return view.scrollLeft === 120 && starts.every(Boolean) && Math.abs(under[0] - under[1]) < 2";
    page.until("the first column stays, and the headings scroll along", scrolls).await?;
    page.screenshot("topic-narrow").await?;
    Ok(())
}

/// Tables with many columns have a menu that can be searched.
#[browser_test]
async fn columns_are_found_by_name(page: &Page) -> Step {
    page.open("").await?;
    page.open_trace(&fixtures::unpacked("orders-net31.nettrace")?).await?;
    page.press("3").await?;
    page.text_when("event-time", |text| !text.is_empty()).await?;
    page.click("pick-column").await?;
    page.find("find-in-menu").await?;
    page.press("allocationam").await?;
    let lines = "return [...document.querySelectorAll('[data-testid=menu] button:not([hidden])')]
        .map(line => line.innerText.trim()).filter(text => text.includes('AllocationAmount')).length >= 1
        && [...document.querySelectorAll('[data-testid=menu] button:not([hidden])')].length < 4";
    page.until("only matching lines are shown", lines).await?;
    page.press(Key::Down).await?;
    page.press(Key::Enter).await?;
    let is_on = "return document.activeElement?.ariaChecked === 'true'";
    page.until("the line is on, and the menu stays", is_on).await?;
    page.press(Key::Escape).await?;
    page.find("sort-column").await?;
    Ok(())
}

#[browser_test]
async fn escape_clears_row_filter(page: &Page) -> Step {
    open_exceptions(page).await?;
    page.click("find-rows").await?;
    page.press("no such words").await?;
    page.text_when("topic-rows", |text| text == "0").await?;
    page.until(
        "it is shown",
        "return document.querySelector('.report-rows .nothing').innerText === 'No matching rows'",
    )
    .await?;
    page.press(Key::Escape).await?;
    page.text_when("topic-rows", |text| text == "4").await?;
    page.until(
        "the field is empty",
        "return document.activeElement.dataset.testid === 'find-rows' && document.activeElement.value === ''",
    )
    .await?;
    // Other tables have other texts.
    page.press("format").await?;
    page.text_when("topic-rows", |text| text == "1").await?;
    page.click("table-exceptions").await?;
    page.text_when("topic-rows", |text| text == "76").await?;
    Ok(())
}

/// Waits for rows in the new order; those in the previous order stay until then.
async fn rows_are_there(page: &Page) -> Step {
    page.until(
        "the rows are those that are asked for",
        "return document.querySelector('.report-rows[aria-busy=true]') === null",
    )
    .await
}

#[browser_test]
async fn link_restores_table_and_order(page: &Page) -> Step {
    page.open_sample("sample-web").await?;
    page.click("tab-exceptions").await?;
    let count = page.text_when("figure-count", |text| !text.is_empty()).await?;
    page.text_when("tab-exceptions", |text| text.contains(&count)).await?;
    page.click("table-sites").await?;
    page.text_when("cell-site", |text| !text.is_empty()).await?;
    page.click("report-sort-firstNs").await?;
    page.click("report-sort-firstNs").await?;
    page.until("the order is in the address", "return location.hash.includes('table=sites&rows=firstNs')").await?;
    rows_are_there(page).await?;
    let first = page.text_when("cell-firstNs", |text| !text.is_empty()).await?;
    let hash = page.hash().await?;
    page.reload().await?;
    page.text_when("cell-firstNs", |text| text == first).await?;
    assert_eq!(page.hash().await?, hash);
    assert_eq!(order_of(page, "report-sort-firstNs").await?, "ascending");
    // Back goes one step at a time, also between analyses.
    page.press("3").await?;
    page.until("a step of its own", "return location.hash.startsWith('#/events')").await?;
    page.browser().back().await?;
    page.text_when("cell-firstNs", |text| text == first).await?;
    // As many as events of that type.
    page.press("/").await?;
    page.press("event=Exception/Start").await?;
    page.press(Key::Enter).await?;
    page.text_when("matches", |text| text == count).await?;
    page.text_when("figure-count", |text| text == count).await?;
    Ok(())
}

#[browser_test]
async fn missing_topic_shows_how_to_record_it(page: &Page) -> Step {
    page.open_sample("sample-gc").await?;
    page.watch_clipboard().await?;
    page.press_with(Key::Control, "k").await?;
    page.find("palette-field").await?;
    page.press("open exceptions").await?;
    page.press(Key::Enter).await?;
    page.text_when("not-recorded-words", |text| text.contains("keyword Exception")).await?;
    let command = page.text_when("not-recorded-command", |text| text.contains("0x8000:")).await?;
    assert!(command.starts_with("dotnet-trace collect"), "{command}");
    page.until(
        "the tab says so",
        "return document.querySelector('#tab-exceptions.without .sr').textContent === ', not recorded'",
    )
    .await?;
    page.click("copy-command").await?;
    assert_eq!(page.copied().await?, command);
    page.screenshot("topic-missing").await
}

#[browser_test]
async fn topic_is_usable_by_keyboard(page: &Page) -> Step {
    page.open_orders().await?;
    page.press_with(Key::Control, "k").await?;
    page.find("palette-field").await?;
    page.press("open exceptions").await?;
    page.press(Key::Enter).await?;
    page.text_when("cell-type", |text| text == "System.FormatException").await?;
    // From the tab to the tables, their rows, and the menu of a row.
    page.run("document.getElementById('tab-exceptions').focus()", []).await?;
    page.tab_to("table-types").await?;
    page.press(Key::Right).await?;
    page.text_when("cell-site", |text| !text.is_empty()).await?;
    page.until("the focus goes along", "return document.activeElement.dataset.testid === 'table-sites'").await?;
    page.press(Key::Left).await?;
    page.text_when("cell-message", |text| !text.is_empty()).await?;
    page.tab_to("report").await?;
    page.press(Key::End).await?;
    page.text_when("detail-name", |text| text == "Exception/Start").await?;
    page.press_with(Key::Shift, Key::F10).await?;
    page.find("menu").await?;
    page.press(Key::Down).await?;
    page.until("the second line", "return document.activeElement.dataset.testid === 'only-row'").await?;
    page.press(Key::Enter).await?;
    page.text_when("figure-count", |text| text == "1").await?;
    page.text_when("matches", |text| text == "1").await?;
    Ok(())
}

#[browser_test]
async fn tabs_that_do_not_fit_are_in_a_menu(page: &Page) -> Step {
    page.open_orders().await?;
    page.browser().set_window_rect(0, 0, 960, 768).await?;
    page.find("more-tabs").await?;
    let fits = "const row = document.querySelector('.tab-frame').getBoundingClientRect();
        const seen = [...document.querySelectorAll('[role=tab]:not(.out)')].map(tab => tab.getBoundingClientRect());
        return seen.length > 4 && seen.every(tab => tab.left >= row.left && tab.right <= row.right)";
    page.until("tabs in the row are seen whole", fits).await?;
    page.find("tab-metadata").await?;
    // By keys: the button after the tabs, its menu, the last of its lines.
    page.run("document.getElementById('tab-summary').focus()", []).await?;
    page.tab_to("more-tabs").await?;
    page.press(Key::Enter).await?;
    page.find("menu").await?;
    page.press(Key::Up).await?;
    let last = page.run("return document.activeElement.dataset.testid", []).await?;
    let last = last.as_str().unwrap_or_default().to_owned();
    page.press(Key::Enter).await?;
    page.until("it is open", &format!("return location.hash.startsWith('#/{last}')")).await?;
    page.until("its tab is seen", &format!("return !document.getElementById('tab-{last}').classList.contains('out')"))
        .await?;
    page.until("still all fit", fits).await?;
    // Arrow keys skip hidden tabs.
    page.run(&format!("document.getElementById('tab-{last}').focus()"), []).await?;
    page.press(Key::Right).await?;
    let passed = format!(
        "const at = document.activeElement; return at.ariaSelected === 'true' && at.id !== 'tab-{last}' && !at.classList.contains('out')"
    );
    page.until("the next in the row", &passed).await?;
    page.press("1").await?;
    page.find("summary-panel").await?;
    Ok(())
}

/// A time range drawn on a chart, its table, and the marked row.
#[browser_test]
async fn charts_are_shown_as_pictures_and_tables(page: &Page) -> Step {
    page.open("").await?;
    page.open_trace(&fixtures::unpacked("orders-net31.nettrace")?).await?;
    page.click("tab-gc").await?;
    page.text_when("topic-verdict", |text| !text.is_empty()).await?;
    let said = "const said = document.querySelector('[data-testid=chart-picture]')?.ariaLabel ?? ''; return said.includes(': max ')";
    page.until("the picture says what it shows", said).await?;
    page.screenshot("topic-gc").await?;
    page.click("charts-as-tables").await?;
    page.until(
        "as many tables as there were pictures",
        "return document.querySelectorAll('[data-testid=chart] table tbody tr').length > 1",
    )
    .await?;
    page.click("charts-as-tables").await?;
    let over_time = page.find_by(By::Css(".over-time > .plot")).await?;
    page.pointer().move_to_element_center(&over_time).perform().await?;
    page.text_when("chart-tip", |text| text.contains("Gen 0")).await?;
    let drag = page.pointer().move_to_element_with_offset(&over_time, -60, 0).click_and_hold();
    drag.move_by_offset(50, 0).move_by_offset(50, 0).release().perform().await?;
    page.until("the range is in the address", "return location.hash.includes('r0=')").await?;
    // A row of GCs has the details of the timeline.
    page.click("clear-filters").await?;
    page.text_when("figure-count", |text| text == "53").await?;
    page.click("cell-reason").await?;
    page.text_when("details", |text| text.contains("GC #1 · gen 2 · ")).await?;
    // Less important columns can be shown.
    page.click("all-columns").await?;
    page.until("they are in the address", "return location.hash.includes('wide=1')").await?;
    let has_head = "return document.querySelector('[data-testid=report-sort-fragmentationBytes]') !== null";
    page.until("the column is there, if need be after scrolling", has_head).await?;
    Ok(())
}

/// To the end, in another order, and with a filter: all in the worker, page by page.
#[browser_test(needs(Need::Full))]
async fn table_of_a_million_rows_works_like_others(page: &Page) -> Step {
    let small = fixtures::unpacked("gc.nettrace")?;
    let large = page.folder().join("million-waits.nettrace");
    xtask::synth::run(&small, Size::Times(REPEATED), &large).map_err(Trouble)?;
    page.open("").await?;
    page.open_trace(&large).await?;
    page.click("tab-contention").await?;
    page.click("table-waits").await?;
    page.text_when("topic-rows", |text| text == WAITS).await?;
    // The longest come first.
    page.text_when("cell-durationNs", |text| text == "59.2 ms").await?;
    page.click("cell-durationNs").await?;
    page.press(Key::End).await?;
    let last = format!("document.querySelector('[data-testid=report] [aria-rowindex=\"{LAST_ROW}\"]')");
    page.until("the last row is seen, and has words", &format!("return {last}?.innerText.includes('Clerk')")).await?;
    page.screenshot("topic-million").await?;
    page.press(Key::Home).await?;
    page.text_when("cell-durationNs", |text| text == "59.2 ms").await?;
    page.click("report-sort-timeNs").await?;
    page.click("report-sort-timeNs").await?;
    assert_eq!(order_of(page, "report-sort-timeNs").await?, "ascending");
    page.text_when("cell-durationNs", |text| !text.is_empty() && text != "59.2 ms").await?;
    page.click("find-rows").await?;
    page.press("59.2 ms").await?;
    // One in each repetition.
    page.text_when("topic-rows", |text| text == "31").await?;
    page.text_when("cell-durationNs", |text| text == "59.2 ms").await?;
    Ok(())
}
