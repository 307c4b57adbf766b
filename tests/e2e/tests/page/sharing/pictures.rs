//! Saved pictures of the timeline, the flame graph and charts.

use serde_json::{Value, json};
use thirtyfour::prelude::*;
use traceglass_e2e::{Page, Step, browser_test};

/// Texts of a saved SVG file, as a viewer reads them.
#[derive(Debug)]
struct Read {
    title: String,
    texts: Vec<String>,
    width: u64,
    height: u64,
}

impl Read {
    fn has(&self, part: &str) -> bool {
        self.texts.iter().any(|text| text.contains(part))
    }
}

/// Saves with the first command that the palette finds for some words.
async fn save(page: &Page, words: &str, name: &str) -> Step<Vec<u8>> {
    page.press_with(Key::Control, "k").await?;
    page.find("palette-field").await?;
    page.press(words).await?;
    page.press(Key::Enter).await?;
    let path = page.saved(name).await?;
    Ok(std::fs::read(path).map_err(|error| error.to_string())?)
}

/// Reads a file with the browser's XML parser, which accepts only well-formed ones.
async fn read(page: &Page, svg: &[u8]) -> Step<Read> {
    let script = "const file = new DOMParser().parseFromString(arguments[0], 'image/svg+xml');
        const root = file.documentElement;
        if (root.localName !== 'svg' || file.querySelector('parsererror, script, image, foreignObject')) return null;
        const texts = (name) => [...root.querySelectorAll(name)].map((text) => text.textContent);
        return [texts('title')[0], texts('text'), Number(root.getAttribute('width')), Number(root.getAttribute('height'))];";
    let read = page.run(script, [json!(String::from_utf8_lossy(svg))]).await?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let read = Read {
        title: text(&read[0]),
        texts: read[1].as_array().into_iter().flatten().map(text).collect(),
        width: read[2].as_u64().unwrap_or_default(),
        height: read[3].as_u64().unwrap_or_default(),
    };
    assert!(read.width > 500 && read.height > 100, "{read:?}");
    Ok(read)
}

#[browser_test]
async fn pictures_have_title_range_legend_and_names(page: &Page) -> Step {
    page.open_orders().await?;
    page.until_still().await?;
    let heads = "return [...document.querySelectorAll('[data-testid^=\"thread-\"] .nm')].map((name) => name.innerText)";
    let heads = page.run(heads, []).await?;
    let timeline = read(page, &save(page, "save timeline svg", "orders-net31-timeline.svg").await?).await?;
    assert!(timeline.title.starts_with("orders-net31.nettrace"), "{timeline:?}");
    let title = timeline.texts.first().map(String::as_str);
    assert!(title.is_some_and(|title| title.starts_with("orders-net31.nettrace")), "{title:?}");
    assert!(
        timeline.texts[1].starts_with("Timeline · 0") && timeline.texts[1].ends_with(" s)") && !timeline.has("Filter"),
        "{timeline:?}"
    );
    let first = heads[0].as_str().filter(|name| !name.is_empty());
    assert!(first.is_some_and(|name| timeline.has(name)), "{first:?} of {heads} in {timeline:?}");
    assert!(timeline.has("managed") && timeline.has("gen 2") && timeline.has("paused by GC"), "a legend: {timeline:?}");

    page.press("2").await?;
    page.click("view-flame").await?;
    page.text_when("stacks-total", |text| text.ends_with(" s")).await?;
    let flame = read(page, &save(page, "save flame svg", "orders-net31-flame-graph.svg").await?).await?;
    assert!(flame.texts[1].starts_with("Flame graph · 0") && flame.texts[1].ends_with(" s running"), "{flame:?}");
    assert!(flame.has("Program.Cpu") && flame.has("Running managed code"), "functions and a legend: {flame:?}");

    let png = save(page, "save flame png", "orders-net31-flame-graph.png").await?;
    let side =
        |at: usize| png.get(at..at + 4).map(|bytes| bytes.iter().fold(0, |all, byte| all << 8 | u64::from(*byte)));
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
    assert_eq!((side(16), side(20)), (Some(2 * flame.width), Some(2 * flame.height)), "twice the size of the SVG file");

    page.click("tab-gc").await?;
    page.find("chart-picture").await?;
    let charts = read(page, &save(page, "save charts svg", "orders-net31-gc.svg").await?).await?;
    assert!(
        charts.texts[1].starts_with("GC · 0") && charts.has("GCs by pause time") && charts.has("Gen 0"),
        "{charts:?}"
    );
    Ok(())
}
