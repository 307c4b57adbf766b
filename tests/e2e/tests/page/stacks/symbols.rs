//! Names, source lines and locations of code, from the recording and from dropped files.

use traceglass_e2e::{Page, Step, browser_test, fixtures};

/// The process was killed, so methods that were compiled before the recording have no names.
#[browser_test]
async fn unresolved_frames_show_why(page: &Page) -> Step {
    page.open("").await?;
    page.open_trace(&fixtures::unpacked("cut-net10.nettrace")?).await?;
    page.press("2").await?;
    page.click("activity-all").await?;
    page.text_when("unresolved", |text| text.contains("% of samples have unresolved frames")).await?;
    page.click("unresolved").await?;
    page.text_when("unresolved-module", |text| text.contains("killed") && text.contains("perf-PID.map")).await?;
    page.click("view-tree").await?;
    page.text_when("node-name", |text| text.contains("(unresolved)")).await?;
    page.click("node-name").await?;
    page.press("e").await?;
    page.text_when("node-name", |text| text.contains("?!0x")).await?;
    page.click("shown-family").await?;
    page.text_when("node-name", |text| text.contains("(unresolved)")).await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

/// The recording contains IL maps and tiers.
#[browser_test]
async fn hot_locations_show_offsets_and_tiers(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("2").await?;
    page.click("activity-all").await?;
    page.click("view-functions").await?;
    page.find("find-function").await?.send_keys("Program.Contend").await?;
    page.text_when("function-name", |text| text.contains("Contend")).await?;
    page.text_when("function-tier", |text| text.contains("Tier") || text.contains("timized")).await?;
    page.click("function-name").await?;
    page.text_when("function-places", |text| text.contains("IL offset 0x")).await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

/// A dropped `perf-PID.map` adds names of code; one for another process is rejected with a message.
#[browser_test]
async fn perf_map_names_unresolved_frames(page: &Page) -> Step {
    page.open_orders().await?;
    page.press("2").await?;
    page.click("activity-all").await?;
    page.click("just-my-code").await?;
    page.click("view-functions").await?;
    // Addresses are merged at first.
    let field = page.find("find-function").await?;
    field.send_keys("unresolved").await?;
    page.text_when("function-name", |text| text.starts_with("(unresolved)")).await?;
    page.click("function-name").await?;
    page.press("e").await?;
    page.find("shown-family").await?;
    field.clear().await?;
    field.send_keys("?!0x").await?;
    page.text_when("function-name", |text| text.starts_with("?!0x")).await?;
    page.until_still().await?;
    let name = page.text("function-name").await?;
    let (address, weight) = (name.trim_start_matches("?!"), page.text("function-self").await?);
    let line = format!("{address} 1 instance int32 [Shop] Shop.Cart::Total(string)[OptimizedTier1]\n");
    page.drop_file(&page.file("perf-6702.map", line.as_bytes())?).await?;
    page.text_when("toast", |text| text == "perf-6702.map: resolved 1 address.").await?;
    field.clear().await?;
    field.send_keys("Shop.Cart").await?;
    page.text_when("function-name", |text| text.replace('\n', "") == "Shop.Cart.Total(string)").await?;
    page.text_when("function-self", |text| text == weight).await?;
    page.drop_file(&page.file("other.pdb", b"BSJB and nothing")?).await?;
    page.text_when("toast", |text| text.starts_with("other.pdb is a damaged portable PDB")).await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

/// A portable PDB adds source lines of the app's methods.
#[browser_test]
async fn pdb_adds_source_lines(page: &Page) -> Step {
    page.open("").await?;
    page.click("sample-cpu").await?;
    page.text_when("event-count", |text| !text.is_empty()).await?;
    page.press("2").await?;
    page.click("activity-all").await?;
    page.click("view-functions").await?;
    page.find("find-function").await?.send_keys("Parser.Busy").await?;
    page.text_when("function-name", |text| text.contains("Parser.Busy")).await?;
    page.click("function-name").await?;
    page.text_when("function-places", |text| text.contains("IL offset 0x")).await?;
    page.drop_file(&fixtures::committed("studio.pdb")).await?;
    page.text_when("toast", |text| text.starts_with("studio.pdb: source lines for") && text.ends_with("studio."))
        .await?;
    page.text_when("function-source", |text| text.starts_with("/src/studio/Program.cs:")).await?;
    page.text_when("function-places", |text| text.contains("Program.cs:")).await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}
