//! Stacks of a thread over time.

use super::{ROOTS_TOP, boxes_are_drawn, open_all_frames};
use traceglass_e2e::{Page, Step, browser_test};

#[browser_test]
async fn time_order_shows_one_thread_with_transforms(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("2").await?;
    page.click("activity-all").await?;
    page.click("view-time").await?;
    let boxes = |least: u32| {
        format!("return Number(document.querySelector('[data-testid=time-canvas]').dataset.boxes) >= {least}")
    };
    page.until("boxes are drawn", &boxes(20)).await?;
    assert!(page.hash().await?.contains("as=time"));
    let aligned = "const place = (id) => document.querySelector(`[data-testid=${id}]`).getBoundingClientRect();
        const [chart, lanes] = [place('time-canvas'), place('lanes')];
        return Math.abs(chart.left - lanes.left) < 1 && Math.abs(chart.right - lanes.right) < 1";
    page.until("the chart has the place of the lanes", aligned).await?;
    let count = "return Number(document.querySelector('[data-testid=time-canvas]').dataset.boxes)";
    let mine = page.run(count, []).await?.as_u64().unwrap_or(0);
    page.click("just-my-code").await?;
    page.until("everything is drawn", &count.replace("return ", &format!("return {mine} !== "))).await?;
    let canvas = page.find("time-canvas").await?;
    page.click_at(page.below_top("time-canvas", 30.0).await?).await?;
    // The clicked occurrence comes before the totals of its function.
    let details = page.text_when("details", |text| text.contains("This occurrence")).await?;
    assert!(details.find("This occurrence") < details.find("All samples"), "{details}");
    page.text_when("occurrence-duration", |text| text.ends_with('s')).await?;
    canvas.send_keys(thirtyfour::Key::Up + "").await?;
    let named = "return /start/i.test(document.querySelector('[data-testid=time-canvas]').ariaLabel)";
    page.until("the box is named", named).await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

/// Dragging selects a time range, as on the timeline.
#[browser_test]
async fn time_order_drag_selects_a_range(page: &Page) -> Step {
    open_all_frames(page, "view-time").await?;
    boxes_are_drawn(page, "time-canvas").await?;
    let place = page.find("time-canvas").await?.rect().await?;
    let at = |share: f64| ((place.x + place.width * share) as i64, (place.y + ROOTS_TOP) as i64);
    let ((from, y), (middle, _), (to, _)) = (at(0.25), at(0.4), at(0.5));
    let drag = page.pointer().move_to(from, y).click_and_hold().move_to(middle, y).move_to(to, y);
    drag.perform().await?;
    page.until("it is seen", "return !!document.querySelector('.time-order .drawn')?.offsetWidth").await?;
    page.pointer().release().perform().await?;
    // A quarter of the visible range.
    page.text_when("status-selection", |text| text.starts_with("Selection 1.9")).await?;
    page.find("chip-time").await?;
    let selected = "return !!document.querySelector('[data-testid=chip-selected]')";
    assert_eq!(page.run(selected, []).await?.as_bool(), Some(false), "a range isn't a click");
    page.remove_chip("time").await
}
