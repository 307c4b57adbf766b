//! Where the time, the bytes and the waiting went: questions about a program, answered through the page, with numbers that
//! the program counted itself (`*.truth.json` beside the recordings).

use thirtyfour::Key;
use traceglass_e2e::{Page, Step, browser_test};

async fn open_gc(page: &Page) -> Step {
    page.open("").await?;
    page.click("sample-gc").await?;
    page.text_when("event-count", |text| text == "116,276").await?;
    page.press("2").await
}

#[browser_test]
async fn which_method_allocates_most(page: &Page) -> Step {
    open_gc(page).await?;
    // The recording has no samples: what it has most stacks of is shown, how long threads waited for locks.
    page.text_when("stacks-total", |text| text.ends_with(" s")).await?;
    page.pick("pick-source", "GC/SampledObjectAllocation").await?;
    page.text_when("function-name", |text| text.contains("Program.Archivist")).await?;
    page.text_when("function-self", |text| text == "824.3 MB").await?;
    // The program counted 69,097,813 bytes of large arrays, which one method alone allocates.
    page.find("find-function").await?.send_keys("Scanner").await?;
    page.text_when("function-self", |text| text == "69.1 MB").await?;
    let hash = page.hash().await?;
    assert!(hash.contains("GC%2FSampledObjectAllocation"), "the source is in the address: {hash}");
    assert!(hash.contains("by=field.TotalSizeForTypeSample"), "the weight is in the address: {hash}");
    page.reload().await?;
    page.text_when("function-self", |text| text == "824.3 MB").await?;
    page.pick("pick-weight", "events").await?;
    page.text_when("stacks-total", |text| text.ends_with(" events")).await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

/// The allocations of the recording by their bytes.
async fn open_allocations(page: &Page) -> Step {
    open_gc(page).await?;
    page.text_when("stacks-total", |text| text.ends_with(" s")).await?;
    page.pick("pick-source", "GC/SampledObjectAllocation").await?;
    page.text_when("stacks-total", |text| text == "978.5 MB").await?;
    Ok(())
}

#[browser_test]
async fn who_calls_it(page: &Page) -> Step {
    open_allocations(page).await?;
    page.click("view-sandwich").await?;
    page.find("find-function").await?.send_keys("Scanner").await?;
    page.text_when("function-self", |text| text == "69.1 MB").await?;
    page.click("function-name").await?;
    page.text_when("pivot", |text| text.contains("Ledger.Program.Scanner")).await?;
    // Above it the lambda of Main that is its only caller, and what started that thread.
    let boxes = "const canvas = id => document.querySelector(`[data-testid=${id}-canvas]`);
        return Number(canvas('callers')?.dataset.levels) >= 5 && Number(canvas('callees')?.dataset.levels) >= 2";
    page.until("callers and callees are drawn", boxes).await?;
    let hash = page.hash().await?;
    assert!(hash.contains("as=sandwich") && hash.contains("fn=ledger.Ledger.Program.Scanner"), "{hash}");
    page.click("view-bottom-up").await?;
    page.text_when("node-name", |text| text.contains("Program.Archivist")).await?;
    page.text_when("node-total", |text| text == "824.3 MB").await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

#[browser_test]
async fn just_my_code_folds_and_opens_and_keeps_the_total(page: &Page) -> Step {
    open_allocations(page).await?;
    let folded = page.text_when("function-count", |text| !text.is_empty()).await?;
    page.click("just-my-code").await?;
    let all = page.text_when("function-count", |text| !text.is_empty() && text != folded).await?;
    let number = |text: &str| text.replace(',', "").parse::<u32>().unwrap_or(0);
    assert!(number(&all) > number(&folded), "{all} functions, {folded} folded");
    page.text_when("stacks-total", |text| text == "978.5 MB").await?;
    assert!(page.hash().await?.contains("mine=0"));
    page.click("just-my-code").await?;
    page.text_when("function-count", |text| text == folded).await?;
    // The outermost frames are the runtime's: one frame, which opens.
    let canvas = page.find("flame-canvas").await?;
    let height = canvas.rect().await?.height as i64;
    page.pointer().move_to_element_with_offset(&canvas, -300, 30 - height / 2).click().perform().await?;
    page.text_when("shown-family", |text| text.starts_with("System.Threading shown")).await?;
    page.text_when("stacks-total", |text| text == "978.5 MB").await?;
    page.click("shown-family").await?;
    page.until("nothing is shown beyond", "return !location.hash.includes('show=')").await?;
    Ok(())
}

#[browser_test]
async fn transforms_are_steps_that_go_back(page: &Page) -> Step {
    open_allocations(page).await?;
    page.click("view-functions").await?;
    page.find("find-function").await?.send_keys("Program.Clerk").await?;
    page.text_when("function-total", |text| text == "49.3 MB").await?;
    page.click("function-name").await?;
    page.press("f").await?;
    page.text_when("step", |text| text.contains("focus") && text.contains("Program.Clerk")).await?;
    page.text_when("stacks-total", |text| text == "49.3 MB").await?;
    page.press("c").await?;
    page.text_when("function-self", |text| text == "49.3 MB").await?;
    let hash = page.hash().await?;
    assert!(hash.contains("tx=focus.ledger.") && hash.contains("tx=collapse.ledger."), "{hash}");
    page.reload().await?;
    page.text_when("function-self", |text| text == "49.3 MB").await?;
    page.click("undo-step").await?;
    page.text_when("function-self", |text| text == "46.6 MB").await?;
    page.click("all-steps-back").await?;
    page.text_when("stacks-total", |text| text == "978.5 MB").await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

/// The numbers of "now 1.5 MB, baseline 900 KB" in megabytes.
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
async fn a_range_is_compared_with_the_rest_and_with_another(page: &Page) -> Step {
    open_allocations(page).await?;
    let lanes = page.find("lanes").await?;
    let drag = page.pointer();
    drag.move_to_element_with_offset(&lanes, -300, 0)
        .click_and_hold()
        .move_by_offset(200, 0)
        .release()
        .perform()
        .await?;
    page.text_when("stacks-total", |text| text != "978.5 MB").await?;
    page.click("compare").await?;
    page.click("compare-rest").await?;
    page.text_when("baseline", |text| text == "the rest of the time").await?;
    page.text_when("function-self", |text| text.starts_with(['+', '−'])).await?;
    page.click("compare-amounts").await?;
    page.find("find-function").await?.send_keys("Program.Archivist").await?;
    // What was allocated in the range and in the rest of the time is what was allocated: 824.3 MB.
    let title = "return document.querySelector('[data-testid=function-self]')?.title ?? ''";
    page.until("both sides are told", &format!("return (() => {{ {title} }})().startsWith('now')")).await?;
    let title = page.run(title, []).await?;
    let sides = megabytes(title.as_str().unwrap_or_default());
    assert!(sides.len() == 2 && (sides[0] + sides[1] - 824.3).abs() < 0.2, "{title}");
    let hash = page.hash().await?;
    assert!(hash.contains("vs=rest") && hash.contains("abs=1"), "{hash}");
    page.reload().await?;
    page.text_when("baseline", |text| text == "the rest of the time").await?;
    // The range is kept, and the whole is compared with it.
    page.click("compare").await?;
    page.click("compare-keep").await?;
    page.text_when("comparison", |text| text.contains("Now choose another range")).await?;
    page.click("clear-filters").await?;
    page.text_when("stacks-total", |text| text == "978.5 MB").await?;
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

/// Opens the dialog in which stacks are grouped and folded.
async fn open_folding(page: &Page) -> Step {
    page.click("fold").await?;
    page.find("fold-dialog").await?;
    Ok(())
}

/// Types into a field of the open dialog, and leaves it.
async fn fill(page: &Page, field: &str, text: &str) -> Step {
    let field = page.find(field).await?;
    field.clear().await?;
    field.send_keys(text).await?;
    field.send_keys(Key::Tab).await?;
    Ok(())
}

#[browser_test]
async fn stacks_are_grouped_by_thread_and_by_patterns(page: &Page) -> Step {
    open_allocations(page).await?;
    page.click("view-tree").await?;
    open_folding(page).await?;
    page.pick("pick-roots", "by thread").await?;
    page.press(Key::Escape).await?;
    // The program says that its archivist is thread 1343.
    page.text_when("node-name", |text| text.contains("1343")).await?;
    page.text_when("node-total", |text| text == "825.1 MB").await?;
    page.text_when("stacks-total", |text| text == "978.5 MB").await?;
    open_folding(page).await?;
    page.pick("pick-roots", "all together").await?;
    fill(page, "fold-groups", "{%}!->module $1").await?;
    page.press(Key::Escape).await?;
    page.click("view-functions").await?;
    page.text_when("function-name", |text| text.starts_with("module ledger")).await?;
    page.text_when("stacks-total", |text| text == "978.5 MB").await?;
    let hash = page.hash().await?;
    assert!(hash.contains("pg="), "{hash}");
    page.reload().await?;
    page.text_when("function-name", |text| text.starts_with("module ledger")).await?;
    open_folding(page).await?;
    fill(page, "fold-groups", "@(").await?;
    page.press(Key::Escape).await?;
    page.text_when("functions-panel", |text| text.contains("is no pattern")).await?;
    open_folding(page).await?;
    page.click("fold-reset").await?;
    fill(page, "fold-framework", "Ledger").await?;
    page.press(Key::Escape).await?;
    // What the program is made of is not mine any more: what .NET calls of it stands for all of it.
    page.text_when("function-name", |text| text.starts_with("Truth.Start")).await?;
    assert!(page.hash().await?.contains("fw=Ledger"));
    page.pick("pick-source", "All events with stacks").await?;
    page.text_when("stacks-total", |text| text.ends_with(" events")).await?;
    let hash = page.hash().await?;
    assert!(hash.contains("of=*") || hash.contains("of=%2A"), "{hash}");
    Ok(())
}

#[browser_test]
async fn stacks_are_saved_for_other_programs(page: &Page) -> Step {
    open_allocations(page).await?;
    // What would be saved is looked at instead.
    let watch = "window.saved = []; const create = URL.createObjectURL;
        URL.createObjectURL = blob => { blob.text().then(text => window.saved.push(text)); return create.call(URL, blob); }";
    page.run(watch, []).await?;
    for (format, part) in
        [("folded", "Ledger.Program.Archivist"), ("speedscope", "\"type\":\"sampled\""), ("csv", "Function,Module")]
    {
        page.click("save-stacks").await?;
        page.click(&format!("export-{format}")).await?;
        page.until(format, &format!("return window.saved.length > 0 && window.saved.pop().includes('{part}')")).await?;
    }
    // The same weights, folded as shown and whole: frames of .NET around the program's.
    let sum = "text.trim().split('\\n').reduce((sum, line) => sum + Number(line.split(' ').pop()), 0)";
    for (choice, is_folded) in [("save-shown", true), ("save-whole", false)] {
        page.click("save-stacks").await?;
        page.click(choice).await?;
        page.click("export-folded").await?;
        let script = format!(
            "const text = window.saved[0]; if (!text) return false; window.sums = [...(window.sums ?? []), {sum}];
             window.saved = []; return text.includes('StartCallback') !== {is_folded}"
        );
        page.until(choice, &script).await?;
    }
    page.until("both have one total", "return window.sums.length === 2 && window.sums[0] === window.sums[1]").await?;
    Ok(())
}
