//! What the views of stacks tell beyond weights: where in the code, over time, why code has no name, what is selected.

use traceglass_e2e::{Page, Step, browser_test, fixtures};

/// The process was killed: nothing names the methods that were compiled before the recording.
#[browser_test]
async fn code_without_a_name_says_why(page: &Page) -> Step {
    page.open("").await?;
    page.open_trace(&fixtures::unpacked("cut-net10.nettrace")?).await?;
    page.press("2").await?;
    page.text_when("nameless", |text| text.contains("% of this is code without a name")).await?;
    page.click("nameless").await?;
    page.text_when("nameless-module", |text| text.contains("killed") && text.contains("perf-PID.map")).await?;
    page.click("view-tree").await?;
    page.text_when("node-name", |text| text.contains("(code without a name)")).await?;
    page.click("node-name").await?;
    page.press("e").await?;
    page.text_when("node-name", |text| text.contains("?!0x")).await?;
    page.click("shown-family").await?;
    page.text_when("node-name", |text| text.contains("(code without a name)")).await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

#[browser_test]
async fn a_selected_function_is_marked_and_kept_only_when_asked(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("2").await?;
    page.click("view-functions").await?;
    page.find("find-function").await?.send_keys("Program.Contend").await?;
    page.text_when("function-name", |text| text.contains("Contend")).await?;
    page.click("function-name").await?;
    let count = page.text_when("chip-selected-count", |text| text.starts_with("in ")).await?;
    assert_eq!(page.text("matches").await?, "26,800", "nothing is narrowed yet");
    assert!(!page.hash().await?.contains("on="), "a selection is no filter");
    page.click("keep-selected").await?;
    let kept = page.text_when("matches", |text| text != "26,800" && !text.is_empty()).await?;
    assert!(count == format!("in {kept} events"), "{count}, then {kept}");
    page.until("the chip is a filter", "return !document.querySelector('[data-testid=chip-selected]')").await?;
    page.click("clear-filters").await?;
    page.text_when("chip-selected-count", |text| text == count).await?;
    page.press(thirtyfour::Key::Escape + "").await?;
    page.until("nothing is selected", "return !document.querySelector('[data-testid=chip-selected]')").await?;
    page.text_when("matches", |text| text == "26,800").await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

#[browser_test]
async fn one_thread_is_shown_over_time_with_what_was_done_to_stacks(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("2").await?;
    page.click("view-time").await?;
    let boxes = |least: u32| {
        format!("return Number(document.querySelector('[data-testid=time-canvas]').dataset.boxes) >= {least}")
    };
    page.until("boxes are drawn", &boxes(20)).await?;
    assert!(page.hash().await?.contains("as=time"));
    let count = "return Number(document.querySelector('[data-testid=time-canvas]').dataset.boxes)";
    let mine = page.run(count, []).await?.as_u64().unwrap_or(0);
    page.click("just-my-code").await?;
    page.until("everything is drawn", &boxes(mine as u32 + 1)).await?;
    let canvas = page.find("time-canvas").await?;
    page.click_at(page.below_top("time-canvas", 30.0).await?).await?;
    page.find("details").await?;
    canvas.send_keys(thirtyfour::Key::Up + "").await?;
    let told = "return /starts/i.test(document.querySelector('[data-testid=time-canvas]').ariaLabel)";
    page.until("the box is told", told).await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

#[browser_test]
async fn the_call_tree_is_sorted_by_its_columns(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("2").await?;
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

/// The recording tells which IL each piece of code is made of, and which tier it is.
#[browser_test]
async fn places_in_a_function_have_offsets_and_tiers(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("2").await?;
    page.click("view-functions").await?;
    page.find("find-function").await?.send_keys("Program.Contend").await?;
    page.text_when("function-name", |text| text.contains("Contend")).await?;
    page.text_when("function-tier", |text| text.contains("Tier") || text.contains("timized")).await?;
    page.click("function-name").await?;
    page.text_when("function-places", |text| text.contains("IL offset 0x")).await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}
