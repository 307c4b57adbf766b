//! Filters by activity, trace, span, label, process and thread, and the suggestions for them.

use thirtyfour::prelude::*;
use traceglass_e2e::{Page, Step, browser_test, fixtures};

/// Opens the trace of two apps whose events have labels: 24 orders, of three tenants in turn.
async fn open_labels(page: &Page) -> Step {
    page.open("").await?;
    page.open_trace(&fixtures::unpacked("two-runtimes.nettrace")?).await?;
    page.events_when("1,417").await
}

/// Types each of these filters, and checks the number of matching events.
async fn each_leaves(page: &Page, filters: &[(&str, &str)]) -> Step {
    for (filter, events) in filters {
        page.type_filter(filter).await?;
        page.chips_when(&filter.split(' ').collect::<Vec<_>>()).await?;
        page.events_when(events).await.map_err(|trouble| format!("{filter}: {trouble:?}"))?;
    }
    Ok(())
}

/// Types at the cursor, and waits until a suggestion is the first, and all contain `has`: earlier suggestions may have
/// the same prefix.
async fn is_offered(page: &Page, typed: &str, has: &str, first: &str) -> Step {
    page.press(typed).await?;
    let offered = format!(
        "const all = [...document.querySelectorAll('#query-suggestions li code')].map((one) => one.innerText);
         return all[0] === '{first}' && all.every((one) => one.includes('{has}'))"
    );
    page.until(&format!("{first} is offered for {typed}"), &offered).await
}

/// Empties and focuses the field.
async fn begin(page: &Page) -> Step {
    page.type_filter("").await?;
    page.click("search").await
}

#[browser_test]
async fn activities_are_found_by_path(page: &Page) -> Step {
    page.open_orders().await?;
    each_leaves(
        page,
        &[
            ("activity:/#6702/1/", "1,134"),
            ("activity:/#6702/1/2", "365"),
            ("activity=/#6702/1/2/", "7"),
            ("activity=00000011-0000-0000-0000-000090839d59", "31"),
            ("-activity=/#6702/1/2/", "26,793"),
        ],
    )
    .await?;
    page.type_filter("activity=/#6702/1/1/").await?;
    page.events_when("31").await?;
    // The rows show the same.
    // The table has kept the time of its top row.
    page.run("document.querySelector('[data-testid=events] .viewport').scrollTop = 0", []).await?;
    page.text_when("event-name", |text| text == "OrderStart").await?;
    let paths = "const paths = [...document.querySelectorAll('[data-testid=event-belongs]')].filter((cell) => cell.offsetWidth);
        return paths.length > 5 && paths.every((cell) => cell.innerText.trim() === '/#6702/1/1/')";
    page.until("all rows are of that activity", paths).await
}

#[browser_test]
async fn traces_spans_and_labels_are_found(page: &Page) -> Step {
    open_labels(page).await?;
    each_leaves(
        page,
        &[
            ("trace:5a5a", "220"),
            ("trace=5a5a5a5a5a5a5a5a5a5a5a5a00000003", "9"),
            ("span=0000000000001030", "4"),
            ("span=0000000000001031", "5"),
            ("trace:00000003 -span=0000000000001030", "5"),
            ("label.tenant=blue", "73"),
            ("label.tenant!=blue", "147"),
            ("-label.tenant=blue", "1,344"),
            ("label.tenant~/^(blue|red)$/", "146"),
            ("label.region=north", "220"),
            ("label.tenant=red provider:Stock", "24"),
        ],
    )
    .await
}

#[browser_test]
async fn processes_and_threads_are_found_by_name_and_id(page: &Page) -> Step {
    open_labels(page).await?;
    each_leaves(
        page,
        &[
            ("process:shop", "677"),
            ("process=4210", "736"),
            ("-process:shop", "740"),
            ("process:stock label.tenant=blue", "41"),
            ("thread=9002", "348"),
            ("thread:Main", "29"),
        ],
    )
    .await?;
    page.type_filter("process:nobody").await?;
    page.events_when("0").await
}

#[browser_test]
async fn threads_labels_and_processes_are_suggested(page: &Page) -> Step {
    open_labels(page).await?;
    begin(page).await?;
    is_offered(page, "thre", "", "thread:").await?;
    page.take_first_suggestion().await?;
    is_offered(page, "900", "900", "\".NET TP Worker 9002\"").await?;
    page.take_first_suggestion().await?;
    page.matches_when("348").await?;
    assert_eq!(page.typed_filter().await?.trim(), "thread:\".NET TP Worker 9002\"");

    begin(page).await?;
    is_offered(page, "lab", "", "label.").await?;
    page.take_first_suggestion().await?;
    is_offered(page, "ten", "ten", "tenant").await?;
    page.take_first_suggestion().await?;
    page.press(Key::Backspace + "").await?;
    is_offered(page, "=gr", "gr", "green").await?;
    page.take_first_suggestion().await?;
    page.matches_when("74").await?;
    assert_eq!(page.typed_filter().await?.trim(), "label.tenant=green");

    begin(page).await?;
    is_offered(page, "proc", "", "process:").await?;
    page.take_first_suggestion().await?;
    is_offered(page, "sto", "sto", "\"stock (4210)\"").await?;
    page.take_first_suggestion().await?;
    page.matches_when("736").await?;
    page.events_when("736").await
}
