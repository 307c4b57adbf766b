//! Browser with its WebDriver, which provides a new page to one test after the other.

use crate::devtools::DevTools;
use crate::driver::Driver;
use crate::{Page, Step, Trouble, fixtures};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;
use thirtyfour::WindowHandle;
use thirtyfour::common::capabilities::firefox::FirefoxPreferences;
use thirtyfour::prelude::*;
use xtask::browser::{Browser, Engine, FLAGS};
use xtask::server::{Network, Server};

/// Path under which the page is served, to prove that it contains no absolute URLs.
const SUB_PATH: &str = "/tools/traceglass/";
/// Time limit of a driver's response, longer than any test or measurement.
const LONGEST_ANSWER: Duration = Duration::from_secs(900);
/// Time limit for the end of a browser.
const ENDING: Duration = Duration::from_secs(20);
/// Width and height of the window.
const WINDOW: (u32, u32) = (1440, 900);

/// Compilation mode of WebAssembly in Chromium.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    /// As for users: hot functions are optimized in other threads.
    Optimized,
    /// Once and quickly, for all tests of a browser together: a test ends before optimized code would pay off.
    Plain,
}

/// Driver with its browser.
///
/// Chromium is started once. With [`Code::Plain`], each page is a new window with an origin of its own, so that it shares
/// neither storage nor workers with others; all are in one process, which compiles the page's programs once for all
/// of them. With [`Code::Optimized`], each page is in a separate browser context, and so in a new process. Drivers of other
/// browsers don't support contexts; they start a browser for each page.
pub(crate) struct TestBrowser {
    program: Browser,
    driver: Driver,
    /// Folder for the files that the page opens and saves; empty when the page opens.
    folder: PathBuf,
    chromium: Option<Chromium>,
}

impl TestBrowser {
    /// Starts a driver, and Chromium, for many pages. `name` distinguishes it from others that run concurrently.
    pub async fn start(name: &str, code: Code) -> Step<Self> {
        let mut browser = Self::start_driver(name)?;
        if browser.program.engine == Engine::Chromium {
            browser.chromium = Some(Chromium::start(&browser.program, &browser.driver, code).await?);
        }
        Ok(browser)
    }

    /// Starts only a driver: each page gets its own browser.
    pub fn start_driver(name: &str) -> Step<Self> {
        let program = Browser::find(Engine::chosen())?;
        let home = fixtures::folder(name)?;
        let folder = home.join("files");
        // Only WebKit reads it, whose driver doesn't accept a folder for downloads.
        let settings = format!("XDG_DOWNLOAD_DIR=\"{}\"\n", downloads_in(&folder).display());
        std::fs::write(home.join("user-dirs.dirs"), settings).map_err(|error| Trouble(error.to_string()))?;
        let driver = Driver::start(&program, &home)?;
        Ok(Self { program, driver, folder, chromium: None })
    }

    /// Returns a page in front, in a new context with its own server.
    pub async fn page(&mut self, name: &str) -> Step<Page> {
        let dist = fixtures::dist();
        if !dist.join("index.html").is_file() {
            return Err(Trouble(format!("there is no built page in {}", dist.display())));
        }
        let server = Server::start(&dist, SUB_PATH, 0)?;
        if std::env::var_os("TRACEGLASS_SLOW_NETWORK").is_some() {
            server.slow_down(Network::SLOW);
        }
        let downloads = downloads_in(&self.folder);
        // A missing folder is as good as an empty one.
        let _ = std::fs::remove_dir_all(&self.folder);
        std::fs::create_dir_all(&downloads).map_err(|error| Trouble(format!("{}: {error}", downloads.display())))?;
        let browser = match &mut self.chromium {
            Some(chromium) => {
                if chromium.code == Code::Plain && chromium.compiled.is_none() {
                    let (browser, window) = chromium.open_window(&downloads).await?;
                    let keeper_server = Server::start(&dist, SUB_PATH, 0)?;
                    let keeper =
                        Page::new("compiled", self.program.engine, browser, keeper_server, self.folder.clone());
                    keeper.open_orders().await?;
                    chromium.compiled = Some(Compiled { _page: keeper, window });
                }
                chromium.open_window(&downloads).await?.0
            }
            None => self.start_once(&downloads).await?,
        };
        Ok(Page::new(name, self.program.engine, browser, server, self.folder.clone()))
    }

    /// Closes a page and its context.
    pub async fn close(&mut self, page: Page) -> Step {
        match &mut self.chromium {
            Some(chromium) => chromium.close_windows().await,
            None => Ok(page.browser.quit().await?),
        }
    }

    /// Quits the browser and its driver.
    pub async fn quit(self) {
        if let Some(chromium) = self.chromium {
            // The driver is terminated anyway.
            let _ = tokio::time::timeout(ENDING, chromium.browser.quit()).await;
        }
        drop(self.driver);
    }

    async fn start_once(&self, downloads: &Path) -> Step<WebDriver> {
        let capabilities = match self.program.engine {
            Engine::Chromium => chromium(&self.program, Code::Optimized)?,
            Engine::Firefox => firefox(&self.program, downloads)?,
            Engine::WebKit => webkit(&self.program)?,
        };
        let browser = connect(&self.driver, capabilities).await?;
        if self.program.engine == Engine::WebKit {
            // Without a window manager, arguments for the size are ignored; the browser's bar takes some of the height.
            browser.set_window_rect(0, 0, WINDOW.0, WINDOW.1 + 60).await?;
        }
        Ok(browser)
    }
}

fn downloads_in(folder: &Path) -> PathBuf {
    folder.join("downloads")
}

async fn connect(driver: &Driver, capabilities: Capabilities) -> Step<WebDriver> {
    let browser = WebDriver::builder(driver.address.as_str(), capabilities).request_timeout(LONGEST_ANSWER).await?;
    browser.set_script_timeout(LONGEST_ANSWER).await?;
    Ok(browser)
}

/// Running Chromium.
struct Chromium {
    browser: WebDriver,
    devtools: DevTools,
    code: Code,
    /// Initial window, which stays open, because the session ends with the last one.
    home: WindowHandle,
    /// Context of the open windows.
    context: Option<Value>,
    compiled: Option<Compiled>,
}

/// Page that stays open: as long as a page uses a program, its process keeps the compiled code for other pages. Compiling
/// takes half of the CPU time in which a page opens a small trace.
struct Compiled {
    /// Its server stays, too.
    _page: Page,
    window: String,
}

impl Chromium {
    async fn start(program: &Browser, driver: &Driver, code: Code) -> Step<Self> {
        let browser = connect(driver, chromium(program, code)?).await?;
        let profile = browser.handle().capabilities().get("chrome").and_then(|chrome| chrome["userDataDir"].as_str());
        let profile = profile.map(PathBuf::from).ok_or_else(|| Trouble("the browser has no profile".to_owned()))?;
        let devtools = DevTools::connect(&profile)?;
        let home = browser.window().await?;
        Ok(Self { browser, devtools, code, home, context: None, compiled: None })
    }

    /// Opens a window in front, in the open context or in a new one. Returns its driver and its handle.
    async fn open_window(&mut self, downloads: &Path) -> Step<(WebDriver, String)> {
        let context = match &self.context {
            Some(context) => context.clone(),
            None => self.new_context(downloads)?,
        };
        let window = json!({ "url": "about:blank", "browserContextId": context, "newWindow": true,
                             "width": WINDOW.0, "height": WINDOW.1 });
        let window = self.devtools.call("Target.createTarget", window)?;
        let handle = window["targetId"].as_str().unwrap_or_default().to_owned();
        self.browser.switch_to_window(WindowHandle::from(handle.clone())).await?;
        // Resets pressed keys and buttons, and the log.
        self.browser.action_chain().reset_actions().await?;
        self.browser.browser_log().await?;
        Ok((self.browser.clone(), handle))
    }

    fn new_context(&mut self, downloads: &Path) -> Step<Value> {
        let context = self.devtools.call("Target.createBrowserContext", json!({ "disposeOnDetach": true }))?;
        let context = context["browserContextId"].clone();
        let saving = json!({ "behavior": "allow", "browserContextId": context, "downloadPath": downloads });
        self.devtools.call("Browser.setDownloadBehavior", saving)?;
        self.context = Some(context.clone());
        Ok(context)
    }

    /// Closes the windows that a test has opened.
    async fn close_windows(&mut self) -> Step {
        self.browser.switch_to_window(self.home.clone()).await?;
        match &self.compiled {
            None => {
                if let Some(context) = self.context.take() {
                    self.devtools.call("Target.disposeBrowserContext", json!({ "browserContextId": context }))?;
                }
            }
            Some(compiled) => {
                let targets = self.devtools.call("Target.getTargets", json!({}))?;
                for target in targets["targetInfos"].as_array().into_iter().flatten() {
                    let is_of_test = Some(&target["browserContextId"]) == self.context.as_ref()
                        && target["type"] == "page"
                        && target["targetId"] != compiled.window.as_str();
                    if is_of_test {
                        self.devtools.call("Target.closeTarget", json!({ "targetId": target["targetId"] }))?;
                    }
                }
            }
        }
        Ok(())
    }
}

fn chromium(program: &Browser, code: Code) -> Step<Capabilities> {
    let mut capabilities = DesiredCapabilities::chrome();
    capabilities.set_binary(&program.program.to_string_lossy())?;
    for flag in FLAGS {
        capabilities.add_arg(flag)?;
    }
    capabilities.add_arg(&format!("--window-size={},{}", WINDOW.0, WINDOW.1))?;
    capabilities.add_arg("--force-device-scale-factor=1")?;
    // Suggestions of the location bar: they open two more pages in each window, which takes as long as everything else
    // in a context.
    capabilities.add_arg("--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup")?;
    if code == Code::Plain {
        capabilities.add_arg("--js-flags=--liftoff-only")?;
        // One process for all pages of a context.
        capabilities.add_arg("--process-per-site")?;
    }
    capabilities.set("goog:loggingPrefs", json!({ "browser": "ALL" }))?;
    Ok(capabilities.into())
}

fn firefox(program: &Browser, downloads: &Path) -> Step<Capabilities> {
    let mut capabilities = DesiredCapabilities::firefox();
    capabilities.set_firefox_binary(&program.program.to_string_lossy())?;
    // The browser's bars take 86 pixels.
    for flag in ["-headless", "--width=1440", "--height=986"] {
        capabilities.add_arg(flag)?;
    }
    let mut preferences = FirefoxPreferences::new();
    // 2 selects the folder in the next preference.
    preferences.set("browser.download.folderList", 2)?;
    preferences.set("browser.download.dir", downloads.to_string_lossy())?;
    capabilities.set_preferences(preferences)?;
    Ok(capabilities.into())
}

fn webkit(program: &Browser) -> Step<Capabilities> {
    let mut capabilities = Capabilities::new();
    let options = json!({ "binary": program.program, "args": ["--automation"] });
    capabilities.set("webkitgtk:browserOptions", options)?;
    Ok(capabilities)
}
