//! Files that aren't traces, or are truncated: each has its own message, and the page keeps working.

use std::path::Path;
use traceglass_e2e::{Page, Step, browser_test, fixtures};

async fn fails_with(page: &Page, file: &Path, code: &str, words: &str) -> Step {
    page.drop_file(file).await?;
    let message = page.text_when("failure-message", |text| !text.is_empty()).await?;
    let screen = page.find("failed").await?;
    assert_eq!(screen.attr("data-code").await?.as_deref(), Some(code), "{message}");
    assert!(message.contains(words), "{message}");
    Ok(())
}

#[browser_test]
async fn bad_files_have_own_messages_and_page_keeps_working(page: &Page) -> Step {
    let good = fixtures::unpacked("short-net10.nettrace")?;
    let cut_in_the_header = std::fs::read(&good).map_err(|error| error.to_string())?[..40].to_vec();
    let heap_dump =
        b"\x14\0\0\0!FastSerialization.1\x05\x05\x01\x01\0\0\0\x01\0\0\0\x12\0\0\0Graphs.GCHeapDump".to_vec();
    let profile = b"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"profiles\":[]}".to_vec();
    let files: [(&str, Vec<u8>, &str, &str); 8] = [
        ("picture.nettrace", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), "NotATrace", "a PNG image"),
        ("empty.nettrace", Vec::new(), "EmptyFile", "The file has 0 bytes"),
        ("heap.gcdump", heap_dump, "NotATrace", "a .gcdump"),
        ("stacks.speedscope.json", profile, "NotATrace", "a speedscope profile"),
        ("notes.nettrace", b"Dear diary, nothing to report.\n".to_vec(), "NotATrace", "text"),
        ("newer.nettrace", b"Nettrace\0\0\0\0\x09\0\0\0\0\0\0\0".to_vec(), "UnsupportedVersion", "format version 9"),
        ("begun.nettrace", cut_in_the_header, "DamagedHeader", "ends inside its header"),
        (
            "empty.zip",
            b"PK\x03\x04 and then nothing that could be unpacked".to_vec(),
            "NotATrace",
            "ZIP archive is truncated",
        ),
    ];
    page.open("").await?;
    let mut messages = std::collections::BTreeSet::new();
    for (name, bytes, code, words) in files {
        fails_with(page, &page.file(name, &bytes)?, code, words).await?;
        messages.insert(page.text("failure-message").await?);
        // A trace can be opened from the failure screen.
        page.open_trace(&good).await?;
        page.text_when("event-count", |text| text == "2,016").await?;
    }
    assert_eq!(messages.len(), 8, "no two alike: {messages:?}");
    Ok(())
}

#[browser_test]
async fn truncated_trace_shows_content_and_end(page: &Page) -> Step {
    page.open("").await?;
    page.open_trace(&fixtures::unpacked("cut-net10.nettrace")?).await?;
    page.text_when("event-count", |text| text == "32,251").await?;
    page.text_when("damage-banner", |text| text.contains("29,308 more bytes expected")).await?;
    Ok(())
}

#[browser_test]
async fn empty_recording_is_explained(page: &Page) -> Step {
    page.open("").await?;
    page.open_trace(&fixtures::unpacked("aborted-net31.nettrace")?).await?;
    page.text_when("event-count", |text| text == "0").await?;
    Ok(())
}

#[browser_test]
async fn trace_opens_again_after_program_download_failed(page: &Page) -> Step {
    let trace = fixtures::unpacked("short-net10.nettrace")?;
    page.server.withhold("app.js");
    page.open("").await?;
    page.drop_file(&trace).await?;
    page.text_when("app-failed", |text| text.contains("choose the trace again")).await?;
    page.server.replace("app.js", fixtures::built("app.js")?);
    page.run("document.querySelector('[data-testid=app-failed]').close()", []).await?;
    page.open_trace(&trace).await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    Ok(())
}

#[browser_test]
async fn trace_waits_for_stylesheets(page: &Page) -> Step {
    const STYLESHEET: &str =
        "return document.getElementById('styles-of-a-trace').content.querySelector('link').getAttribute('href')";
    let trace = fixtures::unpacked("short-net10.nettrace")?;
    page.open("").await?;
    let stylesheet = page.run(STYLESHEET, []).await?;
    let stylesheet = stylesheet.as_str().unwrap_or_default().trim_start_matches("./");
    page.server.withhold(stylesheet);
    page.drop_file(&trace).await?;
    page.text_when("app-failed", |text| text.contains("choose the trace again")).await?;
    page.server.replace(stylesheet, fixtures::built(stylesheet)?);
    page.run("document.querySelector('[data-testid=app-failed]').close()", []).await?;
    page.open_trace(&trace).await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    let left = page.run("return document.querySelectorAll('link[rel=stylesheet]').length", []).await?;
    let listed = page.run("return document.styleSheets.length", []).await?;
    assert_eq!(left, listed, "each stylesheet once");
    Ok(())
}
