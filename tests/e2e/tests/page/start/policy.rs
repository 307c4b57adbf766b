//! Security policy: page and worker connect to no other host.

use serde_json::{Value, json};
use traceglass_e2e::fixtures::{escaped, trace_host};
use traceglass_e2e::{Page, Step, browser_test, fixtures};
use xtask::server::Server;

#[browser_test]
async fn page_may_not_fetch_from_other_host(page: &Page) -> Step {
    let elsewhere = Server::start(&fixtures::dist(), "/", 0)?;
    page.open("").await?;
    let fetch = "return fetch(arguments[0]).then(() => 'answered', () => 'refused')";
    let foreign = page.run_async(fetch, [json!(elsewhere.address())]).await?;
    let own = page.run_async(fetch, [json!(page.server.address())]).await?;
    assert_eq!((foreign, own), (json!("refused"), json!("answered")));
    assert_eq!(elsewhere.requests(), Vec::<String>::new(), "nothing went out");
    Ok(())
}

#[browser_test]
async fn worker_may_not_fetch_from_other_host(page: &Page) -> Step {
    let elsewhere = Server::start(&fixtures::dist(), "/", 0)?;
    page.open("").await?;
    let answer = answer_of_worker(page, &format!("{}index.html", elsewhere.address())).await?;
    assert!(answer["result"]["Err"].is_object(), "the worker says that it could not fetch: {answer}");
    assert_eq!(elsewhere.requests(), Vec::<String>::new(), "nothing went out");
    Ok(())
}

/// Hosts with characters that mean something in a policy would allow all hosts, or add directives.
#[browser_test]
async fn addresses_cannot_widen_policy(page: &Page) -> Step {
    let policy = "return document.querySelector('meta[http-equiv]').content";
    page.open("").await?;
    let expected = page.run(policy, []).await?;
    for address in ["https://*/a.nettrace", "https://*.example/a", "https://a;img-src/a", "https://a,b/a", "data:,a"] {
        page.browser().goto("about:blank").await?;
        page.open(&format!("/summary?v=1&url={}", escaped(address))).await?;
        assert_eq!(page.run(policy, []).await?, expected, "{address}");
    }
    Ok(())
}

/// Returns the worker's last answer for a URL, even if the page wouldn't allow it. Earlier answers are about progress.
async fn answer_of_worker(page: &Page, address: &str) -> Step<Value> {
    let ask = "const worker = await traceglass.spawnWorker('policy');
               const answer = new Promise((resolve) => {
                 worker.port.onmessage = ({ data }) => { if (!data[0].result?.Ok?.Progress) resolve(data[0]); };
               });
               worker.port.postMessage([{ OpenUrl: { id: 7, trace: 0, name: 'foreign', url: arguments[0] } }, null]);
               const outcome = await answer;
               worker.terminate();
               return outcome;";
    page.run_async(ask, [json!(address)]).await
}

/// The policy of a page with a hosted trace allows that trace's host besides the page's own, and no third host.
#[browser_test]
async fn page_of_a_hosted_trace_fetches_from_no_third_host(page: &Page) -> Step {
    let (host, address) = trace_host()?;
    let elsewhere = Server::start(&fixtures::dist(), "/", 0)?;
    page.open(&format!("/events?v=1&url={}", escaped(&address))).await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    let fetch = "return fetch(arguments[0]).then(() => 'answered', () => 'refused')";
    let third = format!("{}index.html", elsewhere.address());
    assert_eq!(page.run_async(fetch, [json!(third)]).await?, "refused");
    assert_eq!(page.run_async(fetch, [json!(address)]).await?, "answered");
    let beacon = "return navigator.sendBeacon(arguments[0], 'x')";
    page.run(beacon, [json!(third)]).await?;
    let answer = answer_of_worker(page, &third).await?;
    assert!(answer["result"]["Err"].is_object(), "the worker says that it could not fetch: {answer}");
    let answer = answer_of_worker(page, &address).await?;
    assert!(answer["result"]["Ok"].is_object(), "a worker may read the trace itself: {answer}");
    assert_eq!(elsewhere.requests(), Vec::<String>::new(), "nothing went out");
    let asked: std::collections::BTreeSet<String> = host.requests().into_iter().collect();
    assert_eq!(asked.into_iter().collect::<Vec<_>>(), ["/traces/short-net10.nettrace.gz"]);
    Ok(())
}
