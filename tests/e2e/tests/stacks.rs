//! Where the time, the bytes and the waiting went: questions about a program, answered through the page, with numbers that
//! the program counted itself (`*.truth.json` beside the recordings).

use traceglass_e2e::{Page, Step, drive};

async fn open_gc(page: &Page) -> Step {
    page.open("").await?;
    page.click("sample-gc").await?;
    page.text_when("event-count", |text| text == "116,276").await?;
    page.press("2").await
}

#[test]
fn which_method_allocates_most() {
    drive("allocates", async |page| {
        open_gc(page).await?;
        // The recording has no samples: what it has most stacks of is shown, how long threads waited for locks.
        page.text_when("stacks-total", |text| text.ends_with(" s")).await?;
        page.pick("pick-source", "GC/SampledObjectAllocation").await?;
        page.text_when("function-name", |text| text.contains("Program.Archivist")).await?;
        page.text_when("function-self", |text| text == "824.3 MB").await?;
        // The program counted 69,097,813 bytes of large arrays, which one method alone allocates.
        page.find("find-function").await?.send_keys("Scanner").await?;
        page.text_when("function-self", |text| text == "69.1 MB").await?;
        let hash = page.hash().await?;
        assert!(hash.contains("GC%2FSampledObjectAllocation"), "the source is in the address: {hash}");
        assert!(hash.contains("by=field.TotalSizeForTypeSample"), "the weight is in the address: {hash}");
        page.browser().refresh().await?;
        page.text_when("function-self", |text| text == "824.3 MB").await?;
        page.pick("pick-weight", "events").await?;
        page.text_when("stacks-total", |text| text.ends_with(" events")).await?;
        assert_eq!(page.logged_errors().await?, Vec::<String>::new());
        Ok(())
    });
}
