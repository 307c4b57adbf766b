//! Comparison of the stacks of a time range with those of another one.

use super::open_allocations;
use traceglass_e2e::{Page, Step, browser_test};

/// Returns the numbers of "now 1.5 MB, baseline 900 KB" in megabytes.
fn megabytes(title: &str) -> Vec<f64> {
    let size = |text: &str| {
        let mut words = text.split(' ').skip(1);
        let number: f64 = words.next()?.parse().ok()?;
        Some(
            number
                * match words.next()? {
                    "GB" => 1e3,
                    "MB" => 1.0,
                    "KB" => 1e-3,
                    _ => 1e-6,
                },
        )
    };
    title.split(", ").filter_map(size).collect()
}

#[browser_test]
async fn range_is_compared_with_the_rest_and_with_a_saved_range(page: &Page) -> Step {
    open_allocations(page).await?;
    let lanes = page.find("lanes").await?;
    let drag = page.pointer();
    drag.move_to_element_with_offset(&lanes, -300, 0)
        .click_and_hold()
        .move_by_offset(200, 0)
        .release()
        .perform()
        .await?;
    page.text_when("stacks-total", |text| text != "979 MB").await?;
    page.click("compare").await?;
    page.click("compare-rest").await?;
    page.text_when("baseline", |text| text == "the rest of the time").await?;
    page.text_when("function-self", |text| text.starts_with(['+', '−'])).await?;
    page.click("compare-amounts").await?;
    page.find("find-function").await?.send_keys("Program.Archivist").await?;
    // The allocations in the range and in the rest of the time add up to 824.3 MB.
    let title = "return document.querySelector('[data-testid=function-self]')?.title ?? ''";
    page.until("both sides are shown", &format!("return (() => {{ {title} }})().startsWith('now')")).await?;
    let title = page.run(title, []).await?;
    let sides = megabytes(title.as_str().unwrap_or_default());
    assert!(sides.len() == 2 && (sides[0] + sides[1] - 824.3).abs() < 1.5, "{title}");
    let hash = page.hash().await?;
    assert!(hash.contains("vs=rest") && hash.contains("abs=1"), "{hash}");
    page.reload().await?;
    page.text_when("baseline", |text| text == "the rest of the time").await?;
    // The range is saved, and the whole trace is compared with it.
    page.click("compare").await?;
    page.click("compare-keep").await?;
    page.text_when("comparison", |text| text.contains("Now select another range")).await?;
    page.click("clear-filters").await?;
    page.text_when("stacks-total", |text| text == "979 MB").await?;
    let hash = page.hash().await?;
    assert!(hash.contains("vs=kept") && hash.contains("vs-r0=") && !hash.contains("&r0="), "{hash}");
    page.click("view-tree").await?;
    page.text_when("node-self", |text| text.starts_with('+')).await?;
    page.click("compare-swap").await?;
    page.text_when("node-self", |text| text.starts_with('−')).await?;
    page.click("compare-end").await?;
    page.until("nothing is compared", "return !location.hash.includes('vs')").await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}
