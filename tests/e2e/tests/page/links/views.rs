//! State of views in URLs, and URLs of older and newer versions of the page.

use traceglass_e2e::{Page, Step, browser_test, fixtures};

const TRACE: &str = "orders-net31.nettrace";

/// Opens a link as in a new tab, and provides its file.
async fn open_link(page: &Page, hash: &str) -> Step {
    page.browser().goto("about:blank").await?;
    page.open(hash).await?;
    page.open_trace(&fixtures::unpacked(TRACE)?).await?;
    page.text_when("event-count", |text| text == "26,800").await?;
    Ok(())
}

/// Waits until a track is expanded or collapsed.
async fn expanded_when(page: &Page, track: &str, expanded: bool) -> Step {
    let script = format!(
        "return document.querySelector('[data-testid={track}]')?.getAttribute('aria-expanded') === '{expanded}'"
    );
    page.until(&format!("{track} is {}", if expanded { "open" } else { "closed" }), &script).await
}

/// Returns the height of a thread's header, which depends on the rows of its stack.
async fn height(page: &Page, track: &str) -> Step<f64> {
    Ok(page.find(track).await?.rect().await?.height)
}

#[browser_test]
async fn expanded_and_collapsed_tracks_are_restored(page: &Page) -> Step {
    page.open_orders().await?;
    page.until_still().await?;
    expanded_when(page, "thread-6712", false).await?;
    page.right_click(page.below_top("thread-6712", 8.0).await?).await?;
    page.click("menu-expand").await?;
    expanded_when(page, "thread-6712", true).await?;
    page.until_still().await?;
    let open = height(page, "thread-6712").await?;
    page.right_click(page.below_top("thread-6712", 8.0).await?).await?;
    page.text_when("menu-expand", |text| text.starts_with("Collapse")).await?;
    page.click("menu-expand").await?;
    expanded_when(page, "thread-6712", false).await?;
    page.until_still().await?;
    let closed = height(page, "thread-6712").await?;
    assert!(closed < open, "{closed} after {open}");
    let second = "thread-6711";
    expanded_when(page, second, false).await?;
    page.right_click(page.below_top(second, 8.0).await?).await?;
    page.text_when("menu-expand", |text| text.starts_with("Expand")).await?;
    page.click("menu-expand").await?;
    expanded_when(page, second, true).await?;
    page.until_still().await?;
    let opened = height(page, second).await?;
    page.until("the address keeps it", "return location.hash.includes('tk=stack.6711')").await?;
    let hash = page.hash().await?;

    page.reload().await?;
    page.open_trace(&fixtures::unpacked(TRACE)?).await?;
    page.text_when("event-count", |text| text == "26,800").await?;
    expanded_when(page, second, true).await?;
    expanded_when(page, "thread-6712", false).await?;
    page.until_still().await?;
    assert_eq!((height(page, "thread-6712").await?, height(page, second).await?), (closed, opened));
    assert_eq!(page.hash().await?, hash);
    Ok(())
}

/// Before the filter syntax, URLs contained a literal text, which stays a text.
#[browser_test]
async fn literal_text_of_older_url_is_searched(page: &Page) -> Step {
    open_link(page, &format!("/events?v=1&file={TRACE}&q=System.FormatException")).await?;
    page.events_when("48").await?;
    page.chips_when(&["System.FormatException"]).await?;
    assert_eq!(page.typed_filter().await?, "System.FormatException");
    let rewritten = "const { hash } = location;
        return hash.includes('&f=System.FormatException') && !hash.includes('&q=')";
    page.until("the address has the filter", rewritten).await?;

    open_link(page, &format!("/events?v=1&file={TRACE}&q=provider%3AWorkload-Orders")).await?;
    page.events_when("0").await?;
    page.chips_when(&["\"provider:Workload-Orders\""]).await?;
    page.type_filter("provider:Workload-Orders").await?;
    page.events_when("586").await
}

#[browser_test]
async fn known_parts_of_newer_url_are_applied(page: &Page) -> Step {
    open_link(
        page,
        &format!("/events?v=7&file={TRACE}&p=Workload-Orders&hologram=1&th=6702&tk=levitate.6702&sel=aura.3"),
    )
    .await?;
    page.chips_when(&["Thread Main 6702", "Provider Workload-Orders"]).await?;
    page.events_when("286").await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());

    // A note about missing parts appears at once.
    page.browser().goto("about:blank").await?;
    page.open(&format!("/events?v=7&file={TRACE}")).await?;
    page.text_when("toast", |text| text.starts_with("This link was made with a newer version")).await?;

    // Unknown tab.
    open_link(page, &format!("/hologram?v=7&file={TRACE}&p=Workload-Orders")).await?;
    page.find("summary-panel").await?;
    page.events_when("586").await
}
