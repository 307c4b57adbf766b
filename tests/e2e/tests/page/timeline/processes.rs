//! A trace of two apps: each has its own tracks, and labels lead from one to the other.

use thirtyfour::prelude::*;
use traceglass_e2e::{Page, Step, Trouble, browser_test, fixtures};

async fn open(page: &Page) -> Step {
    page.open("").await?;
    page.open_trace(&fixtures::unpacked("two-runtimes.nettrace")?).await?;
    page.find("group-collections-4210").await?;
    Ok(())
}

/// Returns the names of a process's tracks at a level, from top to bottom.
async fn groups_of(page: &Page, process: u32) -> Step<Vec<String>> {
    let script = "const heads = [...document.querySelectorAll('[role=treeitem]')]
          .sort((one, other) => one.offsetTop - other.offsetTop);
        const from = heads.findIndex((head) => head.dataset.testid === arguments[0]);
        const rest = heads.slice(from + 1);
        const until = rest.findIndex((head) => head.getAttribute('aria-level') === '1');
        return rest.slice(0, until < 0 ? rest.length : until)
          .filter((head) => head.getAttribute('aria-level') === '2')
          .map((head) => head.querySelector('.nm').textContent)";
    let names = page.run(script, [format!("process-{process}").into()]).await?;
    serde_json::from_value(names).map_err(|error| Trouble(error.to_string()))
}

/// Runtime, threads and activities are below their process, with its own figures.
#[browser_test]
async fn each_process_has_own_tracks(page: &Page) -> Step {
    // High enough for all headers to exist.
    page.browser().set_window_rect(0, 0, 1440, 1600).await?;
    open(page).await?;
    page.text_when("group-collections-4127", |text| text.contains("6 ·")).await?;
    page.text_when("group-collections-4210", |text| text.contains("4 ·")).await?;
    page.text_when("group-exceptions-4210", |text| text.contains('4')).await?;
    page.until("the shop threw nothing", "return !document.querySelector('[data-testid=group-exceptions-4127]')")
        .await?;
    // Activities are computed later.
    page.until_still().await?;
    assert_eq!(groups_of(page, 4127).await?, ["Runtime", "Threads", "Activities"]);
    assert_eq!(groups_of(page, 4210).await?, ["Runtime", "Threads", "Activities"]);
    assert!(groups_of(page, 812).await?.iter().all(|name| name != "Threads"), "a process with nothing but a thread");

    let of_all = page.text_when("matches", |text| !text.is_empty()).await?;
    page.run("document.querySelector('[data-testid=process-4210]').focus()", []).await?;
    page.press("t").await?;
    page.until("the address keeps it", "return location.hash.includes('pr=4210')").await?;
    let of_stock = page.text_when("matches", |text| !text.is_empty() && text != of_all).await?;
    page.press("3").await?;
    page.text_when("events-total", |text| text == of_stock).await?;
    Ok(())
}

/// The table of processes filters to one, and excludes one.
#[browser_test]
async fn process_table_filters(page: &Page) -> Step {
    open(page).await?;
    page.press("4").await?;
    let press = async |testid: &str| {
        let button = format!(
            "const rows = [...document.querySelectorAll('tr[data-testid=process]')];
            const row = rows.find((row) => row.cells[0].textContent === '4210');
            row.querySelector('[data-testid={testid}]').click()"
        );
        page.until("the processes are there", "return !!document.querySelector('tr[data-testid=process]')").await?;
        page.run(&button, []).await
    };
    press("only-process").await?;
    page.chips_when(&["Process stock (4210)"]).await?;
    page.events_when("736").await?;
    page.remove_chip("process").await?;
    page.press("4").await?;
    press("without-process").await?;
    page.events_when("681").await
}

/// A request leads from the shop to the stock by its trace, and back; and a label filters to its events.
#[browser_test]
async fn labels_link_processes(page: &Page) -> Step {
    open(page).await?;
    page.pointer().key_down(Key::Control).send_keys("p").key_up(Key::Control).perform().await?;
    page.find("finder-field").await?;
    page.press("outgoing requests").await?;
    page.text_when("finder-list", |text| text.starts_with("Outgoing requests · shop")).await?;
    page.press(Key::Enter).await?;
    page.until("its head has the focus", "return document.activeElement.dataset.testid === 'group-requestssent-4127'")
        .await?;
    page.press(".").await?;
    page.text_when("detail-name", |text| text == "RequestStart").await?;
    let from = page.text("detail-thread").await?;
    let fits = "const [table, drawer] = ['table.fields', '.drawer'].map((one) => document.querySelector(one));
        return table.getBoundingClientRect().width <= drawer.clientWidth";
    page.until("the payload is as wide as the drawer", fits).await?;
    page.find("link").await?;
    page.press("]").await?;
    page.text_when("announce", |text| text.starts_with("Next in its trace: POST /reserve")).await?;
    let to = page.text_when("detail-thread", |text| text != from).await?;
    page.press("[").await?;
    page.text_when("detail-thread", |text| text == from && text != to).await?;

    let tenant = "//*[@data-testid='shared-label']/button[contains(., 'events')]";
    let labels = page.browser().query(By::XPath(tenant)).all_from_selector_required().await?;
    let last = labels.last().ok_or_else(|| Trouble("no label".to_owned()))?;
    let words = page.text_of(last).await?;
    last.click().await?;
    let matches = page.text_when("matches", |text| words.contains(text) && !text.is_empty()).await?;
    page.until("the address keeps it", "return location.hash.includes('l=label.region.north')").await?;
    page.press("3").await?;
    page.text_when("events-total", |text| text == matches).await?;
    Ok(())
}

/// Returns the headers of the first level, from top to bottom: names, and whether they are expanded.
async fn processes(page: &Page) -> Step<Vec<(String, bool)>> {
    let script = "return [...document.querySelectorAll('[role=treeitem][aria-level=\"1\"]')]
          .sort((one, other) => one.offsetTop - other.offsetTop)
          .map((head) => [head.querySelector('.nm').textContent, head.getAttribute('aria-expanded') === 'true'])";
    let found = page.run(script, []).await?;
    serde_json::from_value(found).map_err(|error| Trouble(error.to_string()))
}

/// Of many processes, the busiest are expanded; another one requests its tracks when it is expanded; lost events of
/// unknown threads are below a separate heading.
#[browser_test]
async fn dozen_processes_and_unknown_threads_have_tracks(page: &Page) -> Step {
    // High enough for all headers to exist.
    page.browser().set_window_rect(0, 0, 1440, 4000).await?;
    page.open("").await?;
    page.open_trace(&fixtures::unpacked("many-processes.nettrace")?).await?;
    page.find("group-collections-5000").await?;
    page.find("group-losses").await?;
    let found = processes(page).await?;
    let mut expected: Vec<(String, bool)> =
        (0..12).map(|program| (format!("service{} ({})", program + 1, 5000 + program), program < 8)).collect();
    expected.push(("Unknown process".to_owned(), true));
    assert_eq!(found, expected);
    assert_eq!(page.browser().query(By::Css("[data-testid^=group-losses]")).all_from_selector().await?.len(), 1);
    page.text_when("group-losses", |text| text.contains("37")).await?;

    page.until(
        "a closed process has no tracks",
        "return !document.querySelector('[data-testid=group-collections-5008]')",
    )
    .await?;
    page.run("document.querySelector('[data-testid=process-5008]').focus()", []).await?;
    page.press(Key::Right).await?;
    page.text_when("group-collections-5008", |text| text.contains("3 ·")).await?;
    Ok(())
}

/// A message template is shown with the values of the event: on the track of log messages and in the details.
#[browser_test]
async fn message_template_is_filled(page: &Page) -> Step {
    open(page).await?;
    page.pointer().key_down(Key::Control).send_keys("p").key_up(Key::Control).perform().await?;
    page.find("finder-field").await?;
    page.press("log").await?;
    page.text_when("finder-list", |text| text.starts_with("Log · stock")).await?;
    page.press(Key::Enter).await?;
    page.until("its head has the focus", "return document.activeElement.dataset.testid === 'group-logs-4210'").await?;
    page.press(".").await?;
    page.text_when("detail-name", |text| text == "Reserved").await?;
    let is_filled = |text: &str| text.starts_with("Reserved sku-") && text.ends_with(" in {stock}");
    page.text_when("detail-message", is_filled).await?;
    Ok(())
}
