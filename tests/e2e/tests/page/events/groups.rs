//! Groups of events: counts, sums, and filters.

use thirtyfour::prelude::*;
use traceglass_e2e::{Page, Step, browser_test};

/// Returns the text of the first row in the table of groups.
async fn first_row(page: &Page) -> Step<String> {
    let row = "return document.querySelector('[data-testid=groups-row]:not([hidden])')?.innerText ?? ''";
    Ok(page.run(row, []).await?.as_str().unwrap_or_default().replace('\n', " "))
}

async fn first_row_when(page: &Page, part: &str) -> Step<String> {
    let script = format!(
        "return document.querySelector('[data-testid=groups-row]:not([hidden])')?.innerText.includes('{part}')"
    );
    page.until(&format!("the first group is {part}"), &script).await?;
    first_row(page).await
}

#[browser_test]
async fn groups_show_most_allocated_type_and_its_events(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("3").await?;
    page.text_when("events-total", |text| text == "26,800").await?;
    page.pick("pick-group", "TypeName").await?;
    page.text_when("groups-events", |text| text == "26,800").await?;
    page.pick("pick-measure", "AllocationAmount").await?;
    let row = first_row_when(page, "System.Byte[]").await?;
    for figure in ["9,513", "1.31 GB", "102 kB", "134 kB", "177 kB", "261 kB"] {
        assert!(row.contains(figure), "{figure} in {row}");
    }
    // Sorting by median also works: objects of few events come first.
    page.click("groups-sort-p50").await?;
    first_row_when(page, "System.Int32[]").await?;
    let hash = page.hash().await?;
    for part in ["events-by=field.TypeName", "events-sum=field.AllocationAmount", "events-rows=-p50"] {
        assert!(hash.contains(part), "{part} in {hash}");
    }
    // Selecting a group adds its condition and shows single events again.
    page.click("group-name").await?;
    page.text_when("events-total", |text| text == "2,167").await?;
    page.text_when("matches", |text| text == "2,167").await?;
    assert!(!page.hash().await?.contains("events-by"));
    page.browser().back().await?;
    first_row_when(page, "System.Int32[]").await?;
    Ok(())
}

/// All groups are saved, in the visible order: as CSV with the visible columns.
#[browser_test]
async fn groups_are_saved_from_menu_of_heading(page: &Page) -> Step {
    page.open_orders().await?;
    page.watch_saving().await?;
    page.press("3").await?;
    page.pick("pick-group", "Provider").await?;
    page.text_when("groups-events", |text| text == "26,800").await?;
    first_row_when(page, "Microsoft-").await?;
    let groups = page.text("groups-total").await?;
    page.run("document.querySelector('[data-testid=groups-sort-count]').focus()", []).await?;
    page.press_with(Key::Shift, Key::F10).await?;
    page.click("save-csv").await?;
    let lines =
        format!("const lines = window.saved.trim().split('\\n'); return lines.length - 1 === {groups} && lines[0]");
    page.until("all groups are saved", &lines).await?;
    let head = page.run(&lines, []).await?;
    assert!(head.as_str().is_some_and(|head| head.starts_with("name,count")), "{head}");
    assert_eq!(page.run("return window.savedAs.split('.').slice(1).join('.')", []).await?, "groups.csv");
    page.press_with(Key::Shift, Key::F10).await?;
    page.click("save-json").await?;
    let first = "const rows = window.saved.startsWith('[') && JSON.parse(window.saved);
        return rows && rows.length === GROUPS && typeof rows[0].of === 'string' && rows[0].events >= rows[1].events";
    page.until("as JSON, too", &first.replace("GROUPS", &groups)).await
}

#[browser_test]
async fn durations_by_event_cover_start_events(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("3").await?;
    page.pick("pick-group", "Event").await?;
    page.text_when("groups-events", |text| text == "26,800").await?;
    page.pick("pick-measure", "Duration").await?;
    let row = first_row_when(page, "OrderSt").await?;
    for figure in ["280", "14.7 s", "17.8", "264"] {
        assert!(row.contains(figure), "{figure} in {row}");
    }
    Ok(())
}

#[browser_test]
async fn group_is_excluded_and_rest_is_counted(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("3").await?;
    page.pick("pick-group", "Thread").await?;
    page.text_when("groups-events", |text| text == "26,800").await?;
    let row = "return document.querySelector('[data-testid=groups-row]:not([hidden]) > :nth-child(2)').innerText";
    let most = page.run(row, []).await?;
    let most: u64 = most.as_str().unwrap_or_default().replace(',', "").parse().unwrap_or(0);
    assert!(most > 1_000, "{most} events of the thread with most");
    page.right_click(page.below_top("group-name", 8.0).await?).await?;
    page.click("without-group").await?;
    let left = page.text_when("groups-events", |text| text != "26,800" && !text.is_empty()).await?;
    assert_eq!(left.replace(',', "").parse::<u64>().ok(), Some(26_800 - most));
    page.text_when("hidden", |text| text.replace(',', "").contains(&format!("{most} excluded"))).await?;
    assert!(page.hash().await?.contains("events-by=thread"), "groups stay");
    Ok(())
}

/// Waits until the first cell of a field's column has a text that satisfies `is_right`.
async fn field_when(page: &Page, is_right: impl Fn(&str) -> bool) -> Step<String> {
    page.text_when("event-field", is_right).await
}

#[browser_test]
async fn field_columns_sort_and_are_restored_by_url(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("3").await?;
    page.text_when("events-total", |text| text == "26,800").await?;
    page.pick("pick-column", "AllocationAmount").await?;
    page.click("sort-column").await?;
    field_when(page, |text| text == "102408").await?;
    page.click("sort-column").await?;
    field_when(page, |text| text == "260904").await?;
    page.pick("pick-column", "TypeName").await?;
    page.until("two columns", "return document.querySelectorAll('[data-testid=sort-column]').length === 2").await?;
    let hash = page.hash().await?;
    assert!(hash.contains("col=AllocationAmount&col=TypeName"), "{hash}");
    page.run("document.querySelector('[data-testid=sort-column]').focus()", []).await?;
    page.press(Key::Delete).await?;
    field_when(page, |text| text.starts_with("System.")).await?;
    assert!(!page.hash().await?.contains("col=AllocationAmount&"));
    Ok(())
}

#[browser_test]
async fn all_matching_events_are_saved(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("3").await?;
    page.text_when("events-total", |text| text == "26,800").await?;
    page.pick("pick-column", "TypeName").await?;
    let watch = "window.saved = []; const create = URL.createObjectURL;
        URL.createObjectURL = blob => { blob.text().then(text => window.saved.push(text)); return create.call(URL, blob); }";
    page.run(watch, []).await?;
    page.choose_from("events-more", "save-events").await?;
    for (format, check) in [
        (
            "csv",
            "lines[0].startsWith('\"Time, s\",Thread,Provider,Event,Level,\"Duration, s\",\"Activity, labels\",TypeName,Payload') && lines.length === 26801",
        ),
        ("tsv", "lines[1].split('\\t').length === 9 && lines.length === 26801"),
        ("jsonl", "lines.length === 26800 && JSON.parse(lines[26799]).timeNs > 7e9"),
    ] {
        page.click(&format!("save-events-{format}")).await?;
        let script = format!(
            "const text = window.saved[0]; if (!text) return false; window.saved = [];
             const lines = text.trimEnd().split('\\n'); if (!({check})) throw Error(lines.length + ' ' + lines[0]); return true"
        );
        page.until(format, &script).await?;
        page.until("another can be saved", "return !document.querySelector('[data-testid=save-events-csv]').disabled")
            .await?;
    }
    Ok(())
}
