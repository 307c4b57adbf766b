//! What a test does in another way in each engine, because their drivers differ.

use crate::page::{PATIENCE, POLL, Page};
use crate::{Step, Trouble};
use serde_json::json;
use std::time::Instant;
use thirtyfour::common::command::Command;
use thirtyfour::error::WebDriverErrorInner;
use thirtyfour::prelude::*;
use xtask::browser::Engine;

impl Page {
    /// The first visible element that is found so, as soon as there is one.
    ///
    /// # Errors
    /// When there is none after a while.
    pub async fn find_by(&self, by: By) -> Step<WebElement> {
        let start = Instant::now();
        loop {
            if let Some(element) = self.first_visible(by.clone()).await? {
                return Ok(element);
            }
            if start.elapsed() > PATIENCE {
                return Err(Trouble(format!("waited in vain until {by} is seen")));
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Asks about one element after the other: a table has a hundred rows, and the driver answers a few milliseconds for each.
    async fn first_visible(&self, by: By) -> Step<Option<WebElement>> {
        for element in self.browser.find_all(by).await? {
            let is_visible = match self.engine {
                Engine::Chromium | Engine::Firefox => element.is_displayed().await,
                Engine::WebKit => is_displayed(&element).await,
            };
            match is_visible {
                Ok(true) => return Ok(Some(element)),
                Ok(false) => {}
                // It was replaced by another one in the meantime.
                Err(error) if matches!(error.as_inner(), WebDriverErrorInner::StaleElementReference(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(None)
    }

    /// Text of an element as it is shown.
    ///
    /// # Errors
    /// When it is gone.
    pub async fn text_of(&self, element: &WebElement) -> Step<String> {
        if self.engine != Engine::WebKit {
            return Ok(element.text().await?);
        }
        // See `is_displayed`: the driver returns no text of what it takes for hidden. A space that breaks no line is one
        // in the text of other drivers.
        let text =
            self.run("return arguments[0].innerText.replaceAll('\\u00a0', ' ').trim()", [element.to_json()?]).await?;
        Ok(text.as_str().unwrap_or_default().to_owned())
    }

    /// Scrolls to an element that is to be clicked, where the driver does not wait until that is done, and clicks where the
    /// element was before.
    pub(crate) async fn scroll_to(&self, element: &WebElement) -> Step {
        if self.engine != Engine::WebKit {
            return Ok(());
        }
        let stands = "const [element] = arguments;
            element.scrollIntoViewIfNeeded();
            const { left, top } = element.getBoundingClientRect();
            await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 30)));
            const after = element.getBoundingClientRect();
            return after.left === left && after.top === top;";
        let start = Instant::now();
        while self.run_async(stands, [element.to_json()?]).await? != true && start.elapsed() < PATIENCE {}
        Ok(())
    }

    /// Clicks with the right button at a place of the window.
    ///
    /// # Errors
    /// When the browser refuses.
    pub async fn right_click(&self, (x, y): (f64, f64)) -> Step {
        let there = self.pointer().move_to(x as i64, y as i64);
        if self.engine != Engine::WebKit {
            there.context_click().perform().await?;
            return Ok(());
        }
        // Its driver lets the left button go instead of the right one, which then stays pressed.
        there.perform().await?;
        let click = "const [x, y] = arguments;
            const there = document.elementFromPoint(x, y);
            there.closest('[tabindex], button, a, input, select')?.focus();
            there.dispatchEvent(new MouseEvent('contextmenu', {
              clientX: x, clientY: y, button: 2, bubbles: true, cancelable: true,
            }))";
        self.run(click, [json!(x), json!(y)]).await?;
        Ok(())
    }

    /// Chooses the light or the dark theme, and whether with more contrast: through the system's settings, where the
    /// browser lets a test do that.
    ///
    /// # Errors
    /// When the browser refuses.
    pub async fn prefer_theme(&self, theme: &str, more_contrast: bool) -> Step {
        if self.engine == Engine::Chromium {
            let contrast = if more_contrast { "more" } else { "no-preference" };
            self.emulate_media(&[("prefers-color-scheme", theme), ("prefers-contrast", contrast)]).await?;
        } else {
            let contrast = if more_contrast { "more" } else { "normal" };
            let set =
                "Object.assign(document.documentElement.dataset, { theme: arguments[0], contrast: arguments[1] })";
            self.run(set, [json!(theme), json!(contrast)]).await?;
        }
        Ok(())
    }

    /// Gives the window a width and a height in CSS pixels; only the driver of Chromium gives any.
    ///
    /// # Errors
    /// When the browser refuses.
    pub async fn resize(&self, (width, height): (u32, u32)) -> Step {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.browser.cdp().send_raw("Emulation.setDeviceMetricsOverride", size).await?;
        self.run_async("await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))", [])
            .await?;
        Ok(())
    }

    /// Has the system's settings be these, by the names that style sheets know, and all others as they are usually; only the
    /// driver of Chromium does that.
    ///
    /// # Errors
    /// When the browser refuses.
    pub async fn emulate_media(&self, settings: &[(&str, &str)]) -> Step {
        let features: Vec<_> = settings.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
        self.browser.cdp().send_raw("Emulation.setEmulatedMedia", json!({ "features": features })).await?;
        Ok(())
    }

    /// Turns the wheel at a place of the window. `modifiers`: 2 is Control, 8 is Shift.
    ///
    /// # Errors
    /// When the browser refuses.
    pub async fn wheel(&self, (x, y): (f64, f64), modifiers: u32, pixels: f64) -> Step {
        if self.engine == Engine::Chromium {
            let turn =
                json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": pixels, "modifiers": modifiers });
            self.browser.cdp().send_raw("Input.dispatchMouseEvent", turn).await?;
            return Ok(());
        }
        if modifiers == 0 {
            let turn = json!({ "type": "scroll", "x": x as i64, "y": y as i64, "deltaX": 0, "deltaY": pixels as i64,
                               "duration": 0, "origin": "viewport" });
            let wheel = json!([{ "type": "wheel", "id": "wheel", "actions": [turn] }]);
            self.browser.handle().cmd(Command::PerformActions(wheel.into())).await?;
            return Ok(());
        }
        // Drivers of other browsers turn no wheel with keys held.
        let turn = "const [x, y, modifiers, deltaY] = arguments;
                    document.elementFromPoint(x, y).dispatchEvent(new WheelEvent('wheel', {
                      clientX: x, clientY: y, deltaY, ctrlKey: (modifiers & 2) !== 0, shiftKey: (modifiers & 8) !== 0,
                      bubbles: true, cancelable: true,
                    }))";
        self.run(turn, [json!(x), json!(y), json!(modifiers), json!(pixels)]).await?;
        Ok(())
    }

    /// Errors that the browser logged: of scripts, of the policy, of the network.
    ///
    /// # Errors
    /// When the browser is gone.
    pub async fn logged_errors(&self) -> Step<Vec<String>> {
        let log = self.log().await?;
        Ok(log.into_iter().filter(|entry| entry.level == "SEVERE").map(|entry| entry.message).collect())
    }

    /// What the browser logged; only the driver of Chromium has it.
    pub(crate) async fn log(&self) -> Step<Vec<thirtyfour::common::log::BrowserLogEntry>> {
        match self.engine {
            Engine::Chromium => Ok(self.browser.browser_log().await?),
            Engine::Firefox | Engine::WebKit => Ok(Vec::new()),
        }
    }
}

/// Whether an element is seen. The driver of WebKit takes what hides its overflow for hidden when it holds nothing but text.
async fn is_displayed(element: &WebElement) -> WebDriverResult<bool> {
    let is_seen = "const [element] = arguments, { width, height } = element.getBoundingClientRect();
                   return width > 0 && height > 0
                     && element.checkVisibility({ opacityProperty: true, visibilityProperty: true })";
    let handle = element.handle().clone();
    handle.execute(is_seen, vec![element.to_json()?]).await?.convert()
}
