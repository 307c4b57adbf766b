//! The typed filter, and its chips.

use thirtyfour::prelude::*;
use traceglass_e2e::{Page, Step, browser_test, number};

/// Of 26,800 events.
const SAMPLES: &str = "1,669";
const OTHERS: &str = "25,131";

#[browser_test]
async fn typed_filter_is_completed(page: &Page) -> Step {
    page.open_orders().await?;
    page.type_filter("prov").await?;
    page.until(
        "keys are suggested",
        "return document.querySelector('#query-suggestions li')?.innerText.startsWith('provider:')",
    )
    .await?;
    page.take_first_suggestion().await?;
    page.press("Sampl").await?;
    // Suggestions change with the text, so the earlier selection must be gone.
    let offered = "const all = [...document.querySelectorAll('#query-suggestions li code')];
        return all.length > 0 && all.every((one) => one.innerText.includes('Sampl'))";
    page.until("providers are suggested", offered).await?;
    page.take_first_suggestion().await?;
    page.matches_when(SAMPLES).await?;
    assert_eq!(page.typed_filter().await?.trim(), "provider:Microsoft-DotNETCore-SampleProfiler");

    // Functions are suggested with the number of events.
    page.type_filter("stack:Program.Cont").await?;
    // WebKit ends the text with a line break.
    let note = "const all = [...document.querySelectorAll('#query-suggestions li')].map((one) => one.innerText.trim());
        return all.length === 1 && all[0].match(/Program.Contend\\(\\)\"\\s*on the stack: ([0-9,]+)$/)?.[1]";
    page.until("one function is suggested", &format!("{note} !== undefined")).await?;
    let count = page.run(note, []).await?;
    page.take_first_suggestion().await?;
    page.matches_when(count.as_str().unwrap_or_default()).await?;
    page.type_filter("provider:SampleProfiler ").await?;
    page.matches_when(SAMPLES).await?;

    // An error is marked, and doesn't change the filter.
    page.press("level<=many ").await?;
    let message = page.text_when("query-mistake", |text| text.contains("Use a level")).await?;
    assert!(message.contains("many"), "{message}");
    let pointed = "return document.querySelector('#query-mistake mark')?.innerText === 'many'";
    page.until("the word is pointed at", pointed).await?;
    page.matches_when(SAMPLES).await
}

#[browser_test]
async fn filter_syntax_is_explained(page: &Page) -> Step {
    page.open_orders().await?;
    page.click("filter-syntax").await?;
    let help = page.text_when("syntax-help", |text| !text.is_empty()).await?;
    assert!(help.contains("event:Stop or event:Failed") && help.contains("payload.Count>=100"), "{help}");
    page.press(Key::Escape).await?;
    page.until("it is closed", "return !document.querySelector('dialog[open]')").await
}

#[browser_test]
async fn enter_selects_match_of_typed_filter(page: &Page) -> Step {
    page.open_orders().await?;
    page.type_filter("event=GC/AllocationTick").await?;
    page.press(Key::Enter).await?;
    let name = page.text_when("detail-name", |text| !text.is_empty()).await?;
    assert!(name.contains("AllocationTick"), "{name}");
    Ok(())
}

#[browser_test]
async fn conditions_are_inverted_edited_and_undone(page: &Page) -> Step {
    page.open_orders().await?;
    page.type_filter("provider:SampleProfiler event:Thread").await?;
    page.matches_when(SAMPLES).await?;
    let chip = page.find("chip-typed-0").await?;
    chip.find(By::Testid("turn-round")).await?.click().await?;
    page.matches_when("2,167").await?;
    page.find("chip-typed-1").await?.find(By::Css("[aria-label^='Remove']")).await?.click().await?;
    page.matches_when(OTHERS).await?;
    assert_eq!(page.typed_filter().await?, "-provider:SampleProfiler");
    page.click("invert-filters").await?;
    page.matches_when(SAMPLES).await?;
    page.browser().back().await?;
    page.matches_when(OTHERS).await?;
    Ok(())
}

/// Conditions of one kind are alternatives: excluding them excludes events that match any of them.
#[browser_test]
async fn alternatives_are_inverted_and_edited_together(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("3").await?;
    page.pick("pick-provider", "SampleProfiler").await?;
    page.matches_when(SAMPLES).await?;
    page.pick("pick-provider", "Workload-Orders").await?;
    let both = page.text_when("matches", |text| !text.is_empty() && text != SAMPLES).await?;
    page.click("invert-filters").await?;
    let others = page.text_when("matches", |text| !text.is_empty() && text != both).await?;
    assert_eq!(number(&both)? + number(&others)?, 26_800);
    page.browser().back().await?;
    page.matches_when(&both).await?;
    page.browser().forward().await?;
    page.matches_when(&others).await?;
    page.browser().back().await?;
    page.matches_when(&both).await?;
    page.find("chip-provider-Workload-Orders").await?.find(By::Css(".edit")).await?.click().await?;
    page.find("chip-typed-0").await?;
    page.matches_when(&both).await?;
    assert_eq!(
        page.typed_filter().await?,
        "(provider=Microsoft-DotNETCore-SampleProfiler or provider=Workload-Orders)"
    );
    Ok(())
}

#[browser_test]
async fn link_keeps_filter(page: &Page) -> Step {
    page.open("").await?;
    page.click("sample-gc").await?;
    page.text_when("event-count", |text| text == "116,276").await?;
    page.type_filter("event:AllocationTick payload.TypeName:String").await?;
    let found = page.text_when("matches", |text| text != "116,276" && !text.is_empty()).await?;
    page.reload().await?;
    page.text_when("matches", |text| text == found).await?;
    assert_eq!(page.typed_filter().await?, "event:AllocationTick payload.TypeName:String");
    page.find("chip-typed-1").await?;
    Ok(())
}
