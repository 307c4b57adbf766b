//! The palette contains all commands, and finds them by name, with the keyboard only.

use thirtyfour::prelude::*;
use traceglass_e2e::{Page, Step, browser_test};

/// Opens the palette, types, checks the first line, and runs it.
async fn find(page: &Page, typed: &str, first: &str) -> Step {
    page.press_with(Key::Control, "k").await?;
    page.find("palette-field").await?;
    page.press(typed).await?;
    let script = format!("return document.querySelector('[data-testid=palette-line] .nm')?.textContent === '{first}'");
    page.until(&format!("{first} comes first"), &script).await?;
    page.press(Key::Enter).await?;
    page.until("the list is closed", "return !document.querySelector('dialog[open]')").await
}

#[browser_test]
async fn palette_finds_actions_tabs_tracks_and_events(page: &Page) -> Step {
    page.open_orders().await?;
    find(page, "bottom", "Bottom-up").await?;
    page.until("the view", "return location.hash.startsWith('#/stacks') && location.hash.includes('as=bottom-up')")
        .await?;
    find(page, "metad", "Open Metadata").await?;
    page.find("file-pane").await?;
    find(page, "schemas", "Show schemas").await?;
    page.find("schemas").await?;
    find(page, "day utc", "Time of day (UTC)").await?;
    page.text_when("clock", |text| text == "UTC").await?;
    find(page, "Workload-Orders/OrderStart", "Workload-Orders/OrderStart").await?;
    page.text_when("matches", |text| text == "280").await?;
    find(page, "clear all filters", "Clear all filters").await?;
    page.text_when("matches", |text| text == "26,800").await?;
    // Words of other tools, and names of the trace.
    find(page, "butterfly", "Sandwich").await?;
    page.find("pivot").await?;
    find(page, "#program.alloc", "Program.Alloc(object)").await?;
    page.text_when("detail-name", |text| text.contains("Alloc")).await?;
    find(page, "formatexc", "System.FormatException").await?;
    page.text_when("chip-typed-0", |text| text.contains("ExceptionType")).await?;
    find(page, "clear all filters", "Clear all filters").await?;
    // What was used last is first among equals, and without a text.
    page.press_with(Key::Control, "k").await?;
    let recent =
        "const lines = [...document.querySelectorAll('[data-testid=palette-list] li')].map((line) => line.innerText);
        return lines[0] === 'Recently used' && lines[1].startsWith('Sandwich')";
    page.until("recent lines", recent).await?;
    page.press(Key::Escape).await?;
    page.run("document.querySelector('[data-testid=lanes]').focus()", []).await?;
    // The palette shows shortcuts, and restores the focus.
    page.run("document.querySelector('[data-testid=lanes]').focus()", []).await?;
    page.press_with(Key::Control, "k").await?;
    page.press("whole trace").await?;
    page.until("its key", "return document.querySelector('[data-testid=palette-line] kbd')?.textContent === '0'")
        .await?;
    page.press("x").await?;
    page.until("nothing fits", "return document.querySelectorAll('[data-testid=palette-line]').length === 0").await?;
    page.press(Key::Escape).await?;
    page.until("the focus is back", "return document.activeElement?.dataset.testid === 'lanes'").await?;
    Ok(())
}

/// Script that delays all messages to the worker except those for opening a trace and for its first view, until
/// `goOn()`.
const SLOW_START: &str = "
    const send = MessagePort.prototype.postMessage;
    const kept = [];
    let sent = 0, isSlow = true;
    MessagePort.prototype.postMessage = function (...message) {
        sent += 1;
        // Greeting, file, threads, event types.
        if (isSlow && sent > 4) kept.push([this, message]); else send.apply(this, message);
    };
    window.goOn = () => {
        isSlow = false;
        for (const [port, message] of kept) send.apply(port, message);
    };";

#[browser_test]
async fn palette_finds_later_entries_without_reopening(page: &Page) -> Step {
    page.before_everything(SLOW_START)?;
    page.open_orders().await?;
    page.press_with(Key::Control, "k").await?;
    page.find("palette-field").await?;
    page.press("open exceptions").await?;
    page.until("nothing is called so yet", "return !document.querySelector('[data-testid=palette-line]')").await?;
    page.run("goOn()", []).await?;
    page.text_when("palette-line", |text| text.contains("xceptions")).await?;
    Ok(())
}

/// Script that returns the names of visible, enabled buttons with commands, except those that choose a value, or stand
/// for a row, a condition or an entry of a list.
const BUTTONS: &str = "
    const values = '[role=row], [role=columnheader], [role=treeitem], .chip, dialog, details, table, [role=radiogroup], [role=switch], '
        + '[data-testid=details], .items, .key-figures, .commands, .finding, [aria-haspopup], .skip, .trail, .minimap';
    const seen = [...document.querySelectorAll('[data-testid=workspace] button, [data-testid=workspace] a')]
        .filter(one => one.offsetWidth && !one.disabled);
    const named = seen.map(one => one.dataset.command).filter(Boolean);
    const withoutCommand = seen.filter(one => !one.dataset.command && !one.closest(values))
        .map(one => one.outerHTML.slice(0, 160));
    return [named, withoutCommand];";

#[browser_test]
async fn palette_finds_every_visible_button(page: &Page) -> Step {
    page.open_orders().await?;
    for tab in ["ShowSummary", "ShowStacks", "ShowEvents", "ShowMetadata", "ShowTopic(Exceptions)"] {
        page.run(&format!("document.querySelector('[role=tab][data-command=\"{tab}\"]').click()"), []).await?;
        let shown =
            format!("return document.querySelector('[role=tab][aria-selected=true]').dataset.command === '{tab}'");
        page.until("the tab is open", &shown).await?;
        page.until("it is there", "return document.querySelector('#panel').innerText.length > 40").await?;
        let found = page.run(BUTTONS, []).await?;
        assert_eq!(found.get(1), Some(&serde_json::json!([])), "buttons without an action");
        let buttons = found.get(0).and_then(|named| named.as_array().cloned()).unwrap_or_default();
        page.press_with(Key::Control, "k").await?;
        page.find("palette-field").await?;
        let listed =
            "return [...document.querySelectorAll('[data-testid=palette-line]')].map(line => line.dataset.command)";
        let listed = page.run(listed, []).await?;
        let listed = listed.as_array().cloned().unwrap_or_default();
        // The palette doesn't contain its own command.
        let is_missing = |name: &&serde_json::Value| *name != "Palette" && !listed.contains(name);
        let missing: Vec<_> = buttons.iter().filter(is_missing).collect();
        assert!(missing.is_empty() && buttons.len() > 8, "{missing:?} of {buttons:?} are not among {listed:?}");
        page.press(Key::Escape).await?;
        page.until("the list is closed", "return !document.querySelector('dialog[open]')").await?;
    }
    Ok(())
}
