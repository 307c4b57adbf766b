//! Each kind of condition as a chip: its matches, the matches after inverting it, and back. The count of the chips is
//! that of the event table.

use thirtyfour::prelude::*;
use traceglass_e2e::{Page, Step, browser_test, fixtures, number, written};

/// Number of events in the recording of the orders app, and of the app's own events.
const WHOLE: &str = "26,800";
const OWN: &str = "586";

/// Checks the only chip of this kind: inverted, it matches the complement; inverted again, the original events;
/// removed, everything.
async fn inverts_and_removes(page: &Page, chip: &str, events: &str, whole: &str) -> Step {
    page.events_when(events).await?;
    page.invert_chip(chip).await?;
    let excluded = written(number(whole)? - number(events)?);
    page.events_when(&excluded).await?;
    page.text_when("hidden", |text| text.contains(&format!("{events} excluded"))).await?;
    // The inverted condition is a part of the typed query.
    page.find("chip-typed-0").await?;
    page.invert_chip("typed-0").await?;
    page.events_when(events).await?;
    page.remove_chip("typed-0").await?;
    page.chips_when(&[]).await?;
    page.events_when(whole).await
}

/// Filters to the app's own events, and then to those of the main thread.
async fn narrow_twice(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("3").await?;
    page.pick("pick-provider", "Workload-Orders").await?;
    page.events_when(OWN).await?;
    page.pick("pick-thread", "Main").await?;
    page.events_when("286").await
}

#[browser_test]
async fn level_chip_keeps_severe_and_log_always_events(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("3").await?;
    for (level, events) in [("Critical", "134"), ("Error", "210"), ("Warning", "236"), ("Info", "10,837")] {
        page.pick("pick-level", level).await?;
        page.chips_when(&[&format!("Level {level} and above")]).await?;
        page.events_when(events).await?;
    }
    assert!(page.hash().await?.contains("&lv=4"), "the level is in the address");
    page.pick("pick-level", "Warning").await?;
    inverts_and_removes(page, "level", "236", WHOLE).await?;
    // A row also filters to its level.
    page.pick("pick-provider", "Workload-Orders").await?;
    // The table has kept the time of its top row.
    page.run("document.querySelector('[data-testid=events] .viewport').scrollTop = 0", []).await?;
    page.text_when("event-name", |text| text == "OrderStart").await?;
    page.right_click(page.below_top("event-name", 8.0).await?).await?;
    page.text_when("only-level", |text| text.starts_with("Filter to Info and above")).await?;
    page.click("only-level").await?;
    page.remove_chip("provider").await?;
    page.chips_when(&["Level Info and above"]).await?;
    page.events_when("10,837").await
}

#[browser_test]
async fn provider_thread_and_event_chips_are_inverted(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("3").await?;
    page.pick("pick-provider", "Workload-Orders").await?;
    page.chips_when(&["Provider Workload-Orders"]).await?;
    inverts_and_removes(page, "provider", OWN, WHOLE).await?;
    page.pick("pick-thread", "6712").await?;
    page.chips_when(&["Thread Program.Cpu · 6712"]).await?;
    inverts_and_removes(page, "thread", "1,135", WHOLE).await?;
    page.pick("pick-provider", "Workload-Orders").await?;
    page.text_when("event-name", |text| text == "OrderStart").await?;
    page.right_click(page.below_top("event-name", 8.0).await?).await?;
    page.click("only-event").await?;
    page.remove_chip("provider").await?;
    page.chips_when(&["Event Workload-Orders / OrderStart"]).await?;
    inverts_and_removes(page, "type", "280", WHOLE).await
}

#[browser_test]
async fn range_function_and_activity_chips_are_inverted(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("3").await?;
    page.pick("pick-provider", "Workload-Orders").await?;
    page.text_when("event-name", |text| text == "OrderStart").await?;
    page.click("event-name").await?;
    page.text_when("filter-to-label", |text| text.starts_with("/#6702/1/1/")).await?;
    page.click("filter-to-label").await?;
    page.until("both chips stand", "return document.querySelectorAll('.filters .chip .edit').length === 2").await?;
    page.remove_chip("provider").await?;
    // The chip has the text of the button; its tooltip has the value in the file.
    page.chips_when(&["Activity /#6702/1/1/"]).await?;
    let tip = "return document.querySelector('[data-testid=chip-label-Activity] .edit').title";
    let tip = page.run(tip, []).await?;
    assert!(tip.as_str().is_some_and(|tip| tip.contains("00000011-0000-0000-0000-000090839d59")), "{tip}");
    inverts_and_removes(page, "label", "31", WHOLE).await?;

    // From the first of the app's events on.
    page.pick("pick-provider", "Workload-Orders").await?;
    page.text_when("event-name", |text| text == "OrderStart").await?;
    page.right_click(page.below_top("event-name", 8.0).await?).await?;
    page.click("from-here").await?;
    page.remove_chip("provider").await?;
    page.find("chip-time").await?;
    let from_here = page.text_when("matches", |text| !text.is_empty() && text != OWN && text != WHOLE).await?;
    inverts_and_removes(page, "time", &from_here, WHOLE).await?;

    page.press("2").await?;
    page.click("activity-all").await?;
    page.click("view-functions").await?;
    page.find("find-function").await?.send_keys("Program.Contend").await?;
    page.text_when("function-name", |text| text.contains("Contend")).await?;
    page.click("function-name").await?;
    page.click("keep-selected").await?;
    inverts_and_removes(page, "stack", "653", WHOLE).await
}

#[browser_test]
async fn process_chip_is_inverted(page: &Page) -> Step {
    page.open("").await?;
    page.open_trace(&fixtures::unpacked("two-runtimes.nettrace")?).await?;
    page.matches_when("1,417").await?;
    page.until_still().await?;
    page.right_click(page.below_top("process-4127", 8.0).await?).await?;
    page.text_when("menu-filter", |text| text.starts_with("Filter to this process")).await?;
    page.click("menu-filter").await?;
    page.chips_when(&["Process shop (4127)"]).await?;
    inverts_and_removes(page, "process", "677", "1,417").await
}

#[browser_test]
async fn filter_steps_are_undone_and_redone(page: &Page) -> Step {
    narrow_twice(page).await?;
    let press = async |words: &str| page.click_by(By::Css(format!(".filters [aria-label^='{words}']"))).await;
    let (provider, thread) = ("Provider Workload-Orders", "Thread Main 6702");
    page.chips_when(&[thread, provider]).await?;
    press("Undo").await?;
    page.chips_when(&[provider]).await?;
    page.text_when("events-total", |text| text == OWN).await?;
    press("Undo").await?;
    page.chips_when(&[]).await?;
    page.text_when("events-total", |text| text == WHOLE).await?;
    press("Redo").await?;
    page.text_when("events-total", |text| text == OWN).await?;
    press("Redo").await?;
    page.chips_when(&[thread, provider]).await?;
    page.events_when("286").await
}

#[browser_test]
async fn each_chip_is_removed_separately(page: &Page) -> Step {
    narrow_twice(page).await?;
    page.type_filter("event=OrderStart payload.customer=customer-0").await?;
    page.events_when("17").await?;
    page.remove_chip("typed-1").await?;
    page.events_when("280").await?;
    page.remove_chip("typed-0").await?;
    page.events_when("286").await?;
    page.remove_chip("provider").await?;
    page.events_when("6,322").await?;
    page.remove_chip("thread").await?;
    page.events_when(WHOLE).await
}
