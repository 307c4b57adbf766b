//! Views that are copied as text or Markdown.

use traceglass_e2e::{Page, Step, browser_test};

/// Copies with a choice of the menu for sharing.
async fn copied(page: &Page, choice: &str) -> Step<String> {
    page.watch_clipboard().await?;
    page.click("share").await?;
    page.click(choice).await?;
    page.copied().await
}

#[browser_test]
async fn findings_and_tables_are_copied_as_text_and_markdown(page: &Page) -> Step {
    page.open_orders().await?;
    let title = page.text_when("finding", |text| !text.is_empty()).await?;
    let title = title.lines().next().unwrap_or_default().to_owned();
    let all = copied(page, "copy-markdown").await?;
    assert!(all.starts_with(&format!("- **{title}**")) && all.matches("\n- **").count() > 1, "{title}: {all}");
    let all = copied(page, "copy-view").await?;
    assert!(all.starts_with(&format!("{title}\n")) && !all.contains("**"), "{title}: {all}");
    page.click("finding-details").await?;
    page.watch_clipboard().await?;
    page.click("copy-finding-markdown").await?;
    let one = page.copied().await?;
    assert!(one.starts_with(&format!("- **{title}**")) && !one.contains("\n- **"), "{one}");

    page.press("2").await?;
    page.text_when("function-name", |text| !text.is_empty()).await?;
    let functions = copied(page, "copy-markdown").await?;
    assert!(functions.starts_with("| Function | Module |"), "{functions}");
    let rule = functions.lines().nth(1).unwrap_or_default();
    assert!(rule.starts_with("| --- | --- | --- | ---: | ---: |"), "numbers are aligned: {rule}");

    page.press("3").await?;
    page.text_when("event-name", |text| !text.is_empty()).await?;
    let events = copied(page, "copy-markdown").await?;
    assert!(events.starts_with("| Time") && events.lines().count() == 1002, "{}", events.lines().count());

    page.click("tab-exceptions").await?;
    page.text_when("cell-type", |text| text == "System.FormatException").await?;
    let types = copied(page, "copy-markdown").await?;
    assert!(types.starts_with("| Type | ") && types.contains("\n| System.FormatException | 47 |"), "{types}");

    page.press("4").await?;
    page.click("share").await?;
    let refused = page.text("copy-markdown").await?;
    assert!(refused.ends_with("Open the summary or a table"), "{refused}");
    Ok(())
}
