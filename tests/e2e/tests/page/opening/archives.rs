//! Compressed files and archives open like plain traces; archives with several traces offer a choice.

use thirtyfour::Key;
use traceglass_e2e::archive::archive;
use traceglass_e2e::{Page, Step, browser_test, fixtures};
use xtask::server::Server;

fn content(name: &str) -> Step<Vec<u8>> {
    let path = fixtures::unpacked(name)?;
    std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()).into())
}

async fn opens_with(page: &Page, name: &str, content: &[u8], events: &str) -> Step {
    page.open_trace(&page.file(name, content)?).await?;
    page.text_when("event-count", |text| text == events).await?;
    Ok(())
}

#[browser_test]
async fn compressed_traces_open_like_plain_ones(page: &Page) -> Step {
    let short = content("short-net10.nettrace")?;
    let netperf = content("orders-net21.netperf")?;
    page.open("").await?;
    page.open_trace(&fixtures::compressed("short-net10.nettrace")).await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    page.text_when("summary-file", |text| text.contains("from gzip")).await?;
    let requests = |page: &Page| page.server.requests().into_iter().filter(|path| path.contains("unpack")).count();
    assert_eq!(requests(page), 0, "the unpacker is not fetched for what the browser can do");

    opens_with(page, "orders.netperf.zip", &archive(&[("orders.netperf", &netperf)]), "40,786").await?;
    page.text_when("summary-file", |text| text.contains("netperf 3") && text.contains("ZIP file")).await?;
    page.text_when("lost", |text| text.contains("lost: unknown")).await?;

    // With a wrong extension: only the content counts.
    let zstd = ruzstd::encoding::compress_to_vec(short.as_slice(), ruzstd::encoding::CompressionLevel::Fastest);
    opens_with(page, "short.nettrace", &zstd, "2,016").await?;
    page.text_when("summary-file", |text| text.contains("from zstd")).await?;
    assert_eq!(requests(page), 2, "a script and its WebAssembly");
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

#[browser_test]
async fn trace_in_archive_is_chosen_by_keyboard(page: &Page) -> Step {
    let (short, cut) = (content("short-net10.nettrace")?, content("cut-net10.nettrace")?);
    let two = archive(&[("b/short.nettrace", &short), ("a.nettrace", &cut), ("readme.txt", b"hello")]);
    page.open("").await?;
    page.drop_file(&page.file("two.zip", &two)?).await?;
    page.find("choose").await?;
    let entries =
        page.run("return [...document.querySelectorAll('[data-testid=entry] b')].map((b) => b.textContent)", []);
    assert_eq!(entries.await?, serde_json::json!(["a.nettrace", "short.nettrace"]));
    // The first one has the focus; the second is the next.
    page.press(Key::Tab).await?;
    page.press(Key::Enter).await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    Ok(())
}

#[browser_test]
async fn link_opens_trace_in_hosted_archive(page: &Page) -> Step {
    let (short, cut) = (content("short-net10.nettrace")?, content("cut-net10.nettrace")?);
    let two = archive(&[("b/short.nettrace", &short), ("a.nettrace", &cut)]);
    let folder = page.file("hosted.zip", &two)?;
    let folder = folder.parent().map(std::path::Path::to_path_buf).expect("a folder");
    let host = Server::start(&folder, "/traces/", 0).map_err(|error| error.to_string())?;
    let address = format!("{}hosted.zip", host.address()).replace(':', "%3A").replace('/', "%2F");
    page.open(&format!("/events?v=1&url={address}&entry=b%2Fshort.nettrace")).await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    page.text_when("events-total", |text| text == "2,016").await?;
    assert!(page.hash().await?.contains("&entry=b%2Fshort.nettrace"), "the link can be passed on");
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

#[browser_test]
async fn damaged_and_unsupported_archives_have_messages(page: &Page) -> Step {
    let packed = std::fs::read(fixtures::compressed("orders-v6.nettrace")).map_err(|error| error.to_string())?;
    page.open("").await?;
    page.open_trace(&page.file("cut.gz", &packed[..250_000])?).await?;
    page.text_when("damage-banner", |text| text.contains("damaged or missing")).await?;
    page.click("show-diagnostics").await?;
    page.text_when("file-pane", |text| text.contains("Can't decompress all of the gzip data")).await?;

    let foreign = archive(&[("a.txt", b"text"), ("picture", b"\x89PNG\r\n\x1a\n")]);
    page.drop_file(&page.file("foreign.zip", &foreign)?).await?;
    page.text_when("failure-message", |text| text.contains("None of the 2 files in this ZIP is a .NET trace")).await?;
    page.text_when("failure-detail", |text| text.contains("picture: a PNG image")).await?;
    Ok(())
}
