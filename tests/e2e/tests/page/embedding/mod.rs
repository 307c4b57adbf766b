//! Browser tests of the page in a frame that another page controls.

mod editor;
mod frame;

use frame::{Host, type_of};
use serde_json::{Value, json};
use thirtyfour::By;
use traceglass_e2e::{Page, Step, browser_test, fixtures};

#[browser_test]
async fn example_page_opens_file_and_restores_view(page: &Page) -> Step {
    let host = Host::start(page)?;
    page.browser().goto(host.example()).await?;
    page.until("the page is ready", "return !document.getElementById('file').disabled").await?;
    let file = page.browser().find(By::Id("file")).await?;
    file.send_keys(fixtures::unpacked("short-net10.nettrace")?.display().to_string()).await?;
    let status = "return document.getElementById('status').value === 'short-net10.nettrace: 2,016 events'";
    page.until("the trace is open", status).await?;
    page.run("document.getElementById('stacks').click()", []).await?;
    page.browser().enter_frame(0).await?;
    page.find("stacks-total").await?;
    page.screenshot("embedded-stacks").await?;
    page.browser().enter_default_frame().await?;
    page.run("document.getElementById('save').click()", []).await?;
    page.until("the view is saved", "return !document.getElementById('restore').disabled").await?;
    Ok(())
}

#[browser_test]
async fn host_opens_bytes_sets_view_and_hears_events(page: &Page) -> Step {
    let host = Host::start(page)?;
    host.frame_page(page, "").await?;
    assert_eq!(host.next(page, "ready").await?["versions"], json!([1]));

    // An image in a name would run a script if a name became HTML.
    let open = json!({ "type": "open", "id": "first", "name": "<img src=x onerror=alert(1)>.nettrace", "view": "#/events?v=1" });
    assert_eq!(host.post_trace(page, open).await?, 0, "the buffer is transferred");
    let opened = host.next(page, "opened").await?;
    let facts = json!([opened["id"], opened["events"], opened["traceglass"], opened["name"]]);
    assert_eq!(facts, json!(["first", 2016, 1, "<img src=x onerror=alert(1)>.nettrace"]));

    host.enter(page).await?;
    page.click("event-name").await?;
    page.text_when("detail-name", |text| !text.is_empty()).await?;
    page.text_when("file-name", |text| text == "<img src=x onerror=alert(1)>.nettrace").await?;
    let own = "return [...document.querySelectorAll('[data-testid=share], [data-testid=open], .brand, [data-testid=file-name] img')].length";
    assert_eq!(page.run(own, []).await?, 0, "opening and sharing is up to the host");
    page.screenshot("embedded-events").await?;
    // Neither the shortcut nor a dropped file opens another trace.
    page.drop_file(&fixtures::unpacked("orders-net31.nettrace")?).await?;
    host.leave(page).await?;

    let selected = host.next_where(page, "selection", "message.selection !== null").await?;
    assert_eq!(selected["selection"]["kind"], "event");
    let view = host.next_where(page, "view", "message.view.includes('sel=event.')").await?;
    let view = view["view"].as_str().unwrap_or_default().to_owned();
    assert!(view.starts_with("#/events?v=1&") && !view.contains("file="), "{view}");

    let answer = host.ask(page, json!({ "type": "setView", "view": "#/stacks?v=1" })).await?;
    assert_eq!(type_of(&answer), "done");
    host.enter(page).await?;
    page.find("stacks-total").await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    // The history of views is the frame's own.
    page.click_by(By::Css("[data-command=GoBack]")).await?;
    host.leave(page).await?;
    assert_eq!(page.run("return history.length", []).await?, host.history_before());
    let now = host.ask(page, json!({ "type": "getView" })).await?;
    assert!(now["view"].as_str().is_some_and(|now| now.starts_with("#/events?")), "{now}");

    let refused = [
        (json!({ "type": "open" }), "field"),
        (json!({ "type": "open", "bytes": 3, "name": "a" }), "field"),
        (json!({ "type": "setView", "view": 1 }), "field"),
        (json!({ "type": "setTheme", "theme": "pink" }), "field"),
        (json!({ "type": "run", "script": "alert(1)" }), "type"),
        (json!({ "type": "getView", "traceglass": 2 }), "version"),
        (json!({ "type": "getView", "traceglass": "1" }), "version"),
    ];
    for (request, code) in refused {
        let answer = host.ask(page, request.clone()).await?;
        assert_eq!((type_of(&answer), &answer["code"]), ("error", &json!(code)), "{request}");
    }
    // Messages for others aren't answered.
    page.run("frames[0].postMessage({ type: 'getView', id: 'other' }, '*')", []).await?;
    assert_eq!(type_of(&host.ask(page, json!({ "type": "close" })).await?), "done");
    let of_other = "return window.messages.filter((message) => message.id === 'other').length";
    assert_eq!(page.run(of_other, []).await?, 0);
    host.next(page, "closed").await?;
    let answer = host.ask(page, json!({ "type": "getView" })).await?;
    assert_eq!(answer["code"], "closed");
    Ok(())
}

#[browser_test]
async fn embedded_page_loads_urls_of_its_host_only(page: &Page) -> Step {
    let host = Host::start(page)?;
    host.frame_page(page, "").await?;
    host.next(page, "ready").await?;
    host.post(page, json!({ "type": "open", "id": 1, "url": host.trace() })).await?;
    let opened = host.next(page, "opened").await?;
    assert_eq!(json!([opened["id"], opened["events"]]), json!([1, 2016]));

    let (other, trace) = fixtures::trace_host()?;
    // The page's own host may answer more to the page than to the page around it.
    for (id, url) in [(2, trace), (3, format!("{}samples/gc.nettrace.gz", page.server.address()))] {
        host.post(page, json!({ "type": "open", "id": id, "url": url })).await?;
        let failed = host.next_where(page, "failed", &format!("message.id === {id}")).await?;
        let expected = format!("An embedded page loads traces from {} only.", host.origin());
        assert_eq!(json!([failed["code"], failed["message"]]), json!(["Fetch", expected]));
    }
    assert_eq!(other.requests(), Vec::<String>::new());

    host.enter(page).await?;
    page.text_when("failure-message", |text| text.contains("only")).await?;
    page.screenshot("embedded-failure").await?;
    let fetch = "return fetch(arguments[0], { mode: 'no-cors' }).then(() => 'answered', () => 'refused')";
    assert_eq!(page.run_async(fetch, [json!(other.address())]).await?, "refused");
    host.leave(page).await
}

#[browser_test]
async fn page_ignores_origins_that_its_address_does_not_allow(page: &Page) -> Step {
    let host = Host::start(page)?;
    host.frame_page(page, "https://other.example").await?;
    host.enter(page).await?;
    page.text_when("waiting", |text| text == "Waiting for a trace…").await?;
    host.leave(page).await?;
    host.post(page, json!({ "type": "hello" })).await?;
    host.post_trace(page, json!({ "type": "open", "name": "a.nettrace" })).await?;
    host.enter(page).await?;
    // A message to itself shows that messages are handled: its source isn't the page around it.
    page.run_async(
        "const arrived = new Promise((resolve) => addEventListener('message', resolve, { once: true }));
         postMessage({ traceglass: 1, type: 'close' }, '*');
         await arrived",
        [],
    )
    .await?;
    page.text_when("waiting", |text| text == "Waiting for a trace…").await?;
    host.leave(page).await?;
    assert_eq!(page.run("return window.messages", []).await?, Value::Array(Vec::new()));

    // Outside of a frame, the parameter has no effect.
    page.browser().goto(format!("{}?embed={}", page.server.address(), fixtures::escaped(&host.origin()))).await?;
    page.until_started().await?;
    page.find("sample-gc").await?;
    Ok(())
}
