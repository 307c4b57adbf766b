//! The page without a network, and as an installed app.

use serde_json::{Value, json};
use traceglass_e2e::{Need, Page, Step, Trouble, browser_test, fixtures};

/// Script that returns the names of the caches and the number of cached files.
const CACHES: &str = "
    const names = await caches.keys();
    const sizes = await Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).length));
    return names.map((name, at) => [name, sizes[at]]);";

/// Waits until all files are cached.
async fn until_cached(page: &Page) -> Step {
    page.run_async("await navigator.serviceWorker.ready", []).await?;
    let found = page.run_async(CACHES, []).await?;
    let caches = found.as_array().map_or(0, Vec::len);
    assert_eq!(caches, 1, "{found}");
    Ok(())
}

/// Caches all files immediately: the page begins after five seconds, for which one test is enough to wait.
async fn cache_now(page: &Page) -> Step {
    page.run_async("await navigator.serviceWorker.register('./sw.js')", []).await?;
    until_cached(page).await
}

async fn open_again(page: &Page) -> Step {
    page.browser().goto("about:blank").await?;
    page.open("").await
}

#[browser_test]
async fn page_opens_again_without_network(page: &Page) -> Step {
    page.open_orders().await?;
    until_cached(page).await?;
    page.server.be_gone(true);
    open_again(page).await?;
    page.find("landing").await?;
    page.open_trace(&fixtures::unpacked("orders-net31.nettrace")?).await?;
    page.text_when("event-count", |text| text == "26,800").await?;
    page.press("2").await?;
    page.text_when("function-name", |text| !text.is_empty()).await?;
    // The Zstandard decompressor hasn't been downloaded before, but it is cached.
    open_again(page).await?;
    page.open_trace(&fixtures::in_zstd("short-net10.nettrace")?).await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    // A bundled trace isn't cached, and shows a message; local files open as before.
    open_again(page).await?;
    page.click("sample-cpu").await?;
    let words = page.text_when("failure-message", |text| !text.is_empty()).await?;
    let expected = "Can't download the sample. Check your connection, or open your own trace.";
    assert_eq!(words, expected);
    page.open_trace(&fixtures::unpacked("short-net10.nettrace")?).await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    // With the network, it opens.
    page.server.be_gone(false);
    open_again(page).await?;
    page.click("sample-cpu").await?;
    page.text_when("event-count", |text| !text.is_empty()).await?;
    Ok(())
}

#[browser_test]
async fn link_opens_without_network(page: &Page) -> Step {
    page.open("").await?;
    cache_now(page).await?;
    page.server.be_gone(true);
    page.browser().goto("about:blank").await?;
    page.open("/events?v=1&file=orders-net31.nettrace").await?;
    page.open_trace(&fixtures::unpacked("orders-net31.nettrace")?).await?;
    page.text_when("events-total", |text| text == "26,800").await?;
    Ok(())
}

#[browser_test]
async fn page_is_loaded_from_host_with_network(page: &Page) -> Step {
    page.open("").await?;
    cache_now(page).await?;
    let newer = std::fs::read_to_string(fixtures::dist().join("index.html")).map_err(|error| error.to_string())?;
    page.server.replace("index.html", newer.replace("<title>Traceglass", "<title>Newer").into_bytes());
    open_again(page).await?;
    assert_eq!(page.run("return document.querySelector('title').textContent", []).await?, "Newer");
    assert_eq!(page.run("return !!navigator.serviceWorker.controller", []).await?, true);
    Ok(())
}

#[browser_test]
async fn parts_of_two_builds_are_not_cached(page: &Page) -> Step {
    let worker = std::fs::read_to_string(fixtures::dist().join("worker.js")).map_err(|error| error.to_string())?;
    page.server.replace("worker.js", format!("{worker}\n// of another build\n").into_bytes());
    page.open("").await?;
    let script = "const registration = await navigator.serviceWorker.register('./sw.js');
        const worker = registration.installing;
        if (worker.state === 'installing') await new Promise((resolve) => { worker.onstatechange = resolve; });
        return [worker.state, !!registration.active];";
    let outcome = page.run_async(script, []).await?;
    assert_eq!(outcome, json!(["redundant", false]));
    assert_eq!(page.run_async(CACHES, []).await?, json!([]), "nothing is left behind");
    // The page works as before.
    page.open_trace(&fixtures::unpacked("short-net10.nettrace")?).await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    Ok(())
}

/// The service worker has no policy of its own, so it must not circumvent that of the page: it serves only this page's
/// own files, and receives no messages.
#[browser_test]
async fn service_worker_connects_to_no_other_host(page: &Page) -> Step {
    let elsewhere = xtask::server::Server::start(&fixtures::dist(), "/", 0)?;
    page.open("").await?;
    cache_now(page).await?;
    open_again(page).await?;
    let fetch = "return fetch(arguments[0]).then(() => 'answered', () => 'refused')";
    assert_eq!(page.run_async(fetch, [json!(elsewhere.address())]).await?, "refused");
    assert_eq!(elsewhere.requests(), Vec::<String>::new(), "nothing went out");
    let program = std::fs::read_to_string(fixtures::dist().join("sw.js")).map_err(|error| error.to_string())?;
    let events: Vec<&str> =
        program.split("addEventListener(\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(events, ["install", "activate", "fetch"]);
    Ok(())
}

#[browser_test(needs(Need::Installing))]
async fn page_is_installable_and_opens_system_files(page: &Page) -> Step {
    page.open("").await?;
    cache_now(page).await?;
    let errors = page.browser().cdp().send_raw("Page.getInstallabilityErrors", json!({})).await?;
    let errors: Vec<&Value> = errors["installabilityErrors"].as_array().into_iter().flatten().collect();
    // Tests run in an incognito context.
    let other = errors.iter().filter(|error| error["errorId"] != "in-incognito");
    assert_eq!(other.collect::<Vec<_>>(), Vec::<&&Value>::new());
    let manifest = page.browser().cdp().send_raw("Page.getAppManifest", json!({})).await?;
    assert_eq!(manifest["errors"], json!([]));
    let text = manifest["data"].as_str().ok_or_else(|| Trouble("no manifest".to_owned()))?;
    let data: Value = serde_json::from_str(text).map_err(|error| Trouble(error.to_string()))?;
    let accepted = &data["file_handlers"][0]["accept"];
    assert_eq!(accepted["application/x-nettrace"], json!([".nettrace"]));
    assert_eq!(accepted["application/x-netperf"], json!([".netperf"]));
    let icons = data["icons"].as_array().cloned().unwrap_or_default();
    for icon in &icons {
        let fetched = "return (await fetch(arguments[0])).headers.get('content-type')";
        assert_eq!(page.run_async(fetched, [icon["src"].clone()]).await?, "image/svg+xml");
    }
    assert_eq!(icons.len(), 2);
    Ok(())
}
