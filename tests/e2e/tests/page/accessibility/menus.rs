//! Accessibility of menus and dialogs over the workspace.

use super::close;
use thirtyfour::prelude::*;
use traceglass_e2e::accessibility::{begin_pictures, none, violations};
use traceglass_e2e::{Need, Page, Step, browser_test};

/// Menus and dialogs, and the other views of the tabs.
#[browser_test(needs(Need::Axe))]
async fn menus_and_dialogs_have_no_violations(page: &Page) -> Step {
    page.open_orders().await?;
    begin_pictures(page).await?;
    let mut found = Vec::new();
    // A time range to save.
    page.find("lanes").await?;
    page.press("m").await?;
    page.text_when("range-note", |text| !text.is_empty()).await?;
    page.press("n").await?;
    page.find("note-field").await?;
    found.extend(violations(page, "the editor of a note").await?);
    page.press(Key::Escape).await?;
    let closed = "return !document.querySelector('dialog[open], [role=menu]')";
    for (button, there, place) in [
        ("tracks-menu", "menu-find", "the menu of the tracks"),
        ("kept", "bookmark-keep", "saved ranges"),
        ("clock", "menu-clock", "the menu of clocks"),
        ("status-memory", "memory-parts", "parts of memory"),
        ("filter-syntax", "syntax-help", "filter syntax"),
    ] {
        page.click(button).await?;
        page.find(there).await?;
        found.extend(violations(page, place).await?);
        page.press(Key::Escape).await?;
        page.until("it is closed", closed).await?;
    }
    page.pointer().key_down(Key::Control).send_keys("p").key_up(Key::Control).perform().await?;
    page.find("finder-list").await?;
    found.extend(violations(page, "the search for tracks").await?);
    page.press(Key::Escape).await?;
    page.until("it is closed", closed).await?;
    page.press("2").await?;
    page.text_when("function-name", |text| !text.is_empty()).await?;
    for view in ["flame", "tree", "bottom-up", "functions", "sandwich", "time"] {
        page.click(&format!("view-{view}")).await?;
        found.extend(violations(page, &format!("stacks, {view}")).await?);
    }
    none(found)
}

#[browser_test(needs(Need::Axe))]
async fn palette_and_context_menus_have_no_violations(page: &Page) -> Step {
    page.open_orders().await?;
    page.until_still().await?;
    let mut found = Vec::new();
    page.press_with(Key::Control, "k").await?;
    page.find("palette-field").await?;
    found.extend(violations(page, "the list of actions").await?);
    page.press("thread").await?;
    page.find("palette-line").await?;
    found.extend(violations(page, "what the list finds").await?);
    close(page).await?;
    for (of, place) in [("thread-6712", "the menu of a track"), ("group-collections", "the menu of collections")] {
        page.menu_of(of).await?;
        found.extend(violations(page, place).await?);
        close(page).await?;
    }
    page.run("document.querySelector('[data-testid=thread-6712]').scrollIntoView({ block: 'nearest' })", []).await?;
    page.until_still().await?;
    let head = page.find("thread-6712").await?.rect().await?;
    let (x, _) = page.below_top("lanes", 0.0).await?;
    page.right_click((x, head.y + 10.0)).await?;
    page.find("menu").await?;
    found.extend(violations(page, "the menu of what is under the pointer").await?);
    close(page).await?;
    page.press("2").await?;
    page.click("view-functions").await?;
    page.text_when("function-name", |text| !text.is_empty()).await?;
    // The first row may be scrolled out of view.
    page.run("document.querySelector('[data-testid=functions]').focus()", []).await?;
    page.press(Key::Home).await?;
    page.menu_of("function-name").await?;
    found.extend(violations(page, "the menu of a function").await?);
    close(page).await?;
    page.press("3").await?;
    page.text_when("event-name", |text| !text.is_empty()).await?;
    page.menu_of("event-name").await?;
    found.extend(violations(page, "the menu of an event").await?);
    close(page).await?;
    page.choose_from("events-more", "save-events").await?;
    page.find("save-events-csv").await?;
    found.extend(violations(page, "saving events").await?);
    close(page).await?;
    page.press("2").await?;
    for (button, place) in [("fold", "what is folded"), ("save-stacks", "saving stacks")] {
        page.click(button).await?;
        page.until("the dialog is open", "return !!document.querySelector('dialog[open]')").await?;
        found.extend(violations(page, place).await?);
        close(page).await?;
    }
    none(found)
}
