//! Recent files: stored as handles if the browser supports them, and reopened after the browser asks the user.

use serde_json::{Value, json};
use thirtyfour::prelude::*;
use traceglass_e2e::accessibility::{can_look, none, violations};
use traceglass_e2e::{Need, Page, Step, browser_test, fixtures};

/// Script that puts a file into the page's own file system, and makes the picker return it: its handle is a real one,
/// but the browser never asks the user about it.
const CHOOSE: &str = "
    const [name, bytes] = arguments;
    const folder = await navigator.storage.getDirectory();
    const handle = await folder.getFileHandle(name, { create: true });
    const writer = await handle.createWritable();
    await writer.write(Uint8Array.from(atob(bytes), (character) => character.charCodeAt(0)));
    await writer.close();
    globalThis.showOpenFilePicker = async () => [handle];";

/// Script that makes the browser ask the user before it returns a file; `asked` counts the questions.
const ASKING: &str = "
    globalThis.asked = 0;
    FileSystemHandle.prototype.queryPermission = async () => 'prompt';
    FileSystemHandle.prototype.requestPermission = async () => { asked += 1; return 'granted'; };";

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |value: u32| char::from(DIGITS[(value & 63) as usize]);
    let mut text = String::new();
    for piece in bytes.chunks(3) {
        let [a, b, c] = [0, 1, 2].map(|at| u32::from(piece.get(at).copied().unwrap_or(0)));
        let bits = a << 16 | b << 8 | c;
        let digits = [digit(bits >> 18), digit(bits >> 12), digit(bits >> 6), digit(bits)];
        text.extend(digits.iter().enumerate().map(|(at, digit)| if at > piece.len() { '=' } else { *digit }));
    }
    text
}

/// Opens a committed trace under a name with the button of the start page, and waits until it is open.
async fn choose(page: &Page, trace: &str, name: &str) -> Step {
    choose_with(page, "choose-file", trace, name).await
}

/// Opens a committed trace under a name with any button.
async fn choose_with(page: &Page, button: &str, trace: &str, name: &str) -> Step {
    let bytes = std::fs::read(fixtures::compressed(trace)).map_err(|error| error.to_string())?;
    page.run_async(CHOOSE, [json!(name), json!(base64(&bytes))]).await?;
    page.click(button).await?;
    if button == "open" {
        page.click("second-replace").await?;
    }
    page.find("workspace").await?;
    page.text_when("file-name", |text| text == name).await?;
    page.until("the trace is open as a whole", "return !document.querySelector('[data-testid=still-reading]')").await
}

/// Returns the visible lines of the list.
async fn listed(page: &Page) -> Step<Vec<String>> {
    let script = "return [...document.querySelectorAll('[data-testid=recent]')].map((line) => line.innerText)";
    let lines = page.run(script, []).await?;
    let lines = lines.as_array().into_iter().flatten().filter_map(Value::as_str);
    Ok(lines.map(|line| line.replace('\n', " ").trim().to_owned()).collect())
}

async fn go_home(page: &Page) -> Step {
    page.browser().goto("about:blank").await?;
    page.open("").await?;
    page.find("landing").await?;
    Ok(())
}

async fn until_listed(page: &Page, count: usize) -> Step<Vec<String>> {
    let script = format!("return document.querySelectorAll('[data-testid=recent]').length === {count}");
    page.until(&format!("{count} files are listed"), &script).await?;
    listed(page).await
}

#[browser_test(needs(Need::FileHandles))]
async fn recent_file_is_listed_and_opens_after_permission(page: &Page) -> Step {
    page.before_everything(ASKING)?;
    page.open("").await?;
    assert_eq!(listed(page).await?, Vec::<String>::new());
    choose(page, "short-net10.nettrace", "short.nettrace.gz").await?;
    go_home(page).await?;
    choose(page, "orders-net31.nettrace", "orders.nettrace.gz").await?;
    go_home(page).await?;
    let lines = until_listed(page, 2).await?;
    assert!(lines[0].starts_with("orders.nettrace.gz 721 kB today, "), "the latest first: {lines:?}");
    assert!(lines[1].starts_with("short.nettrace.gz 59.2 kB today, "), "{lines:?}");
    page.screenshot("recent").await?;
    if can_look() {
        none(violations(page, "recent files").await?)?;
    }

    page.click("recent").await?;
    page.text_when("event-count", |text| text == "26,800").await?;
    assert_eq!(page.run("return asked", []).await?, 1, "the browser asked once");
    go_home(page).await?;
    until_listed(page, 2).await?;
    // Single files and all files can be removed, and stay removed.
    page.click("forget").await?;
    let lines = until_listed(page, 1).await?;
    assert!(lines[0].starts_with("short"), "{lines:?}");
    go_home(page).await?;
    until_listed(page, 1).await?;
    page.click("forget-all").await?;
    until_listed(page, 0).await?;
    go_home(page).await?;
    assert_eq!(listed(page).await?, Vec::<String>::new());
    assert!(!page.run("return !!document.querySelector('[data-testid=recents]')", []).await?.as_bool().unwrap_or(true));
    Ok(())
}

#[browser_test(needs(Need::FileHandles))]
async fn only_ten_handles_are_stored(page: &Page) -> Step {
    page.open("").await?;
    for number in 0..11 {
        let button = if number == 0 { "choose-file" } else { "open" };
        choose_with(page, button, "short-net10.nettrace", &format!("t{number}.nettrace.gz")).await?;
    }
    go_home(page).await?;
    let lines = until_listed(page, 10).await?;
    assert!(lines[0].starts_with("t10.") && lines[9].starts_with("t1."), "{lines:?}");
    let kept = page
        .run_async(
            "const base = await new Promise((resolve) => {
               const request = indexedDB.open('traceglass');
               request.onsuccess = () => resolve(request.result);
             });
             const [store] = base.objectStoreNames;
             const entries = await new Promise((resolve) => {
               const request = base.transaction(store).objectStore(store).getAll();
               request.onsuccess = () => resolve(request.result);
             });
             const kinds = (entry) => Object.entries(entry).map(([key, value]) =>
               key + ' ' + (typeof value === 'object' ? value.constructor.name : typeof value));
             return kinds(entries[0]).sort().join(', ');",
            [],
        )
        .await?;
    assert_eq!(kept, "bytes number, handle FileSystemFileHandle, id number, name string, opened number");
    Ok(())
}

#[browser_test(needs(Need::FileHandles))]
async fn reload_restores_view_with_one_click(page: &Page) -> Step {
    page.before_everything(ASKING)?;
    page.open("").await?;
    choose(page, "orders-net31.nettrace", "orders.nettrace.gz").await?;
    page.press("3").await?;
    page.pick("pick-thread", "6712").await?;
    let total = page.text_when("events-total", |text| !text.is_empty() && text != "26,800").await?;
    page.until("the address knows both", "return location.hash.includes('&print=') && location.hash.includes('6712')")
        .await?;
    page.reload().await?;
    let words = page.text_when("awaited-file", |text| text.contains("Open again")).await?;
    assert!(words.starts_with("This link shows orders.nettrace.gz, 721 kB."), "{words}");
    page.click("open-again").await?;
    page.text_when("events-total", |text| text == total).await?;
    assert_eq!(page.run("return asked", []).await?, 1);
    Ok(())
}

#[browser_test(needs(Need::FileHandles))]
async fn reload_opens_permitted_file_automatically(page: &Page) -> Step {
    page.open("").await?;
    choose(page, "short-net10.nettrace", "short.nettrace.gz").await?;
    page.until("the address knows the file", "return location.hash.includes('&print=')").await?;
    page.reload().await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    Ok(())
}

#[browser_test]
async fn files_open_without_handle_support(page: &Page) -> Step {
    page.before_everything("delete globalThis.showOpenFilePicker;")?;
    page.open("").await?;
    let input = page.browser().find(By::Testid("file-input")).await?;
    input.send_keys(fixtures::unpacked("short-net10.nettrace")?.to_string_lossy().as_ref()).await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    go_home(page).await?;
    assert_eq!(listed(page).await?, Vec::<String>::new());
    Ok(())
}

#[browser_test(needs(Need::FileHandles))]
async fn file_from_system_launch_opens(page: &Page) -> Step {
    page.before_everything("Object.defineProperty(globalThis, 'launchQueue', { value: { setConsumer(open) { globalThis.launch = open; } } });")?;
    page.open("").await?;
    let bytes = std::fs::read(fixtures::compressed("short-net10.nettrace")).map_err(|error| error.to_string())?;
    page.run_async(CHOOSE, [json!("started.nettrace.gz"), json!(base64(&bytes))]).await?;
    page.run_async("launch({ files: await showOpenFilePicker() })", []).await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    page.text_when("file-name", |text| text == "started.nettrace.gz").await?;
    Ok(())
}
