//! Failure screen: a report without data from the file, and a retry.

use thirtyfour::prelude::*;
use traceglass_e2e::{Page, Step, browser_test, fixtures};

/// Waits for the failure screen of a kind.
async fn failed(page: &Page, code: &str) -> Step {
    let shown = format!("return document.querySelector('[data-testid=failed]')?.dataset.code === '{code}'");
    page.until(&format!("{code} is shown"), &shown).await
}

/// Returns a file whose header is truncated, with a confidential name.
fn damaged(page: &Page) -> Step<std::path::PathBuf> {
    let whole = std::fs::read(fixtures::unpacked("short-net10.nettrace")?).map_err(|error| error.to_string())?;
    page.file("merger-with-contoso.nettrace", whole.get(..40).unwrap_or_default())
}

#[browser_test]
async fn failure_report_excludes_file(page: &Page) -> Step {
    page.open("").await?;
    page.watch_clipboard().await?;
    page.drop_file(&damaged(page)?).await?;
    failed(page, "DamagedHeader").await?;
    page.click("copy-report").await?;
    let report = page.copied().await?;
    let agent = page.run("return navigator.userAgent", []).await?;
    let lines: Vec<&str> = report.lines().collect();
    assert!(lines.first().is_some_and(|line| line.starts_with("Traceglass ")), "{report}");
    assert_eq!(lines.get(1).copied(), agent.as_str(), "{report}");
    assert_eq!(lines.get(2).copied(), Some("Failure: DamagedHeader"), "{report}");
    assert!(lines.get(3).is_some_and(|line| line.starts_with("Read: ") && line.contains(" of 40 bytes")), "{report}");
    assert!(!report.contains("contoso") && !report.contains("nettrace"), "{report}");
    page.text_when("announce", |text| text == "Report copied.").await?;
    Ok(())
}

#[browser_test]
async fn failed_copy_shows_message(page: &Page) -> Step {
    page.open("").await?;
    page.run("navigator.clipboard.writeText = () => Promise.reject(new Error('forbidden'))", []).await?;
    page.drop_file(&damaged(page)?).await?;
    failed(page, "DamagedHeader").await?;
    page.click("copy-report").await?;
    page.text_when("announce", |text| text.starts_with("Report not copied")).await?;
    Ok(())
}

#[browser_test]
async fn retry_reads_recovered_host(page: &Page) -> Step {
    let (host, address) = fixtures::trace_host()?;
    const TRACE: &str = "short-net10.nettrace.gz";
    host.withhold(TRACE);
    page.open(&format!("/events?v=1&url={}", fixtures::escaped(&address))).await?;
    failed(page, "Fetch").await?;
    let asked = host.requests().len();
    page.click("retry").await?;
    page.until("it was asked again, in vain", "return !!document.querySelector('[data-testid=failed]')").await?;
    failed(page, "Fetch").await?;
    let whole = std::fs::read(fixtures::compressed("short-net10.nettrace")).map_err(|error| error.to_string())?;
    host.replace(TRACE, whole);
    page.click("retry").await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    // On the tab of the link.
    page.text_when("events-total", |text| text == "2,016").await?;
    assert!(host.requests().len() >= asked + 2, "asked {asked} times, then {:?}", host.requests());
    Ok(())
}

#[browser_test]
async fn retry_fails_for_damaged_file_and_works_with_recovered_worker(page: &Page) -> Step {
    page.open("").await?;
    page.drop_file(&damaged(page)?).await?;
    failed(page, "DamagedHeader").await?;
    let message = page.text("failure-message").await?;
    page.click("retry").await?;
    failed(page, "DamagedHeader").await?;
    page.text_when("failure-message", |text| text == message).await?;

    page.server.replace("worker_bg.wasm", b"<p>Sign in to the network</p>".to_vec());
    page.open("").await?;
    page.reload().await?;
    page.drop_file(&fixtures::unpacked("short-net10.nettrace")?).await?;
    failed(page, "Crashed").await?;
    page.text_when("retry", |text| text == "Reload trace").await?;
    page.server.replace("worker_bg.wasm", fixtures::built("worker_bg.wasm")?);
    page.click("retry").await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    Ok(())
}

#[browser_test]
async fn page_fault_details_are_copied(page: &Page) -> Step {
    page.before_everything(
        "addEventListener('stop', () => { throw new WebAssembly.RuntimeError('planted for this test') })",
    )?;
    page.open("").await?;
    page.open_trace(&fixtures::unpacked("short-net10.nettrace")?).await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    page.watch_clipboard().await?;
    page.run("dispatchEvent(new Event('stop'))", []).await?;
    page.until("the message covers the page", "return !!document.querySelector('.fatal')").await?;
    // From the reload button to the next one.
    page.press(Key::Tab).await?;
    page.until("its button has the focus", "return document.activeElement.textContent === 'Copy details'").await?;
    page.press(Key::Enter).await?;
    let copied = page.copied().await?;
    let agent = page.run("return navigator.userAgent", []).await?;
    assert!(copied.starts_with("planted for this test"), "{copied}");
    assert!(copied.ends_with(agent.as_str().unwrap_or("an agent")), "{copied}");
    assert!(!copied.contains("short-net10"), "{copied}");
    let says = |words: &str| format!("return document.activeElement.textContent === '{words}'");
    page.until("it is said", &says("Copied")).await?;
    page.run("Object.defineProperty(navigator, 'clipboard', { value: undefined })", []).await?;
    page.press(Key::Enter).await?;
    page.until("so is the opposite", &says("Copying blocked by the browser")).await?;
    Ok(())
}

/// Pages from hosts without TLS have no clipboard.
#[browser_test]
async fn missing_clipboard_shows_message(page: &Page) -> Step {
    page.open("").await?;
    page.run("Object.defineProperty(navigator, 'clipboard', { value: undefined })", []).await?;
    page.drop_file(&damaged(page)?).await?;
    failed(page, "DamagedHeader").await?;
    page.click("copy-report").await?;
    page.text_when("announce", |text| text.starts_with("Report not copied")).await?;
    Ok(())
}
