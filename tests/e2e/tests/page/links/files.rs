//! Links to views of local files: the page asks for the file, and recognizes it.

use traceglass_e2e::{Page, Step, browser_test, fixtures};

const TRACE: &str = "orders-net31.nettrace";
/// View with a time range, a thread and the events.
const VIEW: &str = "r0=100000000&r1=400000000";

/// Returns the URL of a view of the trace, copied from the page, and the number of matching events.
async fn copied_link(page: &Page) -> Step<(String, String)> {
    page.open(&format!("/events?v=1&file={TRACE}&{VIEW}")).await?;
    page.watch_clipboard().await?;
    page.open_trace(&fixtures::unpacked(TRACE)?).await?;
    let total = page.text_when("events-total", |text| !text.is_empty() && text != "26,800").await?;
    page.until("the address knows the file", "return location.hash.includes('&print=')").await?;
    page.click("share").await?;
    page.click("copy-link").await?;
    let link = page.copied().await?;
    let hash = link.split_once('#').map(|(_, hash)| hash.to_owned()).unwrap_or_default();
    Ok((hash, total))
}

/// Opens a link as in a new tab.
async fn open_link(page: &Page, hash: &str) -> Step {
    page.browser().goto("about:blank").await?;
    page.open(hash).await
}

#[browser_test]
async fn link_pasted_on_start_page_is_followed(page: &Page) -> Step {
    page.open("").await?;
    page.find("landing").await?;
    page.browser().goto(format!("{}#/summary?v=1&file=app.nettrace", page.server.address())).await?;
    let words = page.text_when("awaited-file", |text| !text.is_empty()).await?;
    assert_eq!(words, "This link shows app.nettrace. Drop the file to open it.");
    Ok(())
}

#[browser_test]
async fn link_asks_for_file_and_shows_view(page: &Page) -> Step {
    let (hash, total) = copied_link(page).await?;
    assert!(hash.starts_with(&format!("/events?v=1&file={TRACE}&print=")), "{hash}");
    assert!(hash.contains(VIEW), "{hash}");
    open_link(page, &hash).await?;
    let words = page.text("awaited-file").await?;
    assert_eq!(words, "This link shows orders-net31.nettrace, 3.56 MB. Drop the file to open it.");
    // A copy with another name is the same file.
    let bytes = std::fs::read(fixtures::unpacked(TRACE)?).map_err(|error| error.to_string())?;
    page.open_trace(&page.file("copy-of-orders.nettrace", &bytes)?).await?;
    page.text_when("events-total", |text| text == total).await?;
    assert!(page.hash().await?.contains(VIEW));
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

#[browser_test]
async fn other_file_is_detected_and_opens_with_fitting_view(page: &Page) -> Step {
    let (hash, total) = copied_link(page).await?;
    open_link(page, &hash).await?;
    page.find("awaited-file").await?;
    page.drop_file(&fixtures::unpacked("short-net10.nettrace")?).await?;
    let words = page.text("other-file").await?;
    assert!(words.starts_with("short-net10.nettrace is a different file: ") && words.contains("3.56 MB"), "{words}");
    // The expected file can still be opened.
    page.open_trace(&fixtures::unpacked(TRACE)?).await?;
    page.text_when("events-total", |text| text == total).await?;

    open_link(page, &hash).await?;
    page.find("awaited-file").await?;
    page.drop_file(&fixtures::unpacked("short-net10.nettrace")?).await?;
    page.click("open-anyhow").await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    page.text_when("events-total", |text| !text.is_empty()).await?;
    page.text_when("announce", |text| text.starts_with("Parts of the linked view")).await?;
    let hash = page.hash().await?;
    assert!(hash.starts_with("/events?v=1&file=short-net10.nettrace&"), "the tab is that of the link: {hash}");
    Ok(())
}

#[browser_test]
async fn reload_asks_for_file_and_restores_view(page: &Page) -> Step {
    let (_, total) = copied_link(page).await?;
    page.reload().await?;
    let words = page.text_when("awaited-file", |text| !text.is_empty()).await?;
    assert_eq!(words, "This link shows orders-net31.nettrace, 3.56 MB. Drop the file to open it.");
    page.open_trace(&fixtures::unpacked(TRACE)?).await?;
    page.text_when("events-total", |text| text == total).await?;
    Ok(())
}
