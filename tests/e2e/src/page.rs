//! The page as a test sees it.

use crate::session::screenshots;
use crate::{Step, Trouble, fixtures};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use thirtyfour::prelude::*;
use xtask::browser::Engine;
use xtask::server::Server;

/// How long anything may take that a user waits for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
/// A file that did not grow for so long is there as a whole.
const SETTLING: Duration = Duration::from_millis(300);

/// The page in a browser.
pub struct Page {
    name: String,
    pub(crate) engine: Engine,
    pub(crate) browser: WebDriver,
    /// Serves the page.
    pub server: Server,
    downloads: PathBuf,
}

impl Page {
    pub(crate) fn new(name: &str, engine: Engine, browser: WebDriver, server: Server, downloads: PathBuf) -> Self {
        Self { name: name.to_owned(), engine, browser, server, downloads }
    }

    /// From the next opening on, this script runs in the page before every other.
    ///
    /// # Errors
    /// When the page cannot be read.
    pub fn before_everything(&self, script: &str) -> Step {
        const FIRST: &str = "<script";
        let page = std::fs::read_to_string(fixtures::dist().join("index.html"));
        let page = page.map_err(|error| Trouble(format!("index.html: {error}")))?;
        let page = page.replacen(FIRST, &format!("<script src=\"./before.js\"></script>{FIRST}"), 1);
        self.server.replace("index.html", page.into_bytes());
        self.server.replace("before.js", script.as_bytes().to_vec());
        Ok(())
    }

    /// The browser, for what has no helper here.
    pub fn browser(&self) -> &WebDriver {
        &self.browser
    }

    /// Opens the page; `hash` is what follows the `#`, or empty. Waits until it has started.
    ///
    /// # Errors
    /// When it does not start.
    pub async fn open(&self, hash: &str) -> Step {
        let address = self.server.address();
        self.browser.goto(if hash.is_empty() { address } else { format!("{address}#{hash}") }).await?;
        self.until_started().await
    }

    /// Loads the page again, as a user does who comes back. Waits until it has started.
    ///
    /// # Errors
    /// When it does not start.
    pub async fn reload(&self) -> Step {
        self.browser.refresh().await?;
        self.until_started().await
    }

    /// Waits until the page that is loading has started.
    ///
    /// # Errors
    /// When it does not start.
    pub async fn until_started(&self) -> Step {
        let has_started = "return document.readyState === 'complete' && !document.getElementById('boot')";
        self.until("the program has started", has_started).await
    }

    /// A hidden field for files that holds a real file.
    ///
    /// # Errors
    /// When the browser refuses.
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

    /// Drops a file on the page: a real file in real drag events.
    ///
    /// # Errors
    /// When the browser refuses.
    pub async fn drop_file(&self, path: &Path) -> Step {
        self.drop_held_file(path, Duration::ZERO).await
    }

    /// Drags a file over the page, as long as `held`, and drops it.
    ///
    /// # Errors
    /// When the browser refuses.
    pub async fn drop_held_file(&self, path: &Path, held: Duration) -> Step {
        let field = self.field_with(path).await?;
        self.run_async(
            "const [field, held] = arguments;
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
             send('drop');",
            [field.to_json()?, (held.as_secs_f64() * 1e3).into()],
        )
        .await?;
        Ok(())
    }

    /// Drops a trace and waits until its workspace is there.
    ///
    /// # Errors
    /// When it does not open.
    pub async fn open_trace(&self, path: &Path) -> Step {
        self.drop_file(path).await?;
        self.find("workspace").await?;
        Ok(())
    }

    /// Drops the trace of the orders program, whose numbers the tests know, and waits until it is counted.
    ///
    /// # Errors
    /// When it does not open.
    pub async fn open_orders(&self) -> Step {
        self.open("").await?;
        self.open_trace(&crate::fixtures::unpacked("orders-net31.nettrace")?).await?;
        self.text_when("event-count", |text| text == "26,800").await?;
        Ok(())
    }

    /// Opens a sample of the first screen, by the name of its button, and waits until its events are counted.
    ///
    /// # Errors
    /// When it does not open.
    pub async fn open_sample(&self, button: &str) -> Step {
        self.open("").await?;
        self.click(button).await?;
        self.text_when("matches", |text| !text.is_empty()).await?;
        Ok(())
    }

    /// Opens the orders program's recording, and of the program's own events the first, the start of an order.
    ///
    /// # Errors
    /// When it does not open.
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

    /// Presses keys where the focus is.
    ///
    /// # Errors
    /// When the browser refuses.
    pub async fn press(&self, keys: impl Into<TypingData>) -> Step {
        Ok(self.browser.action_chain().send_keys(keys).perform().await?)
    }

    /// Presses a key while another one is held.
    ///
    /// # Errors
    /// When the browser refuses.
    pub async fn press_with(&self, held: Key, key: impl Into<TypingData>) -> Step {
        let chain = self.browser.action_chain().key_down(held.clone()).send_keys(key);
        Ok(chain.key_up(held).perform().await?)
    }

    /// The visible element with this `data-testid`, as soon as there is one.
    ///
    /// # Errors
    /// When there is none after a while.
    pub async fn find(&self, id: &str) -> Step<WebElement> {
        self.find_by(By::Testid(id)).await
    }

    /// Text of the element with this `data-testid`.
    ///
    /// # Errors
    /// When there is none.
    pub async fn text(&self, id: &str) -> Step<String> {
        self.text_of(&self.find(id).await?).await
    }

    /// Waits until the text of the element with this `data-testid` satisfies `is_right`; the text.
    ///
    /// # Errors
    /// When it never does.
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
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until a script returns something that counts as true.
    ///
    /// # Errors
    /// When it never does.
    pub async fn until(&self, what: &str, script: &str) -> Step {
        self.until_within(PATIENCE, what, script).await
    }

    /// The same for what takes long.
    ///
    /// # Errors
    /// When it does not within `patience`.
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
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until nothing has come or moved for a while: who points at something may miss it before.
    ///
    /// # Errors
    /// When things go on moving.
    pub async fn until_still(&self) -> Step {
        let is_still = "const tops = [...document.querySelectorAll('[data-testid]')].map(
              (one) => one.dataset.testid + Math.round(one.getBoundingClientRect().top)).join();
            window.still = window.tops === tops ? window.still + 1 : 0;
            window.tops = tops;
            return window.still >= 8";
        self.until("nothing moves", is_still).await
    }

    /// Runs a script in the page: the body of a function with `arguments`. What it returns.
    ///
    /// # Errors
    /// When it throws.
    pub async fn run<const N: usize>(&self, script: &str, arguments: [Value; N]) -> Step<Value> {
        Ok(self.browser.execute(script, arguments.to_vec()).await?.json().clone())
    }

    /// Runs a script that may `await`; what it returns.
    ///
    /// # Errors
    /// When it throws.
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

    /// From now on, what the page copies is kept for [`Page::copied`]: the clipboard belongs to the whole machine.
    ///
    /// # Errors
    /// When the browser is gone.
    pub async fn watch_clipboard(&self) -> Step {
        let watch = "window.copied = '';
            navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }";
        self.run(watch, []).await?;
        Ok(())
    }

    /// What the page copied, as soon as there is something.
    ///
    /// # Errors
    /// When nothing is copied.
    pub async fn copied(&self) -> Step<String> {
        self.until("something is copied", "return !!window.copied").await?;
        let copied = self.run("return window.copied", []).await?;
        Ok(copied.as_str().unwrap_or_default().to_owned())
    }

    /// A file that the page saves under this name, as soon as it is there as a whole.
    ///
    /// # Errors
    /// When it is not saved in time.
    pub async fn saved(&self, name: &str) -> Step<PathBuf> {
        let path = self.downloads.join(name);
        let start = Instant::now();
        let size = || std::fs::metadata(&path).map_or(0, |file| file.len());
        // Chromium writes into a file of another name; Firefox keeps the place with an empty one, and WebKit writes into
        // the file itself.
        let (mut before, mut grew) = (0, Instant::now());
        while size() == 0 || size() != before || grew.elapsed() < SETTLING {
            if size() != before {
                (before, grew) = (size(), Instant::now());
            }
            if start.elapsed() > PATIENCE {
                return Err(Trouble(format!("{} was not saved", path.display())));
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(path)
    }

    /// The part of the address after `#`.
    ///
    /// # Errors
    /// When the browser is gone.
    pub async fn hash(&self) -> Step<String> {
        let hash = self.run("return location.hash", []).await?;
        Ok(hash.as_str().unwrap_or_default().trim_start_matches('#').to_owned())
    }

    /// Keeps a picture of the page.
    ///
    /// # Errors
    /// When it cannot be taken.
    pub async fn screenshot(&self, name: &str) -> Step {
        Ok(self.browser.screenshot(&screenshots().join(format!("{name}.png"))).await?)
    }

    pub(crate) async fn keep_evidence(&self) {
        let picture = format!("failed-{}", self.name);
        eprintln!("{}: picture {picture}.png in {}", self.name, screenshots().display());
        if let Err(trouble) = self.screenshot(&picture).await {
            eprintln!("no picture: {trouble:?}");
        }
        for entry in self.log().await.unwrap_or_default() {
            eprintln!("{}: {}", entry.level, entry.message);
        }
    }

    pub(crate) async fn close(&self) {
        // The driver ends with the test anyway, and the folder lies where the system clears up.
        let _ = self.browser.clone().quit().await;
        let _ = std::fs::remove_dir_all(&self.downloads);
    }
}
