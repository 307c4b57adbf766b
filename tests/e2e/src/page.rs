//! The page as seen by a test.

use crate::{Step, Trouble, fixtures};
use serde_json::Value;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use thirtyfour::action_chain::ActionChain;
use thirtyfour::prelude::*;
use xtask::browser::Engine;
use xtask::server::Server;

/// Time limit for anything that a user waits for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
/// Polling interval of tests.
pub(crate) const POLL: Duration = Duration::from_millis(20);
/// Duration of a pointer movement: a frame or two.
const POINTER_STEP: Duration = Duration::from_millis(30);
/// Time without growth after which a file is complete.
const SETTLING: Duration = Duration::from_millis(300);

/// Page in a browser.
pub struct Page {
    name: String,
    pub(crate) engine: Engine,
    pub(crate) browser: WebDriver,
    /// Server of the page.
    pub server: Server,
    folder: PathBuf,
    /// Reason why the test counts as ignored.
    skipped: RefCell<Option<String>>,
}

impl Page {
    pub(crate) fn new(name: &str, engine: Engine, browser: WebDriver, server: Server, folder: PathBuf) -> Self {
        Self { name: name.to_owned(), engine, browser, server, folder, skipped: RefCell::default() }
    }

    /// Runs a script before all others in the pages opened from now on.
    ///
    /// # Errors
    /// Fails if the page can't be read.
    pub fn before_everything(&self, script: &str) -> Step {
        const FIRST: &str = "<script";
        let page = std::fs::read_to_string(fixtures::dist().join("index.html"));
        let page = page.map_err(|error| Trouble(format!("index.html: {error}")))?;
        let page = page.replacen(FIRST, &format!("<script src=\"./before.js\"></script>{FIRST}"), 1);
        self.server.replace("index.html", page.into_bytes());
        self.server.replace("before.js", script.as_bytes().to_vec());
        Ok(())
    }

    /// Returns the folder of the test, which is initially empty.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Creates a file for this test.
    ///
    /// # Errors
    /// Fails if it can't be written.
    pub fn file(&self, name: &str, bytes: &[u8]) -> Step<PathBuf> {
        let path = self.folder.join(name);
        // A browser can't read a file that has changed since it was chosen, so an identical file isn't written again.
        if !std::fs::read(&path).is_ok_and(|there| there == bytes) {
            std::fs::write(&path, bytes).map_err(|error| Trouble(format!("{}: {error}", path.display())))?;
        }
        Ok(path)
    }

    /// Marks the test as ignored, if it returns without an error.
    pub fn skip(&self, reason: &str) {
        self.skipped.replace(Some(reason.to_owned()));
    }

    pub(crate) fn skipped(&self) -> Option<String> {
        self.skipped.take()
    }

    /// Returns the browser, for operations without a helper.
    pub fn browser(&self) -> &WebDriver {
        &self.browser
    }

    /// Opens the page with a hash, which may be empty, and waits until it has started.
    ///
    /// # Errors
    /// Fails if it doesn't start.
    pub async fn open(&self, hash: &str) -> Step {
        let address = self.server.address();
        self.browser.goto(if hash.is_empty() { address } else { format!("{address}#{hash}") }).await?;
        self.until_started().await
    }

    /// Reloads the page, and waits until it has started.
    ///
    /// # Errors
    /// Fails if it doesn't start.
    pub async fn reload(&self) -> Step {
        self.browser.refresh().await?;
        self.until_started().await
    }

    /// Waits until the loading page has started.
    ///
    /// # Errors
    /// Fails if it doesn't start.
    pub async fn until_started(&self) -> Step {
        let has_started = "return document.readyState === 'complete' && !document.getElementById('boot')";
        self.until("the program has started", has_started).await
    }

    /// Returns a hidden file input with a real file.
    ///
    /// # Errors
    /// Fails if the browser refuses.
    pub async fn field_with(&self, path: &Path) -> Step<WebElement> {
        let field = self
            .browser
            .execute(
                "const field = document.createElement('input'); field.type = 'file'; field.hidden = true;
                 document.body.append(field); return field;",
                [],
            )
            .await?
            .element()?;
        field.send_keys(path.to_string_lossy().as_ref()).await?;
        Ok(field)
    }

    /// Drops a real file on the page with drag events.
    ///
    /// # Errors
    /// Fails if the browser refuses.
    pub async fn drop_file(&self, path: &Path) -> Step {
        self.drop_held_file(path, Duration::ZERO).await
    }

    /// Drops a real file on the page beside an open trace, for which the page asks what to do with it.
    ///
    /// # Errors
    /// Fails if the browser refuses, or the page doesn't ask.
    pub async fn drop_second_file(&self, path: &Path) -> Step {
        self.drop_and(path, Duration::ZERO, false).await?;
        self.find("second-name").await.map(drop)
    }

    /// Drags a file over the page for `held`, and drops it. A trace replaces the open one.
    ///
    /// # Errors
    /// Fails if the browser refuses.
    pub async fn drop_held_file(&self, path: &Path, held: Duration) -> Step {
        self.drop_and(path, held, true).await
    }

    async fn drop_and(&self, path: &Path, held: Duration, replaces: bool) -> Step {
        let field = self.field_with(path).await?;
        self.run_async(
            "const [field, held, replaces] = arguments;
             const isOpen = document.querySelector('[data-testid=workspace]') !== null;
             const data = new DataTransfer();
             data.items.add(field.files[0]);
             field.remove();
             const target = document.elementFromPoint(innerWidth / 2, innerHeight / 2) ?? document.body;
             const send = (type) => target.dispatchEvent(new DragEvent(type, {
               dataTransfer: data, bubbles: true, cancelable: true, clientX: innerWidth / 2, clientY: innerHeight / 2,
             }));
             send('dragenter');
             send('dragover');
             if (held > 0) await new Promise((resolve) => setTimeout(resolve, held));
             send('drop');
             for (let turn = 0; replaces && isOpen && turn < 5; turn++) {
               await new Promise((resolve) => setTimeout(resolve, 50));
               const replace = document.querySelector('[data-testid=second-replace]');
               if (replace) {
                 replace.click();
                 break;
               }
             }",
            [field.to_json()?, (held.as_secs_f64() * 1e3).into(), replaces.into()],
        )
        .await?;
        Ok(())
    }

    /// Drops a trace and waits until it is open.
    ///
    /// # Errors
    /// Fails if it doesn't open.
    pub async fn open_trace(&self, path: &Path) -> Step {
        self.drop_file(path).await?;
        self.find("workspace").await?;
        Ok(())
    }

    /// Drops the trace of the orders app, whose counts tests know, and waits until its events are counted.
    ///
    /// # Errors
    /// Fails if it doesn't open.
    pub async fn open_orders(&self) -> Step {
        self.open("").await?;
        self.open_trace(&crate::fixtures::unpacked("orders-net31.nettrace")?).await?;
        self.text_when("event-count", |text| text == "26,800").await?;
        Ok(())
    }

    /// Opens a bundled trace by its button on the start page, and waits until its events are counted.
    ///
    /// # Errors
    /// Fails if it doesn't open.
    pub async fn open_sample(&self, button: &str) -> Step {
        self.open("").await?;
        self.click(button).await?;
        self.text_when("matches", |text| !text.is_empty()).await?;
        Ok(())
    }

    /// Opens the trace of the orders app, and the first of the app's own events, the start of an order.
    ///
    /// # Errors
    /// Fails if it doesn't open.
    pub async fn open_an_order(&self) -> Step {
        self.open_orders().await?;
        self.press("3").await?;
        self.pick("pick-provider", "Workload-Orders").await?;
        self.text_when("events-total", |text| text == "586").await?;
        self.text_when("event-name", |text| text == "OrderStart").await?;
        self.click("event-name").await?;
        self.text_when("detail-name", |text| text == "OrderStart").await?;
        Ok(())
    }

    /// Returns a chain of pointer movements and other actions, with the speed of a hand.
    pub fn pointer(&self) -> ActionChain {
        self.browser.action_chain_with_delay(None, Some(POINTER_STEP))
    }

    /// Presses keys.
    ///
    /// # Errors
    /// Fails if the browser refuses.
    pub async fn press(&self, keys: impl Into<TypingData>) -> Step {
        Ok(self.browser.action_chain().send_keys(keys).perform().await?)
    }

    /// Presses a key while another one is held.
    ///
    /// # Errors
    /// Fails if the browser refuses.
    pub async fn press_with(&self, held: Key, key: impl Into<TypingData>) -> Step {
        let chain = self.browser.action_chain().key_down(held.clone()).send_keys(key);
        Ok(chain.key_up(held).perform().await?)
    }

    /// Waits for the visible element with this `data-testid`.
    ///
    /// # Errors
    /// Fails if there is none in time.
    pub async fn find(&self, id: &str) -> Step<WebElement> {
        self.find_by(By::Testid(id)).await
    }

    /// Returns the text of the element with this `data-testid`.
    ///
    /// # Errors
    /// Fails if there is none.
    pub async fn text(&self, id: &str) -> Step<String> {
        self.text_of(&self.find(id).await?).await
    }

    /// Waits until the text of the element with this `data-testid` satisfies `is_right`, and returns it.
    ///
    /// # Errors
    /// Fails if it doesn't in time.
    pub async fn text_when(&self, id: &str, is_right: impl Fn(&str) -> bool) -> Step<String> {
        let start = Instant::now();
        loop {
            let text = self.text(id).await.unwrap_or_default();
            if is_right(&text) {
                return Ok(text);
            }
            if start.elapsed() > PATIENCE {
                return Err(Trouble(format!("{id} stays {text:?}")));
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Waits until a script returns a truthy value.
    ///
    /// # Errors
    /// Fails if it doesn't in time.
    pub async fn until(&self, what: &str, script: &str) -> Step {
        self.until_within(PATIENCE, what, script).await
    }

    /// Waits like [`Page::until`], with another time limit.
    ///
    /// # Errors
    /// Fails if the script doesn't return a truthy value within `patience`.
    pub async fn until_within(&self, patience: Duration, what: &str, script: &str) -> Step {
        let start = Instant::now();
        loop {
            let value = self.run(script, []).await?;
            if !matches!(value, Value::Null | Value::Bool(false)) {
                return Ok(());
            }
            if start.elapsed() > patience {
                return Err(Trouble(format!("waited in vain until {what}")));
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Waits until the page hasn't changed or moved for a while, because a click may miss moving elements.
    ///
    /// # Errors
    /// Fails if it keeps changing.
    pub async fn until_still(&self) -> Step {
        let is_still = "const tops = () => [...document.querySelectorAll('[data-testid]')].map(
              (one) => one.dataset.testid + Math.round(one.getBoundingClientRect().top)).join();
            const [patience] = arguments;
            const until = performance.now() + patience;
            for (let before = tops(), still = 0; performance.now() < until;) {
              await new Promise((resolve) => setTimeout(resolve, 50));
              const now = tops();
              still = now === before ? still + 1 : 0;
              if (still >= 8) return true;
              before = now;
            }
            return false";
        match self.run_async(is_still, [(PATIENCE.as_secs_f64() * 1e3).into()]).await? {
            Value::Bool(true) => Ok(()),
            _ => Err(Trouble("waited in vain until nothing moves".to_owned())),
        }
    }

    /// Runs a script in the page, the body of a function with `arguments`, and returns its result.
    ///
    /// # Errors
    /// Fails if it throws.
    pub async fn run<const N: usize>(&self, script: &str, arguments: [Value; N]) -> Step<Value> {
        Ok(self.browser.execute(script, arguments.to_vec()).await?.json().clone())
    }

    /// Runs a script that may `await`, and returns its result.
    ///
    /// # Errors
    /// Fails if it throws.
    pub async fn run_async<const N: usize>(&self, script: &str, arguments: [Value; N]) -> Step<Value> {
        let script = format!(
            "const done = arguments[arguments.length - 1];
             (async (...arguments) => {{ {script} }})(...arguments)
               .then((value) => done({{ value: value ?? null }}), (error) => done({{ error: String(error) }}));"
        );
        let outcome = self.browser.execute_async(script, arguments.to_vec()).await?.json().clone();
        match outcome.get("error").and_then(Value::as_str) {
            Some(error) => Err(Trouble(error.to_owned())),
            None => Ok(outcome.get("value").cloned().unwrap_or(Value::Null)),
        }
    }

    /// Records what the page copies for [`Page::copied`], because the clipboard belongs to the whole machine.
    ///
    /// # Errors
    /// Fails if the browser is gone.
    pub async fn watch_clipboard(&self) -> Step {
        let watch = "window.copied = '';
            navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }";
        self.run(watch, []).await?;
        Ok(())
    }

    /// Records the text and name of saved files in `window.saved` and `window.savedAs`, instead of saving them.
    ///
    /// # Errors
    /// Fails if the script can't be run.
    pub async fn watch_saving(&self) -> Step {
        let watch = "window.saved = '';
            URL.createObjectURL = blob => { blob.text().then(text => window.saved = text); return 'blob:none'; };
            HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download; };";
        self.run(watch, []).await?;
        Ok(())
    }

    /// Waits for a copied text.
    ///
    /// # Errors
    /// Fails if nothing is copied in time.
    pub async fn copied(&self) -> Step<String> {
        self.until("something is copied", "return !!window.copied").await?;
        let copied = self.run("return window.copied", []).await?;
        Ok(copied.as_str().unwrap_or_default().to_owned())
    }

    /// Waits for a complete file that the page saves under this name.
    ///
    /// # Errors
    /// Fails if it isn't saved in time.
    pub async fn saved(&self, name: &str) -> Step<PathBuf> {
        let path = self.folder.join("downloads").join(name);
        let start = Instant::now();
        let size = || std::fs::metadata(&path).map_or(0, |file| file.len());
        // Chromium writes to a file with another name, Firefox reserves the name with an empty file, and WebKit writes
        // to the file itself.
        let (mut before, mut grew) = (0, Instant::now());
        while size() == 0 || size() != before || grew.elapsed() < SETTLING {
            if size() != before {
                (before, grew) = (size(), Instant::now());
            }
            if start.elapsed() > PATIENCE {
                return Err(Trouble(format!("{} was not saved", path.display())));
            }
            tokio::time::sleep(POLL).await;
        }
        Ok(path)
    }

    /// Returns the part of the URL after `#`.
    ///
    /// # Errors
    /// Fails if the browser is gone.
    pub async fn hash(&self) -> Step<String> {
        let hash = self.run("return location.hash", []).await?;
        Ok(hash.as_str().unwrap_or_default().trim_start_matches('#').to_owned())
    }

    /// Saves a picture of the page for review, if `TRACEGLASS_SCREENSHOTS` contains a folder or `TRACEGLASS_LOOKS` is
    /// set: each takes as long as a step of a test.
    ///
    /// # Errors
    /// Fails if the browser refuses.
    pub async fn screenshot(&self, name: &str) -> Step {
        let is_wanted =
            ["TRACEGLASS_SCREENSHOTS", "TRACEGLASS_LOOKS"].iter().any(|name| std::env::var_os(name).is_some());
        if is_wanted { self.screenshot_in(&screenshots(), name).await.map(drop) } else { Ok(()) }
    }

    async fn screenshot_in(&self, folder: &Path, name: &str) -> Step<PathBuf> {
        std::fs::create_dir_all(folder).map_err(|error| Trouble(format!("{}: {error}", folder.display())))?;
        let path = folder.join(format!("{name}.png"));
        self.browser.screenshot(&path).await?;
        Ok(path)
    }

    /// Returns evidence about a failed test: the path of a picture, and the browser's log.
    pub(crate) async fn evidence(&self) -> String {
        let picture = format!("failed-{}", self.name.replace("::", "-"));
        let mut lines = vec![match self.screenshot_in(&screenshots(), &picture).await {
            Ok(path) => format!("picture: {}", path.display()),
            Err(trouble) => format!("no picture: {trouble:?}"),
        }];
        let log = self.log().await.unwrap_or_default();
        lines.extend(log.into_iter().map(|entry| format!("{}: {}", entry.level, entry.message)));
        lines.join("\n")
    }
}

/// Returns the folder of screenshots.
fn screenshots() -> PathBuf {
    let folder = std::env::var_os("TRACEGLASS_SCREENSHOTS").map(PathBuf::from);
    folder.unwrap_or_else(|| std::env::temp_dir().join("traceglass-screenshots"))
}
