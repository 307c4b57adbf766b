//! Questions about a program, answered through the stacks by what a user does, with numbers that were counted elsewhere:
//! by the program itself (`*.truth.json` beside the recordings), or from the payloads of events.

use thirtyfour::Key;
use traceglass_e2e::{Page, Step, browser_test};

async fn open_gc(page: &Page) -> Step {
    page.open("").await?;
    page.click("sample-gc").await?;
    page.text_when("event-count", |text| text == "116,276").await?;
    page.press("2").await
}

/// The orders program allocated 38,191,296 bytes of strings, by the sum over its 354 ticks about `System.String`.
#[browser_test]
async fn which_method_allocates_most_strings(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("2").await?;
    page.pick("pick-source", "GC/AllocationTick").await?;
    page.find("search").await?.send_keys("System.String").await?;
    page.text_when("matches", |text| text != "26,800").await?;
    page.text_when("stacks-total", |text| text == "38.2 MB").await?;
    let heaviest = page.text_when("function-name", |text| !text.is_empty()).await?;
    page.click("function-name").await?;
    page.text_when("detail-name", |text| heaviest.ends_with(text) || text.ends_with(&heaviest)).await?;
    // Who calls it stands in the details.
    page.until("callers are listed", "return document.querySelectorAll('[data-testid=callers-list] tr').length > 0")
        .await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

/// The program counted 33,256 times that a thread had to wait for a lock.
#[browser_test]
async fn what_waited_for_locks(page: &Page) -> Step {
    open_gc(page).await?;
    page.pick("pick-source", "Contention/Start").await?;
    page.pick("pick-weight", "events").await?;
    page.text_when("stacks-total", |text| text == "33,256 events").await?;
    page.click("view-functions").await?;
    page.click("sort-total").await?;
    page.find("find-function").await?.send_keys("Program.Clerk").await?;
    page.text_when("function-name", |text| text.contains("Program.Clerk")).await?;
    // Nobody else waited.
    page.text_when("find-function-share", |text| text == "1 found · 100 %").await?;
    page.text_when("function-total", |text| text == "33,256").await?;
    // Everything else obeys, too, once it is asked to.
    page.click("function-name").await?;
    page.press("x").await?;
    page.find("chip-stack-Ledger.Program.Clerk(Random)").await?;
    page.text_when("matches", |text| text != "116,276").await?;
    assert!(page.hash().await?.contains("on=ledger.Ledger.Program.Clerk"), "{}", page.hash().await?);
    page.reload().await?;
    page.find("chip-stack-Ledger.Program.Clerk(Random)").await?;
    page.text_when("stacks-total", |text| text == "33,256 events").await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

/// What waited for one of the five locks that threads had to wait for. `tests/exports` adds up the same from the events:
/// 33,252 waits for it, 6.169807521 s from each thread's start of waiting to its next stop.
#[browser_test]
async fn what_waited_for_one_lock(page: &Page) -> Step {
    open_gc(page).await?;
    page.pick("pick-source", "Contention/Start").await?;
    page.find("search").await?.send_keys("event=Contention/Start payload.LockID=139809909644024").await?;
    page.text_when("matches", |text| text == "33,252").await?;
    page.pick("pick-weight", "events").await?;
    page.text_when("stacks-total", |text| text == "33,252 events").await?;
    // From the details of a wait the same is asked for by a button beside the lock's number.
    page.click("clear-filters").await?;
    page.text_when("stacks-total", |text| text == "33,256 events").await?;
    page.find("search").await?.send_keys("event=Contention/Start").await?;
    page.text_when("matches", |text| text == "33,256").await?;
    page.pointer().send_keys(Key::Escape).perform().await?;
    page.until("the field is left", "document.activeElement?.blur(); return document.activeElement === document.body")
        .await?;
    page.press("3").await?;
    page.text_when("event-name", |text| text == "Contention/Start").await?;
    page.click("event-name").await?;
    page.text_when("detail-name", |text| text == "Contention/Start").await?;
    let only = page.find("only-LockID").await?;
    assert_eq!(only.attr("aria-label").await?.as_deref(), Some("Only events with LockID=139809909644024"));
    only.focus().await?;
    only.send_keys(Key::Enter).await?;
    page.text_when("matches", |text| text == "33,252").await?;
    page.press("2").await?;
    page.text_when("stacks-total", |text| text == "33,252 events").await?;
    page.pick("pick-weight", "duration").await?;
    page.text_when("stacks-total", |text| text == "6.170 s").await?;
    // How long each stack waited: all of it below the clerks.
    page.click("view-functions").await?;
    page.click("sort-total").await?;
    page.find("find-function").await?.send_keys("Program.Clerk").await?;
    page.text_when("function-total", |text| text == "6.170 s").await?;
    assert!(page.hash().await?.contains("139809909644024"), "{}", page.hash().await?);
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

#[browser_test]
async fn rows_tell_when_they_were_on_the_stack(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("2").await?;
    for view in ["view-tree", "view-bottom-up", "view-functions"] {
        page.click(view).await?;
        let drawn =
            "const seen = [...document.querySelectorAll('[data-testid=when]')].filter(cell => cell.checkVisibility());
            return seen.length > 3 && seen.slice(0, 3).every(cell =>
                /^(all the time|mostly [0-9.]+ – [0-9.]+ s)$/.test(cell.getAttribute('aria-label'))
                && cell.querySelector('path').getAttribute('d').startsWith('M0 16'))";
        page.until(view, drawn).await?;
    }
    Ok(())
}

#[browser_test]
async fn a_tree_opens_at_once_and_is_found_in_and_copied(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("2").await?;
    page.click("view-tree").await?;
    page.text_when("node-name", |text| !text.is_empty()).await?;
    let rows = "return Number(document.querySelector('[data-testid=tree]').dataset.rows)";
    let before = page.run(rows, []).await?.as_u64();
    // The first row, and all below it.
    page.click("node-name").await?;
    page.press("*").await?;
    page.until("more rows", &format!("{} > {}", rows, before.unwrap_or(0) + 10)).await?;
    page.find("find-node").await?.send_keys("Contend").await?;
    page.text_when("find-node-share", |text| text == "1 found · 31 %").await?;
    page.until("it stands out", "return document.querySelectorAll('.fname.found').length > 0").await?;
    page.watch_clipboard().await?;
    page.run("document.querySelector('[data-testid=tree]').focus()", []).await?;
    page.press_with(Key::Control, "c").await?;
    let copied = page.copied().await?;
    let is_contend = |line: &str| line.contains("31 %\t") && line.ends_with(" Program.Contend()");
    assert!(copied.lines().any(is_contend), "{copied}");
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

#[browser_test]
async fn functions_are_sorted_by_any_column(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("2").await?;
    page.click("view-functions").await?;
    page.text_when("function-self", |text| text == "14.633 s").await?;
    page.click("sort-self").await?;
    page.text_when("function-self", |text| text == "0 ns").await?;
    page.click("sort-stacks").await?;
    page.text_when("function-stacks", |text| text == "1,468").await?;
    page.click("sort-name").await?;
    page.text_when("function-name", |text| text.starts_with("(code without a name)")).await?;
    page.click("sort-name").await?;
    page.text_when("function-name", |text| !text.is_empty() && !text.starts_with('(')).await?;
    Ok(())
}

/// The pointer rests on a box; what is known of it is there within 50 ms.
#[browser_test(alone)]
async fn details_follow_the_pointer(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("2").await?;
    page.until("boxes", "return Number(document.querySelector('[data-testid=flame-canvas]')?.dataset.boxes) > 5")
        .await?;
    // The median of some: the first one also compiles what it runs through.
    let measure = "const canvas = document.querySelector('[data-testid=flame-canvas]');
        const tip = document.querySelector('[data-testid=flame-tip]'); const place = canvas.getBoundingClientRect();
        const took = [];
        for (let turn = 0; turn < 5; turn++) {
          const begin = performance.now();
          const at = { clientX: place.left + 100, clientY: place.top + 30 };
          canvas.dispatchEvent(new MouseEvent('mousemove', { ...at, bubbles: true }));
          while (tip.hidden || !tip.innerText.includes('Total')) await new Promise(requestAnimationFrame);
          took.push(performance.now() - begin);
          canvas.dispatchEvent(new MouseEvent('mouseleave', at));
          while (!tip.hidden) await new Promise(requestAnimationFrame);
        }
        return took.sort((a, b) => a - b)[2]";
    let millis = page.run_async(measure, []).await?.as_f64().unwrap_or(f64::MAX);
    assert!(millis < 50.0, "{millis} ms");
    Ok(())
}

/// Samples of a machine show threads on a processor; switches tell for how long they were off it.
#[browser_test]
async fn threads_of_a_machine_are_on_a_processor_or_off_it(page: &Page) -> Step {
    page.open("").await?;
    page.open_trace(&traceglass_e2e::fixtures::unpacked("orders-v6.nettrace")?).await?;
    page.press("2").await?;
    page.text_when("stacks-total", |text| text == "7.212 s").await?;
    page.pick("pick-source", "Off the processor (18,735)").await?;
    page.text_when("stacks-total", |text| text == "62.925 s").await?;
    page.pick("pick-weight", "events").await?;
    page.text_when("stacks-total", |text| text == "18,735 events").await?;
    Ok(())
}

/// Names of code come from a `perf-PID.map` that is dropped on the page; what belongs elsewhere is refused in a sentence.
#[browser_test]
async fn a_dropped_perf_map_names_code(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("2").await?;
    page.click("just-my-code").await?;
    page.click("view-functions").await?;
    // Addresses are together at first.
    let field = page.find("find-function").await?;
    field.send_keys("code without").await?;
    page.text_when("function-name", |text| text.starts_with("(code without a name)")).await?;
    page.click("function-name").await?;
    page.press("e").await?;
    page.find("shown-family").await?;
    field.clear().await?;
    field.send_keys("?!0x").await?;
    page.text_when("function-name", |text| text.starts_with("?!0x")).await?;
    page.until_still().await?;
    let name = page.text("function-name").await?;
    let (address, weight) = (name.trim_start_matches("?!"), page.text("function-self").await?);
    let line = format!("{address} 1 instance int32 [Shop] Shop.Cart::Total(string)[OptimizedTier1]\n");
    page.drop_file(&page.file("perf-6702.map", line.as_bytes())?).await?;
    page.text_when("toast", |text| text == "perf-6702.map names 1 address of stacks.").await?;
    field.clear().await?;
    field.send_keys("Shop.Cart").await?;
    page.text_when("function-name", |text| text.replace('\n', "") == "Shop.Cart.Total(string)").await?;
    page.text_when("function-self", |text| text == weight).await?;
    page.drop_file(&page.file("other.pdb", b"BSJB and nothing")?).await?;
    page.text_when("toast", |text| text.starts_with("other.pdb begins as a portable PDB")).await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}
