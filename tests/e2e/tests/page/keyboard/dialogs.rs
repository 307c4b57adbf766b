//! Dialogs by keyboard: a dialog traps the focus, and Escape restores it.

use serde_json::{Value, json};
use thirtyfour::prelude::*;
use traceglass_e2e::{Page, Step, browser_test};

/// Number of presses of Tab: more than the focusable elements of any dialog.
const PRESSES: usize = 24;

/// Script that records whether each focused element is inside or outside the open dialog. The browser's own bars aren't
/// recorded.
const WATCH_FOCUS: &str = "
    window.focused = { inside: 0, behind: [] };
    if (!window.watchesFocus) {
      window.watchesFocus = true;
      document.addEventListener('focusin', ({ target }) => {
        if (document.querySelector('dialog[open]')?.contains(target)) focused.inside += 1;
        else focused.behind.push(target.outerHTML.slice(0, 120));
      }, true);
    }";

/// Opens a dialog with Enter on an element, moves through it in both directions, and closes it.
async fn keeps_the_focus(page: &Page, opener: &str, dialog: &str) -> Step {
    page.find_by(By::Css(opener)).await?;
    page.run("document.querySelector(arguments[0]).focus()", [json!(opener)]).await?;
    page.press(Key::Enter).await?;
    until_open(page, dialog).await?;
    stays_inside(page, dialog).await?;
    leave(page, dialog).await?;
    let is_back = format!("return document.activeElement?.matches({})", json!(opener));
    page.until(&format!("{dialog} gives the focus back to {opener}"), &is_back).await
}

async fn until_open(page: &Page, dialog: &str) -> Step {
    let is_open = format!("return document.querySelector('dialog[open]')?.dataset.testid === '{dialog}'");
    page.until(&format!("{dialog} is open"), &is_open).await?;
    let has_focus = "return document.querySelector('dialog[open]').contains(document.activeElement)";
    page.until(&format!("{dialog} has the focus"), has_focus).await
}

async fn stays_inside(page: &Page, dialog: &str) -> Step {
    for is_back in [false, true] {
        come_back(page).await?;
        page.run(WATCH_FOCUS, []).await?;
        // Sent at once, because each press would take two calls of the driver.
        let presses = "\u{e004}".repeat(PRESSES);
        match is_back {
            false => page.press(presses).await?,
            true => page.press_with(Key::Shift, presses).await?,
        }
        let focused = page.run("return focused", []).await?;
        assert_eq!(focused["behind"], json!([]), "{dialog}: the focus is behind it");
        assert!(focused["inside"].as_u64() > Some(0), "{dialog}: nothing in it can be reached");
    }
    Ok(())
}

/// Presses Tab until the focus is in the dialog: when it has moved to the browser's bar, keys go there.
async fn come_back(page: &Page) -> Step {
    let is_here =
        "return document.hasFocus() && document.querySelector('dialog[open]').contains(document.activeElement)";
    for _ in 0..PRESSES {
        if page.run(is_here, []).await? == true {
            break;
        }
        page.press(Key::Tab).await?;
    }
    Ok(())
}

async fn leave(page: &Page, dialog: &str) -> Step {
    come_back(page).await?;
    page.press(Key::Escape).await?;
    page.until(&format!("{dialog} is closed"), "return !document.querySelector('dialog[open]')").await
}

#[browser_test]
async fn start_page_dialogs_trap_focus(page: &Page) -> Step {
    page.open("").await?;
    for (opener, dialog) in [("open-url-button", "open-url"), ("show-policy", "policy")] {
        keeps_the_focus(page, &format!("[data-testid={opener}]"), dialog).await?;
    }
    page.click("open-url-button").await?;
    let is_in_field = "return document.activeElement?.dataset.testid === 'open-url-input'";
    page.until("the field has the focus", is_in_field).await?;
    leave(page, "open-url").await
}

#[browser_test]
async fn workspace_dialogs_trap_focus(page: &Page) -> Step {
    page.open_orders().await?;
    for (opener, dialog) in [
        ("[data-testid=filter-syntax]", "syntax-help"),
        ("[data-testid=open-palette]", "palette"),
        (".topbar [data-command=Help]", "help"),
        ("[data-testid=kept]", "bookmarks"),
    ] {
        keeps_the_focus(page, opener, dialog).await?;
    }
    page.press("2").await?;
    page.text_when("function-name", |text| !text.is_empty()).await?;
    keeps_the_focus(page, "[data-testid=fold]", "fold-dialog").await?;
    keeps_the_focus(page, "[data-testid=save-stacks]", "save-dialog").await?;
    page.run("document.activeElement.blur()", []).await?;
    page.press("3").await?;
    page.text_when("event-name", |text| !text.is_empty()).await?;
    // A menu opens this one.
    page.choose_from("events-more", "save-events").await?;
    until_open(page, "save-events-dialog").await?;
    stays_inside(page, "save-events-dialog").await?;
    leave(page, "save-events-dialog").await?;
    let is_back = "return document.activeElement?.matches('[data-testid=events-more]')";
    page.until("the dialog gives the focus back to the menu's button", is_back).await
}

/// The list of shortcuts begins with the panel that had the focus, and is searched by names and keys.
async fn shortcuts_are_found(page: &Page) -> Step {
    let first = page.run("return document.querySelector('[data-testid=shortcuts] h3').innerText", []).await?;
    assert_eq!(first, "Timeline");
    page.press("invert").await?;
    let found =
        "return [...document.querySelectorAll('[data-testid=shortcuts] dt')].map((one) => one.innerText).join()";
    page.until("one is found", &format!("{} === 'Invert call stacks'", found)).await
}

/// Shortcuts open these from anywhere; a menu opens the last one, and is closed afterwards.
#[browser_test]
async fn dialogs_from_shortcuts_and_menus_restore_focus(page: &Page) -> Step {
    page.open_orders().await?;
    page.find("lanes").await?;
    page.run("document.querySelector('[data-testid=lanes]').focus()", []).await?;
    for (held, key, dialog) in
        [(Key::Control, "p", "finder"), (Key::Control, "k", "palette"), (Key::Shift, "?", "help")]
    {
        page.press_with(held, key).await?;
        until_open(page, dialog).await?;
        if dialog == "help" {
            shortcuts_are_found(page).await?;
        }
        stays_inside(page, dialog).await?;
        leave(page, dialog).await?;
        page.until(
            &format!("{dialog} gives the focus back"),
            "return document.activeElement?.dataset.testid === 'lanes'",
        )
        .await?;
    }
    page.run("document.querySelector('[data-testid=share]').focus()", []).await?;
    page.press(Key::Enter).await?;
    page.until("the menu has the focus", "return document.activeElement?.dataset.testid === 'copy-link'").await?;
    // Past the commands that copy.
    for _ in 0..3 {
        page.press(Key::Down).await?;
    }
    page.until("the line of pages", "return document.activeElement?.dataset.testid === 'save-page'").await?;
    page.press(Key::Enter).await?;
    until_open(page, "save-dialog").await?;
    stays_inside(page, "save-dialog").await?;
    leave(page, "save-dialog").await?;
    page.until("the focus is back", "return document.activeElement?.dataset.testid === 'share'").await
}

/// Escape and Tab close a menu, and arrows move through its lines.
#[browser_test]
async fn menu_is_navigated_and_closed_by_keys(page: &Page) -> Step {
    page.open_orders().await?;
    for key in [Key::Escape, Key::Tab] {
        page.run("document.querySelector('[data-testid=share]').focus()", []).await?;
        page.press(Key::Enter).await?;
        page.until("the first line has the focus", "return document.activeElement?.dataset.testid === 'copy-link'")
            .await?;
        page.press(Key::Up).await?;
        page.until("the last line has it", "return document.activeElement?.dataset.testid === 'save-part'").await?;
        page.press(Key::Down).await?;
        page.until("the first line has it", "return document.activeElement?.dataset.testid === 'copy-link'").await?;
        page.press(key).await?;
        page.until("the menu is gone", "return !document.querySelector('[role=menu]')").await?;
    }
    assert_ne!(page.run("return document.activeElement?.tagName", []).await?, Value::Null);
    Ok(())
}

/// A menu is inside the window beside its button, and closes when the window is resized.
#[browser_test]
async fn menu_fits_beside_its_button(page: &Page) -> Step {
    page.open_orders().await?;
    page.click("share").await?;
    let lies_right = "
        const menu = document.querySelector('[role=menu]')?.getBoundingClientRect();
        const button = document.querySelector('[data-testid=share]').getBoundingClientRect();
        return !!menu && menu.left >= 0 && menu.right <= document.documentElement.clientWidth
            && menu.left <= button.right && menu.right >= button.left && Math.abs(menu.top - button.bottom) < 2";
    page.until("the menu lies below its button", lies_right).await?;
    page.browser().set_window_rect(0, 0, 1000, 700).await?;
    page.until("the menu is gone", "return !document.querySelector('[role=menu]')").await
}
