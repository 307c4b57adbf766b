//! Several traces on one timeline: groups, offset, requests from one to the other.

use traceglass_e2e::{Page, Step, browser_test, fixtures};

#[browser_test]
async fn two_services_share_the_timeline_and_request_is_followed(page: &Page) -> Step {
    let case = |name: &str| fixtures::committed(&format!("cases/two-services-{name}.nettrace"));
    page.open("").await?;
    page.open_trace(&case("shop")).await?;
    page.drop_second_file(&case("payments")).await?;
    page.press("a").await?;
    page.text_when("trace-1-memory", |text| text.ends_with("memory")).await?;
    assert_eq!(page.text("trace-1-name").await?, "two-services-payments.nettrace");
    // The clocks differ by 1.5 s; the traces were made with 370 µs more.
    page.text_when("trace-offset-source", |text| text.starts_with("from 10 requests, ±")).await?;
    let offset = page.run("return Number(document.querySelector('[data-testid=trace-offset]').value)", []).await?;
    let offset = offset.as_f64().unwrap_or_default();
    assert!((offset - 1500.37).abs() < 1.0, "{offset}");
    // The first request of the shop to the payments.
    page.press("3").await?;
    page.pick("pick-provider", "System.Net.Http").await?;
    page.text_when("events-total", |text| text == "20").await?;
    page.text_when("event-name", |text| text == "RequestStart").await?;
    page.click("event-name").await?;
    page.text_when("path", |text| text.contains("A to B")).await?;
    let parts = "return [...document.querySelectorAll('[data-testid=path-part]')].map((one) => one.innerText).join()";
    let expected = "POST /checkout/0,Before sending,payments/charge,Network, request,POST /charge,Network, response,\
                    After the response";
    assert_eq!(page.run(parts, []).await?, expected);
    // The panels follow to the trace that served it.
    page.run("document.querySelectorAll('[data-testid=path-part]')[4].click()", []).await?;
    page.text_when("file-name", |text| text == "two-services-payments.nettrace").await?;
    page.text_when("detail-name", |text| text == "RequestStart").await?;
    page.click("show-trace-0").await?;
    page.text_when("file-name", |text| text == "two-services-shop.nettrace").await?;
    // The next trace takes the place of a closed one.
    page.click("trace-0-close").await?;
    page.text_when("file-name", |text| text == "two-services-payments.nettrace").await?;
    page.until("there is no switch", "return !document.querySelector('[data-testid=trace-switch]')").await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}
