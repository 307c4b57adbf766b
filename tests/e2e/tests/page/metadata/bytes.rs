//! Content of the file: bytes by purpose, blocks, and the meaning of each byte.

use thirtyfour::prelude::*;
use traceglass_e2e::{Need, Page, Step, browser_test, fixtures};

/// Waits until the cell of the first row has a text.
async fn first(page: &Page, cell: &str, expected: &str) -> Step {
    page.text_when(cell, |text| text == expected).await.map(drop)
}

/// Waits until the numbers of the visible top rows are sorted.
async fn sorted(page: &Page, grid: &str, cell: &str, descending: bool) -> Step {
    let least = if descending { "one >= other" } else { "one <= other" };
    let script = format!(
        "const rows = [...document.querySelectorAll('[data-testid={grid}-row]:not([hidden]):not([aria-level=\"2\"])')];
         const numbers = rows.sort((one, other) => one.ariaRowIndex - other.ariaRowIndex)
           .map((row) => +row.querySelector('[data-testid={cell}]').textContent.replaceAll(',', ''));
         return numbers.length > 2 && numbers.every((other, at) => at === 0 || ((one) => {least})(numbers[at - 1]))"
    );
    page.until("sorted rows", &script).await
}

/// Opens a part of the Metadata tab.
async fn open_part(page: &Page, part: &str) -> Step {
    page.press("4").await?;
    page.click(part).await
}

/// Types an offset into its field.
async fn go_to(page: &Page, offset: &str) -> Step {
    let field = page.find("go-to-offset").await?;
    field.clear().await?;
    field.send_keys(offset).await?;
    field.send_keys(Key::Enter).await?;
    Ok(())
}

/// The counts are those of `traceglass blocks` and `traceglass schema`.
#[browser_test]
async fn largest_event_type_is_found_and_sizes_add_up(page: &Page) -> Step {
    page.open_orders().await?;
    open_part(page, "part-cost").await?;
    first(page, "cost-sum", "3,558,950 bytes, the whole file").await?;
    page.text_when("cost-shares", |text| text.contains("bytes instead of 80")).await?;
    first(page, "cost-name", "Microsoft-Windows-DotNETRuntime").await?;
    first(page, "cost-bytes", "2,145,681").await?;
    page.click("cost-name").await?;
    page.text_when("cost-words", |text| text.contains("60% (2,145,681 bytes)")).await?;
    page.press(Key::Right).await?;
    page.press(Key::Right).await?;
    let words = page.text_when("cost-words", |text| text.contains("888,035 bytes")).await?;
    assert!(words.contains("GC/AllocationTick") && words.contains("by 25%"), "{words}");
    // The bytes of fields are counted when the row is expanded.
    page.press(Key::Right).await?;
    let sum = "const fields = [...document.querySelectorAll('[data-testid=costs-row][aria-level=\"3\"]')];
        const bytes = fields.map(row => +row.querySelector('[data-testid=cost-bytes]').textContent.replaceAll(',', ''));
        return fields.some(row => row.textContent.startsWith('TypeName')) && bytes.reduce((a, b) => a + b) === 832846";
    page.until("fields add up to the payloads", sum).await?;
    // The heading sorts each level; the selected row stays in view.
    page.click("costs-sort-count").await?;
    page.click("costs-sort-count").await?;
    let chosen = "return document.querySelector('[data-testid=costs-row][aria-selected=true]').textContent";
    page.until("the selected row", &format!("{chosen}.includes('GC/AllocationTick')")).await?;
    page.click("costs-sort-bytes").await?;
    // The treemap shows the same, by keys.
    page.until("boxes", "return +document.querySelector('[data-testid=cost-map]').dataset.boxes > 50").await?;
    page.run("document.querySelector('[data-testid=cost-map]').focus()", []).await?;
    page.press(Key::Right).await?;
    page.text_when("cost-words", |text| text.contains("GC/BulkSurvivingObjectRanges") && text.contains("387,059"))
        .await?;
    page.press(Key::Up).await?;
    page.text_when("cost-words", |text| text.contains("2,145,681")).await?;
    page.click("cost-by-kind").await?;
    first(page, "cost-name", "Events").await?;
    first(page, "cost-bytes", "3,323,738").await?;
    page.click("costs-sort-count").await?;
    sorted(page, "costs", "cost-count", true).await?;
    page.click("costs-sort-count").await?;
    sorted(page, "costs", "cost-count", false).await?;
    page.click("costs-sort-bytes").await?;
    first(page, "cost-sum", "3,558,950 bytes, the whole file").await?;
    page.click("cost-by-thread").await?;
    page.text_when("cost-name", |text| text.starts_with("Thread ")).await?;
    first(page, "cost-sum", "3,558,950 bytes, the whole file").await?;
    Ok(())
}

#[browser_test]
async fn block_strip_and_table_agree(page: &Page) -> Step {
    page.open_orders().await?;
    open_part(page, "part-trace").await?;
    let counted = "const numbers = (column) => [...document.querySelectorAll('[data-testid=block-kind]')]
            .map((row) => +row.cells[column].innerText.replaceAll(',', ''));
        return numbers(1).reduce((sum, count) => sum + count, 0) === 71";
    page.until("kinds of blocks add up to the blocks of the file", counted).await?;
    open_part(page, "part-blocks").await?;
    first(page, "pieces-total", "71").await?;
    page.until("the strip", "return document.querySelector('[data-testid=strip-whole]').dataset.sections === '71'")
        .await?;
    page.run("document.querySelector('[data-testid=strip-close]').focus()", []).await?;
    page.press("0").await?;
    page.until("the same", "return document.querySelector('[data-testid=strip-close]').dataset.sections === '71'")
        .await?;
    // From block to block by keys; the table follows.
    first(page, "piece-words", "Header at 0x00000000, 102 bytes").await?;
    page.press(Key::Right).await?;
    first(page, "piece-words", "Metadata at 0x00000066, 4,272 bytes, 30 metadata records").await?;
    first(page, "piece-number", "Block 2 of 71").await?;
    let row = "return document.querySelector('[data-testid=pieces-row][aria-selected=true]')?.innerText ?? ''";
    page.until("the row", &row.replace("?? ''", "?.includes('0x00000066')")).await?;
    // The selected block stays in view in every order.
    page.click("pieces-sort-bytes").await?;
    sorted(page, "pieces", "piece-bytes", true).await?;
    page.until("the row", &row.replace("?? ''", "?.includes('0x00000066')")).await?;
    page.click("pieces-sort-offset").await?;
    // All blocks are saved.
    page.watch_saving().await?;
    page.run("document.querySelector('[data-testid=pieces-sort-offset]').focus()", []).await?;
    page.press_with(Key::Shift, Key::F10).await?;
    page.click("save-csv").await?;
    let is_saved =
        "const lines = window.saved.trim().split('\\n'); return lines.length === 72 && lines[1].startsWith('0,')";
    page.until("all blocks are saved", is_saved).await?;
    // Only sequence points, and the structure of one.
    page.click("kind-4").await?;
    first(page, "pieces-total", "3").await?;
    first(page, "piece-offset", "0x001089A9").await?;
    page.click("piece-offset").await?;
    first(page, "piece-words", "Sequence point at 0x001089A9, 220 bytes, 15 threads").await?;
    page.text_when("piece-parts", |text| text.contains("ThreadCount\n15")).await?;
    page.until("it is in the address", "return location.hash.includes('part=blocks&byte=1083817')").await?;
    page.click("kind-4").await?;
    page.click("only-problems").await?;
    page.find("no-pieces").await?;
    page.click("only-problems").await?;
    // The events in the time range of a block.
    go_to(page, "32997").await?;
    first(page, "piece-words", "Events at 0x000080E5, 102,407 bytes, 1,606 events").await?;
    page.click("events-of-piece").await?;
    page.text_when("matches", |text| text == "8,239").await?;
    Ok(())
}

#[browser_test]
async fn event_and_its_bytes_are_linked(page: &Page) -> Step {
    page.open_an_order().await?;
    page.click("bytes-of-event").await?;
    // The first field of its payload.
    let item = page.text_when("item-words", |text| text.starts_with("Workload-Orders/OrderStart at ")).await?;
    let field = page.text_when("byte-name", |text| !text.is_empty()).await?;
    let value = page.text("byte-value").await?;
    let number = page.text("item-number").await?;
    page.run("document.querySelector('[data-testid=bytes]').focus()", []).await?;
    page.press(".").await?;
    page.text_when("byte-name", |text| text != field && !text.is_empty()).await?;
    page.press(",").await?;
    page.text_when("byte-name", |text| text == field).await?;
    first(page, "byte-value", &value).await?;
    // The next event and back; the byte before the payload is the end of the header.
    page.press("]").await?;
    page.text_when("item-number", |text| text != number && !text.is_empty()).await?;
    page.press("[").await?;
    first(page, "item-number", &number).await?;
    first(page, "item-words", &item).await?;
    // A link restores it.
    page.until("it is in the address", "return location.hash.includes('part=bytes&byte=')").await?;
    page.click("show-event").await?;
    page.text_when("detail-name", |text| text == "OrderStart").await?;
    page.until("the table", "return location.hash.startsWith('#/events')").await?;
    // Also from the menu of the row.
    page.run("document.querySelector('[data-testid=events]').focus()", []).await?;
    page.press("b").await?;
    first(page, "item-words", &item).await?;
    Ok(())
}

#[browser_test]
async fn byte_and_its_field_are_highlighted_together(page: &Page) -> Step {
    page.open("").await?;
    page.open_trace(&fixtures::unpacked("orders-net31.nettrace")?).await?;
    page.text_when("event-count", |text| text == "26,800").await?;
    open_part(page, "part-bytes").await?;
    first(page, "piece-words", "Header at 0x00000000, 102 bytes").await?;
    page.text_when("byte-name", |text| text == "Magic").await?;
    go_to(page, "0x20").await?;
    page.text_when("byte-name", |text| !text.is_empty() && text != "Magic").await?;
    page.until("the byte is in the address", "return location.hash.includes('&byte=32')").await?;
    // The pointer on bytes highlights the row of their part; on a row, its bytes.
    let bytes = page.browser().find(By::Css("[data-testid=bytes-row] .b i")).await?;
    page.pointer().move_to_element_center(&bytes).perform().await?;
    page.until("the row is lit", "return document.querySelector('[data-testid=structure] .hot')").await?;
    first(page, "byte-name", "Magic").await?;
    let row = page.browser().find(By::Css("[data-testid=structure-row]:nth-child(3) [data-testid=part-name]")).await?;
    page.pointer().move_to_element_center(&row).perform().await?;
    page.until("its bytes are lit", "return document.querySelector('[data-testid=bytes] .hot')").await?;
    // To the end of the file and back, by keys.
    page.run("document.querySelector('[data-testid=bytes]').focus()", []).await?;
    page.press_with(Key::Control, Key::End).await?;
    first(page, "piece-words", "End of stream at 0x00364E25, 1 byte").await?;
    page.press_with(Key::Control, Key::Home).await?;
    page.press(Key::Down).await?;
    page.press(Key::Right).await?;
    page.until("the byte", "return location.hash.includes('byte=17')").await?;
    Ok(())
}

/// Goes to damage by its message; checks what was expected and what was found.
async fn inspect_damage(page: &Page, offset: &str, words: &str) -> Step {
    open_part(page, "part-blocks").await?;
    page.click("only-problems").await?;
    first(page, "piece-kind", "Damage").await?;
    first(page, "piece-offset", offset).await?;
    page.click("piece-offset").await?;
    page.text_when("piece-problem", |text| text.contains(words)).await?;
    page.click("show-bytes").await?;
    let value = page.text_when("byte-value", |text| text.contains("Expected: ")).await?;
    assert!(value.contains(words) && value.contains("Found: "), "{value}");
    page.until("its bytes stand out", "return document.querySelector('[data-testid=bytes] .damage')").await
}

#[browser_test]
async fn damage_shows_expected_and_found_bytes(page: &Page) -> Step {
    page.open("").await?;
    page.open_trace(&fixtures::unpacked("cut-net10.nettrace")?).await?;
    // From a parse issue to its bytes.
    page.press("4").await?;
    page.click("diagnostic-bytes").await?;
    page.text_when("byte-value", |text| text.contains("Expected: ")).await?;
    inspect_damage(page, "0x000F102E", "29,308 more bytes expected").await
}

#[browser_test(needs(Need::RealTraces))]
async fn damage_in_real_traces_is_shown(page: &Page) -> Step {
    let traces = fixtures::real_traces();
    page.open("").await?;
    page.open_trace(&traces.join("truncated-net31.nettrace")).await?;
    inspect_damage(page, "0x001E8365", "87,473 more bytes expected").await
}

/// Formats without metadata blocks, and those with threads and labels.
#[browser_test]
async fn bytes_of_every_format_have_meanings(page: &Page) -> Step {
    page.open("").await?;
    for (name, offset, part) in [("orders-net21.netperf", "5000000", "event"), ("cpu-v6-net10.nettrace", "1000000", "")]
    {
        page.open_trace(&fixtures::unpacked(name)?).await?;
        page.text_when("event-count", |text| !text.is_empty()).await?;
        open_part(page, "part-bytes").await?;
        page.text_when("piece-words", |text| text.starts_with("Header at ")).await?;
        go_to(page, offset).await?;
        page.text_when("piece-words", |text| !text.starts_with("Header") && text.contains(part)).await?;
        page.text_when("byte-name", |text| !text.is_empty() && text != "Magic").await?;
        let section = page.text("byte-field").await?;
        assert!(section.contains("NetPerf") || section.contains("NetTrace 6"), "{section}");
    }
    Ok(())
}
