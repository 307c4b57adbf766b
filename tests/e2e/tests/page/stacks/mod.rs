//! Stacks tab: time, bytes and waits.

mod comparison;
mod export;
mod selection;
mod sources;
mod symbols;
mod tables;
mod time_order;
mod transforms;

use traceglass_e2e::{Page, Step};

async fn open_gc(page: &Page) -> Step {
    page.open("").await?;
    page.click("sample-gc").await?;
    page.text_when("event-count", |text| text == "116,276").await?;
    page.press("2").await
}

/// Opens the allocations of the recording, by bytes.
async fn open_allocations(page: &Page) -> Step {
    open_gc(page).await?;
    page.text_when("stacks-total", |text| text.ends_with(" s")).await?;
    page.pick("pick-source", "GC/SampledObjectAllocation").await?;
    page.text_when("stacks-total", |text| text == "979 MB").await?;
    Ok(())
}

/// Opens the stacks of the orders app without folding.
async fn open_all_frames(page: &Page, view: &str) -> Step {
    page.open_orders().await?;
    page.press("2").await?;
    page.click("activity-all").await?;
    page.click("just-my-code").await?;
    page.click(view).await?;
    Ok(())
}

/// Vertical position of the roots in stacks over time, in pixels below the top of the picture.
const ROOTS_TOP: f64 = 30.0;

async fn boxes_are_drawn(page: &Page, canvas: &str) -> Step {
    page.until(canvas, &format!("return Number(document.querySelector('[data-testid={canvas}]')?.dataset.boxes) > 5"))
        .await
}
