//! A saved page with the viewer and a trace in one file, opened from disk.

use base64::Engine;
use base64::prelude::BASE64_STANDARD as BASE64;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Read as _;
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

/// Writes a page with the program.
pub(super) fn write(command: &[&str], traces: &[&Path], out: &Path) -> Step {
    let written = std::process::Command::new(fixtures::tool())
        .args(command)
        .args(traces)
        .args([Path::new("--html"), out, Path::new("--page"), &fixtures::dist()])
        .output()
        .map_err(|error| error.to_string())?;
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    Ok(())
}

#[browser_test]
async fn page_written_by_program_opens_from_disk(page: &Page) -> Step {
    let trace = fixtures::unpacked("short-net10.nettrace")?;
    let out = trace.with_extension("html");
    write(&["summary"], &[&trace], &out)?;
    let asked = page.server.requests().len();
    open_saved(page, &out).await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    assert!(page.hash().await?.starts_with("/summary?v=1&file=short-net10.nettrace"));
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    assert_eq!(page.server.requests().len(), asked, "nobody was asked for anything");
    Ok(())
}

/// Returns a saved page without the content of programs and traces, and that content.
fn divided(saved: &Path) -> Step<(String, Vec<Vec<u8>>)> {
    const START: &str = "<script type=\"text/plain\" ";
    let html = std::fs::read_to_string(saved).map_err(|error| error.to_string())?;
    let mut elements = html.split(START);
    let mut frame = elements.next().unwrap_or_default().to_owned();
    let mut contents = Vec::new();
    for element in elements {
        let (start, rest) = element.split_once('>').ok_or_else(|| "an element".to_owned())?;
        let (text, end) = rest.split_once('<').ok_or_else(|| "its end".to_owned())?;
        frame += &format!("{START}{start}><{end}");
        let packed = BASE64.decode(text).map_err(|error| error.to_string())?;
        let mut content = Vec::new();
        let unpacked = flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut content);
        unpacked.map_err(|error| error.to_string())?;
        contents.push(content);
    }
    // Only a browser has read the whole trace before it writes the page.
    let (before, print) = frame.split_once("&#38;print=").unwrap_or((&frame, ""));
    let frame =
        format!("{before}{}", print.trim_start_matches(|letter: char| letter.is_ascii_hexdigit() || letter == '.'));
    Ok((frame, contents))
}

/// Name that would end attributes, elements and names in braces of a careless writer.
const HOSTILE: &str = "a\"'><img src=x onerror=\"document.title=1\">{{title}}&amp;<!--</script>.nettrace";

#[browser_test]
async fn page_and_program_write_same_page_and_names_stay_text(page: &Page) -> Step {
    // The name leaves no room for the number in the top bar.
    const OPEN: &str = "return document.querySelector('[data-testid=event-count]')?.textContent === '2,016'";
    let plain = fixtures::unpacked("short-net10.nettrace")?;
    let folder = plain.with_extension("hostile");
    // "/" is the only character that names of files can't have.
    let trace = folder.join(HOSTILE.replace('/', ""));
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    std::fs::copy(plain, &trace).map_err(|error| error.to_string())?;
    let by_program = folder.join("by-program.html");
    write(&["summary"], &[&trace], &by_program)?;
    page.open("").await?;
    page.open_trace(&trace).await?;
    page.until("the trace is open", OPEN).await?;
    page.click("share").await?;
    page.click("save-page").await?;
    page.text_when("save-size", |text| text.contains("the whole trace")).await?;
    // Browsers don't save under such a name.
    let capture = "const make = URL.createObjectURL;
        URL.createObjectURL = (content) => { window.content = content; return make.call(URL, content); };";
    page.run(capture, []).await?;
    page.click("save-now").await?;
    page.until("the page is saved", "return window.content").await?;
    let html = page.run_async("return window.content.text()", []).await?;
    let by_page = folder.join("by-page.html");
    std::fs::write(&by_page, html.as_str().unwrap_or_default()).map_err(|error| error.to_string())?;
    let ((one, contents), (other, others)) = (divided(&by_program)?, divided(&by_page)?);
    assert_eq!(one, other);
    assert!(contents == others, "the contents differ");
    for saved in [&by_program, &by_page] {
        open_saved(page, saved).await?;
        page.until("the trace is open", OPEN).await?;
        let name = trace.file_name().unwrap_or_default().to_string_lossy().into_owned();
        page.text_when("file-name", |text| text == name).await?;
        let state = "return [document.title, document.querySelectorAll('img').length]";
        assert_eq!(page.run(state, []).await?, json!([format!("{name} – Traceglass"), 0]));
        assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    }
    Ok(())
}

#[browser_test]
async fn saved_comparison_is_restored(page: &Page) -> Step {
    const CHANGES: &str = "(document.querySelector('[data-testid=changes-significant]')?.innerText ?? '')";
    let is_compared = format!("return {CHANGES}.includes('GCs fell from 19.8/s to')");
    page.open_sample("sample-cpu").await?;
    page.drop_second_file(&fixtures::unpacked("gc.nettrace")?).await?;
    page.press("c").await?;
    page.until("both are compared", &is_compared).await?;
    page.click("after-warm-up").await?;
    page.until(
        "the range is compared",
        "return document.querySelector('[data-testid=after-facts]').innerText.startsWith('5.')",
    )
    .await?;
    let before = page.run(&format!("return {CHANGES}"), []).await?;
    let (saved, said) = save_with(page, &["save-page"], "cpu-gc.html").await?;
    assert!(said.contains("and 2 whole traces ("), "{said}");

    page.server.be_gone(true);
    let asked = page.server.requests().len();
    open_saved(page, &saved).await?;
    page.until("both are compared", &format!("return {CHANGES} === {before}")).await?;
    // Files are identified after they are open.
    let is_linked = "const hash = location.hash.slice(1);
        return hash.startsWith('/compare?v=1&file=cpu.nettrace.gz&print=')
            && hash.includes('&file=gc.nettrace&print=') && hash.endsWith('&or=2s..')";
    page.until("the link names both traces", is_linked).await?;
    assert_eq!([page.text("before-name").await?, page.text("after-name").await?], ["cpu.nettrace.gz", "gc.nettrace"]);
    // Either trace opens, also after a reload.
    page.click("open-after").await?;
    page.text_when("file-name", |text| text == "gc.nettrace").await?;
    page.click("tab-compare").await?;
    page.text_when("before-name", |text| text == "cpu.nettrace.gz").await?;
    page.until("both are compared again", &is_compared).await?;
    page.reload().await?;
    page.text_when("file-name", |text| text == "gc.nettrace").await?;
    page.text_when("before-name", |text| text == "cpu.nettrace.gz").await?;
    page.until("both are compared after a reload", &is_compared).await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    assert_eq!(page.server.requests().len(), asked, "nobody was asked for anything");
    page.server.be_gone(false);

    // Only the open one.
    page.open_sample("sample-cpu").await?;
    page.drop_second_file(&fixtures::unpacked("gc.nettrace")?).await?;
    page.press("c").await?;
    page.until("both are compared", &is_compared).await?;
    let (_, said) = save_with(page, &["save-page", "save-alone"], "cpu.html").await?;
    assert!(said.contains("and the whole trace ("), "{said}");
    Ok(())
}

#[browser_test]
async fn comparison_written_by_program_is_shown(page: &Page) -> Step {
    let [old, new] = ["cpu.nettrace", "gc.nettrace"].map(fixtures::unpacked);
    let (old, new) = (old?, new?);
    let out = old.with_extension("compared.html");
    write(&["compare", "--range", "1s.."], &[&old, &new], &out)?;
    open_saved(page, &out).await?;
    page.text_when("before-range", |_| true).await?;
    page.until(
        "both are compared",
        "return document.querySelector('[data-testid=changes-significant]')?.innerText.includes('GCs fell from ')",
    )
    .await?;
    let ranges =
        "return ['before', 'after'].map((when) => document.querySelector(`[data-testid=${when}-range]`).value)";
    assert_eq!(page.run(ranges, []).await?, json!(["1s..", "1s.."]));
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

#[browser_test]
async fn saved_timeline_has_both_traces_and_offset(page: &Page) -> Step {
    let [shop, payments] =
        ["shop", "payments"].map(|name| fixtures::committed(&format!("cases/two-services-{name}.nettrace")));
    let offset = "return Number(document.querySelector('[data-testid=trace-offset]').value)";
    page.open("").await?;
    page.open_trace(&shop).await?;
    page.drop_second_file(&payments).await?;
    page.press("a").await?;
    page.text_when("trace-offset-source", |text| text.starts_with("from 10 requests")).await?;
    let measured = page.run(offset, []).await?;
    page.run("const field = document.querySelector('[data-testid=trace-offset]'); field.value = '-12.345'; field.dispatchEvent(new Event('change', { bubbles: true }))", []).await?;
    page.text_when("trace-offset-source", |text| text == "set by hand").await?;
    page.click("show-trace-1").await?;
    page.text_when("file-name", |text| text == "two-services-payments.nettrace").await?;
    let (saved, said) = save_with(page, &["save-page"], "two-services-shop-two-services-payments.html").await?;
    assert!(said.contains("and 2 whole traces ("), "{said}");

    page.server.be_gone(true);
    open_saved(page, &saved).await?;
    page.text_when("trace-1-memory", |text| text.ends_with("memory")).await?;
    page.text_when("trace-offset-source", |text| text == "set by hand").await?;
    assert_eq!(page.run(offset, []).await?, json!(-12.345));
    page.text_when("file-name", |text| text == "two-services-payments.nettrace").await?;
    assert_eq!(page.text("trace-0-name").await?, "two-services-shop.nettrace");
    page.until("no file is awaited", "return !document.querySelector('[data-testid=awaited-traces]')").await?;
    // What the user changes stays after a reload.
    page.run("const field = document.querySelector('[data-testid=trace-offset]'); field.value = '7.5'; field.dispatchEvent(new Event('change', { bubbles: true }))", []).await?;
    page.until("the URL has the offset", "return location.hash.includes('offset=7.5')").await?;
    page.reload().await?;
    page.text_when("trace-offset-source", |text| text == "set by hand").await?;
    assert_eq!(page.run(offset, []).await?, json!(7.5));
    page.click("trace-0-close").await?;
    page.until("there is no switch", "return !document.querySelector('[data-testid=trace-switch]')").await?;
    page.until("the URL has one trace", "return !location.hash.includes('how=add')").await?;
    page.reload().await?;
    page.text_when("file-name", |text| text == "two-services-payments.nettrace").await?;
    page.until("there is no switch", "return !document.querySelector('[data-testid=trace-switch]')").await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());

    // The program leaves the offset to the requests.
    let out = std::env::temp_dir().join(format!("traceglass-both-{}.html", std::process::id()));
    write(&["view"], &[&shop, &payments], &out)?;
    open_saved(page, &out).await?;
    page.text_when("trace-offset-source", |text| text.starts_with("from 10 requests")).await?;
    assert_eq!(page.run(offset, []).await?, measured);
    assert_eq!(page.text("trace-1-name").await?, "two-services-payments.nettrace");
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    std::fs::remove_file(out).map_err(|error| error.to_string())?;
    Ok(())
}
