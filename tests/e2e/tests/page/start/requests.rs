//! The page starts, from a sub-path, under its policy.

use serde_json::{Value, json};
use std::time::Duration;
use thirtyfour::Key;
use traceglass_e2e::fixtures::{escaped, trace_host};
use traceglass_e2e::{Page, Step, browser_test, fixtures};
use xtask::server::Server;
use xtask::size;

/// The page asks for nothing more when it has been quiet for so long.
const QUIET: Duration = Duration::from_secs(2);

#[browser_test]
async fn starts_under_a_sub_path_without_errors(page: &Page) -> Step {
    page.open("").await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    let foreign = page.server.requests().into_iter().filter(|path| !path.starts_with("/tools/traceglass/"));
    assert_eq!(foreign.collect::<Vec<_>>(), Vec::<String>::new(), "every address is relative");
    Ok(())
}

#[browser_test]
async fn fetches_only_what_the_size_check_counts_before_there_is_a_trace(page: &Page) -> Step {
    page.open("").await?;
    tokio::time::sleep(QUIET).await;
    let asked = page.server.requests();
    let names = asked.iter().filter_map(|path| path.strip_prefix("/tools/traceglass/"));
    let names: Vec<&str> = names.map(|name| name.split('?').next().unwrap_or(name)).collect();
    assert!(names.contains(&"worker_bg.wasm"), "the worker's program is fetched ahead: {names:?}");
    let uncounted: Vec<_> = names.iter().filter(|name| !size::is_fetched_at_once(name)).collect();
    assert!(uncounted.is_empty(), "fetched before there is a trace: {uncounted:?}");
    Ok(())
}

#[browser_test]
async fn what_opens_traces_arrives_at_the_first_sign_that_one_is_coming(page: &Page) -> Step {
    page.open("").await?;
    let asked = || page.server.requests().iter().filter(|path| path.contains("app_bg.wasm")).count();
    assert_eq!(asked(), 0, "whoever only looks fetches nothing more");
    page.press(Key::Tab).await?;
    let has_come = "return performance.getEntriesByType('resource').some((one) => one.name.includes('app_bg.wasm'))";
    page.until("what opens traces is there", has_come).await?;
    page.open_trace(&fixtures::unpacked("short-net10.nettrace")?).await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    assert_eq!(asked(), 1, "once");
    Ok(())
}

#[browser_test]
async fn what_answers_questions_is_fetched_with_the_first_trace_and_never_on_the_spot(page: &Page) -> Step {
    page.open("").await?;
    page.open_orders().await?;
    let asked = page.server.requests();
    let rest: Vec<_> = asked.iter().filter(|path| path.contains("worker_rest.wasm")).collect();
    assert_eq!(rest.len(), 1, "once, and no thread stood still for it: {rest:?}");
    Ok(())
}

#[browser_test]
async fn the_page_may_not_fetch_from_elsewhere(page: &Page) -> Step {
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
async fn the_worker_that_holds_the_trace_may_not_fetch_from_elsewhere(page: &Page) -> Step {
    let elsewhere = Server::start(&fixtures::dist(), "/", 0)?;
    page.open("").await?;
    let answer = answer_of_worker(page, &format!("{}index.html", elsewhere.address())).await?;
    assert!(answer["result"]["Err"].is_object(), "the worker says that it could not fetch: {answer}");
    assert_eq!(elsewhere.requests(), Vec::<String>::new(), "nothing went out");
    Ok(())
}

/// What a worker of this page says to an address, whether the page would let that through or not. The last of its answers:
/// those about progress come first.
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

/// The policy of a page with a hosted trace lets through what that lies on, besides the page's own host, and no third.
#[browser_test]
async fn beside_the_host_of_an_open_trace_there_is_no_other(page: &Page) -> Step {
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
