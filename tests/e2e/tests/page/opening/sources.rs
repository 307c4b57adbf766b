//! Opening a trace other than by dropping it: from a URL, and with the keyboard only.

use thirtyfour::prelude::*;
use traceglass_e2e::fixtures::{escaped, trace_host};
use traceglass_e2e::{Page, Step, browser_test, fixtures};

#[browser_test]
async fn link_opens_hosted_trace(page: &Page) -> Step {
    let (server, address) = trace_host()?;
    page.open(&format!("/events?v=1&url={}", escaped(&address))).await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    page.text_when("events-total", |text| text == "2,016").await?;
    page.text_when("file-name", |text| text.contains("short-net10")).await?;
    assert_eq!(server.requests(), ["/traces/short-net10.nettrace.gz"], "only the trace is fetched from there");
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

#[browser_test]
async fn typed_url_opens_after_reload_with_policy(page: &Page) -> Step {
    let (_server, address) = trace_host()?;
    page.open("").await?;
    page.click("open-url-button").await?;
    page.find("open-url-input").await?.send_keys(address.as_str() + Key::Enter).await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    assert!(page.hash().await?.contains(&escaped(&address)), "the link can be passed on");
    Ok(())
}

#[browser_test]
async fn missing_hosted_trace_is_reported(page: &Page) -> Step {
    let (server, _) = trace_host()?;
    let address = format!("{}none.nettrace", server.address());
    page.open(&format!("/summary?v=1&url={}", escaped(&address))).await?;
    page.text_when("failure-message", |text| text.contains("404")).await?;
    Ok(())
}

#[browser_test]
async fn pasted_file_opens(page: &Page) -> Step {
    page.open("").await?;
    let field = page.field_with(&fixtures::unpacked("short-net10.nettrace")?).await?;
    let paste = "const data = new DataTransfer();
                 data.items.add(arguments[0].files[0]);
                 arguments[0].remove();
                 const paste = new ClipboardEvent('paste', { bubbles: true, cancelable: true });
                 // Not every browser accepts it in the constructor of the event.
                 Object.defineProperty(paste, 'clipboardData', { value: data });
                 document.body.dispatchEvent(paste);";
    page.run(paste, [field.to_json()?]).await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    Ok(())
}

#[browser_test]
async fn bundled_trace_opens_by_keyboard(page: &Page) -> Step {
    page.open("").await?;
    let focused = "return document.activeElement?.dataset.testid ?? ''";
    let mut passed = Vec::new();
    while passed.last().is_none_or(|id| id != "sample-gc") {
        assert!(passed.len() < 40, "Tab never comes to the sample: {passed:?}");
        page.press(Key::Tab).await?;
        passed.push(page.run(focused, []).await?.as_str().unwrap_or_default().to_owned());
    }
    let ring = "const style = getComputedStyle(document.activeElement);
                return style.outlineStyle !== 'none' || style.boxShadow !== 'none'";
    assert_eq!(page.run(ring, []).await?, true, "the focus can be seen");
    page.press(Key::Enter).await?;
    page.text_when("event-count", |text| text == "116,276").await?;

    // The tabs are one tab stop, with arrow keys.
    page.press("1").await?;
    page.until("the summary is open", "return !document.querySelector('[data-testid=summary-panel]').hidden").await?;
    page.find("tab-summary").await?.focus().await?;
    page.press(Key::Right).await?;
    page.until("the focus is on the next tab", "return document.activeElement.id === 'tab-stacks'").await?;
    page.text_when("stacks-total", |text| !text.is_empty()).await?;
    Ok(())
}
