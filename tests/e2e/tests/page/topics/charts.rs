//! Charts of analyses.

use traceglass_e2e::{Page, SIZES, Step, browser_test, topics};

/// Titles of charts over time whose area isn't that of the timeline's lanes.
const OUT_OF_PLACE: &str = "
    const lanes = document.querySelector('.lanes').getBoundingClientRect();
    const isApart = (one, other) => Math.abs(one - other) > 0.6;
    const charts = [...document.querySelectorAll('.topic:not([hidden]) .chart.over-time')];
    const apart = charts.filter((chart) => {
      const picture = chart.querySelector('[data-testid=chart-picture]');
      const area = picture?.querySelector('svg');
      if (!area) return true;
      const left = picture.getBoundingClientRect().left + Number(area.getAttribute('x'));
      return isApart(left, lanes.left) || isApart(Number(area.getAttribute('width')), lanes.width);
    }).map((chart) => chart.querySelector('h3').textContent);";

/// Charts over time have the time axis of the timeline above them: the same left edge and width.
#[browser_test(limit_seconds(60))]
async fn charts_over_time_are_aligned_with_lanes(page: &Page) -> Step {
    page.open_sample("sample-web").await?;
    page.find("summary-topic").await?;
    let mut aligned = 0;
    for topic in topics() {
        page.run(&format!("document.querySelector('[data-testid=tab-{topic}]').click()"), []).await?;
        let answer = "[data-testid=topic-verdict], [data-testid=not-recorded]";
        page.until(topic, &format!("return !!document.querySelector('.of-{topic}')?.querySelector('{answer}')"))
            .await?;
        for size in &SIZES[..2] {
            page.resize(*size).await?;
            let what = format!("{topic}, {} x {}: charts are aligned", size.0, size.1);
            page.until(&what, &format!("{OUT_OF_PLACE} return apart.length === 0")).await?;
        }
        aligned += page.run(&format!("{OUT_OF_PLACE} return charts.length"), []).await?.as_u64().unwrap_or_default();
    }
    assert!(aligned >= 5, "{aligned} charts over time");
    Ok(())
}
