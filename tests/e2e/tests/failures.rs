//! Files that are no trace, or only part of one: each gets its own message, and the page lives on.

use serde_json::json;
use std::path::Path;
use traceglass_e2e::{Page, Step, drive, fixtures};

async fn fails_with(page: &Page, file: &Path, code: &str, words: &str) -> Step {
    page.drop_file(file).await?;
    let message = page.text_when("failure-message", |text| !text.is_empty()).await?;
    let screen = page.find("failed").await?;
    assert_eq!(screen.attr("data-code").await?.as_deref(), Some(code), "{message}");
    assert!(message.contains(words), "{message}");
    Ok(())
}

#[test]
fn each_bad_file_has_its_own_message_and_the_page_lives_on() {
    drive("bad-files", async |page| {
        let picture = fixtures::file("picture.nettrace", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01")?;
        let empty = fixtures::file("empty.nettrace", b"")?;
        page.open("").await?;
        fails_with(page, &picture, "NotATrace", "PNG").await?;
        fails_with(page, &empty, "EmptyFile", "empty").await?;
        // From the screen of a failure straight to a good trace.
        page.open_trace(&fixtures::unpacked("short-net10.nettrace")?).await?;
        page.text_when("event-count", |text| text == "2,016").await?;
        Ok(())
    });
}

#[test]
fn a_cut_trace_shows_what_there_is_and_says_where_it_ends() {
    drive("cut", async |page| {
        page.open("").await?;
        page.open_trace(&fixtures::unpacked("cut-net10.nettrace")?).await?;
        page.text_when("event-count", |text| text == "32,251").await?;
        page.text_when("damage-banner", |text| text.contains("end")).await?;
        Ok(())
    });
}

#[test]
fn a_recording_that_died_at_once_says_so() {
    drive("aborted", async |page| {
        page.open("").await?;
        page.open_trace(&fixtures::unpacked("aborted-net31.nettrace")?).await?;
        page.text_when("event-count", |text| text == "0").await?;
        Ok(())
    });
}

#[test]
fn a_trace_can_be_chosen_again_when_what_opens_it_did_not_arrive() {
    drive("app-missing", async |page| {
        let trace = fixtures::unpacked("short-net10.nettrace")?;
        let network = page.browser().cdp();
        page.open("").await?;
        network.send_raw("Network.enable", json!({})).await?;
        network.send_raw("Network.setBlockedURLs", json!({ "urls": ["*app.js*"] })).await?;
        page.drop_file(&trace).await?;
        page.text_when("app-failed", |text| text.contains("choose the trace again")).await?;
        network.send_raw("Network.setBlockedURLs", json!({ "urls": [] })).await?;
        page.run("document.querySelector('[data-testid=app-failed]').close()", []).await?;
        page.open_trace(&trace).await?;
        page.text_when("event-count", |text| text == "2,016").await?;
        Ok(())
    });
}
