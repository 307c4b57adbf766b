//! Accessibility of the analysis tabs.

use super::go;
use thirtyfour::prelude::*;
use traceglass_e2e::accessibility::{none, violations};
use traceglass_e2e::{Need, Page, Step, browser_test, topics};

/// Reports with charts as pictures and as tables, the details and menu of a row, and reports without data.
#[browser_test(needs(Need::Axe))]
async fn rows_and_charts_have_no_violations(page: &Page) -> Step {
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
    found.extend(violations(page, "chart data").await?);
    page.browser().set_window_rect(0, 0, 960, 768).await?;
    page.click("more-tabs").await?;
    page.find("menu").await?;
    found.extend(violations(page, "more tabs").await?);
    page.browser().set_window_rect(0, 0, 1440, 900).await?;
    page.browser().goto("about:blank").await?;
    page.open_sample("sample-gc").await?;
    page.press_with(Key::Control, "k").await?;
    page.find("palette-field").await?;
    page.press("open exceptions").await?;
    page.text_when("palette-line", |text| text.to_lowercase().contains("exceptions")).await?;
    page.press(Key::Enter).await?;
    page.find("not-recorded").await?;
    found.extend(violations(page, "a topic that was not recorded").await?);
    none(found)
}

#[browser_test(needs(Need::Axe), limit_seconds(420))]
async fn every_analysis_tab_has_no_violations(page: &Page) -> Step {
    page.open_sample("sample-web").await?;
    let mut found = Vec::new();
    for topic in topics() {
        go(page, topic).await?;
        let is_there = format!(
            "return location.hash.startsWith('#/{topic}') && !!document.querySelector('[data-testid=tab-{topic}][aria-selected=true]')
             && !!document.querySelector('[data-testid=topic-verdict]:not(:empty), [data-testid=not-recorded]')"
        );
        page.until(&format!("the report on {topic}"), &is_there).await?;
        found.extend(violations(page, topic).await?);
    }
    none(found)
}
