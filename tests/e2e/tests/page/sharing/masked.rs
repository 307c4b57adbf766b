//! Saving with masked private text.

use super::saved_page::{open_saved, save_now, write};
use serde_json::json;
use std::io::Read;
use std::path::Path;
use traceglass_e2e::{Page, Step, browser_test, fixtures};

/// Private texts of the trace.
const PRIVATE: [&str; 4] = ["/app/Workload", "customer-", "bad 20", "127.0.0.1:18080"];

/// Returns which private texts are in a file, in UTF-8 or UTF-16.
fn private_in(bytes: &[u8]) -> Vec<&'static str> {
    let bytes = String::from_utf8_lossy(bytes);
    let wide = |text: &str| text.chars().flat_map(|letter| [letter, '\0']).collect::<String>();
    PRIVATE.into_iter().filter(|text| bytes.contains(*text) || bytes.contains(&wide(text))).collect()
}

fn content(path: &Path) -> Step<Vec<u8>> {
    Ok(std::fs::read(path).map_err(|error| error.to_string())?)
}

/// Returns the trace at a position in a saved page.
async fn trace_in(page: &Page, saved: &Path, position: usize) -> Step<Vec<u8>> {
    let html = String::from_utf8_lossy(&content(saved)?).into_owned();
    let mut packed = Vec::new();
    let of_trace = format!("<script type=\"text/plain\" data-trace=\"{position}\"");
    for element in html.split(of_trace.as_str()).skip(1) {
        let text = element.split_once('>').and_then(|(_, rest)| rest.split_once('<')).map_or("", |(text, _)| text);
        let bytes = page.run("return atob(arguments[0])", [json!(text)]).await?;
        packed.extend(bytes.as_str().unwrap_or_default().chars().map(|byte| byte as u8));
    }
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes)
}

#[browser_test]
async fn masked_copies_have_same_events_and_no_private_text(page: &Page) -> Step {
    let trace = fixtures::unpacked("orders-net31.nettrace")?;
    assert_eq!(private_in(&content(&trace)?), PRIVATE);
    page.open("").await?;
    page.open_trace(&trace).await?;
    page.text_when("event-count", |text| text == "26,800").await?;

    // Kinds have counts, examples and masks.
    for choice in ["share", "save-part", "save-all", "mask-text", "mask-blank"] {
        page.click(choice).await?;
    }
    let masked = page.text_when("text-exceptions", |text| text.contains("xxx 00")).await?;
    assert_eq!(
        masked.split_whitespace().collect::<Vec<_>>().join(" "),
        "Exception and error messages 76 bad 20 → xxx 00"
    );
    let command = page.text("text-command-line").await?;
    assert!(
        command.contains("/app/Workload.dll 6") && command.contains("→ /xxx/xxxxx/xxxxxx/xxxxxx /xxx/"),
        "{command}"
    );
    page.click("text-exceptions").await?;
    page.text_when("text-exceptions", |text| text.ends_with("bad 20")).await?;

    // Other kinds are masked.
    let (part, said) = save_now(page, "orders-net31-masked.nettrace").await?;
    let bytes = content(&part)?;
    assert_eq!(
        said,
        format!("orders-net31-masked.nettrace will have 26,800 events, {:.2} MB.", bytes.len() as f64 / 1e6)
    );
    assert_eq!(private_in(&bytes), ["bad 20"]);

    // A page contains the same trace, here with random words for all kinds. Filters and searches aren't saved.
    for choice in ["share", "save-page", "mask-tokens", "text-exceptions"] {
        page.click(choice).await?;
    }
    page.text_when("text-exceptions", |text| text.contains("→")).await?;
    let (html, said) = save_now(page, "orders-net31-masked.html").await?;
    assert!(said.contains("the masked trace with 26,800 events"), "{said}");
    let in_page = trace_in(page, &html, 0).await?;
    assert_eq!((in_page.len(), private_in(&in_page)), (bytes.len(), vec![]));
    assert_eq!(private_in(&content(&html)?), Vec::<&str>::new());

    open_saved(page, &html).await?;
    page.text_when("event-count", |text| text == "26,800").await?;
    page.open("").await?;
    page.open_trace(&part).await?;
    page.text_when("event-count", |text| text == "26,800").await?;
    Ok(())
}

#[browser_test]
async fn both_traces_of_a_masked_page_have_no_private_text(page: &Page) -> Step {
    let trace = fixtures::unpacked("orders-net31.nettrace")?;
    page.open("").await?;
    page.open_trace(&trace).await?;
    // Copies of both have the same name.
    page.drop_second_file(&trace).await?;
    page.press("a").await?;
    page.text_when("trace-1-memory", |text| text.ends_with("memory")).await?;
    for choice in ["share", "save-page", "mask-text"] {
        page.click(choice).await?;
    }
    // The list has the text of both, or of the one that is saved.
    page.text_when("text-exceptions", |text| text.contains("152")).await?;
    page.click("save-alone").await?;
    page.text_when("text-exceptions", |text| text.contains("76")).await?;
    page.click("save-others").await?;
    page.text_when("text-exceptions", |text| text.contains("152")).await?;
    let (html, said) = save_now(page, "orders-net31-masked-orders-net31-masked.html").await?;
    assert!(said.contains("2 masked traces with 53,600 events"), "{said}");
    let [one, other] = [trace_in(page, &html, 0).await?, trace_in(page, &html, 1).await?];
    assert_eq!([private_in(&one), private_in(&other), private_in(&content(&html)?)], [const { Vec::<&str>::new() }; 3]);
    assert!(one == other, "equal words have the same mask in both");

    open_saved(page, &html).await?;
    page.text_when("trace-1-memory", |text| text.ends_with("memory")).await?;
    assert_eq!(page.text("trace-1-name").await?, "orders-net31-masked.nettrace");
    page.until("no file is awaited", "return !document.querySelector('[data-testid=awaited-traces]')").await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

#[browser_test]
async fn comparison_masked_by_program_is_shown(page: &Page) -> Step {
    let trace = fixtures::unpacked("orders-net31.nettrace")?;
    let out = trace.with_extension("masked.html");
    write(&["compare", "--redact"], &[&trace, &trace], &out)?;
    open_saved(page, &out).await?;
    page.text_when("before-name", |text| text == "orders-net31-masked.nettrace").await?;
    page.until("both are compared", "return document.querySelector('[data-testid=changes-significant]')").await?;
    for position in 0..2 {
        assert_eq!(private_in(&trace_in(page, &out, position).await?), Vec::<&str>::new());
    }
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}
