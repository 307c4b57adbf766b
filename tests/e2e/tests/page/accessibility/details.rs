//! Accessibility of the details.

use super::go;
use thirtyfour::prelude::*;
use traceglass_e2e::accessibility::{none, violations};
use traceglass_e2e::{Need, Page, Step, browser_test};

#[browser_test(needs(Need::Axe))]
async fn details_have_no_violations(page: &Page) -> Step {
    page.open_orders().await?;
    let mut found = Vec::new();
    page.click("summary-collection").await?;
    page.text_when("collection-pause", |text| !text.is_empty()).await?;
    found.extend(violations(page, "details of a collection").await?);
    page.click("hot-function").await?;
    page.text_when("function-weights", |text| !text.is_empty()).await?;
    page.find("function-places").await?;
    page.find("callees-list").await?;
    found.extend(violations(page, "details of a function").await?);
    page.press("3").await?;
    page.pick("pick-provider", "Workload-Orders").await?;
    page.text_when("event-name", |text| text == "OrderStart").await?;
    page.click("event-name").await?;
    page.text_when("span-duration", |text| !text.is_empty()).await?;
    page.click("detail-thread").await?;
    page.text_when("thread-events", |text| !text.is_empty()).await?;
    found.extend(violations(page, "details of a thread").await?);
    none(found)
}

/// Request of a server, with its span and links.
#[browser_test(needs(Need::Axe))]
async fn request_details_have_no_violations(page: &Page) -> Step {
    page.open_sample("sample-web").await?;
    let mut found = Vec::new();
    go(page, "http").await?;
    page.text_when("cell-durationNs", |text| !text.is_empty()).await?;
    page.click("cell-durationNs").await?;
    page.text_when("span-duration", |text| !text.is_empty()).await?;
    // What it is about, and where its time went on all its threads.
    page.text_when("detail-title", |text| text.starts_with("GET /") && text.ends_with(" · 200")).await?;
    page.text_when("span-times", |text| text.starts_with("Where the time went")).await?;
    found.extend(violations(page, "details of a request").await?);
    page.press_with(Key::Shift, Key::F10).await?;
    page.find("details-of-row").await?;
    found.extend(violations(page, "the menu of a request").await?);
    none(found)
}
