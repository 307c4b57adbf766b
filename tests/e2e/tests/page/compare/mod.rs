//! Comparing two traces: the dialog for a second one, the sentences, and both traces behind them.

use serde_json::Value;
use thirtyfour::prelude::Key;
use traceglass_e2e::accessibility::{none, violations};
use traceglass_e2e::{Need, Page, Step, browser_test, fixtures};

/// Returns the visible sentences about significant changes.
async fn sentences(page: &Page) -> Step<Vec<String>> {
    let script =
        "return [...document.querySelectorAll('[data-testid=changes-significant] .what')].map((one) => one.innerText)";
    let lines = page.run(script, []).await?;
    Ok(lines.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect())
}

/// Waits until the comparison is complete, and a sentence is visible.
async fn says(page: &Page, sentence: &str) -> Step {
    let script = format!(
        "return [...document.querySelectorAll('[data-testid=changes-significant] .what')]
           .some((one) => one.innerText === {sentence:?})"
    );
    page.until(sentence, &script).await
}

#[browser_test]
async fn second_trace_is_compared_and_both_are_behind_each_sentence(page: &Page) -> Step {
    page.open_sample("sample-cpu").await?;
    page.drop_second_file(&fixtures::unpacked("gc.nettrace")?).await?;
    assert_eq!(page.text("second-name").await?, "gc.nettrace");
    page.press("c").await?;
    // The numbers of `traceglass compare cpu.nettrace.gz gc.nettrace.gz`.
    says(page, "GCs fell from 19.8/s to 5.48/s").await?;
    let found = sentences(page).await?;
    for sentence in ["Heap size after GCs rose from 1.74 MB to 58.2 MB", "GCs of gen 2 rose from 0.0799/s to 3.02/s"] {
        assert!(found.iter().any(|one| one == sentence), "{sentence}: {found:?}");
    }
    assert!(found.iter().all(|one| !one.contains("Contention/Start")), "recorded by one only: {found:?}");
    let only = page.text("only-recorded").await?;
    assert!(only.contains("Only trace B recorded allocations, lock contention"), "{only}");
    assert_eq!([page.text("before-name").await?, page.text("after-name").await?], ["cpu.nettrace.gz", "gc.nettrace"]);
    let hash = page.hash().await?;
    assert!(hash.starts_with("/compare?v=1&sample=cpu&file=gc.nettrace"), "{hash}");
    page.click("compare-swap-traces").await?;
    says(page, "GCs rose from 5.48/s to 19.8/s").await?;
    page.click("compare-swap-traces").await?;
    page.click("per-total").await?;
    says(page, "GCs fell from 248 to 40").await?;
    // The values of a subject, the largest of the trace before first.
    page.click("all-changes").await?;
    page.run("document.querySelector('[data-testid=compare-gcsByGeneration] [role=switch]').click()", []).await?;
    page.click("changes-gcsByGeneration-sort-old").await?;
    let table =
        "const rows = [...document.querySelectorAll('[data-testid=changes-gcsByGeneration-row]:not([hidden])')];
        const old = rows.sort((one, other) => one.ariaRowIndex - other.ariaRowIndex)
          .map((row) => parseFloat(row.querySelector('[data-testid=change-old]').innerText.replace('–', '0')));";
    let is_sorted = format!("{table} return old.length === 3 && old[0] >= old[1] && old[1] >= old[2]");
    page.until("the table is sorted", &is_sorted).await?;
    // With keys: the menu of a row opens either trace.
    page.run("document.querySelector('[data-testid=changes-gcsByGeneration]').focus()", []).await?;
    page.press(Key::Down).await?;
    page.press_with(Key::Shift, Key::F10).await?;
    page.text_when("row-before", |text| text == "Open in trace A").await?;
    page.press(Key::Escape).await?;
    // The first sentence is about GCs. Its trace after becomes the open one, which doesn't change the comparison.
    page.click("open-after").await?;
    page.text_when("file-name", |text| text == "gc.nettrace").await?;
    page.until("the tab is open", "return document.querySelector('[data-testid=tab-gc][aria-selected=true]')").await?;
    page.click("tab-compare").await?;
    says(page, "GCs fell from 248 to 40").await?;
    page.click("compare-close").await?;
    page.until("the tab is gone", "return !document.querySelector('[data-testid=tab-compare]')").await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

#[browser_test]
async fn sentences_are_about_the_known_change_only(page: &Page) -> Step {
    // One function is slower, and one route is new: see `known_change.rs` in the engine, which has all sentences.
    page.open("").await?;
    page.open_trace(&fixtures::unpacked("known-change-before.nettrace")?).await?;
    page.drop_second_file(&fixtures::unpacked("known-change-after.nettrace")?).await?;
    page.press("c").await?;
    says(page, "Running time in Shop.Prices.Sum rose from 403 ms to 796 ms per second").await?;
    let found = sentences(page).await?;
    for sentence in ["GET /items p50 rose from 24.0 ms to 40.0 ms", "POST /coupon throughput is new: 12.5/s"] {
        assert!(found.iter().any(|one| one == sentence), "{sentence}: {found:?}");
    }
    let is_unchanged = |one: &String| ["/cart", "Cart", "Stock"].iter().any(|name| one.contains(name));
    assert!(!found.iter().any(is_unchanged), "{found:?}");
    Ok(())
}

#[browser_test]
async fn link_with_two_traces_opens_both(page: &Page) -> Step {
    page.open("/compare?v=1&sample=cpu&sample=gc").await?;
    says(page, "GCs fell from 19.8/s to 5.48/s").await?;
    page.until(
        "the stacks are compared",
        "return document.querySelector('[data-testid=difference-canvas]')?.dataset.boxes > 0",
    )
    .await?;
    // A range that excludes the GCs of the first seconds.
    page.click("after-warm-up").await?;
    page.until("the address knows the range", "return location.hash.includes('&or=2s..')").await?;
    page.text_when("after-facts", |text| text.starts_with("5.")).await?;
    Ok(())
}

#[browser_test(needs(Need::Axe))]
async fn comparison_has_no_violations(page: &Page) -> Step {
    page.open_sample("sample-cpu").await?;
    page.drop_second_file(&fixtures::unpacked("gc.nettrace")?).await?;
    let mut found = violations(page, "a second trace").await?;
    page.press("c").await?;
    says(page, "GCs fell from 19.8/s to 5.48/s").await?;
    found.extend(violations(page, "the comparison").await?);
    none(found)
}
