//! The page as `traceglass view` serves it.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use traceglass_e2e::{Page, Step, Trouble, browser_test, fixtures};

/// Time within which the program ends after its page was closed: it waits five seconds for a reload.
const END: Duration = Duration::from_secs(20);

/// Running program, which is terminated on drop.
struct Viewer {
    process: Child,
    address: String,
}

impl Viewer {
    fn start(trace: &Path) -> Step<Self> {
        Self::start_with(&[], trace)
    }

    fn start_with(options: &[&str], trace: &Path) -> Step<Self> {
        let failed = |error: std::io::Error| Trouble(format!("traceglass view: {error}"));
        let mut command = Command::new(fixtures::tool());
        command.args(["view", "--no-open"]).args(options).arg("--page").arg(fixtures::dist()).arg(trace);
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(failed)?;
        let mut address = String::new();
        if let Some(output) = process.stdout.take() {
            BufReader::new(output).read_line(&mut address).map_err(failed)?;
        }
        Ok(Self { process, address: address.trim().to_owned() })
    }

    fn is_running(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None))
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[browser_test]
async fn viewed_trace_opens_and_program_ends_with_page(page: &Page) -> Step {
    let trace = std::fs::read(fixtures::unpacked("short-net10.nettrace")?);
    let trace = trace.map_err(|error| Trouble(format!("the trace: {error}")))?;
    let mut viewer = Viewer::start(&page.file("a short trace.nettrace", &trace)?)?;
    page.browser().goto(&viewer.address).await?;
    page.until_started().await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    page.text_when("file-name", |text| text.contains("a short trace.nettrace")).await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());

    page.reload().await?;
    page.text_when("event-count", |text| text == "2,016").await?;
    tokio::time::sleep(Duration::from_secs(6)).await;
    assert!(viewer.is_running(), "the page is open");

    page.open("").await?;
    let left = Instant::now();
    while viewer.is_running() {
        assert!(left.elapsed() < END, "the program runs without a page");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(())
}

#[browser_test]
async fn viewed_recording_is_followed_to_its_end(page: &Page) -> Step {
    let failed = |error: std::io::Error| Trouble(format!("the trace: {error}"));
    let trace = std::fs::read(fixtures::unpacked("orders-net31.nettrace")?).map_err(failed)?;
    let (first, rest) = trace.split_at(trace.len() / 2);
    let path = page.file("recorded.nettrace", first)?;
    let viewer = Viewer::start_with(&["--follow"], &path)?;
    page.browser().goto(&viewer.address).await?;
    page.until_started().await?;
    page.text_when("recording-time", |text| text.starts_with("Recording · ")).await?;
    let mut file = std::fs::OpenOptions::new().append(true).open(&path).map_err(failed)?;
    file.write_all(rest).map_err(failed)?;
    page.text_when("event-count", |text| text == "26,800").await?;
    page.until("the recording has ended", "return !document.querySelector('[data-testid=recording]')").await?;
    assert_eq!(page.logged_errors().await?, Vec::<String>::new());
    Ok(())
}

#[browser_test]
async fn viewed_page_is_hidden_from_other_origins(page: &Page) -> Step {
    let viewer = Viewer::start(&fixtures::unpacked("short-net10.nettrace")?)?;
    // A page without its own policy.
    page.server.replace("other.html", b"<!doctype html><title>Other</title>".to_vec());
    page.browser().goto(format!("{}other.html", page.server.address())).await?;
    // Even a page that knows the address gets nothing: neither a script, nor a response without content.
    let script = "const base = arguments[0].replace(/open\\/0$/, '');
                  const script = document.createElement('script');
                  script.src = base + 'app.js';
                  const isLoaded = new Promise((resolve) => {
                    script.onload = () => resolve(true);
                    script.onerror = () => resolve(false);
                  });
                  document.head.append(script);
                  const isSent = fetch(base, { mode: 'no-cors' }).then(() => true, () => false);
                  return [await isLoaded, await isSent];";
    assert_eq!(page.run_async(script, [viewer.address.as_str().into()]).await?, serde_json::json!([false, false]));
    Ok(())
}
