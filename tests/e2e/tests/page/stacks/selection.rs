//! Hovering and selecting in the views.

use super::{ROOTS_TOP, boxes_are_drawn, open_all_frames};
use thirtyfour::prelude::*;
use traceglass_e2e::{Page, Step, browser_test};

/// Clicks into a canvas, a number of pixels from its left edge and its top.
async fn click_in(page: &Page, canvas: &str, left: i64, top: i64) -> Step {
    let canvas = page.find(canvas).await?;
    let size = canvas.rect().await?;
    let (right, down) = (left - size.width as i64 / 2, top - size.height as i64 / 2);
    page.pointer().move_to_element_with_offset(&canvas, right, down).click().perform().await?;
    Ok(())
}

/// Beside the details, the toolbar still has one row: the source is below a button.
async fn tools_take_one_row(page: &Page) -> Step {
    let height = page.run("return document.querySelector('.stack-tools').offsetHeight", []).await?;
    assert!(height.as_u64().is_some_and(|height| height <= 40), "{height}");
    let is_shown = "return document.querySelector('[data-testid=pick-source]').offsetWidth > 0";
    assert_eq!(page.run(is_shown, []).await?, false);
    page.click("stack-more").await?;
    page.until("the source is shown", is_shown).await?;
    page.press(Key::Escape + "").await?;
    page.until("it is closed", &format!("{is_shown} === false")).await
}

/// A selection in any view is marked on the whole page, and counted; Esc clears it.
#[browser_test]
async fn frame_selected_in_any_view_is_selected_everywhere(page: &Page) -> Step {
    open_all_frames(page, "view-flame").await?;
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
        if view == "flame" {
            tools_take_one_row(page).await?;
        }
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

#[browser_test]
async fn selected_function_filters_only_when_asked(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("2").await?;
    page.click("activity-all").await?;
    page.click("view-functions").await?;
    page.find("find-function").await?.send_keys("Program.Contend").await?;
    page.text_when("function-name", |text| text.contains("Contend")).await?;
    page.click("function-name").await?;
    let count = page.text_when("chip-selected-count", |text| text.starts_with("in ")).await?;
    assert_eq!(page.text("matches").await?, "26,800", "nothing is narrowed yet");
    assert!(!page.hash().await?.contains("on="), "a selection isn't a filter");
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

/// The details don't open between the clicks of a double-click: they would move the frame.
#[browser_test]
async fn double_click_zooms_flame_graph(page: &Page) -> Step {
    open_all_frames(page, "view-flame").await?;
    boxes_are_drawn(page, "flame-canvas").await?;
    let canvas = page.find("flame-canvas").await?;
    let size = canvas.rect().await?;
    let (right, down) = (30 - size.width as i64 / 2, 50 - size.height as i64 / 2);
    page.pointer().move_to_element_with_offset(&canvas, right, down).double_click().perform().await?;
    page.until("the graph is zoomed", "return !document.querySelector('[data-testid=flame-trail]').hidden").await?;
    let is_closed = "await new Promise((done) => setTimeout(done, 400));
        return document.querySelector('[data-testid=details]') === null";
    assert_eq!(page.run_async(is_closed, []).await?, true, "a zoom selects nothing");
    Ok(())
}

/// The tooltip appears within 50 ms.
#[browser_test(alone)]
async fn tooltip_follows_pointer_within_50_ms(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("2").await?;
    page.click("activity-all").await?;
    page.until("boxes", "return Number(document.querySelector('[data-testid=flame-canvas]')?.dataset.boxes) > 5")
        .await?;
    // The median: the first time includes compilation.
    let measure = "const canvas = document.querySelector('[data-testid=flame-canvas]');
        const tip = document.querySelector('[data-testid=flame-tip]'); const place = canvas.getBoundingClientRect();
        const took = [];
        for (let turn = 0; turn < 5; turn++) {
          const begin = performance.now();
          const at = { clientX: place.left + 100, clientY: place.top + 12 };
          canvas.dispatchEvent(new MouseEvent('mousemove', { ...at, bubbles: true }));
          while (tip.hidden || !tip.innerText.includes('Total')) await new Promise(requestAnimationFrame);
          took.push(performance.now() - begin);
          canvas.dispatchEvent(new MouseEvent('mouseleave', at));
          while (!tip.hidden) await new Promise(requestAnimationFrame);
        }
        return took.sort((a, b) => a - b)[2]";
    let millis = page.run_async(measure, []).await?.as_f64().unwrap_or(f64::MAX);
    assert!(millis < 50.0, "{millis} ms");
    Ok(())
}
