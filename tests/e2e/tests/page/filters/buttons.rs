//! Filter and exclude buttons on the Summary tab, in the details, on the timeline and in tables. Each adds the
//! condition that it names, and all panels show the same counts.

use thirtyfour::prelude::*;
use traceglass_e2e::{Page, Step, browser_test, number, written};

const WHOLE: &str = "26,800";

/// Returns the name and the count of the first line of a kind on the Summary tab.
async fn line(page: &Page, id: &str) -> Step<(String, String)> {
    let part = async |class: &str| -> Step<String> {
        let part = page.find_by(By::Css(format!("[data-testid={id}] .{class}"))).await?;
        page.text_of(&part).await
    };
    Ok((part("name").await?, part("value").await?))
}

async fn clear(page: &Page) -> Step {
    page.click("clear-filters").await?;
    page.matches_when(WHOLE).await
}

/// Checks that a number of events is excluded, and all others remain.
async fn events_without(page: &Page, excluded: &str) -> Step {
    page.events_when(&written(number(WHOLE)? - number(excluded)?)).await
}

#[browser_test]
async fn summary_lines_filter_and_exclude(page: &Page) -> Step {
    page.open_orders().await?;
    let (name, events) = line(page, "summary-provider").await?;
    assert_eq!((name.as_str(), events.as_str()), ("Microsoft-Windows-DotNETRuntime", "18,020"));
    page.click("summary-provider").await?;
    page.chips_when(&["Provider Microsoft-Windows-DotNETRuntime"]).await?;
    let pressed = "return document.querySelector('[data-testid=summary-provider]').ariaPressed === 'true'";
    page.until("the line says that it is chosen", pressed).await?;
    page.events_when("18,020").await?;
    page.press("1").await?;
    page.click("summary-provider").await?;
    page.events_when(WHOLE).await?;
    page.press("1").await?;
    page.click("summary-provider-without").await?;
    page.chips_when(&["-provider=Microsoft-Windows-DotNETRuntime"]).await?;
    events_without(page, "18,020").await?;
    clear(page).await?;

    page.press("1").await?;
    page.click("summary-thread").await?;
    page.chips_when(&["Thread Program.Cpu · 6711"]).await?;
    page.text_when("status-selection", |text| text.ends_with("1 thread")).await?;
    page.events_when("1,494").await?;
    clear(page).await?;
    page.press("1").await?;
    page.click("summary-thread-without").await?;
    page.chips_when(&["-thread=\"Program.Cpu · 6711\""]).await?;
    events_without(page, "1,494").await
}

/// 47 exceptions, and one more event whose text contains the type name.
#[browser_test]
async fn summary_exceptions_lead_to_events(page: &Page) -> Step {
    page.open_orders().await?;
    let (name, thrown) = line(page, "summary-exception").await?;
    assert_eq!((name.as_str(), thrown.as_str()), ("System.FormatException", "47"));
    page.click("summary-exception").await?;
    page.find("events-total").await?;
    page.chips_when(&["System.FormatException"]).await?;
    page.events_when("48").await?;
    page.press("1").await?;
    page.until(
        "the summary counts the same",
        "return document.querySelectorAll('[data-testid=summary-exception]').length === 1",
    )
    .await?;
    assert_eq!(line(page, "summary-exception").await?, (name, thrown));
    clear(page).await?;
    page.click("summary-exception-without").await?;
    page.chips_when(&["-System.FormatException"]).await?;
    page.text_when("summary-exception", |text| !text.contains("FormatException")).await?;
    events_without(page, "48").await?;
    page.click("tab-exceptions").await?;
    page.text_when("figure-count", |text| text == "29").await?;
    Ok(())
}

#[browser_test]
async fn event_details_filter_to_their_values(page: &Page) -> Step {
    page.open_an_order().await?;
    clear(page).await?;
    page.choose_from("filter-by-event", "filter-to-type").await?;
    page.chips_when(&["Event Workload-Orders / OrderStart"]).await?;
    page.events_when("280").await?;
    page.choose_from("filter-by-event", "filter-to-thread").await?;
    page.chips_when(&["Thread Main 6702", "Event Workload-Orders / OrderStart"]).await?;
    page.events_when("280").await?;
    page.choose_from("filter-by-event", "filter-to-type").await?;
    page.chips_when(&["Thread Main 6702"]).await?;
    page.events_when("6,322").await?;
    clear(page).await?;
    page.choose_from("exclude-by-event", "without-filter-to-type").await?;
    page.chips_when(&["-event=Workload-Orders/OrderStart"]).await?;
    events_without(page, "280").await?;
    clear(page).await?;
    page.choose_from("exclude-by-event", "without-filter-to-thread").await?;
    page.chips_when(&["-thread=\"Main 6702\""]).await?;
    events_without(page, "6,322").await?;
    clear(page).await?;
    page.choose_from("filter-by-event", "filter-to-provider").await?;
    page.chips_when(&["Provider Workload-Orders"]).await?;
    page.events_when("586").await?;
    clear(page).await?;
    page.choose_from("exclude-by-event", "without-filter-to-provider").await?;
    page.chips_when(&["-provider=Workload-Orders"]).await?;
    events_without(page, "586").await?;
    clear(page).await?;
    page.click("only-customer").await?;
    page.chips_when(&["payload.customer=customer-0"]).await?;
    page.events_when("17").await?;
    clear(page).await?;
    page.click("without-customer").await?;
    page.chips_when(&["-payload.customer=customer-0"]).await?;
    events_without(page, "17").await
}

#[browser_test]
async fn gc_and_function_details_filter_to_them(page: &Page) -> Step {
    page.open_orders().await?;
    page.click("summary-collection").await?;
    page.text_when("detail-name", |text| text.starts_with("GC #39")).await?;
    page.click("filter-to-collection").await?;
    page.find("chip-time").await?;
    let during = page.text_when("matches", |text| text != WHOLE && !text.is_empty()).await?;
    page.events_when(&during).await?;
    page.text_when("status-selection", |text| text.starts_with("Selection")).await?;
    clear(page).await?;
    page.click("without-filter-to-collection").await?;
    page.text_when("hidden", |text| text.contains(&format!("{during} excluded"))).await?;
    events_without(page, &during).await?;
    clear(page).await?;

    page.press("2").await?;
    page.click("activity-all").await?;
    page.click("view-functions").await?;
    page.find("find-function").await?.send_keys("Program.Contend").await?;
    page.text_when("function-name", |text| text.contains("Contend")).await?;
    page.click("function-name").await?;
    page.text_when("detail-name", |text| text.contains("Contend")).await?;
    page.click("filter-to-stack").await?;
    page.chips_when(&["Stack contains Program.Contend()"]).await?;
    page.events_when("653").await?;
    page.click("filter-to-stack").await?;
    page.events_when(WHOLE).await?;
    page.click("without-filter-to-stack").await?;
    page.chips_when(&["-stack=\"Program.Contend()\""]).await?;
    events_without(page, "653").await?;
    clear(page).await?;
    page.click("filter-to-function").await?;
    page.find("chip-typed-0").await?;
    let named = page.text_when("matches", |text| text != WHOLE && !text.is_empty()).await?;
    page.events_when(&named).await
}

#[browser_test]
async fn schemas_lead_to_their_events(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("4").await?;
    page.click("part-schemas").await?;
    page.find("find-schema").await?.send_keys("OrderStart").await?;
    let choose = "const rows = document.querySelectorAll('[data-testid=schemas-row]:not([hidden])'); rows[1]?.click(); return rows.length === 2";
    page.until("the event is found", choose).await?;
    // The Schemas tab has no details, which would contain the same.
    page.click("tab-summary").await?;
    page.text_when("detail-name", |text| text.contains("OrderStart")).await?;
    page.click("filter-to-type").await?;
    page.chips_when(&["Event Workload-Orders / OrderStart"]).await?;
    page.events_when("280").await?;
    clear(page).await?;
    page.click("without-filter-to-type").await?;
    page.chips_when(&["-event=Workload-Orders/OrderStart"]).await?;
    events_without(page, "280").await?;
    clear(page).await?;

    // Its schema has the same buttons, and so do the values of its fields.
    page.press("4").await?;
    page.click("without-these-events").await?;
    page.chips_when(&["-event=Workload-Orders/OrderStart"]).await?;
    events_without(page, "280").await?;
    clear(page).await?;
    page.press("4").await?;
    page.click("read-values").await?;
    let of_customer = |id: &str| By::Css(format!("[data-testid=values-customer] [data-testid={id}]"));
    page.find_by(of_customer("only-field-value")).await?;
    let value = page.text_of(&page.find_by(of_customer("only-field-value")).await?).await?;
    let count = page.text_of(&page.find_by(By::Css("[data-testid=values-customer] .num".to_owned())).await?).await?;
    page.click_by(of_customer("only-field-value")).await?;
    page.chips_when(&["Event Workload-Orders / OrderStart", &format!("payload.customer={value}")]).await?;
    page.events_when(&count).await?;
    clear(page).await?;
    page.press("4").await?;
    page.click_by(of_customer("without-field-value")).await?;
    page.chips_when(&[&format!("-payload.customer={value}")]).await?;
    clear(page).await?;

    page.press("4").await?;
    page.click("part-cost").await?;
    page.until_still().await?;
    page.click("cost-name").await?;
    let provider = page.text("cost-name").await?;
    let count = number(&page.text("cost-count").await?)?;
    page.click("cost-filter").await?;
    page.chips_when(&[&format!("Provider {provider}")]).await?;
    page.events_when(&written(count)).await?;
    page.press("4").await?;
    page.click("cost-filter").await?;
    page.events_when(WHOLE).await?;
    page.press("4").await?;
    page.click("cost-without").await?;
    page.chips_when(&[&format!("-provider={provider}")]).await?;
    events_without(page, &written(count)).await
}

#[browser_test]
async fn tracks_filter_to_their_thread(page: &Page) -> Step {
    page.open_orders().await?;
    page.until_still().await?;
    page.menu_of("thread-6712").await?;
    page.text_when("menu-filter", |text| text.starts_with("Filter to this thread")).await?;
    page.click("menu-filter").await?;
    page.chips_when(&["Thread Program.Cpu · 6712"]).await?;
    page.events_when("1,135").await?;
    // The same button beside its header, next to the picture, removes the filter.
    page.run("document.querySelector('[data-testid=thread-6712]').scrollIntoView({ block: 'nearest' })", []).await?;
    page.until_still().await?;
    let head = page.find("thread-6712").await?.rect().await?;
    let (x, _) = page.below_top("lanes", 0.0).await?;
    page.right_click((x, head.y + 10.0)).await?;
    page.text_when("lane-narrow", |text| text.starts_with("Clear thread filter")).await?;
    page.click("lane-narrow").await?;
    page.chips_when(&[]).await?;
    page.events_when(WHOLE).await?;
    page.right_click((x, head.y + 10.0)).await?;
    page.click("lane-narrow").await?;
    page.events_when("1,135").await?;
    // Both exclude it.
    clear(page).await?;
    for (opens_head, without) in [(true, "menu-without"), (false, "lane-without")] {
        match opens_head {
            true => page.menu_of("thread-6712").await?,
            false => page.right_click((x, head.y + 10.0)).await?,
        }
        page.text_when(without, |text| text.starts_with("Exclude this thread")).await?;
        page.click(without).await?;
        page.chips_when(&["-thread=\"Program.Cpu · 6712\""]).await?;
        events_without(page, "1,135").await?;
        clear(page).await?;
    }
    Ok(())
}

/// A GC in the middle third of the visible timeline.
#[browser_test]
async fn item_under_pointer_sets_time_range(page: &Page) -> Step {
    page.open_orders().await?;
    page.until_still().await?;
    page.click("summary-collection").await?;
    page.text_when("detail-name", |text| text.starts_with("GC #39")).await?;
    page.until_still().await?;
    let (x, y) = page.below_top("lanes", 50.0).await?;
    page.wheel((x, y), 0, -5000.0).await?;
    let is_in_sight = "const top = (id) => document.querySelector(`[data-testid=${id}]`)?.getBoundingClientRect().top;
        return top('group-collections') >= top('lanes')";
    page.until("the collections are in sight", is_in_sight).await?;
    page.until_still().await?;
    let y = page.find("group-collections").await?.rect().await?.y + 11.0;
    page.right_click((x, y)).await?;
    page.text_when("lane-range", |text| text.starts_with("Set as time range")).await?;
    page.click("lane-range").await?;
    // The time range has the duration in the details.
    let time = page.text_when("collection-time", |text| text.contains(", ")).await?;
    let length = time.rsplit(", ").next().unwrap_or_default().to_owned();
    page.text_when("status-selection", |text| text == format!("Selection {length}")).await?;
    let during = page.text_when("matches", |text| text != WHOLE && !text.is_empty()).await?;
    page.events_when(&during).await?;
    let range = page.hash().await?;
    page.press("1").await?;
    page.click("filter-to-collection").await?;
    assert_eq!(page.hash().await?.split("&r0=").nth(1), range.split("&r0=").nth(1), "the same range");
    page.events_when(&during).await?;
    page.right_click((x, y)).await?;
    page.click("lane-no-range").await?;
    page.chips_when(&[]).await?;
    page.events_when(WHOLE).await
}

#[browser_test]
async fn event_and_group_rows_filter_to_their_values(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("3").await?;
    page.text_when("event-thread", |text| text == "Sampler 6709").await?;
    for (only, without, chips, events) in [
        ("only-thread", "without-thread", ["Thread Sampler 6709", "-thread=\"Sampler 6709\""], "851"),
        (
            "only-provider",
            "without-provider",
            ["Provider Microsoft-Windows-DotNETRuntime", "-provider=Microsoft-Windows-DotNETRuntime"],
            "18,020",
        ),
    ] {
        page.menu_of("event-name").await?;
        page.click(only).await?;
        page.chips_when(&[chips[0]]).await?;
        page.events_when(events).await?;
        page.menu_of("event-name").await?;
        page.press(Key::Escape).await?;
        clear(page).await?;
        page.text_when("event-thread", |text| text == "Sampler 6709").await?;
        page.menu_of("event-name").await?;
        page.click(without).await?;
        page.chips_when(&[chips[1]]).await?;
        events_without(page, events).await?;
        clear(page).await?;
        page.text_when("event-thread", |text| text == "Sampler 6709").await?;
    }
    page.pick("pick-group", "Provider").await?;
    page.text_when("group-name", |text| text == "Microsoft-Windows-DotNETRuntime").await?;
    page.menu_of("group-name").await?;
    page.text_when("only-group", |text| text == "Filter to Microsoft-Windows-DotNETRuntime").await?;
    page.click("only-group").await?;
    page.chips_when(&["provider=Microsoft-Windows-DotNETRuntime"]).await?;
    page.events_when("18,020").await
}

#[browser_test]
async fn report_rows_filter_from_menu(page: &Page) -> Step {
    page.open_orders().await?;
    page.click("tab-exceptions").await?;
    page.text_when("cell-type", |text| text == "System.FormatException").await?;
    page.menu_of("cell-type").await?;
    page.click("only-row").await?;
    page.text_when("figure-count", |text| text == "47").await?;
    page.events_when("47").await?;
    clear(page).await?;
    page.click("tab-exceptions").await?;
    page.text_when("figure-count", |text| text == "76").await?;
    page.menu_of("cell-type").await?;
    page.click("without-row").await?;
    page.text_when("figure-count", |text| text == "29").await?;
    events_without(page, "47").await
}

/// A folded frame represents all functions with its prefix.
#[browser_test]
async fn function_groups_filter_and_exclude(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("2").await?;
    page.click("activity-all").await?;
    page.click("just-my-code").await?;
    page.click("fold").await?;
    page.find("fold-dialog").await?;
    page.pick("pick-grouping", "Namespace").await?;
    page.press(Key::Escape).await?;
    page.click("view-functions").await?;
    page.find("find-function").await?.send_keys("System.").await?;
    // By namespace.
    let group = "const rows = [...document.querySelectorAll('[data-testid=function-name]')];
        return rows.find((row) => row.textContent.trim().startsWith('System.'))?.title.split('\\n')[0] ?? ''";
    page.until("there is a group", &format!("return (() => {{ {group} }})() !== ''")).await?;
    let name = page.run(group, []).await?.as_str().unwrap_or_default().to_owned();
    let menu = async || -> Step {
        let place = "const rows = [...document.querySelectorAll('[data-testid=function-name]')];
            const row = rows.find((row) => row.textContent.trim().startsWith('System.')).getBoundingClientRect();
            return [row.left + 20, row.top + 8]";
        page.until("there is a group", &format!("return (() => {{ {group} }})() !== ''")).await?;
        let place = page.run(place, []).await?;
        page.right_click((place[0].as_f64().unwrap_or(0.0), place[1].as_f64().unwrap_or(0.0))).await
    };
    menu().await?;
    page.text_when("do-narrow", |text| text.starts_with(&format!("Filter to stacks with {name}"))).await?;
    page.click("do-narrow").await?;
    page.chips_when(&[&format!("stack={name}")]).await?;
    let events = page.text_when("matches", |text| !text.is_empty() && text != WHOLE && text != "0").await?;
    clear(page).await?;
    menu().await?;
    page.click("do-without").await?;
    page.chips_when(&[&format!("-stack={name}")]).await?;
    page.until("no row of it is left", &format!("return (() => {{ {group} }})() !== {}", serde_json::json!(name)))
        .await?;
    events_without(page, &events).await
}

/// If stacks begin with their thread, the filter applies to that thread.
#[browser_test]
async fn root_frames_filter_and_exclude(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("2").await?;
    page.click("activity-all").await?;
    page.click("view-tree").await?;
    page.click("fold").await?;
    page.pick("pick-roots", "By thread").await?;
    page.press(Key::Escape).await?;
    page.until_still().await?;
    let name = page.text_when("node-name", |text| text.contains(" 67")).await?;
    let thread = format!("thread={}", serde_json::json!(name));
    page.menu_of("node-name").await?;
    page.text_when("do-narrow", |text| text.starts_with(&format!("Filter to {name}"))).await?;
    page.click("do-narrow").await?;
    page.chips_when(&[&thread]).await?;
    let events = page.text_when("matches", |text| !text.is_empty() && text != WHOLE && text != "0").await?;
    clear(page).await?;
    page.text_when("node-name", |text| text == name).await?;
    page.menu_of("node-name").await?;
    page.click("do-without").await?;
    page.chips_when(&[&format!("-{thread}")]).await?;
    page.until(
        "no stack begins with it",
        &format!(
            "return document.querySelector('[data-testid=node-name]').textContent.trim() !== {}",
            serde_json::json!(name)
        ),
    )
    .await?;
    events_without(page, &events).await
}
