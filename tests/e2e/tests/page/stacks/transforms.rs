//! Changes of stacks in every view: by letters and menus, with what is known of the code from elsewhere.

use thirtyfour::Key;
use traceglass_e2e::{Page, Step, browser_test, fixtures};

/// The stacks of the orders program, nothing folded.
async fn open_whole(page: &Page, view: &str) -> Step {
    page.open_orders().await?;
    page.press("2").await?;
    page.click("just-my-code").await?;
    page.click(view).await?;
    Ok(())
}

/// Where the roots of stacks are drawn over time, in pixels below the top of the picture.
const ROOTS_TOP: f64 = 30.0;

/// Clicks into a picture, so many pixels from its left edge and its top.
async fn click_in(page: &Page, canvas: &str, left: i64, top: i64) -> Step {
    let canvas = page.find(canvas).await?;
    let size = canvas.rect().await?;
    let (right, down) = (left - size.width as i64 / 2, top - size.height as i64 / 2);
    page.pointer().move_to_element_with_offset(&canvas, right, down).click().perform().await?;
    Ok(())
}

async fn boxes_are_drawn(page: &Page, canvas: &str) -> Step {
    page.until(canvas, &format!("return Number(document.querySelector('[data-testid={canvas}]')?.dataset.boxes) > 5"))
        .await
}

#[browser_test]
async fn one_thread_over_time_is_changed_by_letters_and_a_menu(page: &Page) -> Step {
    open_whole(page, "view-time").await?;
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
    // A box is no single call: what is done to one is refused, with the reason.
    let single = page.find("do-focus-node").await?;
    assert_eq!(single.attr("aria-disabled").await?.as_deref(), Some("true"));
    assert!(page.text_of(&single).await?.contains("where calls are told apart"));
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

/// Along the chart a range is drawn, as on the timeline.
#[browser_test]
async fn a_range_is_drawn_along_one_thread_over_time(page: &Page) -> Step {
    open_whole(page, "view-time").await?;
    boxes_are_drawn(page, "time-canvas").await?;
    let place = page.find("time-canvas").await?.rect().await?;
    let at = |share: f64| ((place.x + place.width * share) as i64, (place.y + ROOTS_TOP) as i64);
    let ((from, y), (middle, _), (to, _)) = (at(0.25), at(0.4), at(0.5));
    let drag = page.pointer().move_to(from, y).click_and_hold().move_to(middle, y).move_to(to, y);
    drag.perform().await?;
    page.until("it is seen", "return !!document.querySelector('.time-order .drawn')?.offsetWidth").await?;
    page.pointer().release().perform().await?;
    // A quarter of what the timeline shows.
    page.text_when("status-selection", |text| text.starts_with("Selection 1.9")).await?;
    page.find("chip-time").await?;
    let selected = "return !!document.querySelector('[data-testid=chip-selected]')";
    assert_eq!(page.run(selected, []).await?.as_bool(), Some(false), "a range is no click");
    page.remove_chip("time").await
}

/// What is selected in any view is marked in the whole page, and counted; Esc lets it go.
#[browser_test]
async fn a_frame_that_is_selected_in_any_view_is_selected_everywhere(page: &Page) -> Step {
    open_whole(page, "view-flame").await?;
    for view in ["flame", "tree", "bottom-up", "functions", "sandwich", "time"] {
        page.click(&format!("view-{view}")).await?;
        match view {
            "flame" => {
                boxes_are_drawn(page, "flame-canvas").await?;
                click_in(page, "flame-canvas", 30, 50).await?;
            }
            "time" => {
                boxes_are_drawn(page, "time-canvas").await?;
                page.click_at(page.below_top("time-canvas", ROOTS_TOP).await?).await?;
            }
            "functions" | "sandwich" => page.click("function-name").await?,
            _ => page.click("node-name").await?,
        }
        let count = page.text_when("chip-selected-count", |text| text.starts_with("in ")).await?;
        page.text_when("detail-name", |text| !text.is_empty()).await?;
        assert!(count.ends_with(" events"), "{view}: {count}");
        if view == "sandwich" {
            page.until(
                "callers are drawn",
                "return Number(document.querySelector('[data-testid=callees-canvas]')?.dataset.boxes) > 0",
            )
            .await?;
            click_in(page, "callees-canvas", 30, 10).await?;
            page.text_when("chip-selected-count", |text| text.starts_with("in ")).await?;
        }
        page.press(Key::Escape + "").await?;
        page.until("nothing is selected", "return !document.querySelector('[data-testid=chip-selected]')").await?;
    }
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

/// `Program.Contend` is on 517 stacks, the first at 293,113,902 ns, the last at 7,728,548,455 ns.
#[browser_test]
async fn functions_tell_when_they_were_first_and_last_on_a_stack(page: &Page) -> Step {
    open_whole(page, "view-functions").await?;
    page.click("sort-last").await?;
    page.text_when("function-last", |text| text == "7.731 s").await?;
    page.click("sort-last").await?;
    page.text_when("function-last", |text| text == "0.003 s").await?;
    page.click("sort-first").await?;
    let sorted = "return document.querySelector('[data-testid=sort-first]').parentElement.ariaSort === 'ascending'";
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

/// A portable PDB tells source lines of the program's methods.
#[browser_test]
async fn a_dropped_pdb_tells_source_lines(page: &Page) -> Step {
    page.open("").await?;
    page.click("sample-cpu").await?;
    page.text_when("event-count", |text| !text.is_empty()).await?;
    page.press("2").await?;
    page.click("view-functions").await?;
    page.find("find-function").await?.send_keys("Parser.Busy").await?;
    page.text_when("function-name", |text| text.contains("Parser.Busy")).await?;
    page.click("function-name").await?;
    page.text_when("function-places", |text| text.contains("IL offset 0x")).await?;
    page.drop_file(&fixtures::committed("studio.pdb")).await?;
    page.text_when("toast", |text| text.starts_with("studio.pdb: source lines for") && text.ends_with("studio."))
        .await?;
    page.text_when("function-source", |text| text.starts_with("/src/studio/Program.cs:")).await?;
    page.text_when("function-places", |text| text.contains("Program.cs:")).await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

/// The task library tells which stack scheduled or awaited what a thread runs.
#[browser_test]
async fn what_runs_later_stands_below_what_scheduled_it(page: &Page) -> Step {
    open_whole(page, "view-tree").await?;
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
