//! Accessibility of the tabs.

use thirtyfour::prelude::*;
use traceglass_e2e::accessibility::{begin_pictures, none, violations};
use traceglass_e2e::{Need, Page, Step, browser_test, fixtures};

#[browser_test(needs(Need::Axe))]
async fn workspace_has_no_violations(page: &Page) -> Step {
    page.open_orders().await?;
    let mut found = Vec::new();
    page.find("group-collections").await?;
    page.run("document.querySelector('[data-testid=group-collections]').focus()", []).await?;
    page.press("v").await?;
    page.text_when("twin-start", |text| !text.is_empty()).await?;
    found.extend(violations(page, "track as a table").await?);
    page.click("close-twin").await?;
    for (key, place, there) in [
        ("1", "summary", "hot-function"),
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

/// Selected schema with field values, and a comparison with another trace.
#[browser_test(needs(Need::Axe))]
async fn schemas_have_no_violations(page: &Page) -> Step {
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

#[browser_test(needs(Need::Axe))]
async fn comparisons_and_groups_have_no_violations(page: &Page) -> Step {
    page.open_orders().await?;
    begin_pictures(page).await?;
    let mut found = Vec::new();
    page.type_filter("time:2s..3s").await?;
    page.matches_when("1,470").await?;
    page.click("tab-stacks").await?;
    page.click("compare").await?;
    page.find("menu").await?;
    found.extend(violations(page, "ways to compare").await?);
    page.choose_from("compare", "compare-rest").await?;
    page.text_when("baseline", |text| !text.is_empty()).await?;
    for view in ["flame", "tree", "functions"] {
        page.click(&format!("view-{view}")).await?;
        page.until_still().await?;
        found.extend(violations(page, &format!("compared, {view}")).await?);
    }
    page.press("3").await?;
    page.pick("pick-group", "Event").await?;
    page.pick("pick-measure", "Duration").await?;
    page.text_when("group-name", |text| !text.is_empty()).await?;
    found.extend(violations(page, "groups of events").await?);
    none(found)
}
