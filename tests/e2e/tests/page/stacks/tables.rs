//! Call tree and functions: sorting, searching, copying, and weights over time.

use super::open_all_frames;
use thirtyfour::prelude::*;
use traceglass_e2e::{Page, Step, browser_test};

#[browser_test]
async fn rows_show_weight_over_time(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("2").await?;
    page.click("activity-all").await?;
    for view in ["view-tree", "view-bottom-up", "view-functions"] {
        page.click(view).await?;
        let drawn =
            "const seen = [...document.querySelectorAll('[data-testid=when]')].filter(cell => cell.checkVisibility());
            return seen.length > 3 && seen.slice(0, 3).every(cell =>
                /^(throughout|mostly [0-9.]+–[0-9.]+ s)$/.test(cell.getAttribute('aria-label'))
                && cell.querySelector('path').getAttribute('d').startsWith('M0 16'))";
        page.until(view, drawn).await?;
    }
    Ok(())
}

#[browser_test]
async fn tree_is_expanded_searched_and_copied(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("2").await?;
    page.click("activity-all").await?;
    page.click("view-tree").await?;
    page.text_when("node-name", |text| !text.is_empty()).await?;
    let rows = "return Number(document.querySelector('[data-testid=tree]').dataset.rows)";
    let before = page.run(rows, []).await?.as_u64();
    // The first row, and everything below it.
    page.click("node-name").await?;
    page.press("*").await?;
    page.until("more rows", &format!("{} > {}", rows, before.unwrap_or(0) + 10)).await?;
    page.find("find-node").await?.send_keys("Contend").await?;
    page.text_when("find-node-share", |text| text == "1 found · 28%").await?;
    page.until("it stands out", "return document.querySelectorAll('.fname.found').length > 0").await?;
    page.watch_clipboard().await?;
    page.run("document.querySelector('[data-testid=tree]').focus()", []).await?;
    page.press_with(Key::Control, "c").await?;
    let copied = page.copied().await?;
    let is_contend = |line: &str| line.contains("28%\t") && line.ends_with(" Program.Contend()");
    assert!(copied.lines().any(is_contend), "{copied}");
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

#[browser_test]
async fn functions_are_sorted_by_any_column(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("2").await?;
    page.click("activity-all").await?;
    page.click("view-functions").await?;
    page.text_when("function-self", |text| text == "13.6 s").await?;
    page.click("functions-sort-self").await?;
    page.text_when("function-self", |text| text == "0 ns").await?;
    page.click("functions-sort-stacks").await?;
    page.text_when("function-stacks", |text| text == "1,048").await?;
    page.click("functions-sort-name").await?;
    page.text_when("function-name", |text| text.starts_with("(no stack)")).await?;
    page.click("functions-sort-name").await?;
    page.text_when("function-name", |text| !text.is_empty() && !text.starts_with('(')).await?;
    Ok(())
}

/// `Program.Contend` is on 517 stacks, the first at 293,113,902 ns, the last at 7,728,548,455 ns.
#[browser_test]
async fn functions_show_first_and_last_sample(page: &Page) -> Step {
    open_all_frames(page, "view-functions").await?;
    page.click("functions-sort-last").await?;
    page.text_when("function-last", |text| text == "7.731 s").await?;
    page.click("functions-sort-last").await?;
    page.text_when("function-last", |text| text == "0.003 s").await?;
    page.click("functions-sort-first").await?;
    let sorted =
        "return document.querySelector('[data-testid=functions-sort-first]').parentElement.ariaSort === 'ascending'";
    page.until("the earliest first", sorted).await?;
    page.text_when("function-first", |text| text == "0.001 s").await?;
    page.find("find-function").await?.send_keys("Program.Contend").await?;
    page.text_when("function-name", |text| text.contains("Contend")).await?;
    page.text_when("function-stacks", |text| text == "517").await?;
    page.text_when("function-first", |text| text == "0.293 s").await?;
    page.text_when("function-last", |text| text == "7.729 s").await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

#[browser_test]
async fn call_tree_is_sorted_by_any_column(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("2").await?;
    page.click("activity-all").await?;
    page.click("view-tree").await?;
    page.text_when("node-name", |text| !text.is_empty()).await?;
    let heaviest = page.text("node-name").await?;
    page.click("tree-sort-name").await?;
    let sorted = "const head = document.querySelector('[data-testid=tree-sort-name]').parentElement;
        return head.ariaSort === 'ascending'";
    page.until("the head says so", sorted).await?;
    let first = page.text_when("node-name", |text| text != heaviest).await?;
    assert!(first < heaviest, "{first}, then {heaviest}");
    page.click("tree-sort-total").await?;
    page.until("by weight", &sorted.replace("sort-name", "sort-total").replace("ascending", "descending")).await?;
    page.text_when("node-name", |text| text == heaviest).await?;
    page.click("tree-sort-total").await?;
    page.text_when("node-name", |text| text != heaviest).await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}
