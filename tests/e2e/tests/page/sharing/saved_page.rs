//! A saved page with the viewer and a trace in one file, opened from disk.

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use traceglass_e2e::{Page, Step, browser_test, fixtures};

/// Visible content of a view: number of matching events, functions, time range.
#[derive(PartialEq, Eq, Debug)]
struct Read {
    events: String,
    matches: String,
    functions: Vec<String>,
    stacks: String,
}

async fn read(page: &Page) -> Step<Read> {
    let functions = "return [...document.querySelectorAll('[data-testid=function-name]')].map((name) => name.closest('[role=row]').innerText)";
    let stacks = page.text_when("stacks-total", |text| !text.is_empty()).await?;
    page.text_when("function-name", |text| !text.is_empty()).await?;
    let functions = page.run(functions, []).await?;
    // Rows that fit in every window: WebKit's is lower for a page from disk.
    let functions = functions
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .take(6)
        .map(|row| row.trim_end().to_owned());
    Ok(Read {
        events: page.text("event-count").await?,
        matches: page.text_when("matches", |text| !text.is_empty()).await?,
        functions: functions.collect(),
        stacks,
    })
}

/// Saves the page, and returns the file with its description in the dialog.
async fn save(page: &Page, name: &str) -> Step<(PathBuf, String)> {
    save_with(page, &["save-page"], &format!("{name}.html")).await
}

/// Saves with choices from the menu on, and returns the file of this name with its description in the dialog.
async fn save_with(page: &Page, choices: &[&str], name: &str) -> Step<(PathBuf, String)> {
    page.click("share").await?;
    for choice in choices {
        page.click(choice).await?;
    }
    save_now(page, name).await
}

/// Saves with the open dialog, and returns the file of this name with its description in the dialog.
pub(super) async fn save_now(page: &Page, name: &str) -> Step<(PathBuf, String)> {
    let said = page.text_when("save-size", |text| text.starts_with(name)).await?;
    page.screenshot("save-page").await?;
    page.click("save-now").await?;
    Ok((page.saved(name).await?, said))
}

pub(super) async fn open_saved(page: &Page, saved: &Path) -> Step {
    page.browser().goto(format!("file://{}", saved.display())).await?;
    page.until_started().await?;
    page.find("workspace").await?;
    Ok(())
}

#[browser_test]
async fn saved_page_opens_from_disk_with_same_view_and_numbers(page: &Page) -> Step {
    page.open("/stacks?v=1&only=all&file=orders-net31.nettrace&r0=100000000&r1=900000000").await?;
    page.open_trace(&fixtures::unpacked("orders-net31.nettrace")?).await?;
    let before = read(page).await?;
    assert_eq!(before.events, "26,800");
    let (saved, said) = save(page, "orders-net31").await?;
    let size = std::fs::metadata(&saved).map_err(|error| error.to_string())?.len();
    let words = format!("orders-net31.html will be {:.2} MB: this viewer (", size as f64 / 1e6);
    assert!(said.starts_with(&words) && said.contains("and the whole trace (3.56 MB, stored as "), "{said} of {size}");

    page.server.be_gone(true);
    let asked = page.server.requests().len();
    open_saved(page, &saved).await?;
    assert_eq!(read(page).await?, before);
    assert!(page.hash().await?.starts_with("/stacks?v=1&file=orders-net31.nettrace&print="));
    // Payloads are read from the page's own trace, and so is the secondary module.
    page.press("3").await?;
    page.click("event-name").await?;
    page.text_when("detail-name", |text| !text.is_empty()).await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    assert_eq!(page.server.requests().len(), asked, "nobody was asked for anything");
    page.screenshot("saved-page").await
}

#[browser_test]
async fn saved_page_may_not_connect(page: &Page) -> Step {
    page.open("").await?;
    page.open_trace(&fixtures::unpacked("short-net10.nettrace")?).await?;
    let (saved, _) = save(page, "short-net10").await?;
    open_saved(page, &saved).await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    let asked = page.server.requests().len();
    let fetch = "return fetch(arguments[0], { mode: 'no-cors' }).then(() => 'answered', () => 'refused')";
    assert_eq!(page.run_async(fetch, [json!(page.server.address())]).await?, "refused");
    let from_worker = "
        const code = `fetch('${arguments[0]}', { mode: 'no-cors' }).then(() => postMessage('answered'), () => postMessage('refused'))`;
        const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })));
        return new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data); });";
    assert_eq!(page.run_async(from_worker, [json!(page.server.address())]).await?, "refused");
    assert_eq!(page.server.requests().len(), asked, "nothing went out");
    let policy = page.run("return document.querySelector('meta[http-equiv]').content", []).await?;
    assert!(policy.as_str().is_some_and(|policy| policy.contains("connect-src 'none'")), "{policy}");
    Ok(())
}

#[browser_test]
async fn saved_page_keeps_compressed_trace_and_opens_others(page: &Page) -> Step {
    page.open("").await?;
    page.click("sample-gc").await?;
    page.text_when("event-count", |text| text == "116,276").await?;
    let (saved, said) = save(page, "gc").await?;
    assert!(said.contains("the whole trace (951 kB, stored as 1.27 MB)."), "{said}");
    open_saved(page, &saved).await?;
    page.text_when("event-count", |text| text == "116,276").await?;
    page.text_when("file-name", |text| text == "gc.nettrace.gz").await?;
    // Other traces can be dropped, including compressed ones.
    page.drop_file(&fixtures::in_zstd("short-net10.nettrace")?).await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    Ok(())
}

#[browser_test]
async fn filtered_events_are_saved_as_page_and_trace(page: &Page) -> Step {
    page.open("/stacks?v=1&only=all&file=orders-net31.nettrace&r0=100000000&r1=900000000").await?;
    page.open_trace(&fixtures::unpacked("orders-net31.nettrace")?).await?;
    let before = read(page).await?;
    let (html, said) = save_with(page, &["save-page", "save-shown"], "orders-net31-part.html").await?;
    assert!(said.contains("a part of the trace with "), "{said}");
    let (part, said) = save_with(page, &["save-part"], "orders-net31-part.nettrace").await?;
    let events = said.split(' ').nth(3).unwrap_or_default();
    let bytes = std::fs::metadata(&part).map_err(|error| error.to_string())?.len();
    assert_eq!(said, format!("orders-net31-part.nettrace will have {events} events, {:.0} kB.", bytes as f64 / 1e3));

    open_saved(page, &html).await?;
    let in_page = read(page).await?;
    assert_eq!((in_page.events.as_str(), &in_page.matches), (events, &before.matches));
    // The duration of a sample depends on adjacent samples, so times at the edges differ, and the last visible row may
    // have changed places with the next one.
    let names = |read: &Read| -> BTreeSet<String> {
        let names = read.functions.iter().filter_map(|row| row.rsplit_once('\n')?.0.rsplit_once('\n'));
        names.map(|(name, _)| name.to_owned()).collect()
    };
    let (now, then) = (names(&in_page), names(&before));
    assert!(now.len() == then.len() && now.difference(&then).count() <= 1, "{now:?}, and before {then:?}");

    page.open("").await?;
    page.open_trace(&part).await?;
    assert_eq!(page.text_when("event-count", |text| !text.is_empty()).await?, events);
    page.browser().goto("about:blank").await?;
    page.open("/stacks?v=1&only=all&file=orders-net31-part.nettrace&r0=100000000&r1=900000000").await?;
    page.open_trace(&part).await?;
    let alone = read(page).await?;
    assert_eq!(Read { events: in_page.events.clone(), ..alone }, in_page);
    Ok(())
}

#[browser_test]
async fn page_written_by_program_opens_from_disk(page: &Page) -> Step {
    let trace = fixtures::unpacked("short-net10.nettrace")?;
    let out = trace.with_extension("html");
    let written = std::process::Command::new(fixtures::tool())
        .arg("summary")
        .args([&trace, &PathBuf::from("--html"), &out, &PathBuf::from("--page"), &fixtures::dist()])
        .output()
        .map_err(|error| error.to_string())?;
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    let asked = page.server.requests().len();
    open_saved(page, &out).await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    assert!(page.hash().await?.starts_with("/summary?v=1&file=short-net10.nettrace"));
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    assert_eq!(page.server.requests().len(), asked, "nobody was asked for anything");
    Ok(())
}
