//! Findings: their numbers match those on other tabs, and links lead to the evidence.

use traceglass_e2e::{Page, Step, browser_test};

/// Returns the text of a part of a finding.
async fn said(page: &Page, finding: &str, part: &str) -> Step<String> {
    let script = format!("return document.querySelector('[data-finding={finding}] {part}')?.innerText ?? ''");
    Ok(page.run(&script, []).await?.as_str().unwrap_or_default().to_owned())
}

/// Follows a link of a finding by its full text. Opens the finding if the link isn't beside the title.
async fn follow(page: &Page, finding: &str, words: &str) -> Step {
    let script = format!(
        "const all = [...document.querySelectorAll('[data-finding={finding}] .links button')];
         const link = all.find((one) => one.ariaLabel === '{words}');
         if (!link.checkVisibility()) document.querySelector('[data-finding={finding}] [data-testid=finding-details]').click();
         requestAnimationFrame(() => link.checkVisibility() && link.click())"
    );
    page.run(&script, []).await.map(drop)
}

#[browser_test]
async fn findings_come_first_and_lead_to_evidence(page: &Page) -> Step {
    page.open_orders().await?;
    page.click("tab-summary").await?;
    page.text_when("findings", |text| text.contains("7, costliest first")).await?;
    assert_eq!(said(page, "pause-share", "h3").await?, "GC pauses cost 8.82 s of thread time");
    assert_eq!(said(page, "pause-share", ".cost b").await?, "8.82 s");
    let paused = said(page, "pause-share", ".evidence").await?;
    assert!(paused.starts_with("Suspension took 88% of pause time; pauses took 19% of the trace."), "{paused}");
    let figures = [
        ("key-duration", "7.74 s"),
        ("key-cpu", "4.62 on 2 CPUs"),
        ("key-pauses", "19% 1.44 s"),
        ("key-exceptions", "76 9.82/s"),
        ("key-lost", "0"),
    ];
    for (figure, words) in figures {
        page.text_when(figure, |text| text.ends_with(words)).await?;
    }
    page.screenshot("findings").await?;

    follow(page, "pause-share", "Open GC").await?;
    page.text_when("topic-verdict", |text| text.contains("paused the process for 1.44 s")).await?;
    page.click("tab-summary").await?;
    follow(page, "pause-share", "GC #39").await?;
    page.text_when("detail-name", |text| text.contains("GC")).await?;
    follow(page, "pause-share", "Show on timeline").await?;
    let shown = "const { start, end } = document.querySelector('[data-testid=timeline]').dataset;
        return end - start > 4e9 && end - start <= 7.75e9";
    page.until("the timeline shows the trace without the time around it", shown).await?;
    follow(page, "hot-allocations", "View allocations").await?;
    page.text_when("events-total", |text| !text.is_empty() && text != "26,800").await?;
    Ok(())
}

#[browser_test]
async fn findings_follow_filter(page: &Page) -> Step {
    page.open_orders().await?;
    page.click("tab-summary").await?;
    page.text_when("findings", |text| text.contains("7, costliest first")).await?;
    page.click("search").await?;
    page.press("provider:SampleProfiler").await?;
    // The remaining findings concern the recording, regardless of the provider.
    page.text_when("findings", |text| text.contains("2, costliest first")).await?;
    assert_eq!(said(page, "sampling-gap", "h3").await?, "No samples for 380 ms");
    let title = "document.querySelector('[data-finding=sampling-gap] h3').click()";
    for is_open in ["true", "false"] {
        page.run(title, []).await?;
        let expanded = "document.querySelector('[data-finding=sampling-gap] .expand').ariaExpanded";
        page.until("a click on the title expands or collapses", &format!("return {expanded} === '{is_open}'")).await?;
    }
    page.text_when("role-times", |text| text.contains("Running managed code")).await?;
    Ok(())
}

/// A link to stacks narrows the filter and chooses the weight; clearing the filter restores both.
#[browser_test]
async fn clearing_the_filter_of_a_link_restores_the_stacks(page: &Page) -> Step {
    page.open_orders().await?;
    page.click("tab-summary").await?;
    page.text_when("findings", |text| text.contains("7, costliest first")).await?;
    follow(page, "lock-contention", "View wait stacks").await?;
    let has_waits = "/[?&]of=.*Contention/.test(decodeURIComponent(location.hash))";
    page.until("stacks of waits are shown", &format!("return {has_waits}")).await?;
    page.click("clear-filters").await?;
    page.until("stacks of samples are shown", &format!("return !({has_waits})")).await?;
    Ok(())
}

#[browser_test]
async fn trace_without_problems_has_no_findings(page: &Page) -> Step {
    page.open("").await?;
    page.open_trace(&traceglass_e2e::fixtures::unpacked("short-net10.nettrace")?).await?;
    // Without the source whose payloads don't match their schemas.
    page.type_filter("-provider:Edge-Events").await?;
    page.click("tab-summary").await?;
    let words = page.text_when("no-findings", |text| text.contains("Checked: lost events")).await?;
    assert!(words.contains("Not recorded, so not checked:") && words.contains("lock contention"), "{words}");
    Ok(())
}

/// Recorded analyses link to their tabs, with the same counts; missing ones show how to record them.
#[browser_test]
async fn recorded_and_missing_topics_are_listed(page: &Page) -> Step {
    page.open_orders().await?;
    page.click("tab-summary").await?;
    let listed = page.text_when("in-this-trace", |text| text.contains("76 exceptions")).await?;
    assert!(listed.contains("53 GCs") && listed.contains("8 tabs"), "{listed}");
    let missing = page.text("not-in-this-trace").await?;
    let waits = "--providers Microsoft-Windows-DotNETRuntime:0x40000000000:5";
    assert!(missing.contains("Waits") && missing.contains("copy the command"), "{missing}");
    let tooltip = page.run("return document.querySelector('[data-testid=copy-record-waits]').title", []).await?;
    assert!(tooltip.as_str().is_some_and(|tooltip| tooltip.contains(waits)), "{tooltip}");
    // Each analysis is in one of the lists, according to its tab.
    let all = traceglass_e2e::topics().count();
    let tabs = format!(
        "const without = document.querySelectorAll('[role=tab].without').length;
        const listed = document.querySelectorAll('[data-testid=summary-missing]').length;
        const there = document.querySelectorAll('[data-testid=summary-topic]').length;
        return without === listed && there + listed === {all}"
    );
    page.until("as many as tabs", &tabs).await?;
    page.run("document.querySelector('[data-testid=in-this-trace]').scrollIntoView()", []).await?;
    page.screenshot("in-this-trace").await?;
    page.watch_clipboard().await?;
    page.click("copy-record-waits").await?;
    let copied = page.copied().await?;
    assert!(copied.ends_with(waits), "{copied}");
    let exceptions = "[...document.querySelectorAll('[data-testid=summary-topic]')].find(one => one.innerText.includes('Exceptions')).click()";
    page.run(exceptions, []).await?;
    page.text_when("figure-count", |text| text == "76").await?;
    Ok(())
}
