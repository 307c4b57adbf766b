//! Failures other than of the file: network, disk, programs. Each has its own message, and the page works afterwards.

use serde_json::json;
use std::path::Path;
use traceglass_e2e::{Need, Page, Step, Trouble, browser_test, fixtures};
use xtask::browser::Engine;

/// Checks that the page can still open a trace.
async fn still_works(page: &Page) -> Step {
    page.open_trace(&fixtures::unpacked("short-net10.nettrace")?).await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    Ok(())
}

async fn failed_with(page: &Page, code: &str, words: &str) -> Step {
    let message = page.text_when("failure-message", |text| text.contains(words)).await?;
    let screen = page.find("failed").await?;
    assert_eq!(screen.attr("data-code").await?.as_deref(), Some(code), "{message}");
    Ok(())
}

/// Changes a file. `Page::file` would not change one that the page may have opened.
fn change(path: &Path, bytes: &[u8]) -> Step {
    std::fs::write(path, bytes).map_err(|error| Trouble(format!("{}: {error}", path.display())))
}

#[browser_test]
async fn host_without_cors_is_explained(page: &Page) -> Step {
    let (host, address) = fixtures::trace_host()?;
    host.forbid_other_origins();
    page.open(&format!("/summary?v=1&url={}", fixtures::escaped(&address))).await?;
    let origin = page.run("return location.origin", []).await?;
    let header = format!("“Access-Control-Allow-Origin: {}”", origin.as_str().unwrap_or_default());
    failed_with(page, "Fetch", &format!("It must send the header {header}")).await?;
    assert_eq!(host.requests().len(), 1, "the host was asked");
    still_works(page).await
}

#[browser_test(needs(Need::UnchangedFiles))]
async fn changed_file_is_reported(page: &Page) -> Step {
    let good = std::fs::read(fixtures::unpacked("short-net10.nettrace")?).map_err(|error| error.to_string())?;
    let path = page.file("changing.nettrace", &good)?;
    page.open("").await?;
    page.open_trace(&path).await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    change(&path, &[good.as_slice(), b"more"].concat())?;
    // Table rows are in memory; payloads are read from the file.
    page.click("tab-events").await?;
    page.find("search").await?.send_keys("nowhere-to-be-found").await?;
    let shown = "return [...document.querySelectorAll('[role=alert]')].some((line) => line.checkVisibility() && /file was changed, moved/.test(line.textContent))";
    page.until("it is shown", shown).await?;
    still_works(page).await
}

#[browser_test]
async fn deleted_file_is_reported(page: &Page) -> Step {
    let good = std::fs::read(fixtures::unpacked("short-net10.nettrace")?).map_err(|error| error.to_string())?;
    let path = page.file("going.nettrace", &good)?;
    page.open("").await?;
    let field = page.field_with(&path).await?;
    // Chromium checks the file's metadata; other browsers notice it only when they read the file.
    if Engine::chosen() == Engine::Chromium {
        change(&path, b"something else")?;
    } else {
        std::fs::remove_file(&path).map_err(|error| error.to_string())?;
    }
    let drop = "const data = new DataTransfer(); data.items.add(arguments[0].files[0]);
                document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))";
    page.run(drop, [field.to_json()?]).await?;
    if Engine::chosen() == Engine::WebKit {
        // Depending on when the browser checks the file, it is missing or empty.
        page.text_when("failed", |text| text.contains("deleted")).await?;
        let code = page.find("failed").await?.attr("data-code").await?;
        assert!(matches!(code.as_deref(), Some("EmptyFile" | "Unreadable")), "{code:?}");
    } else {
        failed_with(page, "Unreadable", "may have been changed").await?;
    }
    still_works(page).await
}

#[browser_test]
async fn worker_download_failure_can_be_retried(page: &Page) -> Step {
    page.server.replace("worker_bg.wasm", b"<p>Sign in to the network</p>".to_vec());
    page.open("").await?;
    page.drop_file(&fixtures::unpacked("short-net10.nettrace")?).await?;
    failed_with(page, "Crashed", "couldn't start").await?;
    page.server.replace("worker_bg.wasm", fixtures::built("worker_bg.wasm")?);
    still_works(page).await
}

#[browser_test]
async fn worker_of_other_build_is_rejected(page: &Page) -> Step {
    let of_reader = "return performance.getEntriesByType('resource').map((entry) => entry.name)
                       .map((name) => name.match(/worker_bg\\.wasm\\?v=(.+)/)?.[1]).find(Boolean) ?? null";
    page.open("").await?;
    page.until("the reader comes", &of_reader.replace("?? null", "!== undefined")).await?;
    let build = page.run(of_reader, []).await?;
    let build = build.as_str().unwrap_or_default().as_bytes().to_vec();
    let other = build.iter().rev().copied().collect::<Vec<u8>>();
    assert_ne!(build, other);
    let (mut reader, mut replaced) = (fixtures::built("worker_bg.wasm")?, 0);
    while let Some(at) = reader.windows(build.len()).position(|bytes| bytes == build) {
        reader[at..at + build.len()].copy_from_slice(&other);
        replaced += 1;
    }
    assert!(replaced > 0, "the reader names its build");
    page.server.replace("worker_bg.wasm", reader);
    page.open("/summary?v=1").await?;
    page.reload().await?;
    page.drop_file(&fixtures::unpacked("short-net10.nettrace")?).await?;
    failed_with(page, "VersionSkew", "Traceglass was updated").await?;
    // Follows the advice of the page.
    page.server.replace("worker_bg.wasm", fixtures::built("worker_bg.wasm")?);
    page.run("window.isBefore = true", []).await?;
    page.click("reload").await?;
    page.until("the page is a new one", "return !window.isBefore").await?;
    page.until_started().await?;
    still_works(page).await
}

#[browser_test]
async fn crashed_worker_closes_only_its_trace(page: &Page) -> Step {
    let mut script = fixtures::built("worker.js")?;
    let trap = "\nnew BroadcastChannel('stop').onmessage = () => { throw new Error('planted'); };\n";
    script.extend_from_slice(trap.as_bytes());
    page.server.replace("worker.js", script);
    page.open("").await?;
    still_works(page).await?;
    page.run("new BroadcastChannel('stop').postMessage(1)", []).await?;
    failed_with(page, "Crashed", "worker crashed").await?;
    let detail = page.text("failure-detail").await?;
    assert!(detail.contains("planted"), "{detail}");
    still_works(page).await
}

#[browser_test]
async fn page_fault_screen_does_not_need_page(page: &Page) -> Step {
    // Errors in scripts of a driver aren't the page's own, so they are reported in full.
    page.before_everything("addEventListener('stop', () => { throw new WebAssembly.RuntimeError('unreachable') })")?;
    page.open("").await?;
    still_works(page).await?;
    page.run("dispatchEvent(new Event('stop'))", []).await?;
    page.until(
        "the message covers the page",
        "return document.querySelector('.fatal h1')?.textContent === 'Traceglass stopped'",
    )
    .await?;
    page.until("its button has the focus", "return document.activeElement.textContent === 'Reload'").await?;
    // Nothing below it can be reached.
    let reached = "return [...document.body.children].filter((one) => !one.inert).map((one) => one.className)";
    assert_eq!(page.run(reached, []).await?, json!(["fatal"]));
    page.run("document.activeElement.click()", []).await?;
    page.until("the message is gone", "return !document.querySelector('.fatal')").await?;
    page.until_started().await?;
    assert_eq!(page.run("return document.querySelectorAll('.fatal').length", []).await?, json!(0));
    still_works(page).await
}
