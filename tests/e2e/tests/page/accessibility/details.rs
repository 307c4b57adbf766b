//! Looks for obstacles to people who listen, type or see little on the screens behind the first ones: while a trace is read, in
//! details, in reports on every topic, in comparisons, menus and lists.

use thirtyfour::Key;
use traceglass_e2e::accessibility::{begin_pictures, none, violations};
use traceglass_e2e::archive::archive;
use traceglass_e2e::{Need, Page, Step, TOPICS, browser_test, fixtures};

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

#[browser_test(needs(Need::Axe))]
async fn reading_a_trace_has_none(page: &Page) -> Step {
    // A trace that takes a minute to arrive; of one that is packed there are no events before the end.
    let trace = fixtures::unpacked("orders-net31.nettrace")?;
    page.server.replace("slow.nettrace", std::fs::read(trace).map_err(|error| error.to_string())?);
    page.server.trickle("slow.nettrace");
    let address = fixtures::escaped(&format!("{}slow.nettrace", page.server.address()));
    page.open(&format!("/summary?v=1&url={address}")).await?;
    page.text_when("loading-events", |text| text != "0").await?;
    none(violations(page, "while a trace is read").await?)
}

#[browser_test(needs(Need::Axe))]
async fn the_choice_of_a_trace_has_none(page: &Page) -> Step {
    let read = |name: &str| -> Step<Vec<u8>> {
        std::fs::read(fixtures::unpacked(name)?).map_err(|error| error.to_string().into())
    };
    let (short, cut) = (read("short-net10.nettrace")?, read("cut-net10.nettrace")?);
    let two = archive(&[("b/short.nettrace", &short), ("a.nettrace", &cut)]);
    page.open("").await?;
    page.drop_file(&page.file("two.zip", &two)?).await?;
    page.find("choose").await?;
    none(violations(page, "the choice of a trace").await?)
}

#[browser_test(needs(Need::Axe))]
async fn details_have_none(page: &Page) -> Step {
    page.open_orders().await?;
    let mut found = Vec::new();
    page.click("summary-collection").await?;
    page.text_when("collection-pause", |text| !text.is_empty()).await?;
    found.extend(violations(page, "details of a collection").await?);
    page.click("summary-function").await?;
    page.text_when("function-weights", |text| !text.is_empty()).await?;
    page.find("function-places").await?;
    page.find("callees-list").await?;
    found.extend(violations(page, "details of a function").await?);
    page.press("3").await?;
    page.pick("pick-provider", "Workload-Orders").await?;
    page.text_when("event-name", |text| text == "OrderStart").await?;
    page.click("event-name").await?;
    page.text_when("span-duration", |text| !text.is_empty()).await?;
    page.click("detail-thread").await?;
    page.text_when("thread-events", |text| !text.is_empty()).await?;
    found.extend(violations(page, "details of a thread").await?);
    none(found)
}

/// A request of a server: what it is a part of, and what it leads to.
#[browser_test(needs(Need::Axe))]
async fn details_of_a_request_have_none(page: &Page) -> Step {
    page.open_sample("sample-web").await?;
    let mut found = Vec::new();
    go(page, "http").await?;
    page.text_when("cell-durationNs", |text| !text.is_empty()).await?;
    page.click("cell-durationNs").await?;
    page.text_when("span-duration", |text| !text.is_empty()).await?;
    found.extend(violations(page, "details of a request").await?);
    page.press_with(Key::Shift, Key::F10).await?;
    page.find("details-of-row").await?;
    found.extend(violations(page, "the menu of a request").await?);
    none(found)
}

#[browser_test(needs(Need::Axe), limit_seconds(420))]
async fn reports_on_every_topic_have_none(page: &Page) -> Step {
    page.open_sample("sample-web").await?;
    let mut found = Vec::new();
    for topic in TOPICS {
        go(page, topic).await?;
        let is_there = format!(
            "return location.hash.startsWith('#/{topic}') && !!document.querySelector('[data-testid=tab-{topic}][aria-selected=true]')
             && !!document.querySelector('[data-testid=topic-verdict]:not(:empty), [data-testid=not-recorded]')"
        );
        page.until(&format!("the report on {topic}"), &is_there).await?;
        found.extend(violations(page, topic).await?);
    }
    none(found)
}

#[browser_test(needs(Need::Axe))]
async fn comparisons_and_groups_have_none(page: &Page) -> Step {
    page.open_orders().await?;
    begin_pictures(page).await?;
    let mut found = Vec::new();
    page.type_filter("time:2s..3s").await?;
    page.matches_when("1,470").await?;
    page.click("tab-stacks").await?;
    page.click("compare").await?;
    page.find("menu").await?;
    found.extend(violations(page, "ways to compare").await?);
    page.choose_from("compare", "compare-rest").await?;
    page.text_when("baseline", |text| !text.is_empty()).await?;
    for view in ["flame", "tree", "functions"] {
        page.click(&format!("view-{view}")).await?;
        page.until_still().await?;
        found.extend(violations(page, &format!("compared, {view}")).await?);
    }
    page.press("3").await?;
    page.pick("pick-group", "Event").await?;
    page.pick("pick-measure", "Duration").await?;
    page.text_when("group-name", |text| !text.is_empty()).await?;
    found.extend(violations(page, "groups of events").await?);
    none(found)
}

/// Lists of what can be done: all of it, and with what is under the pointer.
#[browser_test(needs(Need::Axe))]
async fn lists_and_menus_have_none(page: &Page) -> Step {
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
    let head = page.find("thread-6712").await?.rect().await?;
    let (x, _) = page.below_top("lanes", 0.0).await?;
    page.right_click((x, head.y + 20.0)).await?;
    page.find("menu").await?;
    found.extend(violations(page, "the menu of what is under the pointer").await?);
    close(page).await?;
    page.press("2").await?;
    page.click("view-functions").await?;
    page.text_when("function-name", |text| !text.is_empty()).await?;
    page.menu_of("function-name").await?;
    found.extend(violations(page, "the menu of a function").await?);
    close(page).await?;
    page.press("3").await?;
    page.text_when("event-name", |text| !text.is_empty()).await?;
    page.menu_of("event-name").await?;
    found.extend(violations(page, "the menu of an event").await?);
    close(page).await?;
    page.click("save-events").await?;
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
