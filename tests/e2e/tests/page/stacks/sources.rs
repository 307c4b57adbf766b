//! Sources and weights of stacks: questions about an app, with the counts of the app itself (`*.truth.json` beside the
//! recordings) or sums over payloads of events.

use super::{open_allocations, open_gc};
use thirtyfour::prelude::*;
use traceglass_e2e::{Page, Step, browser_test, fixtures};

#[browser_test]
async fn allocations_by_bytes_name_the_top_method(page: &Page) -> Step {
    open_gc(page).await?;
    // The recording has no samples, so the source with most stacks is selected: lock waits by duration.
    page.text_when("stacks-total", |text| text.ends_with(" s")).await?;
    page.pick("pick-source", "GC/SampledObjectAllocation").await?;
    page.text_when("function-name", |text| text.contains("Program.Archivist")).await?;
    page.text_when("function-self", |text| text == "824 MB").await?;
    // The app counted 69,097,813 bytes of large arrays, which only one method allocates.
    page.find("find-function").await?.send_keys("Scanner").await?;
    page.text_when("function-self", |text| text == "69.1 MB").await?;
    let hash = page.hash().await?;
    assert!(hash.contains("GC%2FSampledObjectAllocation"), "the source is in the address: {hash}");
    assert!(hash.contains("by=field.TotalSizeForTypeSample"), "the weight is in the address: {hash}");
    page.reload().await?;
    page.text_when("function-self", |text| text == "824 MB").await?;
    page.pick("pick-weight", "Events").await?;
    page.text_when("stacks-total", |text| text.ends_with(" events")).await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

#[browser_test]
async fn sandwich_and_bottom_up_name_the_callers(page: &Page) -> Step {
    open_allocations(page).await?;
    page.click("view-sandwich").await?;
    // The hottest function is shown first.
    page.text_when("pivot", |text| text.contains("Ledger.Program.Archivist")).await?;
    page.find("find-function").await?.send_keys("Scanner").await?;
    page.text_when("function-self", |text| text == "69.1 MB").await?;
    page.click("function-name").await?;
    page.text_when("pivot", |text| text.contains("Ledger.Program.Scanner")).await?;
    // Above it, its only caller, a lambda in Main, and the start of that thread.
    let boxes = "const canvas = id => document.querySelector(`[data-testid=${id}-canvas]`);
        return Number(canvas('callers')?.dataset.levels) >= 5 && Number(canvas('callees')?.dataset.levels) >= 2";
    page.until("callers and callees are drawn", boxes).await?;
    let hash = page.hash().await?;
    assert!(hash.contains("as=sandwich") && hash.contains("fn=ledger.Ledger.Program.Scanner"), "{hash}");
    page.click("view-bottom-up").await?;
    page.text_when("node-name", |text| text.contains("Program.Archivist")).await?;
    page.text_when("node-total", |text| text == "824 MB").await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

/// The orders app allocated 38,191,296 bytes of strings, the sum over its 354 ticks of `System.String`.
#[browser_test]
async fn allocation_ticks_of_strings_name_the_top_method(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("2").await?;
    page.pick("pick-source", "GC/AllocationTick").await?;
    page.find("search").await?.send_keys("System.String").await?;
    page.text_when("matches", |text| text != "26,800").await?;
    page.text_when("stacks-total", |text| text == "38.2 MB").await?;
    page.text_when("function-name", |text| text == "StringBuilder.ToString").await?;
    page.click("function-name").await?;
    page.text_when("detail-name", |text| text == "System.Text.StringBuilder.ToString()").await?;
    // The details contain its callers.
    page.until("callers are listed", "return document.querySelectorAll('[data-testid=callers-list] tr').length > 0")
        .await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

/// The app counted 33,256 lock waits.
#[browser_test]
async fn contention_counts_all_lock_waits(page: &Page) -> Step {
    open_gc(page).await?;
    page.pick("pick-source", "Contention/Start").await?;
    page.pick("pick-weight", "Events").await?;
    page.text_when("stacks-total", |text| text == "33,256 events").await?;
    page.click("view-functions").await?;
    page.click("functions-sort-total").await?;
    page.find("find-function").await?.send_keys("Program.Clerk").await?;
    page.text_when("function-name", |text| text.contains("Program.Clerk")).await?;
    // There are no other waits.
    page.text_when("find-function-share", |text| text == "1 found · 100%").await?;
    page.text_when("function-total", |text| text == "33,256").await?;
    // Filtering to the function changes the other panels.
    page.click("function-name").await?;
    page.press("x").await?;
    page.find("chip-stack-Ledger.Program.Clerk(Random)").await?;
    page.text_when("matches", |text| text != "116,276").await?;
    assert!(page.hash().await?.contains("on=ledger.Ledger.Program.Clerk"), "{}", page.hash().await?);
    page.reload().await?;
    page.find("chip-stack-Ledger.Program.Clerk(Random)").await?;
    page.text_when("stacks-total", |text| text == "33,256 events").await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

/// Waits for one of the five contended locks. `tests/native/exports` computes the same from events: 33,252 waits,
/// 6.169807521 s from the start of a thread's wait to its next stop.
#[browser_test]
async fn contention_of_one_lock_counts_its_waits(page: &Page) -> Step {
    open_gc(page).await?;
    page.pick("pick-source", "Contention/Start").await?;
    page.find("search").await?.send_keys("event=Contention/Start payload.LockID=139809909644024").await?;
    page.text_when("matches", |text| text == "33,252").await?;
    page.pick("pick-weight", "Events").await?;
    page.text_when("stacks-total", |text| text == "33,252 events").await?;
    // A button beside the lock's ID in the details of a wait does the same.
    page.click("clear-filters").await?;
    page.text_when("stacks-total", |text| text == "33,256 events").await?;
    page.find("search").await?.send_keys("event=Contention/Start").await?;
    page.text_when("matches", |text| text == "33,256").await?;
    page.pointer().send_keys(Key::Escape).perform().await?;
    page.until("the field is left", "document.activeElement?.blur(); return document.activeElement === document.body")
        .await?;
    page.press("3").await?;
    page.text_when("event-name", |text| text == "Contention/Start").await?;
    page.click("event-name").await?;
    page.text_when("detail-name", |text| text == "Contention/Start").await?;
    let only = page.find("only-LockID").await?;
    assert_eq!(only.attr("aria-label").await?.as_deref(), Some("Filter to LockID=139809909644024"));
    only.focus().await?;
    only.send_keys(Key::Enter).await?;
    page.text_when("matches", |text| text == "33,252").await?;
    page.press("2").await?;
    page.text_when("stacks-total", |text| text == "33,252 events").await?;
    // Beside the details, the toolbar has no room for the weight.
    page.click("stack-more").await?;
    page.pick("pick-weight", "Duration").await?;
    page.text_when("stacks-total", |text| text == "6.17 s").await?;
    // The duration of waits by stack: all are below the clerks.
    page.click("view-functions").await?;
    page.click("functions-sort-total").await?;
    page.find("find-function").await?.send_keys("Program.Clerk").await?;
    page.text_when("function-total", |text| text == "6.17 s").await?;
    assert!(page.hash().await?.contains("139809909644024"), "{}", page.hash().await?);
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

/// Samples of a machine are threads on CPU; context switches contain how long threads were off CPU.
#[browser_test]
async fn off_cpu_time_is_a_source_of_stacks(page: &Page) -> Step {
    page.open("").await?;
    page.open_trace(&fixtures::unpacked("orders-v6.nettrace")?).await?;
    page.press("2").await?;
    page.text_when("stacks-total", |text| text == "7.23 s").await?;
    page.pick("pick-source", "Off CPU (18,735)").await?;
    page.text_when("stacks-total", |text| text == "62.9 s").await?;
    page.pick("pick-weight", "Events").await?;
    page.text_when("stacks-total", |text| text == "18,735 events").await?;
    Ok(())
}
