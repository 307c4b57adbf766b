//! Page for a single function, as the test runner and the measurements need it.

use crate::browser::TestBrowser;
use crate::{Page, Step, Trouble};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// Runs a function with a page in a new browser, which is closed afterwards.
///
/// # Panics
/// Panics if the function fails.
pub fn drive_within(limit: Duration, name: &str, function: impl AsyncFnOnce(&Page) -> Step) {
    runtime().block_on(async {
        let mut browser = TestBrowser::start_driver(name).expect("a driver");
        let page = browser.page(name).await.expect("the page");
        let outcome = within(limit, function(&page)).await;
        if outcome.is_err() {
            eprintln!("{}", page.evidence().await);
        }
        let closed = browser.close(page).await;
        browser.quit().await;
        outcome.and(closed).expect("the function to go through");
    });
}

/// Returns a runtime for a thread that drives browsers.
pub(crate) fn runtime() -> Runtime {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
    runtime.expect("threads to drive a browser on")
}

/// Returns the result of a function, or an error if it takes too long.
pub(crate) async fn within(limit: Duration, function: impl Future<Output = Step>) -> Step {
    let outcome = tokio::time::timeout(limit, function).await;
    outcome.unwrap_or_else(|_| Err(Trouble(format!("it took more than {} s", limit.as_secs()))))
}
