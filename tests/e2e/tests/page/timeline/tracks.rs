//! Tracks as a tree, by pointer and keyboard: finding, arranging, measuring, saving, and restoring after a reload.

use super::{come_back, until_address_has};
use thirtyfour::prelude::*;
use traceglass_e2e::{Page, Step, Trouble, browser_test};

/// Returns whether the URL has a part with this prefix.
async fn has(page: &Page, part: &str) -> Step<bool> {
    Ok(page.hash().await?.split(['?', '&']).any(|present| present.starts_with(part)))
}

/// Returns the name of the focused element.
async fn focused(page: &Page) -> Step<String> {
    let name = page.run("return document.activeElement.getAttribute('aria-label') ?? ''", []).await?;
    Ok(name.as_str().unwrap_or_default().to_owned())
}

/// A thread found by its ID is shown, selected and pinned, and all of it is restored after a reload.
#[browser_test]
async fn thread_is_found_and_pinned_by_keys(page: &Page) -> Step {
    page.open_orders().await?;
    page.find("lanes").await?;
    page.pointer().key_down(Key::Control).send_keys("p").key_up(Key::Control).perform().await?;
    page.find("finder-field").await?;
    page.press("main").await?;
    page.text_when("finder-list", |text| text.starts_with("Main")).await?;
    page.press(Key::Enter).await?;
    page.until("the thread's head has the focus", "return document.activeElement.getAttribute('role') === 'treeitem'")
        .await?;
    let name = focused(page).await?;
    assert!(name.starts_with("Main"), "{name}");
    until_address_has(page, "sel=thread.").await?;

    page.press("p").await?;
    until_address_has(page, "tk=pin.thread.").await?;
    page.until("it is above the others", "return !!document.querySelector('.pinned [aria-label^=\"Main\"]')").await?;
    page.press(".").await?;
    page.text_when("announce", |text| text.contains(" of ")).await?;
    until_address_has(page, "sel=event.").await?;

    come_back(page).await?;
    page.until("it is above the others again", "return !!document.querySelector('.pinned [aria-label^=\"Main\"]')")
        .await?;
    assert!(has(page, "tk=pin.thread.").await?);
    Ok(())
}

/// A pause reached by navigation becomes a time range, which is saved with a name.
#[browser_test]
async fn pause_is_measured_and_saved_by_keys(page: &Page) -> Step {
    page.open_orders().await?;
    page.find("group-collections").await?;
    page.run("document.querySelector('[data-testid=group-collections]').focus()", []).await?;
    page.press(".").await?;
    page.text_when("announce", |text| text.starts_with("GC #")).await?;
    page.run("document.querySelector('[data-testid=lanes]').focus()", []).await?;
    page.press("f").await?;
    until_address_has(page, "t0=").await?;
    page.press("r").await?;
    page.text_when("range-note", |text| text.contains("/s") && text.contains("GC")).await?;
    page.press("m").await?;
    let field = page.find("bookmark-name").await?;
    field.clear().await?;
    field.send_keys("first pause").await?;
    page.press(Key::Tab).await?;
    page.press(Key::Escape).await?;
    page.until("the address keeps it", "return location.hash.includes('first%2520pause')").await?;
    come_back(page).await?;
    page.press("b").await?;
    let name = page.find("bookmark-name").await?.prop("value").await?;
    assert_eq!(name.as_deref(), Some("first pause"));
    page.click("bookmark-delete").await?;
    page.until("it is forgotten", "return !location.hash.includes('first%2520pause')").await?;
    Ok(())
}

/// By pointer only: a menu hides and sorts, a drag moves, and hidden tracks are shown again.
#[browser_test]
async fn tracks_are_hidden_sorted_and_shown_by_pointer(page: &Page) -> Step {
    page.open_orders().await?;
    page.click("more-tracks").await?;
    page.find("group-exceptions").await?;
    page.until_still().await?;
    page.right_click(page.below_top("group-exceptions", 10.0).await?).await?;
    page.click("menu-hide").await?;
    until_address_has(page, "tk=hide.exceptions").await?;
    page.until("it is gone", "return !document.querySelector('[data-testid=group-exceptions]')").await?;
    page.click("tracks-menu").await?;
    page.click("menu-by-id").await?;
    page.text_when("group-threads", |text| text.contains("by ID")).await?;
    let numbers = page
        .run(
            "return [...document.querySelectorAll('[data-testid^=\"thread-\"]')]
               .filter((head) => head.getAttribute('aria-level') === '2')
               .sort((one, other) => one.offsetTop - other.offsetTop)
               .map((head) => Number(head.dataset.testid.slice(7)))",
            [],
        )
        .await?;
    let numbers: Vec<u64> = numbers.as_array().into_iter().flatten().filter_map(serde_json::Value::as_u64).collect();
    assert!(numbers.len() > 1 && numbers.is_sorted(), "{numbers:?}");
    page.click("tracks-menu").await?;
    page.click("menu-show-hidden").await?;
    page.find("group-exceptions").await?;

    let tops = "const [gc, other] = ['collections', 'exceptions'].map((kind) =>
           document.querySelector(`[data-testid=group-${kind}]`).getBoundingClientRect().top);";
    page.until("collections stand above exceptions", &format!("{tops} return gc < other")).await?;
    let (gc, other) = (page.find("group-collections").await?, page.find("group-exceptions").await?);
    let drag = page.pointer().move_to_element_center(&gc).click_and_hold().move_by_offset(0, 12);
    drag.move_to_element_center(&other).release().perform().await?;
    page.until("they stand below", &format!("{tops} return gc > other")).await?;
    until_address_has(page, "tk=at.").await?;
    Ok(())
}

/// By pointer only: a thread is found by name, the longest pause is measured by a drag, saved, and restored after a
/// reload.
#[browser_test]
async fn pause_is_measured_and_saved_by_pointer(page: &Page) -> Step {
    page.open_orders().await?;
    page.until_still().await?;
    page.click("tracks-menu").await?;
    page.click("menu-find").await?;
    page.press("Main").await?;
    let main = "//*[@data-testid='finder-list']//li[starts-with(., 'Main')]";
    page.click_by(By::XPath(main)).await?;
    until_address_has(page, "sel=thread.").await?;

    page.click("summary-collection").await?;
    until_address_has(page, "sel=gc.39").await?;
    let pause = page.text_when("collection-pause", |text| text.ends_with(" ms")).await?;
    // The visible range has a quarter of the GC's duration on both sides.
    until_address_has(page, "t0=").await?;
    page.until_still().await?;
    let lanes = page.find("lanes").await?.rect().await?;
    page.wheel((lanes.x + 50.0, lanes.y + 50.0), 0, -5000.0).await?;
    // Some browsers animate scrolling.
    let top = "const top = (id) => document.querySelector(`[data-testid=${id}]`)?.getBoundingClientRect().top;";
    page.until("the first tracks are in sight", &format!("{top} return top('group-collections') >= top('lanes')"))
        .await?;
    page.until_still().await?;
    let head = page.find("group-collections").await?.rect().await?;
    let (at, y) = (|share: f64| (lanes.x + lanes.width * share) as i64, (head.y + 11.0) as i64);
    let drag = page.pointer().move_to(at(1.0 / 6.0) + 4, y).click_and_hold().move_to(at(0.5), y);
    drag.move_to(at(5.0 / 6.0) - 4, y).release().perform().await?;
    page.text_when("range-note", |text| text.contains("/s") && text.contains("GC")).await?;
    until_address_has(page, "r0=").await?;

    page.click("kept").await?;
    page.click("bookmark-keep").await?;
    page.find("bookmark-go").await?;
    until_address_has(page, "b=").await?;
    page.pointer().move_to(5, 5).click().perform().await?;
    come_back(page).await?;
    page.click("kept").await?;
    page.click("bookmark-go").await?;
    assert!(has(page, "r0=").await? && has(page, "sel=gc.39").await?, "{pause}");
    Ok(())
}

/// The tooltip of an item is beside the pointer.
#[browser_test]
async fn tooltip_is_beside_pointer(page: &Page) -> Step {
    page.open_orders().await?;
    page.until_still().await?;
    let lanes = page.find("lanes").await?.rect().await?;
    let head = page.find_by(By::Css("[role=treeitem][data-testid^=thread-]")).await?.rect().await?;
    for share in [0.3, 0.7] {
        let (x, y) = ((lanes.x + lanes.width * share).round(), (head.y + head.height / 2.0).round());
        page.pointer().move_to(x as i64 - 3, y as i64).move_to(x as i64, y as i64).perform().await?;
        let beside = format!(
            "const tip = document.querySelector('[data-testid=tooltip]')?.getBoundingClientRect();
             const far = (at, from, to) => Math.max(from - at, at - to, 0);
             return tip && far({x}, tip.left, tip.right) < 20 && far({y}, tip.top, tip.bottom) < 20"
        );
        page.until("the tooltip is beside the pointer", &beside).await?;
    }
    Ok(())
}

/// The table of a track has a row for each GC, which selects it.
#[browser_test]
async fn track_is_shown_as_table(page: &Page) -> Step {
    page.open_orders().await?;
    page.find("group-collections").await?;
    page.run("document.querySelector('[data-testid=group-collections]').focus()", []).await?;
    page.press("v").await?;
    page.find("twin").await?;
    let rows = page.find("twin-table").await?.attr("data-rows").await?.unwrap_or_default();
    if rows == "0" {
        return Err(Trouble("the table has no row".to_owned()));
    }
    page.click("twin-table-row").await?;
    until_address_has(page, "sel=gc.").await?;
    // The longest first, then the shortest.
    let longest = |descending: bool| {
        let sign = if descending { "" } else { "!" };
        format!(
            "const ms = (text) => parseFloat(text) * (text.endsWith(' s') ? 1000 : text.endsWith(' µs') ? 0.001 : 1);
             const cells = [...document.querySelectorAll('[data-testid=twin-duration]')]
               .filter((cell) => cell.innerText)
               .sort((one, other) => one.parentElement.ariaRowIndex - other.parentElement.ariaRowIndex);
             const [first, last] = [cells[0], cells.at(-1)].map((cell) => ms(cell.innerText));
             return cells.length > 2 && {sign}(first > last)"
        )
    };
    page.click("twin-table-sort-duration").await?;
    page.until("the longest first", &longest(true)).await?;
    page.click("twin-table-sort-duration").await?;
    page.until("the shortest first", &longest(false)).await?;
    page.click("close-twin").await?;
    Ok(())
}
