//! Browser tests of the timeline.

mod first_screen;
mod frames;
mod navigation;
mod notes;
mod processes;
mod request_links;
mod ruler;
mod several_traces;
mod tracks;

use serde_json::json;
use traceglass_e2e::{Page, Step};

/// Waits until the URL has a part with this prefix.
async fn until_address_has(page: &Page, part: &str) -> Step {
    let script = format!("return location.hash.split(/[?&]/).some((present) => present.startsWith({}))", json!(part));
    page.until(&format!("the address has {part}"), &script).await
}

/// Reloads the page and opens the same file again, like a returning user.
async fn come_back(page: &Page) -> Step {
    page.reload().await?;
    page.open_trace(&traceglass_e2e::fixtures::unpacked("orders-net31.nettrace")?).await?;
    page.text_when("event-count", |text| text == "26,800").await?;
    Ok(())
}
