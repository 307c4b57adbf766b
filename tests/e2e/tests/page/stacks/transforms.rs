//! Transforms, grouping and folding, by shortcuts, menus and the dialog.

use super::{ROOTS_TOP, boxes_are_drawn, open_all_frames, open_allocations};
use thirtyfour::prelude::*;
use traceglass_e2e::{Page, Step, browser_test};

#[browser_test]
async fn just_my_code_folds_and_keeps_total(page: &Page) -> Step {
    open_allocations(page).await?;
    let folded = page.text_when("function-count", |text| !text.is_empty()).await?;
    page.click("just-my-code").await?;
    let all = page.text_when("function-count", |text| !text.is_empty() && text != folded).await?;
    let number = |text: &str| text.replace(',', "").parse::<u32>().unwrap_or(0);
    assert!(number(&all) > number(&folded), "{all} functions, {folded} folded");
    page.text_when("stacks-total", |text| text == "979 MB").await?;
    assert!(page.hash().await?.contains("mine=0"));
    page.click("just-my-code").await?;
    page.text_when("function-count", |text| text == folded).await?;
    // The outermost frames are the runtime's, folded into one frame, which expands.
    let canvas = page.find("flame-canvas").await?;
    let height = canvas.rect().await?.height as i64;
    page.pointer().move_to_element_with_offset(&canvas, -300, 14 - height / 2).click().perform().await?;
    page.text_when("shown-family", |text| text.starts_with("Thread start expanded")).await?;
    page.text_when("stacks-total", |text| text == "979 MB").await?;
    page.click("shown-family").await?;
    page.until("nothing is shown beyond", "return !location.hash.includes('show=')").await?;
    Ok(())
}

#[browser_test]
async fn transforms_are_undone_step_by_step(page: &Page) -> Step {
    open_allocations(page).await?;
    page.click("view-functions").await?;
    page.find("find-function").await?.send_keys("Program.Clerk").await?;
    page.text_when("function-total", |text| text == "49.3 MB").await?;
    page.click("function-name").await?;
    page.press("f").await?;
    page.text_when("step", |text| text.contains("focus") && text.contains("Program.Clerk")).await?;
    page.text_when("stacks-total", |text| text == "49.3 MB").await?;
    page.press("c").await?;
    page.text_when("function-self", |text| text == "49.3 MB").await?;
    let hash = page.hash().await?;
    assert!(hash.contains("tx=focus.ledger.") && hash.contains("tx=collapse.ledger."), "{hash}");
    page.reload().await?;
    page.text_when("function-self", |text| text == "49.3 MB").await?;
    page.click("undo-step").await?;
    page.text_when("function-self", |text| text == "46.6 MB").await?;
    page.click("all-steps-back").await?;
    page.text_when("stacks-total", |text| text == "979 MB").await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

/// Opens the dialog for grouping and folding.
async fn open_folding(page: &Page) -> Step {
    page.click("fold").await?;
    page.find("fold-dialog").await?;
    Ok(())
}

/// Types into a field of the open dialog, and leaves the field.
async fn fill(page: &Page, field: &str, text: &str) -> Step {
    let field = page.find(field).await?;
    field.clear().await?;
    field.send_keys(text).await?;
    field.send_keys(Key::Tab).await?;
    Ok(())
}

#[browser_test]
async fn stacks_are_grouped_by_thread_and_by_pattern(page: &Page) -> Step {
    open_allocations(page).await?;
    page.click("view-tree").await?;
    open_folding(page).await?;
    page.pick("pick-roots", "By thread").await?;
    page.press(Key::Escape).await?;
    // According to the app, its archivist is thread 1343.
    page.text_when("node-name", |text| text.contains("1343")).await?;
    page.text_when("node-total", |text| text == "825 MB").await?;
    page.text_when("stacks-total", |text| text == "979 MB").await?;
    open_folding(page).await?;
    page.pick("pick-roots", "Not grouped").await?;
    fill(page, "fold-groups", "{%}!->module $1").await?;
    page.press(Key::Escape).await?;
    page.click("view-functions").await?;
    page.text_when("function-name", |text| text.starts_with("module ledger")).await?;
    page.text_when("stacks-total", |text| text == "979 MB").await?;
    let hash = page.hash().await?;
    assert!(hash.contains("pg="), "{hash}");
    page.reload().await?;
    page.text_when("function-name", |text| text.starts_with("module ledger")).await?;
    open_folding(page).await?;
    fill(page, "fold-groups", "@(").await?;
    page.press(Key::Escape).await?;
    page.text_when("functions-panel", |text| text.contains("isn't a valid pattern")).await?;
    open_folding(page).await?;
    page.click("fold-reset").await?;
    fill(page, "fold-framework", "Ledger").await?;
    page.press(Key::Escape).await?;
    // The app's code counts as framework code now: one frame represents it, and one what it does.
    page.text_when("function-name", |text| text == "Other .NET code").await?;
    assert!(page.hash().await?.contains("fw=Ledger"));
    page.pick("pick-source", "All events with stacks").await?;
    page.text_when("stacks-total", |text| text.ends_with(" events")).await?;
    let hash = page.hash().await?;
    assert!(hash.contains("of=*") || hash.contains("of=%2A"), "{hash}");
    Ok(())
}

#[browser_test]
async fn time_order_is_transformed_by_keys_and_menu(page: &Page) -> Step {
    open_all_frames(page, "view-time").await?;
    boxes_are_drawn(page, "time-canvas").await?;
    let canvas = page.find("time-canvas").await?;
    page.click_at(page.below_top("time-canvas", ROOTS_TOP).await?).await?;
    let name = page.text_when("detail-name", |text| !text.is_empty()).await?;
    canvas.send_keys("m").await?;
    page.text_when("step", |text| text.contains("merged")).await?;
    let hash = page.hash().await?;
    assert!(hash.contains("tx=merge.") && hash.contains("as=time"), "{name}: {hash}");
    boxes_are_drawn(page, "time-canvas").await?;
    page.click("undo-step").await?;
    page.until("nothing is changed", "return !location.hash.includes('tx=')").await?;
    boxes_are_drawn(page, "time-canvas").await?;
    page.right_click(page.below_top("time-canvas", ROOTS_TOP).await?).await?;
    page.find("do-focus").await?;
    let has = "return !!document.querySelector('[data-testid=do-invert]')";
    assert!(!page.run(has, []).await?.as_bool().unwrap_or(true), "boxes of time stay upright");
    // A slice isn't a single call, so transforms of one are unavailable, with the reason.
    let single = page.find("do-focus-node").await?;
    assert_eq!(single.attr("aria-disabled").await?.as_deref(), Some("true"));
    assert!(page.text_of(&single).await?.contains("only in the flame graph"));
    single.click().await?;
    let steps = "return document.querySelectorAll('[data-testid=step]').length";
    assert_eq!(page.run(steps, []).await?.as_u64(), Some(0));
    page.click("do-focus").await?;
    page.text_when("step", |text| text.contains("focus")).await?;
    page.until("it is in the address", "return location.hash.includes('tx=focus.')").await?;
    boxes_are_drawn(page, "time-canvas").await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

/// The task library records the stack that scheduled or awaited the work of a thread.
#[browser_test]
async fn stitched_stacks_put_continuations_below_caller(page: &Page) -> Step {
    open_all_frames(page, "view-tree").await?;
    let total = page.text_when("stacks-total", |text| text.ends_with(" s")).await?;
    page.find("find-node").await?.send_keys("(later, on the thread pool)").await?;
    page.text_when("find-node-share", |text| text.starts_with("0 found")).await?;
    page.click("fold").await?;
    page.click("stitch").await?;
    page.press(Key::Escape + "").await?;
    page.text_when("find-node-share", |text| text.starts_with("1 found")).await?;
    page.text_when("stacks-total", |text| text == total).await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}
