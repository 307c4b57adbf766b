//! Requests of the page, and their order.

use std::time::Duration;
use thirtyfour::prelude::*;
use traceglass_e2e::{Page, Step, browser_test, fixtures};
use xtask::size;

/// Time without requests after which the page has finished loading.
const QUIET: Duration = Duration::from_secs(2);

#[browser_test]
async fn page_starts_under_sub_path_without_errors(page: &Page) -> Step {
    page.open("").await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    let foreign = page.server.requests().into_iter().filter(|path| !path.starts_with("/tools/traceglass/"));
    assert_eq!(foreign.collect::<Vec<_>>(), Vec::<String>::new(), "every address is relative");
    Ok(())
}

#[browser_test]
async fn start_page_fetches_only_counted_files(page: &Page) -> Step {
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
async fn opening_program_is_fetched_at_first_interaction(page: &Page) -> Step {
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
async fn secondary_module_is_fetched_with_first_trace(page: &Page) -> Step {
    page.open("").await?;
    page.open_orders().await?;
    let asked = page.server.requests();
    let rest: Vec<_> = asked.iter().filter(|path| path.contains("worker_rest.wasm")).collect();
    assert_eq!(rest.len(), 1, "once, and no thread stood still for it: {rest:?}");
    Ok(())
}
