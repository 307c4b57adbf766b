//! Accessibility rules of axe-core: no screen violates any in any theme.

use thirtyfour::Key;
use traceglass_e2e::accessibility::{begin_pictures, none, violations};
use traceglass_e2e::{Need, Page, Step, browser_test, fixtures};

#[browser_test(needs(Need::Axe))]
async fn the_first_screens_have_none(page: &Page) -> Step {
    page.open("").await?;
    page.find("landing").await?;
    let mut found = violations(page, "landing").await?;
    for (button, dialog) in [("open-url-button", "open-url"), ("show-policy", "policy")] {
        page.click(button).await?;
        page.find(dialog).await?;
        found.extend(violations(page, dialog).await?);
        page.press(Key::Escape).await?;
        page.until("the dialog is closed", "return !document.querySelector('dialog[open]')").await?;
    }
    page.browser().goto("about:blank").await?;
    page.open("/summary?v=1&file=app.nettrace").await?;
    page.drop_file(&fixtures::unpacked("short-net10.nettrace")?).await?;
    page.find("other-file").await?;
    found.extend(violations(page, "another file").await?);
    page.browser().goto("about:blank").await?;
    page.open("").await?;
    let empty = page.file("empty.nettrace", b"")?;
    page.drop_file(&empty).await?;
    page.find("failed").await?;
    found.extend(violations(page, "a failure").await?);
    none(found)
}

#[browser_test(needs(Need::Axe))]
async fn the_workspace_has_none(page: &Page) -> Step {
    page.open_orders().await?;
    let mut found = Vec::new();
    for (key, place, there) in [
        ("1", "summary", "summary-function"),
        ("2", "stacks", "function-name"),
        ("3", "events", "event-name"),
        ("4", "metadata", "file-pane"),
    ] {
        page.press(key).await?;
        page.text_when(there, |text| !text.is_empty()).await?;
        found.extend(violations(page, place).await?);
    }
    for (part, there) in [
        ("part-schemas", "schemas"),
        ("part-cost", "cost-name"),
        ("part-blocks", "piece-offset"),
        ("part-bytes", "byte-name"),
    ] {
        page.click(part).await?;
        page.text_when(there, |text| !text.is_empty()).await?;
        found.extend(violations(page, part).await?);
    }
    page.press("3").await?;
    page.click("event-name").await?;
    page.text_when("detail-name", |text| !text.is_empty()).await?;
    found.extend(violations(page, "details of an event").await?);
    page.click("share").await?;
    page.find("menu").await?;
    found.extend(violations(page, "ways to share").await?);
    page.choose_from("share", "save-page").await?;
    page.find("save-size").await?;
    found.extend(violations(page, "saving a page").await?);
    page.press(Key::Escape).await?;
    page.until("the dialog is closed", "return !document.querySelector('dialog[open]')").await?;
    page.press("?").await?;
    page.until("the sheet of keys is open", "return document.querySelector('dialog[open]')").await?;
    found.extend(violations(page, "the sheet of keys").await?);
    none(found)
}

#[browser_test(needs(Need::Axe))]
async fn a_damaged_trace_has_none(page: &Page) -> Step {
    page.open("").await?;
    page.open_trace(&fixtures::unpacked("cut-net10.nettrace")?).await?;
    page.find("damage-banner").await?;
    none(violations(page, "a cut trace").await?)
}

/// What opens over the workspace, and the other views of its tabs.
#[browser_test(needs(Need::Axe))]
async fn what_opens_over_the_workspace_has_none(page: &Page) -> Step {
    page.open_orders().await?;
    begin_pictures(page).await?;
    let mut found = Vec::new();
    // A range, so that there is something to keep.
    page.find("lanes").await?;
    page.press("m").await?;
    page.text_when("range-note", |text| !text.is_empty()).await?;
    let closed = "return !document.querySelector('dialog[open], [role=menu]')";
    for (button, there, place) in [
        ("tracks-menu", "menu-find", "the menu of the tracks"),
        ("kept", "bookmark-keep", "kept ranges"),
        ("clock", "menu-clock", "the menu of clocks"),
        ("status-memory", "memory-parts", "parts of memory"),
        ("filter-syntax", "syntax-help", "how filters are written"),
    ] {
        page.click(button).await?;
        page.find(there).await?;
        found.extend(violations(page, place).await?);
        page.press(Key::Escape).await?;
        page.until("it is closed", closed).await?;
    }
    page.pointer().key_down(Key::Control).send_keys("p").key_up(Key::Control).perform().await?;
    page.find("finder-list").await?;
    found.extend(violations(page, "the search for tracks").await?);
    page.press(Key::Escape).await?;
    page.until("it is closed", closed).await?;
    page.press("2").await?;
    page.text_when("function-name", |text| !text.is_empty()).await?;
    for view in ["flame", "tree", "bottom-up", "functions", "sandwich", "time"] {
        page.click(&format!("view-{view}")).await?;
        found.extend(violations(page, &format!("stacks, {view}")).await?);
    }
    none(found)
}

/// A chosen schema with its values, and what differs from another trace.
#[browser_test(needs(Need::Axe))]
async fn schemas_have_none(page: &Page) -> Step {
    page.open_orders().await?;
    let mut found = Vec::new();
    page.press("4").await?;
    page.find("file-pane").await?;
    page.click("part-schemas").await?;
    page.find("find-schema").await?.send_keys("OrderStart").await?;
    let choose = "const rows = document.querySelectorAll('[data-testid=schemas-row]:not([hidden])'); rows[1]?.click(); return rows.length === 2";
    page.until("the event is found", choose).await?;
    page.click("read-values").await?;
    page.text_when("values-of", |text| !text.is_empty()).await?;
    found.extend(violations(page, "a schema with values").await?);
    let other = fixtures::unpacked("short-net10.nettrace")?;
    let field = page.browser().find(thirtyfour::By::Css("[data-testid=compare-file]")).await?;
    field.send_keys(other.to_string_lossy().as_ref()).await?;
    page.text_when("change-words", |text| text.contains("changed")).await?;
    let choose = "const row = document.querySelector('[data-testid=changed-schemas-row]:not([hidden])'); row?.click(); return row !== null";
    page.until("a difference is chosen", choose).await?;
    page.text_when("chosen-difference", |text| text.contains("Only in")).await?;
    found.extend(violations(page, "schemas of two traces").await?);
    none(found)
}

/// Reports on topics: with charts as pictures and as tables, with a row's details and menu, and of what was not recorded.
#[browser_test(needs(Need::Axe))]
async fn topics_have_none(page: &Page) -> Step {
    page.open_orders().await?;
    let mut found = Vec::new();
    page.click("tab-exceptions").await?;
    page.text_when("cell-type", |text| !text.is_empty()).await?;
    page.click("cell-type").await?;
    page.text_when("detail-name", |text| !text.is_empty()).await?;
    found.extend(violations(page, "exceptions, with a row").await?);
    page.press_with(Key::Shift, Key::F10).await?;
    page.find("details-of-row").await?;
    found.extend(violations(page, "the menu of a row").await?);
    page.press(Key::Escape).await?;
    page.until("it is closed", "return !document.querySelector('[role=menu]')").await?;
    page.press(Key::Escape).await?;
    page.click("tab-gc").await?;
    page.find("chart-picture").await?;
    found.extend(violations(page, "collections").await?);
    page.click("charts-as-tables").await?;
    page.find("chart-table").await?;
    found.extend(violations(page, "charts as tables").await?);
    page.browser().set_window_rect(0, 0, 960, 768).await?;
    page.click("more-tabs").await?;
    page.find("menu").await?;
    found.extend(violations(page, "more tabs").await?);
    page.browser().set_window_rect(0, 0, 1440, 900).await?;
    page.browser().goto("about:blank").await?;
    page.open_sample("sample-gc").await?;
    page.press_with(Key::Control, "k").await?;
    page.find("palette-field").await?;
    page.press("show exceptions").await?;
    page.text_when("palette-line", |text| text.to_lowercase().contains("exceptions")).await?;
    page.press(Key::Enter).await?;
    page.find("not-recorded").await?;
    found.extend(violations(page, "a topic that was not recorded").await?);
    none(found)
}
