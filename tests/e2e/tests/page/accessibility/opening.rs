//! Accessibility of the start page, of loading, and of damaged traces.

use thirtyfour::prelude::*;
use traceglass_e2e::accessibility::{none, violations};
use traceglass_e2e::archive::archive;
use traceglass_e2e::{Need, Page, Step, browser_test, fixtures};

#[browser_test(needs(Need::Axe))]
async fn start_screens_have_no_violations(page: &Page) -> Step {
    page.open("").await?;
    page.find("landing").await?;
    let mut found = violations(page, "landing").await?;
    for (button, dialog) in [("open-url-button", "open-url"), ("show-policy", "policy")] {
        page.click(button).await?;
        page.find(dialog).await?;
        found.extend(violations(page, dialog).await?);
        page.press(Key::Escape).await?;
        page.until("the dialog is closed", "return !document.querySelector('dialog[open]')").await?;
    }
    page.browser().goto("about:blank").await?;
    page.open("/summary?v=1&file=app.nettrace").await?;
    page.drop_file(&fixtures::unpacked("short-net10.nettrace")?).await?;
    page.find("other-file").await?;
    found.extend(violations(page, "another file").await?);
    page.browser().goto("about:blank").await?;
    page.open("").await?;
    let empty = page.file("empty.nettrace", b"")?;
    page.drop_file(&empty).await?;
    page.find("failed").await?;
    found.extend(violations(page, "a failure").await?);
    none(found)
}

#[browser_test(needs(Need::Axe))]
async fn damaged_trace_has_no_violations(page: &Page) -> Step {
    page.open("").await?;
    page.open_trace(&fixtures::unpacked("cut-net10.nettrace")?).await?;
    page.find("damage-banner").await?;
    none(violations(page, "a cut trace").await?)
}

#[browser_test(needs(Need::Axe))]
async fn loading_has_no_violations(page: &Page) -> Step {
    // A trace that takes a minute to arrive; a compressed one would have no events before the end.
    let trace = fixtures::unpacked("orders-net31.nettrace")?;
    page.server.replace("slow.nettrace", std::fs::read(trace).map_err(|error| error.to_string())?);
    page.server.trickle("slow.nettrace");
    let address = fixtures::escaped(&format!("{}slow.nettrace", page.server.address()));
    page.open(&format!("/summary?v=1&url={address}")).await?;
    page.text_when("loading-events", |text| text != "0").await?;
    none(violations(page, "while a trace is read").await?)
}

#[browser_test(needs(Need::Axe))]
async fn archive_choice_has_no_violations(page: &Page) -> Step {
    let read = |name: &str| -> Step<Vec<u8>> {
        std::fs::read(fixtures::unpacked(name)?).map_err(|error| error.to_string().into())
    };
    let (short, cut) = (read("short-net10.nettrace")?, read("cut-net10.nettrace")?);
    let two = archive(&[("b/short.nettrace", &short), ("a.nettrace", &cut)]);
    page.open("").await?;
    page.drop_file(&page.file("two.zip", &two)?).await?;
    page.find("choose").await?;
    none(violations(page, "the choice of a trace").await?)
}
