//! Several traces on one timeline: groups, offset, requests from one to the other.

use thirtyfour::prelude::Key;
use traceglass_e2e::{Page, Step, browser_test, fixtures};

#[browser_test]
async fn two_services_share_the_timeline_and_request_is_followed(page: &Page) -> Step {
    let case = |name: &str| fixtures::committed(&format!("cases/two-services-{name}.nettrace"));
    page.open("").await?;
    page.open_trace(&case("shop")).await?;
    page.drop_second_file(&case("payments")).await?;
    page.press("a").await?;
    page.text_when("trace-1-memory", |text| text.ends_with("memory")).await?;
    assert_eq!(page.text("trace-1-name").await?, "two-services-payments.nettrace");
    // The clocks differ by 1.5 s; the traces were made with 370 µs more.
    page.text_when("trace-offset-source", |text| text.starts_with("from 10 requests, ±")).await?;
    let offset = page.run("return Number(document.querySelector('[data-testid=trace-offset]').value)", []).await?;
    let offset = offset.as_f64().unwrap_or_default();
    assert!((offset - 1500.37).abs() < 1.0, "{offset}");
    // The first request of the shop to the payments.
    page.press("3").await?;
    page.pick("pick-provider", "System.Net.Http").await?;
    page.text_when("events-total", |text| text == "20").await?;
    page.text_when("event-name", |text| text == "RequestStart").await?;
    page.click("event-name").await?;
    page.text_when("path", |text| text.contains("A to B")).await?;
    let parts = "return [...document.querySelectorAll('[data-testid=path-part]')].map((one) => one.innerText).join()";
    let expected = "POST /checkout/0,Before sending,payments/charge,Network, request,POST /charge,Network, response,\
                    After the response";
    assert_eq!(page.run(parts, []).await?, expected);
    // The panels follow to the trace that served it.
    page.run("document.querySelectorAll('[data-testid=path-part]')[4].click()", []).await?;
    page.text_when("file-name", |text| text == "two-services-payments.nettrace").await?;
    page.text_when("detail-name", |text| text == "RequestStart").await?;
    page.click("show-trace-0").await?;
    page.text_when("file-name", |text| text == "two-services-shop.nettrace").await?;
    // The next trace takes the place of a closed one.
    page.click("trace-0-close").await?;
    page.text_when("file-name", |text| text == "two-services-payments.nettrace").await?;
    page.until("there is no switch", "return !document.querySelector('[data-testid=trace-switch]')").await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

/// Opens both services on one timeline.
async fn open_services(page: &Page) -> Step {
    let case = |name: &str| fixtures::committed(&format!("cases/two-services-{name}.nettrace"));
    page.open("").await?;
    page.open_trace(&case("shop")).await?;
    page.drop_second_file(&case("payments")).await?;
    page.press("a").await?;
    page.text_when("trace-1-memory", |text| text.ends_with("memory")).await?;
    page.text_when("trace-offset-source", |text| text.starts_with("from 10 requests, ±")).await?;
    Ok(())
}

/// Returns the texts of the cells of a column, from top to bottom.
async fn cells(page: &Page, testid: &str) -> Step<Vec<String>> {
    let script = format!(
        "return [...document.querySelectorAll('[role=row]:not([hidden]) [data-testid={testid}]')]
          .sort((one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top)
          .map((one) => one.innerText)"
    );
    let cells = page.run(&script, []).await?;
    Ok(cells.as_array().into_iter().flatten().filter_map(|one| one.as_str()).map(str::to_owned).collect())
}

#[browser_test]
async fn filter_and_events_are_about_all_traces_or_one(page: &Page) -> Step {
    open_services(page).await?;
    page.press("3").await?;
    page.click("show-all-traces").await?;
    page.type_filter("event:RequestStart").await?;
    page.text_when("all-events-total", |text| text == "30").await?;
    assert_eq!(page.text("all-events-counts").await?, "A 20 · B 10");
    page.until(
        "the rows are there",
        "return document.querySelectorAll('[data-testid=all-event-trace] .letter').length > 15",
    )
    .await?;
    let times = cells(page, "event-time").await?;
    assert!(times.len() > 15 && times.is_sorted(), "{times:?}");
    let traces = cells(page, "all-event-trace").await?;
    let three: Vec<&str> =
        traces.iter().take(3).map(|name| name.split_whitespace().next().unwrap_or_default()).collect();
    assert_eq!(three, ["A", "A", "B"], "served and sent by the shop, then served by the payments");
    // The details are about the trace of the event, the panels and the table stay.
    page.run("document.querySelectorAll('[data-testid=event-name]')[2].click()", []).await?;
    page.text_when("detail-name", |text| text == "RequestStart").await?;
    page.text_when("path", |text| text.contains("A to B")).await?;
    assert_eq!(page.text("file-name").await?, "two-services-shop.nettrace");
    assert_eq!(page.text("all-events-total").await?, "30");
    // One of them, in words.
    page.type_filter("trace:B event:RequestStop").await?;
    page.press(Key::Enter).await?;
    page.text_when("file-name", |text| text == "two-services-payments.nettrace").await?;
    page.text_when("events-total", |text| text == "10").await?;
    page.type_filter("trace:all event:RequestStop").await?;
    page.press(Key::Enter).await?;
    page.text_when("all-events-counts", |text| text == "A 20 · B 10").await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

#[browser_test]
async fn events_of_all_traces_have_columns_groups_and_exports(page: &Page) -> Step {
    open_services(page).await?;
    page.press("3").await?;
    page.click("show-all-traces").await?;
    page.type_filter("event:RequestStart").await?;
    page.text_when("all-events-total", |text| text == "30").await?;
    // A field becomes a column, with values of both traces.
    page.pick("pick-column", "method").await?;
    page.text_when("event-field", |text| text == "POST").await?;
    page.until("the link has the column", "return location.hash.includes('&col=method')").await?;
    page.screenshot("events-of-all-traces").await?;
    // An export has the trace of each event.
    page.click("events-more").await?;
    page.click("save-events").await?;
    page.click("save-events-csv").await?;
    let path = page.saved("traces.events.csv").await?;
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("Trace,\"Time, s\",") && lines[0].contains(",method,"), "{}", lines[0]);
    let traces: Vec<&str> = lines[1..].iter().filter_map(|line| line.split(',').next()).collect();
    let [shop, payments] = ["two-services-shop.nettrace", "two-services-payments.nettrace"];
    assert_eq!((traces.len(), &traces[..3]), (30, &[shop, shop, payments][..]));
    let seconds: Vec<f64> = lines[1..].iter().filter_map(|line| line.split(',').nth(1)?.parse().ok()).collect();
    assert!(seconds.len() == 30 && seconds.is_sorted(), "{seconds:?}");
    page.press(Key::Escape).await?;
    // Groups with the same name are one, with the number of events of each trace.
    page.pick("pick-group", "Event").await?;
    page.text_when("groups-events", |text| text == "30").await?;
    let names = cells(page, "group-name").await?;
    assert_eq!(names.len(), 2, "{names:?}");
    let counts = cells(page, "group-of-trace").await?;
    assert_eq!(counts, ["10", "10", "10", "0"], "{names:?}");
    page.screenshot("groups-of-all-traces").await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

/// Right-clicks the first element with a test ID whose text contains `part`, from top to bottom, after skipping some.
async fn menu_of(page: &Page, testid: &str, part: &str, skipped: usize) -> Step {
    let place = format!(
        "return [...document.querySelectorAll('[role=row]:not([hidden]) [data-testid={testid}]')]
          .map((one) => [one.innerText, one.getBoundingClientRect()]).filter(([text]) => text.includes('{part}'))
          .sort(([, one], [, other]) => one.top - other.top).map(([, one]) => [one.left + 10, one.top + 8])[{skipped}]"
    );
    page.until("the row is there", &format!("return (() => {{ {place} }})() !== undefined")).await?;
    let place = page.run(&place, []).await?;
    page.right_click((place[0].as_f64().unwrap_or_default(), place[1].as_f64().unwrap_or_default())).await?;
    page.find("menu").await.map(drop)
}

#[browser_test]
async fn commands_of_a_row_act_on_its_trace_or_on_all(page: &Page) -> Step {
    open_services(page).await?;
    page.press("3").await?;
    page.click("show-all-traces").await?;
    page.type_filter("event:RequestStart").await?;
    page.text_when("all-events-counts", |text| text == "A 20 · B 10").await?;
    // The third one is served by the payments.
    menu_of(page, "event-name", "RequestStart", 2).await?;
    page.text_when("only-provider", |text| text.starts_with("Filter to this provider")).await?;
    page.screenshot("row-menu-of-all-traces").await?;
    page.click("only-provider").await?;
    page.text_when("all-events-counts", |text| text == "A 10 · B 10").await?;
    // The first request of the shop is before its request to the payments.
    menu_of(page, "event-name", "RequestStart", 1).await?;
    page.click("from-here").await?;
    page.text_when("all-events-counts", |text| text == "A 9 · B 10").await?;
    menu_of(page, "event-name", "RequestStart", 0).await?;
    page.click("only-event").await?;
    page.text_when("all-events-counts", |text| text == "A 9 · B 10").await?;
    // Its time in the first trace is 1604.2 ms; offsets from requests are exact to a millisecond.
    menu_of(page, "event-name", "RequestStart", 0).await?;
    page.click("show-on-timeline").await?;
    let is_around = "const { start, end } = document.querySelector('[data-testid=timeline]').dataset;
        return end - start < 5e6 && start < 1605.2e6 && end > 1603.2e6";
    page.until("the timeline shows it", is_around).await?;
    // A thread of the payments has a name that no thread of the shop has.
    menu_of(page, "event-name", "RequestStart", 0).await?;
    page.click("only-thread").await?;
    page.text_when("all-events-counts", |text| text == "A 0 · B 5").await?;
    menu_of(page, "event-name", "RequestStart", 0).await?;
    page.click("bytes-of-row").await?;
    page.text_when("file-name", |text| text == "two-services-payments.nettrace").await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

#[browser_test]
async fn commands_of_a_frame_act_on_all_traces(page: &Page) -> Step {
    open_services(page).await?;
    page.press("2").await?;
    page.click("show-all-traces").await?;
    page.click("view-functions").await?;
    // The details of a function that only the other trace has.
    let insert = "[...document.querySelectorAll('[data-testid=function-name]')].find((one) => one.innerText.includes('Ledger.Insert'))";
    page.until("both programs are there", &format!("return {insert} !== undefined")).await?;
    page.run(&format!("{insert}.click()"), []).await?;
    page.text_when("detail-name", |text| text.contains("Payments.Ledger.Insert")).await?;
    page.press(Key::Escape).await?;
    menu_of(page, "function-name", "Ledger.Insert", 0).await?;
    page.click("do-narrow").await?;
    page.until("only its callers and itself are left", "return ![...document.querySelectorAll('[data-testid=function-name]')].some((one) => one.innerText.includes('Shop.'))").await?;
    page.click("tab-events").await?;
    page.text_when("all-events-counts", |text| text == "A 0 · B 140").await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

#[browser_test]
async fn link_restores_events_of_all_traces(page: &Page) -> Step {
    page.open("/events?v=1&sample=cpu&how=add&sample=gc&trace=all&f=event%3AGC").await?;
    page.text_when("trace-1-memory", |text| text.ends_with("memory")).await?;
    let counts = page.text_when("all-events-counts", |text| text.contains("B ")).await?;
    page.click("show-all-traces").await?;
    page.until("the link is about one", "return !location.hash.includes('trace=all')").await?;
    page.text_when("events-total", |text| !text.is_empty()).await?;
    page.browser().back().await?;
    page.text_when("all-events-counts", |text| text == counts).await?;
    page.reload().await?;
    page.text_when("all-events-counts", |text| text == counts).await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

#[browser_test]
async fn requests_across_services_are_listed_and_open_the_path(page: &Page) -> Step {
    open_services(page).await?;
    page.run("document.querySelector('[data-testid=tab-http]').click()", []).await?;
    page.text_when("across", |text| text.contains("10 requests") && text.contains("from 10 requests, ±")).await?;
    page.until("the rows are there", "return document.querySelectorAll('[data-testid=across-request]').length >= 4")
        .await?;
    // The first request was on the way for 200 µs, and 850 µs back.
    assert_eq!(cells(page, "across-between").await?[0], "A to B");
    let out = &cells(page, "across-request").await?[0];
    assert!(out.ends_with("µs"), "{out}");
    page.click("across-name").await?;
    page.text_when("path", |text| text.contains("A to B")).await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

#[browser_test]
async fn offset_is_dragged_and_reset(page: &Page) -> Step {
    open_services(page).await?;
    let offset = "return Number(document.querySelector('[data-testid=trace-offset]').value)";
    let before = page.run(offset, []).await?.as_f64().unwrap_or_default();
    let drag = "const head = document.querySelector('[data-testid=trace-1-head] .what');
        const at = (x) => ({ bubbles: true, clientX: x, clientY: head.getBoundingClientRect().top + 5, button: 0, pointerId: 1 });
        head.dispatchEvent(new PointerEvent('pointerdown', at(700)));
        head.dispatchEvent(new PointerEvent('pointermove', at(760)));";
    page.run(drag, []).await?;
    page.text_when("trace-offset-moved", |text| text.starts_with("moved by +")).await?;
    page.run("document.querySelector('[data-testid=trace-1-head] .what').dispatchEvent(new PointerEvent('pointerup', { bubbles: true }))", []).await?;
    page.text_when("trace-offset-source", |text| text == "set by hand").await?;
    let after = page.run(offset, []).await?.as_f64().unwrap_or_default();
    assert!(after > before + 1.0, "{before} {after}");
    let is_linked = "return /&how=add&file=two-services-payments\\.nettrace&.*offset=/.test(location.hash)";
    page.until("the address has the offset", is_linked).await?;
    page.click("trace-offset-reset").await?;
    page.text_when("trace-offset-source", |text| text.starts_with("from 10 requests, ±")).await?;
    Ok(())
}

/// Traces without a common time leave most of the axis empty, so one click aligns their starts.
#[browser_test]
async fn traces_apart_in_time_are_aligned(page: &Page) -> Step {
    open_services(page).await?;
    let is_apart = "document.querySelector('[data-testid=trace-apart]') !== null";
    assert_eq!(page.run(&format!("return {is_apart}"), []).await?, false);
    let set = "const field = document.querySelector('[data-testid=trace-offset]');
        field.value = '9000000'; field.dispatchEvent(new Event('change', { bubbles: true }))";
    page.run(set, []).await?;
    page.text_when("trace-apart", |text| text == "Doesn't overlap the other traces").await?;
    // The head of the first trace is always in view.
    let hints = "return document.querySelectorAll('.trace-head [data-testid=trace-align]').length";
    page.until("each trace has the hint", &format!("{hints} === 2")).await?;
    page.click("trace-align").await?;
    page.until("the traces overlap", &format!("return !({is_apart})")).await?;
    page.text_when("trace-offset-source", |text| text == "set by hand").await?;
    let shown =
        "const { start, end } = document.querySelector('[data-testid=timeline]').dataset; return end - start < 60e9";
    page.until("both are shown", shown).await?;
    Ok(())
}

#[browser_test]
async fn link_adds_hosted_traces_and_asks_for_local_ones(page: &Page) -> Step {
    page.open("/events?v=1&sample=cpu&how=add&sample=gc&offset=250&how=add&file=two-services-shop.nettrace").await?;
    page.text_when("trace-1-memory", |text| text.ends_with("memory")).await?;
    assert_eq!(page.text("trace-1-name").await?, "gc.nettrace.gz");
    page.text_when("trace-offset-source", |text| text == "set by hand").await?;
    page.text_when("awaited-traces", |text| text.contains("two-services-shop.nettrace")).await?;
    let hash = page.hash().await?;
    assert!(hash.contains("how=add&sample=gc&offset=250&how=add&file=two-services-shop.nettrace"), "{hash}");
    page.drop_file(&fixtures::committed("cases/two-services-shop.nettrace")).await?;
    page.text_when("trace-2-memory", |text| text.ends_with("memory")).await?;
    page.until("nothing is awaited", "return !document.querySelector('[data-testid=awaited-traces]')").await?;
    Ok(())
}

#[browser_test]
async fn picture_has_the_tracks_of_all_traces(page: &Page) -> Step {
    open_services(page).await?;
    page.until_still().await?;
    page.press_with(Key::Control, "k").await?;
    page.find("palette-field").await?;
    page.press("save timeline svg").await?;
    page.press(Key::Enter).await?;
    let path = page.saved("two-services-shop-timeline.svg").await?;
    let svg = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    for text in ["A two-services-shop.nettrace", "B two-services-payments.nettrace · offset 15"] {
        assert!(svg.contains(text), "{text}");
    }
    Ok(())
}

/// Returns a duration in seconds: "1.5" for "1.50 s".
fn seconds_of(text: &str) -> Option<f64> {
    let (number, unit) = text.split_once(char::is_whitespace)?;
    let factor = match unit.trim() {
        "s" => 1.0,
        "ms" => 1e-3,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * factor)
}

/// Returns the total of the stacks in seconds once it is another one than before.
async fn total_other_than(page: &Page, before: f64) -> Step<f64> {
    let is_other = |text: &str| seconds_of(text).is_some_and(|total| total != before);
    Ok(seconds_of(&page.text_when("stacks-total", is_other).await?).unwrap_or_default())
}

#[browser_test]
async fn stacks_and_analyses_are_about_all_traces(page: &Page) -> Step {
    page.open("/stacks?v=1&sample=cpu&how=add&sample=web&as=functions").await?;
    page.text_when("trace-1-memory", |text| text.ends_with("memory")).await?;
    let first = total_other_than(page, 0.0).await?;
    page.click("show-trace-1").await?;
    page.text_when("file-name", |text| text == "web.nettrace.gz").await?;
    page.click("tab-stacks").await?;
    page.click("view-functions").await?;
    let second = total_other_than(page, first).await?;
    page.click("show-all-traces").await?;
    page.text_when("stacks-of-traces", |text| text == "all traces, by name").await?;
    let both = total_other_than(page, second).await?;
    assert!((both - first - second).abs() <= 0.02 * both, "{first} + {second} = {both}");
    page.screenshot("functions-of-all-traces").await?;
    for view in ["tree", "bottom-up", "sandwich", "flame"] {
        page.click(&format!("view-{view}")).await?;
        page.until_still().await?;
        page.screenshot(&format!("{view}-of-all-traces")).await?;
    }
    assert_eq!(total_other_than(page, 0.0).await?, both);
    // The same analysis of both, side by side.
    page.click("tab-gc").await?;
    page.until("both have a report", "return document.querySelectorAll('[data-testid=topic-of-one] .topic:not([hidden]) table, [data-testid=topic-of-one] .topic:not([hidden]) .vtable').length >= 2").await?;
    page.screenshot("gc-of-all-traces").await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}
