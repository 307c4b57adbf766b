//! Loading shows how far it is and can be given up.

use std::time::{Duration, Instant};
use traceglass_e2e::{drive, fixtures};

#[test]
fn loading_can_be_cancelled_at_once() {
    drive("cancel", async |page| {
        // A sample that takes a minute to arrive.
        page.server.trickle("samples/web.nettrace.gz");
        page.open("").await?;
        page.click("sample-web").await?;
        page.text_when("loading-bytes", |text| !text.is_empty()).await?;
        let cancel = page.find("cancel").await?;
        let start = Instant::now();
        cancel.click().await?;
        page.find("landing").await?;
        // 200 ms for the page; the rest is the driver's way of asking.
        assert!(start.elapsed() < Duration::from_millis(600), "{:?}", start.elapsed());

        page.open_trace(&fixtures::unpacked("short-net10.nettrace")?).await?;
        page.text_when("event-count", |text| text == "2,016").await?;
        Ok(())
    });
}
