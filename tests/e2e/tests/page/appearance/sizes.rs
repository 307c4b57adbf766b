//! Windows of all sizes, and text of twice the size: nothing is cut off, and no clickable element is covered.

use thirtyfour::prelude::Key;
use traceglass_e2e::{Need, Page, SIZES, Step, browser_test, topics};

const LAYOUT: &str = include_str!("sizes.js");

/// Minimum width of start page and dialogs: 1280 pixels at a zoom of 400%.
const NARROW: (u32, u32) = (320, 640);

/// Returns the layout faults of the visible page in every size.
async fn faults(page: &Page, place: &str, sizes: &[(u32, u32)]) -> Step<Vec<String>> {
    let mut found = Vec::new();
    for size in sizes {
        page.resize(*size).await?;
        let faults = page.run(LAYOUT, []).await?;
        let faults = faults.as_array().into_iter().flatten().filter_map(|fault| fault.as_str());
        found.extend(faults.map(|fault| format!("{place}, {} x {}: {fault}", size.0, size.1)));
        page.screenshot(&format!("{place}-{}", size.0)).await?;
    }
    page.resize(SIZES[0]).await?;
    Ok(found)
}

fn none(found: Vec<String>) -> Step {
    assert!(found.is_empty(), "{} faults:\n{}", found.len(), found.join("\n"));
    Ok(())
}

#[browser_test(needs(Need::NarrowWindows))]
async fn start_screens_and_dialogs_fit(page: &Page) -> Step {
    let sizes = [&SIZES[..], &[NARROW]].concat();
    page.open("").await?;
    page.find("landing").await?;
    let mut found = faults(page, "landing", &sizes).await?;
    for (button, dialog) in [("open-url-button", "open-url"), ("show-policy", "policy")] {
        page.click(button).await?;
        page.find(dialog).await?;
        found.extend(faults(page, dialog, &sizes).await?);
        page.press(Key::Escape).await?;
        page.until("the dialog is closed", "return !document.querySelector('dialog[open]')").await?;
    }
    page.drop_file(&page.file("empty.nettrace", b"")?).await?;
    page.find("failed").await?;
    found.extend(faults(page, "failed", &sizes).await?);
    page.browser().goto("about:blank").await?;
    page.open_orders().await?;
    page.click("share").await?;
    page.click("save-page").await?;
    page.find("save-size").await?;
    found.extend(faults(page, "saving", &sizes).await?);
    page.press(Key::Escape).await?;
    page.until("the dialog is closed", "return !document.querySelector('dialog[open]')").await?;
    page.press("?").await?;
    page.until("the sheet of keys is open", "return document.querySelector('dialog[open]')").await?;
    found.extend(faults(page, "keys", &sizes).await?);
    page.press(Key::Escape).await?;
    page.press_with(Key::Control, "k").await?;
    page.find("palette-field").await?;
    found.extend(faults(page, "palette", &sizes).await?);
    none(found)
}

#[browser_test(needs(Need::NarrowWindows))]
async fn workspace_fits(page: &Page) -> Step {
    page.open_orders().await?;
    let mut found = Vec::new();
    for (key, place, there) in [
        ("1", "summary", "hot-function"),
        ("2", "stacks", "function-name"),
        ("3", "events", "event-name"),
        ("4", "metadata", "file-pane"),
    ] {
        page.press(key).await?;
        page.text_when(there, |text| !text.is_empty()).await?;
        found.extend(faults(page, place, &SIZES).await?);
    }
    for (part, there) in [
        ("part-schemas", "schemas"),
        ("part-cost", "cost-name"),
        ("part-blocks", "piece-offset"),
        ("part-bytes", "byte-name"),
    ] {
        page.click(part).await?;
        page.text_when(there, |text| !text.is_empty()).await?;
        found.extend(faults(page, part, &SIZES).await?);
    }
    for (tab, there) in [("exceptions", "cell-type"), ("gc", "chart-picture")] {
        page.click(&format!("tab-{tab}")).await?;
        page.find(there).await?;
        found.extend(faults(page, tab, &SIZES).await?);
    }
    page.press("2").await?;
    for view in ["flame", "tree", "bottom-up", "functions", "sandwich", "time"] {
        page.click(&format!("view-{view}")).await?;
        found.extend(faults(page, view, &SIZES).await?);
    }
    page.press("3").await?;
    page.click("event-name").await?;
    page.text_when("detail-name", |text| !text.is_empty()).await?;
    found.extend(faults(page, "details", &SIZES).await?);
    none(found)
}

#[browser_test(needs(Need::NarrowWindows))]
async fn tables_beside_pictures_fit(page: &Page) -> Step {
    page.open("/compare?v=1&sample=cpu&sample=gc").await?;
    page.text_when("change-name", |text| !text.is_empty()).await?;
    let mut found = faults(page, "comparison", &SIZES).await?;
    page.click("tab-summary").await?;
    page.run("document.querySelector('[data-testid=group-collections]').focus()", []).await?;
    page.press("v").await?;
    page.text_when("twin-start", |text| !text.is_empty()).await?;
    found.extend(faults(page, "track as a table", &SIZES).await?);
    none(found)
}

#[browser_test(needs(Need::NarrowWindows))]
async fn details_below_results_are_visible(page: &Page) -> Step {
    page.open_orders().await?;
    page.resize((720, 450)).await?;
    page.press("3").await?;
    page.click("event-name").await?;
    page.text_when("detail-name", |text| !text.is_empty()).await?;
    let is_seen = "const of = (name) => document.querySelector(`[data-testid=${name}]`).getBoundingClientRect();
        const inside = ({ top, bottom }) => top >= 0 && bottom <= innerHeight;
        return inside(of('detail-name')) && inside(of('event-name'))";
    page.until("the event and its details are seen", is_seen).await
}

#[browser_test(needs(Need::NarrowWindows))]
async fn analysis_tabs_fit(page: &Page) -> Step {
    page.open_sample("sample-web").await?;
    page.find("summary-topic").await?;
    let mut found = Vec::new();
    for topic in topics() {
        page.run(&format!("document.querySelector('[data-testid=tab-{topic}]').click()"), []).await?;
        let answer = "[data-testid=topic-verdict], [data-testid=not-recorded]";
        page.until(topic, &format!("return !!document.querySelector('.of-{topic}')?.querySelector('{answer}')"))
            .await?;
        found.extend(faults(page, topic, &SIZES).await?);
    }
    none(found)
}
