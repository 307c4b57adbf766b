//! Looks for obstacles to people who listen, type or see little on the screens behind the first ones: while a trace is read, in
//! details, in reports on every topic, in comparisons, menus and lists.

use std::time::Duration;
use thirtyfour::Key;
use traceglass_e2e::archive::archive;
use traceglass_e2e::obstacles::{axe, begin_pictures, none, obstacles};
use traceglass_e2e::{Page, Step, TOPICS, drive, drive_within, fixtures};

/// Every theme of fourteen reports.
const LONG: Duration = Duration::from_secs(420);

async fn close(page: &Page) -> Step {
    page.press(Key::Escape).await?;
    page.until("it is closed", "return !document.querySelector('dialog[open], [role=menu]')").await
}

/// Goes to a tab by its address, also where its button is in a menu.
async fn go(page: &Page, tab: &str) -> Step {
    let hash = "location.hash = location.hash.replace(/^#\\/[^?]*/, '#/' + arguments[0])";
    page.run(hash, [tab.into()]).await?;
    Ok(())
}

#[test]
fn reading_a_trace_has_none() {
    let Some(axe) = axe() else { return };
    drive("obstacles-loading", async |page| {
        // A trace that takes a minute to arrive; of one that is packed there are no events before the end.
        let trace = fixtures::unpacked("orders-net31.nettrace")?;
        page.server.replace("slow.nettrace", std::fs::read(trace).map_err(|error| error.to_string())?);
        page.server.trickle("slow.nettrace");
        let address = fixtures::escaped(&format!("{}slow.nettrace", page.server.address()));
        page.open(&format!("/summary?v=1&url={address}")).await?;
        page.text_when("loading-events", |text| text != "0").await?;
        none(obstacles(page, &axe, "while a trace is read").await?)
    });
}

#[test]
fn the_choice_of_a_trace_has_none() {
    let Some(axe) = axe() else { return };
    drive("obstacles-choice", async |page| {
        let read = |name: &str| -> Step<Vec<u8>> {
            std::fs::read(fixtures::unpacked(name)?).map_err(|error| error.to_string().into())
        };
        let (short, cut) = (read("short-net10.nettrace")?, read("cut-net10.nettrace")?);
        let two = archive(&[("b/short.nettrace", &short), ("a.nettrace", &cut)]);
        page.open("").await?;
        page.drop_file(&fixtures::file("two.zip", &two)?).await?;
        page.find("choose").await?;
        none(obstacles(page, &axe, "the choice of a trace").await?)
    });
}

#[test]
fn details_have_none() {
    let Some(axe) = axe() else { return };
    drive("obstacles-details", async |page| {
        page.open_orders().await?;
        let mut found = Vec::new();
        page.click("summary-collection").await?;
        page.text_when("collection-pause", |text| !text.is_empty()).await?;
        found.extend(obstacles(page, &axe, "details of a collection").await?);
        page.click("summary-function").await?;
        page.text_when("function-weights", |text| !text.is_empty()).await?;
        page.find("function-places").await?;
        page.find("callees-list").await?;
        found.extend(obstacles(page, &axe, "details of a function").await?);
        page.press("3").await?;
        page.pick("pick-provider", "Workload-Orders").await?;
        page.text_when("event-name", |text| text == "OrderStart").await?;
        page.click("event-name").await?;
        page.text_when("span-duration", |text| !text.is_empty()).await?;
        page.click("detail-thread").await?;
        page.text_when("thread-events", |text| !text.is_empty()).await?;
        found.extend(obstacles(page, &axe, "details of a thread").await?);
        none(found)
    });
}

/// A request of a server: what it is a part of, and what it leads to.
#[test]
fn details_of_a_request_have_none() {
    let Some(axe) = axe() else { return };
    drive("obstacles-request", async |page| {
        page.open_sample("sample-web").await?;
        let mut found = Vec::new();
        go(page, "http").await?;
        page.text_when("cell-durationNs", |text| !text.is_empty()).await?;
        page.click("cell-durationNs").await?;
        page.text_when("span-duration", |text| !text.is_empty()).await?;
        found.extend(obstacles(page, &axe, "details of a request").await?);
        page.press_with(Key::Shift, Key::F10).await?;
        page.find("details-of-row").await?;
        found.extend(obstacles(page, &axe, "the menu of a request").await?);
        none(found)
    });
}

#[test]
fn reports_on_every_topic_have_none() {
    let Some(axe) = axe() else { return };
    drive_within(LONG, "obstacles-reports", async |page| {
        page.open_sample("sample-web").await?;
        let mut found = Vec::new();
        for topic in TOPICS {
            go(page, topic).await?;
            let is_there = format!(
                "return location.hash.startsWith('#/{topic}') && !!document.querySelector('[data-testid=tab-{topic}][aria-selected=true]')
                 && !!document.querySelector('[data-testid=topic-verdict]:not(:empty), [data-testid=not-recorded]')"
            );
            page.until(&format!("the report on {topic}"), &is_there).await?;
            found.extend(obstacles(page, &axe, topic).await?);
        }
        none(found)
    });
}

#[test]
fn comparisons_and_groups_have_none() {
    let Some(axe) = axe() else { return };
    drive("obstacles-compared", async |page| {
        page.open_orders().await?;
        begin_pictures(page).await?;
        let mut found = Vec::new();
        page.type_filter("time:2s..3s").await?;
        page.matches_when("1,470").await?;
        page.click("tab-stacks").await?;
        page.click("compare").await?;
        page.find("menu").await?;
        found.extend(obstacles(page, &axe, "ways to compare").await?);
        page.choose_from("compare", "compare-rest").await?;
        page.text_when("baseline", |text| !text.is_empty()).await?;
        for view in ["flame", "tree", "functions"] {
            page.click(&format!("view-{view}")).await?;
            page.until_still().await?;
            found.extend(obstacles(page, &axe, &format!("compared, {view}")).await?);
        }
        page.press("3").await?;
        page.pick("pick-group", "Event").await?;
        page.pick("pick-measure", "Duration").await?;
        page.text_when("group-name", |text| !text.is_empty()).await?;
        found.extend(obstacles(page, &axe, "groups of events").await?);
        none(found)
    });
}

/// Lists of what can be done: all of it, and with what is under the pointer.
#[test]
fn lists_and_menus_have_none() {
    let Some(axe) = axe() else { return };
    drive("obstacles-menus", async |page| {
        page.open_orders().await?;
        page.until_still().await?;
        let mut found = Vec::new();
        page.press_with(Key::Control, "k").await?;
        page.find("palette-field").await?;
        found.extend(obstacles(page, &axe, "the list of actions").await?);
        page.press("thread").await?;
        page.find("palette-line").await?;
        found.extend(obstacles(page, &axe, "what the list finds").await?);
        close(page).await?;
        for (of, place) in [("thread-6712", "the menu of a track"), ("group-collections", "the menu of collections")] {
            page.menu_of(of).await?;
            found.extend(obstacles(page, &axe, place).await?);
            close(page).await?;
        }
        let head = page.find("thread-6712").await?.rect().await?;
        let (x, _) = page.below_top("lanes", 0.0).await?;
        page.right_click((x, head.y + 20.0)).await?;
        page.find("menu").await?;
        found.extend(obstacles(page, &axe, "the menu of what is under the pointer").await?);
        close(page).await?;
        page.press("2").await?;
        page.click("view-functions").await?;
        page.text_when("function-name", |text| !text.is_empty()).await?;
        page.menu_of("function-name").await?;
        found.extend(obstacles(page, &axe, "the menu of a function").await?);
        close(page).await?;
        page.press("3").await?;
        page.text_when("event-name", |text| !text.is_empty()).await?;
        page.menu_of("event-name").await?;
        found.extend(obstacles(page, &axe, "the menu of an event").await?);
        close(page).await?;
        page.click("save-events").await?;
        page.find("save-events-csv").await?;
        found.extend(obstacles(page, &axe, "saving events").await?);
        close(page).await?;
        page.press("2").await?;
        for (button, place) in [("fold", "what is folded"), ("save-stacks", "saving stacks")] {
            page.click(button).await?;
            page.until("the dialog is open", "return !!document.querySelector('dialog[open]')").await?;
            found.extend(obstacles(page, &axe, place).await?);
            close(page).await?;
        }
        none(found)
    });
}
