//! Rows of the event table: selecting, copying, saving, filtering.

use thirtyfour::prelude::*;
use traceglass_e2e::{Need, Page, Step, browser_test};

async fn open_events(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("3").await?;
    page.text_when("event-time", |text| text == "0.000637").await?;
    Ok(())
}

/// Waits until a script accepts the copied text, which it gets as `lines`.
async fn copied(page: &Page, is_right: &str) -> Step {
    let script = format!(
        "const lines = window.copied.trimEnd().split('\\n');
         if (!window.copied || !({is_right})) return false; window.copied = ''; return true"
    );
    page.until(&format!("the clipboard has {is_right}"), &script).await
}

/// Returns a row of the table, from 0 at the top of the visible part.
async fn row(page: &Page, row: usize) -> Step<WebElement> {
    let name = format!("#events-{row} [data-testid=event-name]");
    page.find_by(By::Css(name)).await
}

async fn click_with(page: &Page, key: Key, element: &WebElement) -> Step {
    let chain = page.pointer().key_down(key.clone()).click_element(element).key_up(key);
    Ok(chain.perform().await?)
}

#[browser_test]
async fn rows_are_selected_and_copied(page: &Page) -> Step {
    open_events(page).await?;
    page.watch_clipboard().await?;
    row(page, 0).await?.click().await?;
    click_with(page, Key::Shift, &row(page, 3).await?).await?;
    page.text_when("selected-count", |text| text == "4 selected").await?;
    click_with(page, Key::Control, &row(page, 5).await?).await?;
    page.text_when("selected-count", |text| text == "5 selected").await?;
    let announced = "return document.querySelector('[data-testid=selected-announcement]').textContent.trim() === '5 events selected.'";
    page.until("it is announced", announced).await?;
    let marked = "return document.querySelectorAll('[data-testid=events] [role=row][aria-selected=true]').length === 5";
    page.until("five rows are marked", marked).await?;
    page.press_with(Key::Control, "c").await?;
    copied(page, "lines.length === 6 && lines[0].split('\\t').slice(0, 4).join() === 'Time, s,Thread,Provider,Event' && lines[1].startsWith('0.00063')").await?;
    page.text_when("toast", |text| text == "5 events as TSV copied.").await?;
    // By keys: three rows below it, and all.
    row(page, 2).await?.click().await?;
    for _ in 0..3 {
        page.press_with(Key::Shift, Key::Down).await?;
    }
    page.text_when("selected-count", |text| text == "4 selected").await?;
    page.press_with(Key::Control, "a").await?;
    page.text_when("selected-count", |text| text == "26,800 selected").await?;
    page.click("selected-count").await?;
    page.click("copy-csv").await?;
    copied(page, "lines.length === 26801 && lines[0].startsWith('\"Time, s\",Thread,')").await?;
    page.click("selected-count").await?;
    page.click("copy-jsonl").await?;
    copied(page, "lines.length === 26800 && JSON.parse(lines[26799]).timeNs > 7e9").await?;
    // Another filter has other rows.
    page.pick("pick-thread", "6712").await?;
    page.text_when("events-total", |text| text == "1,135").await?;
    page.until("no row is selected", "return !document.querySelector('[data-testid=selected-count]')").await?;
    Ok(())
}

#[browser_test]
async fn copying_too_many_rows_shows_message(page: &Page) -> Step {
    page.open("").await?;
    page.click("sample-gc").await?;
    page.text_when("event-count", |text| text == "116,276").await?;
    page.press("3").await?;
    page.click("event-name").await?;
    page.press_with(Key::Control, "a").await?;
    page.text_when("selected-count", |text| text == "116,276 selected").await?;
    page.press_with(Key::Control, "c").await?;
    page.text_when("toast", |text| text.starts_with("Too many events selected (116,276; limit 50,000).")).await?;
    page.press(Key::Escape).await?;
    page.until("one is left", "return !document.querySelector('[data-testid=selected-count]')").await?;
    Ok(())
}

/// Replaces the browser's save dialog, which tests can't answer, with a file in the browser's storage.
const SAVES_AS: &str = "
    window.showSaveFilePicker = async ({ suggestedName }) => {
        window.savedAs = suggestedName;
        return (await navigator.storage.getDirectory()).getFileHandle('saved', { create: true });
    };";

#[browser_test(needs(Need::Full))]
async fn many_events_are_saved_to_disk_in_parts(page: &Page) -> Step {
    page.before_everything(SAVES_AS)?;
    page.open("").await?;
    let writes = "return 'FileSystemFileHandle' in window && 'createWritable' in FileSystemFileHandle.prototype";
    if page.run(writes, []).await? != true {
        page.skip("it writes no files part by part");
        return Ok(());
    }
    page.click("sample-gc").await?;
    page.text_when("event-count", |text| text == "116,276").await?;
    page.press("3").await?;
    page.text_when("events-total", |text| text == "116,276").await?;
    page.choose_from("events-more", "save-events").await?;
    page.click("save-events-csv").await?;
    page.until(
        "it is announced",
        "return /Saved .*events.csv/.test(document.querySelector('[data-testid=announce]').textContent)",
    )
    .await?;
    let lines = "const folder = await navigator.storage.getDirectory();
        const file = await (await folder.getFileHandle('saved')).getFile();
        return (await file.text()).trimEnd().split('\\n').length";
    assert_eq!(page.run_async(lines, []).await?, 116_277, "a line each, and the head");
    let name = page.run("return window.savedAs", []).await?;
    assert!(name.as_str().is_some_and(|name| name.ends_with(".events.csv")), "{name}");
    Ok(())
}

async fn open_menu(page: &Page, at: usize) -> Step {
    let place = row(page, at).await?.rect().await?;
    page.right_click((place.x + place.width / 2.0, place.y + place.height / 2.0)).await?;
    page.find("menu").await?;
    Ok(())
}

#[browser_test]
async fn row_filters_and_leads_to_stacks_and_timeline(page: &Page) -> Step {
    open_events(page).await?;
    page.pick("pick-provider", "Workload-Orders").await?;
    page.text_when("events-total", |text| text == "586").await?;
    page.text_when("event-name", |text| text == "OrderStart").await?;
    open_menu(page, 0).await?;
    page.text_when("only-event", |text| text.starts_with("Filter to OrderStart")).await?;
    page.click("without-event").await?;
    page.text_when("events-total", |text| text == "306").await?;
    page.browser().back().await?;
    page.text_when("events-total", |text| text == "586").await?;
    open_menu(page, 0).await?;
    page.click("only-event").await?;
    page.text_when("events-total", |text| text == "280").await?;
    // The same by keys: all matching events, as stacks of their type.
    page.press("s").await?;
    page.find("stacks-panel").await?;
    page.text_when("stacks-total", |text| text == "14.7 s").await?;
    assert!(page.hash().await?.contains("of=Workload-Orders.OrderStart"), "{}", page.hash().await?);
    page.press("3").await?;
    // Of several event types, only those with stacks.
    page.click("clear-filters").await?;
    page.text_when("events-total", |text| text == "26,800").await?;
    page.choose_from("events-more", "events-stacks").await?;
    page.find("stacks-panel").await?;
    page.until(
        "all stacks",
        "return decodeURIComponent(location.hash).includes('of=*') && location.hash.includes('by=count')",
    )
    .await?;
    page.press("3").await?;
    // Time range from one row on, until another row, and of both.
    page.run("document.querySelector('[data-testid=events]').focus()", []).await?;
    page.press(Key::Home).await?;
    page.text_when("event-time", |text| text == "0.000637").await?;
    row(page, 3).await?.click().await?;
    page.press_with(Key::Shift, Key::F10).await?;
    page.click("from-here").await?;
    page.text_when("events-total", |text| text == "26,797").await?;
    row(page, 4).await?.click().await?;
    page.press_with(Key::Shift, Key::F10).await?;
    page.click("until-here").await?;
    page.text_when("events-total", |text| text == "5").await?;
    page.click("event-name").await?;
    page.press_with(Key::Control, "a").await?;
    page.text_when("selected-count", |text| text == "5 selected").await?;
    page.press("l").await?;
    page.until("the timeline shows their time", "return location.hash.includes('t0=')").await?;
    Ok(())
}

#[browser_test]
async fn column_value_is_filtered_and_excluded(page: &Page) -> Step {
    open_events(page).await?;
    page.pick("pick-column", "TypeName").await?;
    page.pick("sort-by-field", "TypeName").await?;
    page.until(
        "it is sorted",
        "return document.querySelector('[data-testid=sort-column]').parentElement.ariaSort === 'ascending'",
    )
    .await?;
    let value = page.text_when("event-field", |text| text.starts_with("<>c__")).await?;
    open_menu(page, 0).await?;
    page.text_when("only-value", |text| text == format!("Filter to TypeName {value}")).await?;
    page.click("only-value").await?;
    let only = page.text_when("events-total", |text| text != "26,800" && !text.is_empty()).await?;
    open_menu(page, 0).await?;
    page.text_when("without-value", |text| text == format!("Exclude TypeName {value}")).await?;
    page.press(Key::Escape).await?;
    page.browser().back().await?;
    page.text_when("events-total", |text| text == "26,800").await?;
    open_menu(page, 0).await?;
    page.click("without-value").await?;
    // Events without the field remain.
    let number = |text: &str| text.replace(',', "").parse::<u64>().unwrap_or(0);
    let rest = 26_800 - number(&only);
    page.text_when("events-total", |text| number(text) == rest).await?;
    Ok(())
}
