//! Event types: searching, counts, values, comparing and saving; and facts about the whole trace.

use thirtyfour::Key;
use traceglass_e2e::{Page, Step, browser_test, fixtures};

async fn open_schemas(page: &Page) -> Step {
    page.press("4").await?;
    page.find("file-pane").await?;
    page.click("part-schemas").await?;
    page.text_when("schema-counts", |text| text.contains("event types")).await?;
    Ok(())
}

/// Searches an event and selects the first match.
async fn choose(page: &Page, find: &str, name: &str) -> Step {
    page.find("find-schema").await?.send_keys(find).await?;
    let click = format!(
        "const row = [...document.querySelectorAll('[data-testid=schemas-row]:not([hidden])')].find(row =>
             row.querySelector('[data-testid=schema-name]').textContent === '{name}');
         if (row) row.click();
         return !!row;"
    );
    page.until(&format!("{name} is found"), &click).await?;
    page.text_when("schema-title", |text| !text.is_empty()).await?;
    Ok(())
}

#[browser_test]
async fn schema_and_table_have_same_count(page: &Page) -> Step {
    page.open_orders().await?;
    open_schemas(page).await?;
    choose(page, "orderstart", "OrderStart").await?;
    let total = page.text("total-Events").await?;
    assert_eq!(total, "280");
    assert!(page.text("schema-detail").await?.contains("Workload-Orders · ID 1 · version 0"));
    assert!(page.hash().await?.contains("&sel="), "the chosen schema is in the address");
    assert!(page.run("return document.querySelector('[data-testid=details]')", []).await?.is_null(), "no drawer");
    page.click("show-these-events").await?;
    page.text_when("events-total", |text| text == total).await?;
    page.text_when("matches", |text| text == total).await?;
    Ok(())
}

/// Orders of 17 customers.
#[browser_test]
async fn fields_have_types_and_values(page: &Page) -> Step {
    page.open_orders().await?;
    open_schemas(page).await?;
    choose(page, "orderstart", "OrderStart").await?;
    let fields = page.text("schema-field").await?;
    assert!(fields.contains("int") && fields.contains("Int32 (9)"), "{fields}");
    page.click("read-values").await?;
    page.text_when("values-of", |text| text == "all 280 events").await?;
    let values = page.text_when("values-customer", |text| text.contains("customer-0")).await?;
    assert!(values.contains("17 values") && values.contains("Others: "), "{values}");
    let numbers = page.text_when("values-id", |text| text.contains("280 values, ")).await?;
    assert!(numbers.contains(" to "), "the smallest and the largest: {numbers}");
    Ok(())
}

#[browser_test]
async fn schemas_are_saved_as_json_and_as_csharp(page: &Page) -> Step {
    page.open_orders().await?;
    open_schemas(page).await?;
    let watch = "window.saved = []; const create = URL.createObjectURL;
        URL.createObjectURL = blob => { blob.text().then(text => window.saved.push(text)); return create.call(URL, blob); }";
    page.run(watch, []).await?;
    page.click("save-schemas-json").await?;
    let is_whole = "const text = window.saved[0]; if (!text) return false; const { schemas } = JSON.parse(text);
        const start = schemas.find(one => one.name === 'OrderStart');
        return start.count === 280 && start.provider === 'Workload-Orders' && start.fields.length > 1
            && schemas.reduce((sum, one) => sum + one.count, 0) === 26800;";
    page.until("the JSON has all events", is_whole).await?;
    page.run("window.saved = []", []).await?;
    page.press_with(Key::Control, "k").await?;
    page.find("palette-field").await?;
    page.press("export schemas as c#").await?;
    page.press(Key::Enter).await?;
    let is_source = "const text = window.saved[0]; return !!text && text.includes('public sealed class Workload_Orders : EventSource')
        && text.includes('public void OrderStart(');";
    page.until("the C# has the provider", is_source).await?;
    Ok(())
}

/// .NET Core 3.1 writes a newer version of an event for recompiled methods.
#[browser_test]
async fn event_versions_are_compared(page: &Page) -> Step {
    page.open_orders().await?;
    open_schemas(page).await?;
    choose(page, "method/loadverbose", "Version 2").await?;
    page.text_when("schema-title", |text| text == "Method/LoadVerbose").await?;
    page.press_with(Key::Control, "k").await?;
    page.find("palette-field").await?;
    page.press("compare with previous").await?;
    page.press(Key::Enter).await?;
    let sides = page.text_when("side-by-side", |text| text.contains("ReJITID")).await?;
    for part in ["Version 1", "Version 2", "MethodID: ulong", "ReJITID: ulong"] {
        assert!(sides.contains(part), "{part} is not in {sides}");
    }
    let classes = "return [...document.querySelectorAll('[data-testid=side]')].map(row => row.className)";
    let classes = page.run(classes, []).await?;
    let count = |class: &str| classes.as_array().into_iter().flatten().filter(|one| *one == class).count();
    assert_eq!((count("is-added"), count("is-removed"), count("is-changed")), (1, 0, 1), "{classes}");
    Ok(())
}

#[browser_test]
async fn schemas_of_two_traces_are_compared(page: &Page) -> Step {
    page.open_orders().await?;
    open_schemas(page).await?;
    let other = fixtures::unpacked("short-net10.nettrace")?;
    let field = page.browser().find(thirtyfour::By::Css("[data-testid=compare-file]")).await?;
    field.send_keys(other.to_string_lossy().as_ref()).await?;
    let words = page.text_when("change-words", |text| text.contains("changed")).await?;
    assert!(words.contains(" added, ") && words.contains(" removed, "), "{words}");
    let click = "const rows = [...document.querySelectorAll('[data-testid=changed-schemas-row]:not([hidden])')];
        rows[0]?.click(); return rows.length > 3";
    page.until("what differs is listed", click).await?;
    page.text_when("chosen-difference", |text| text.contains("Only in the other trace")).await?;
    page.click("end-comparison").await?;
    page.until("the tree is back", "return !!document.querySelector('[data-testid=find-schema]')?.offsetWidth").await?;
    // The open trace is still the first one.
    page.text_when("event-count", |text| text == "26,800").await?;
    Ok(())
}

#[browser_test]
async fn trace_shows_recording_tool_and_losses(page: &Page) -> Step {
    page.open("").await?;
    page.open_trace(&fixtures::unpacked("dropped-net31.nettrace")?).await?;
    page.press("4").await?;
    let facts = page.text_when("file-pane", |text| text.contains("Clock frequency")).await?;
    for part in ["nettrace 4", "Process ID", "inferred", "Enabled providers (minimum)", "2 gaps"] {
        assert!(facts.contains(part), "{part} is not in {facts}");
    }
    page.text_when("loss", |text| text.contains("153,625 events on thread 6768")).await?;
    // Events in the time range of a loss.
    page.click("only-loss").await?;
    page.find("chip-time").await?;
    page.remove_chip("time").await
}
