//! The ruler: search matches, time of day, and snapping of time ranges to edges.

use serde_json::Value;
use thirtyfour::prelude::*;
use traceglass_e2e::{Page, Step, Trouble, browser_test};

/// Returns the time range of the URL in nanoseconds.
async fn range(page: &Page) -> Step<Option<(i64, i64)>> {
    let hash = page.hash().await?;
    let value = |key| hash.split(['?', '&']).find_map(|part: &str| part.strip_prefix(key)?.parse().ok());
    Ok(value("r0=").zip(value("r1=")))
}

async fn range_after(page: &Page, before: Option<(i64, i64)>) -> Step<(i64, i64)> {
    for _ in 0..100 {
        if let Some(range) = range(page).await?.filter(|range| Some(*range) != before) {
            return Ok(range);
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    Err(Trouble(format!("the range stays {before:?}")))
}

/// Returns the picture of the ruler.
async fn ruler(page: &Page) -> Step<Value> {
    page.run("return document.querySelector('[data-testid=ruler] canvas').toDataURL()", []).await
}

/// Script that counts the ruler's pixels with the color of a token.
const PIXELS: &str = "const canvas = document.querySelector('[data-testid=ruler] canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const wanted = getComputedStyle(document.documentElement).getPropertyValue('--warn').trim();
    const channel = (at) => parseInt(wanted.slice(at, at + 2), 16);
    const [red, green, blue] = [channel(1), channel(3), channel(5)];
    let found = 0;
    for (let at = 0; at < data.length; at += 4) {
      if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) found += 1;
    }
    return found;";

/// Matching events have ticks on the ruler; Enter goes to the next one, Shift+Enter back, in the field and on the
/// timeline, and each is announced with its position.
#[browser_test]
async fn search_matches_are_marked_and_visited(page: &Page) -> Step {
    page.open_orders().await?;
    page.find("lanes").await?;
    assert_eq!(page.run(PIXELS, []).await?, 0);
    page.press("/").await?;
    page.press("contention/start").await?;
    page.text_when("matches", |text| text == "138").await?;
    page.until("the matches have ticks", &format!("{{ {PIXELS} }}").replace("return found", "return found > 20"))
        .await?;
    page.press(Key::Enter).await?;
    let first = page.text_when("match-place", |text| text.ends_with(" of 138")).await?;
    page.text_when("detail-name", |text| text == "Contention/Start").await?;
    let place = |text: &str| text.split(' ').next().and_then(|number| number.parse::<u32>().ok());
    let at = place(&first);
    page.press(Key::Enter).await?;
    page.text_when("match-place", |text| place(text) == at.map(|at| at + 1)).await?;
    let back = page.pointer().key_down(Key::Shift).send_keys(Key::Enter).key_up(Key::Shift);
    back.perform().await?;
    page.text_when("match-place", |text| place(text) == at).await?;
    page.run("document.querySelector('[data-testid=lanes]').focus()", []).await?;
    page.press(Key::Enter).await?;
    page.text_when("match-place", |text| place(text) == at.map(|at| at + 1)).await?;
    let words = page.text("announce").await?;
    assert!(words.contains("Contention/Start") && words.ends_with(" of 138"), "{words}");
    Ok(())
}

/// Script that counts the pixels of managed code on the lanes.
const MANAGED: &str = "const canvas = document.querySelector('[data-testid=lanes] canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const wanted = getComputedStyle(document.documentElement).getPropertyValue('--cat-managed').trim();
    const [red, green, blue] = [1, 3, 5].map((at) => parseInt(wanted.slice(at, at + 2), 16));
    let found = 0;
    for (let at = 0; at < data.length; at += 4) {
      if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) found += 1;
    }";

/// What the filter doesn't match is dimmed on the lanes of threads; its matches aren't.
#[browser_test]
async fn lanes_are_dimmed_where_filter_matches_nothing(page: &Page) -> Step {
    page.open_orders().await?;
    page.find("lanes").await?;
    page.until("threads are drawn", &format!("{MANAGED} return found > 1000")).await?;
    page.until_still().await?;
    let whole = page.run(&format!("{MANAGED} return found"), []).await?.as_u64().unwrap_or_default();
    page.type_filter("stack:Program.Contend").await?;
    let some = format!("{MANAGED} return found > {whole} / 100 && found < {whole} * 0.7");
    page.until("a part of the lanes isn't dimmed", &some).await?;
    page.type_filter("event:NoSuchEvent").await?;
    page.until("everything is dimmed", &format!("{MANAGED} return found < {whole} / 100")).await?;
    page.click("clear-filters").await?;
    page.until("nothing is dimmed", &format!("{MANAGED} return found > {whole} * 0.95")).await?;
    Ok(())
}

/// The ruler shows the time of day, in UTC or local, and the URL contains the choice.
#[browser_test]
async fn ruler_shows_time_of_day(page: &Page) -> Step {
    page.open_orders().await?;
    page.find("lanes").await?;
    let mut seen = vec![ruler(page).await?];
    for (entry, words) in [("UTC", "UTC"), ("local", "local")] {
        page.click("clock").await?;
        let entry = format!("//*[@data-testid='menu-clock'][contains(., '{entry}')]");
        page.click_by(By::XPath(entry)).await?;
        page.text_when("clock", |text| text == words).await?;
        let old = serde_json::to_string(&seen).unwrap_or_default();
        page.until(
            "the ruler is another one",
            &format!("return !{old}.includes(document.querySelector('[data-testid=ruler] canvas').toDataURL())"),
        )
        .await?;
        seen.push(ruler(page).await?);
    }
    page.until("the address keeps it", "return location.hash.includes('clock=local')").await?;

    // All times have the same format: details, announcements, event table.
    page.click("more-tracks").await?;
    page.find("group-exceptions").await?;
    page.run("document.querySelector('[data-testid=group-exceptions]').focus()", []).await?;
    page.press(".").await?;
    let is_of_day = |text: &str| text.matches(':').count() == 2;
    page.text_when("detail-time", is_of_day).await?;
    page.text_when("announce", is_of_day).await?;
    page.press("3").await?;
    page.text_when("event-time", is_of_day).await?;
    page.click("clock").await?;
    page.click_by(By::XPath("//*[@data-testid='menu-clock'][1]")).await?;
    page.text_when("detail-time", |text| text.ends_with(" s")).await?;
    page.text_when("event-time", |text| !text.contains(':')).await?;
    Ok(())
}

/// A drag that begins and ends near the edges of a pause selects the exact pause; with Alt it doesn't.
#[browser_test]
async fn range_snaps_to_edges_of_pause(page: &Page) -> Step {
    page.open_orders().await?;
    page.find("group-collections").await?;
    page.run("document.querySelector('[data-testid=group-collections]').focus()", []).await?;
    page.press(".").await?;
    page.text_when("announce", |text| text.starts_with("GC #")).await?;
    page.run("document.querySelector('[data-testid=lanes]').focus()", []).await?;
    page.press("f").await?;
    page.press("r").await?;
    let pause = range_after(page, None).await?;
    page.press("z").await?;
    // Zooming has ended when the range was published twice.
    tokio::time::sleep(std::time::Duration::from_millis(800)).await;
    let places = page
        .run(
            "const [start, end] = arguments;
             const lanes = document.querySelector('[data-testid=lanes]').getBoundingClientRect();
             const head = document.querySelector('[data-testid=group-collections]').getBoundingClientRect();
             const shown = document.querySelector('[data-testid=timeline]').dataset;
             const [from, to] = [Number(shown.start), Number(shown.end)];
             const x = (time) => Math.round(lanes.left + (time - from) / (to - from) * lanes.width);
             return [x(start), x(end), Math.round(head.top + 11)]",
            [pause.0.into(), pause.1.into()],
        )
        .await?;
    let [left, right, y]: [i64; 3] = serde_json::from_value(places).map_err(|error| Trouble(error.to_string()))?;
    assert!(right - left > 100, "the pause is wide: {left} {right}");
    let drag = || page.pointer().move_to(left + 5, y).click_and_hold().move_to(right - 40, y);
    drag().move_to(right - 5, y).release().perform().await?;
    // The range is the pause again.
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    assert_eq!(range(page).await?, Some(pause), "both ends snap");
    drag().move_to(right - 30, y).release().perform().await?;
    let short = range_after(page, Some(pause)).await?;
    assert!(short.0 == pause.0 && short.1 < pause.1, "{short:?} {pause:?}: too far for the second edge");
    let free = page.pointer().key_down(Key::Alt).move_to(left + 5, y).click_and_hold();
    free.move_to(right - 40, y).move_to(right - 5, y).release().key_up(Key::Alt).perform().await?;
    let free = range_after(page, Some(short)).await?;
    assert!(free.0 > pause.0 && free.1 < pause.1, "{free:?} {pause:?}: Alt takes the pointer as it is");
    Ok(())
}
