//! Export of stacks for other tools.

use super::open_allocations;
use traceglass_e2e::{Page, Step, browser_test};

#[browser_test]
async fn stacks_are_exported_for_other_tools(page: &Page) -> Step {
    open_allocations(page).await?;
    // Records the saved file.
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
    // The same total weight, folded and complete: with .NET frames around the app's.
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
