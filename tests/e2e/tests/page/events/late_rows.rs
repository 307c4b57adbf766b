//! Rows that arrive late: while the worker is busy, the table is scrolled and the filter changes; finally, the current
//! rows appear.

use std::time::Duration;
use traceglass_e2e::{Page, Step, browser_test};

/// Opens the event table of the orders app, and makes the worker busy.
async fn open_busy(page: &Page) -> Step {
    page.prepare_busy_worker()?;
    page.open_orders().await?;
    page.press("3").await?;
    page.events_when("26,800").await?;
    page.text_when("event-time", |text| text == "0.000637").await?;
    page.until_still().await?;
    page.be_busy().await?;
    Ok(())
}

/// Scrolls the table to a row. Its rows are requested, and don't arrive.
async fn scroll_to(page: &Page, row: u32) -> Step {
    let scroll = format!(
        "const view = document.querySelector('[data-testid=events] .viewport');
        view.scrollTop = {row} * parseFloat(getComputedStyle(view).getPropertyValue('--h-row'))"
    );
    page.run(&scroll, []).await?;
    let is_there = format!(
        "return [...document.querySelectorAll('[data-testid=events] [role=row]:not([hidden])')]
            .some((row) => Math.abs(row.ariaRowIndex - {row}) < 10)"
    );
    page.until("the table is scrolled", &is_there).await
}

/// Waits until all visible rows have event names, and returns time and name of the first one.
async fn first_in_sight(page: &Page) -> Step<(String, String)> {
    const FIRST: &str = "const view = document.querySelector('[data-testid=events] .viewport').getBoundingClientRect();
        const rows = [...document.querySelectorAll('[data-testid=events] [role=row]')].map((row) => ({
            place: row.getBoundingClientRect(),
            cells: ['time', 'name'].map((cell) => row.querySelector(`[data-testid=event-${cell}]`)?.textContent),
        })).filter(({ place }) => place.height > 0 && place.bottom < view.bottom && place.top > view.top - 1)
            .sort((one, other) => one.place.top - other.place.top);
        const is_full = rows.length > 4 && rows.every(({ cells }) => cells[1]);
        return is_full && rows[0].cells";
    page.until("every row in sight has its event", FIRST).await?;
    let first = page.run(FIRST, []).await?;
    let cell = |at: usize| first[at].as_str().unwrap_or_default().to_owned();
    Ok((cell(0), cell(1)))
}

#[browser_test]
async fn table_scrolled_while_worker_is_busy_shows_filtered_rows(page: &Page) -> Step {
    open_busy(page).await?;
    scroll_to(page, 12_000).await?;
    page.pick("pick-provider", "Workload-Orders").await?;
    page.chips_when(&["Provider Workload-Orders"]).await?;
    scroll_to(page, 500).await?;
    // Longer than the time after which a newer request cancels an older one.
    tokio::time::sleep(Duration::from_millis(300)).await;
    scroll_to(page, 300).await?;
    page.go_on().await?;
    page.events_when("586").await?;
    assert_eq!(first_in_sight(page).await?, ("5.491770".into(), "OrderStart".into()));
    Ok(())
}

#[browser_test]
async fn filter_reset_while_worker_is_busy_keeps_scrolled_rows(page: &Page) -> Step {
    open_busy(page).await?;
    page.pick("pick-provider", "Workload-Orders").await?;
    page.chips_when(&["Provider Workload-Orders"]).await?;
    scroll_to(page, 12_000).await?;
    page.remove_chip("provider").await?;
    page.chips_when(&[]).await?;
    page.go_on().await?;
    page.events_when("26,800").await?;
    assert_eq!(first_in_sight(page).await?, ("4.790278".into(), "GC/AllocationTick".into()));
    Ok(())
}
