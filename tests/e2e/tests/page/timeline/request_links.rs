//! Following a request from thread to thread: from the sender to the server, and back.

use thirtyfour::prelude::*;
use traceglass_e2e::{Need, Page, Step, Trouble, browser_test, fixtures};

/// Selected event: name, thread and time, according to the details.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Selected {
    name: String,
    thread: String,
    time: String,
}

async fn selected(page: &Page) -> Step<Selected> {
    let [name, thread, time] = ["detail-name", "detail-thread", "detail-time"];
    Ok(Selected { name: page.text(name).await?, thread: page.text(thread).await?, time: page.text(time).await? })
}

/// Parses the nanoseconds of "1.234 567 890 s".
fn nanos(time: &str) -> i64 {
    let digits: String = time.chars().filter(char::is_ascii_digit).collect();
    digits.parse().expect("a time in seconds with nine decimals")
}

/// Waits until the details show another event than `before`.
async fn selected_after(page: &Page, before: &Selected) -> Step<Selected> {
    page.text_when("detail-time", |shown| !shown.is_empty() && shown != before.time).await?;
    selected(page).await
}

/// Waits until the timeline shows all of these events.
async fn until_shown(page: &Page, moments: &[&Selected]) -> Step {
    for moment in moments {
        let script = format!(
            "const {{ start, end }} = document.querySelector('[data-testid=timeline]').dataset;
             return Number(start) <= {0} && {0} <= Number(end)",
            nanos(&moment.time)
        );
        page.until(&format!("{moment:?} is in view"), &script).await?;
    }
    Ok(())
}

/// Returns the links of the selected event: name and target.
async fn links(page: &Page) -> Step<Vec<(String, String)>> {
    let script = "const links = [...document.querySelectorAll('[data-testid=link]')];
        return links.map((link) => [link.previousElementSibling.textContent, link.textContent])";
    let found = page.run(script, []).await?;
    serde_json::from_value(found).map_err(|error| Trouble(error.to_string()))
}

/// Goes along outgoing requests to the first one that was served on another thread.
async fn walk_to_a_request(page: &Page) -> Step<Selected> {
    page.find("lanes").await?;
    page.pointer().key_down(Key::Control).send_keys("p").key_up(Key::Control).perform().await?;
    page.find("finder-field").await?;
    page.press("outgoing requests").await?;
    page.text_when("finder-list", |text| text.starts_with("Outgoing requests")).await?;
    page.press(Key::Enter).await?;
    page.until("its head has the focus", "return document.activeElement.dataset.testid === 'group-requestssent'")
        .await?;
    for _ in 0..30 {
        let before = page.text("announce").await?;
        page.press(",").await?;
        page.text_when("announce", |text| !text.is_empty() && text != before).await?;
        page.text_when("detail-name", |name| name == "RequestStart").await?;
        page.find("link").await?;
        let sent = selected(page).await?;
        let links = links(page).await?;
        let mut served = links.iter().filter(|(kind, _)| kind == "Calls").peekable();
        if served.peek().is_some() && served.all(|(_, to)| !to.contains(&sent.thread)) {
            return Ok(sent);
        }
    }
    Err(Trouble("no request that was sent was served on another thread".to_owned()))
}

async fn follow_by_keys(page: &Page) -> Step {
    let sent = walk_to_a_request(page).await?;
    // Zoomed in so far that the other end isn't visible.
    page.run("document.querySelector('[data-testid=lanes]').focus()", []).await?;
    page.press("f").await?;
    page.press("w".repeat(90)).await?;
    let near =
        "const { start, end } = document.querySelector('[data-testid=timeline]').dataset; return end - start < 100000";
    page.until("a tenth of a millisecond is shown", near).await?;

    page.press("]").await?;
    let said = page.text_when("announce", |text| text.starts_with("Calls: ")).await?;
    let served = selected_after(page, &sent).await?;
    assert!(said.contains(&served.thread), "{said} is about {served:?}");
    assert_ne!(sent.thread, served.thread);
    assert!(nanos(&sent.time) < nanos(&served.time), "{sent:?} {served:?}");
    until_shown(page, &[&sent, &served]).await?;
    assert!(links(page).await?.iter().any(|(kind, _)| kind == "Called by"));

    page.press("[").await?;
    page.text_when("announce", |text| text.starts_with("Called by: ")).await?;
    assert_eq!(selected_after(page, &served).await?, sent);
    page.press("]").await?;
    assert_eq!(selected_after(page, &sent).await?, served);
    Ok(())
}

/// Clicks the request in the middle of the visible range, and then the links in the details.
async fn follow_by_pointer(page: &Page) -> Step {
    page.click("more-tracks").await?;
    let head = page.find("group-requestssent").await?;
    head.scroll_into_view().await?;
    let (head, lanes) = (head.rect().await?, page.find("lanes").await?.rect().await?);
    let (x, y) = ((lanes.x + lanes.width / 2.0) as i64, (head.y + head.height / 2.0) as i64);
    page.pointer().move_to(x, y).click().perform().await?;
    page.text_when("detail-name", |name| name == "RequestStart").await?;
    let sent = selected(page).await?;
    let asks = "//dt[.='Calls']/following-sibling::dd[1]/button";
    page.click_by(By::XPath(asks)).await?;
    page.text_when("announce", |text| text.starts_with("Calls: ")).await?;
    let served = selected_after(page, &sent).await?;
    assert_ne!(sent.thread, served.thread);
    until_shown(page, &[&sent, &served]).await?;
    let asked_by = "//dt[.='Called by']/following-sibling::dd[1]/button";
    page.click_by(By::XPath(asked_by)).await?;
    page.text_when("announce", |text| text.starts_with("Called by: ")).await?;
    let asking = selected_after(page, &served).await?;
    assert_eq!(asking.thread, sent.thread);
    until_shown(page, &[&asking, &served]).await?;
    Ok(())
}

#[browser_test]
async fn request_is_followed_across_threads_by_keys(page: &Page) -> Step {
    page.open("").await?;
    page.open_trace(&fixtures::unpacked("web.nettrace")?).await?;
    follow_by_keys(page).await
}

#[browser_test]
async fn request_is_followed_across_threads_by_pointer(page: &Page) -> Step {
    // This range has one request in the middle, which is served on another thread.
    page.open("/summary?v=1&file=web.nettrace&t0=716500000&t1=719500000").await?;
    page.open_trace(&fixtures::unpacked("web.nettrace")?).await?;
    follow_by_pointer(page).await
}

/// The same in the recording of a server under load.
#[browser_test(needs(Need::RealTraces))]
async fn request_is_followed_across_threads_of_busy_server(page: &Page) -> Step {
    let traces = fixtures::real_traces();
    page.open("").await?;
    page.open_trace(&fixtures::unzstd(&traces.join("web-net10.nettrace.zst"))?).await?;
    follow_by_keys(page).await
}
