//! A saved page with an excerpt: only chosen threads.

use traceglass_e2e::{Page, Step, browser_test};

/// Waits until the groups of events by thread have this number, and this number of events.
async fn by_thread(page: &Page, groups: &str, events: &str) -> Step {
    page.pick("pick-group", "Thread").await?;
    page.text_when("groups-total", |text| text == groups).await?;
    page.text_when("groups-events", |text| text == events).await?;
    page.pick("pick-group", "No groups").await
}

#[browser_test]
async fn saved_page_has_chosen_threads_only(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("3").await?;
    by_thread(page, "20", "26,800").await?;
    for thread in ["6712", "6711"] {
        page.pick("pick-thread", thread).await?;
    }
    page.chips_when(&["Thread Program.Cpu · 6712", "Thread Program.Cpu · 6711"]).await?;
    page.events_when("2,629").await?;
    by_thread(page, "2", "2,629").await?;
    page.click("share").await?;
    page.click("save-page").await?;
    page.click("save-shown").await?;
    const NAME: &str = "orders-net31-part.html";
    let said = page.text_when("save-size", |text| text.starts_with(NAME)).await?;
    assert!(said.contains("a part of the trace with 2,788 events"), "{said}");
    page.click("save-now").await?;
    let saved = page.saved(NAME).await?;

    page.server.be_gone(true);
    page.browser().goto(format!("file://{}", saved.display())).await?;
    page.until_started().await?;
    page.text_when("event-count", |text| text == "2,788").await?;
    page.chips_when(&["Thread Program.Cpu · 6712", "Thread Program.Cpu · 6711"]).await?;
    page.events_when("2,629").await?;
    by_thread(page, "2", "2,629").await?;
    // Other threads have only events that name code on the stacks, types, threads and the process.
    page.click("clear-filters").await?;
    page.events_when("2,788").await?;
    let others = "-thread=6712 -thread=6711";
    page.type_filter(others).await?;
    page.events_when("159").await?;
    let names =
        "-event:Method/ -event:Loader/ -event:BulkType -event:ThreadCreated -event:ProcessInfo -event:Runtime/Start";
    page.type_filter(&format!("{others} {names}")).await?;
    // Other ends of what the threads began or ended.
    page.events_when("64").await?;
    page.type_filter("provider:SampleProfiler").await?;
    page.events_when("355").await?;
    by_thread(page, "2", "355").await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}
