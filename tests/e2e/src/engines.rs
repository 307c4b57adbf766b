//! Operations that differ between browser engines, because their drivers differ.

use crate::page::{PATIENCE, POLL, Page};
use crate::{Step, Trouble};
use serde_json::json;
use std::time::Instant;
use thirtyfour::common::command::Command;
use thirtyfour::error::WebDriverErrorInner;
use thirtyfour::prelude::*;
use xtask::browser::Engine;

impl Page {
    /// Waits for a visible element.
    ///
    /// # Errors
    /// Fails if there is none in time.
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

    /// Returns the first visible element. Checks one element after the other: a table has a hundred rows, and each
    /// check takes a few milliseconds.
    async fn first_visible(&self, by: By) -> Step<Option<WebElement>> {
        for element in self.browser.find_all(by).await? {
            let is_visible = match self.engine {
                Engine::Chromium | Engine::Firefox => element.is_displayed().await,
                Engine::WebKit => is_displayed(&element).await,
            };
            match is_visible {
                Ok(true) => return Ok(Some(element)),
                Ok(false) => {}
                // The element has been replaced.
                Err(error) if matches!(error.as_inner(), WebDriverErrorInner::StaleElementReference(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(None)
    }

    /// Returns the visible text of an element.
    ///
    /// # Errors
    /// Fails if it is gone.
    pub async fn text_of(&self, element: &WebElement) -> Step<String> {
        if self.engine != Engine::WebKit {
            return Ok(element.text().await?);
        }
        // See `is_displayed`: the driver returns no text of elements that it considers hidden. Other drivers return
        // no-break spaces as spaces.
        let text =
            self.run("return arguments[0].innerText.replaceAll('\\u00a0', ' ').trim()", [element.to_json()?]).await?;
        Ok(text.as_str().unwrap_or_default().to_owned())
    }

    /// Scrolls to an element before a click, for drivers that don't wait for the end of scrolling, and click at the
    /// previous position.
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

    /// Right-clicks at a position of the window.
    ///
    /// # Errors
    /// Fails if the browser refuses.
    pub async fn right_click(&self, (x, y): (f64, f64)) -> Step {
        let there = self.pointer().move_to(x as i64, y as i64);
        if self.engine != Engine::WebKit {
            there.context_click().perform().await?;
            return Ok(());
        }
        // Its driver releases the left button instead of the right one, which stays pressed.
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

    /// Sets the system's theme and contrast. Drivers that can't change the system's choose the theme in the page.
    ///
    /// # Errors
    /// Fails if the browser refuses.
    pub async fn prefer_theme(&self, theme: &str, more_contrast: bool) -> Step {
        if self.engine == Engine::Chromium {
            let contrast = if more_contrast { "more" } else { "no-preference" };
            self.emulate_media(&[("prefers-color-scheme", theme), ("prefers-contrast", contrast)]).await?;
        } else {
            self.run("document.documentElement.dataset.theme = arguments[0]", [json!(theme)]).await?;
        }
        Ok(())
    }

    /// Gives the page a width and height in CSS pixels. Drivers of other browsers than Chromium resize the window, which
    /// can't become as narrow as a phone.
    ///
    /// # Errors
    /// Fails if the browser refuses.
    pub async fn resize(&self, (width, height): (u32, u32)) -> Step {
        if self.engine == Engine::Chromium {
            let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
            self.browser.cdp().send_raw("Emulation.setDeviceMetricsOverride", size).await?;
        } else {
            let frame = self.run("return [outerWidth - innerWidth, outerHeight - innerHeight]", []).await?;
            let frame = [0, 1].map(|side| frame[side].as_u64().unwrap_or(0) as u32);
            self.browser.set_window_rect(0, 0, width + frame[0], height + frame[1]).await?;
            self.until("the page has this size", &format!("return innerWidth === {width} && innerHeight === {height}"))
                .await?;
        }
        self.run_async("await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))", [])
            .await?;
        Ok(())
    }

    /// Sets system settings by their media features, and resets all others; only the driver of Chromium supports it.
    ///
    /// # Errors
    /// Fails if the browser refuses.
    pub async fn emulate_media(&self, settings: &[(&str, &str)]) -> Step {
        let features: Vec<_> = settings.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
        self.browser.cdp().send_raw("Emulation.setEmulatedMedia", json!({ "features": features })).await?;
        Ok(())
    }

    /// Turns the wheel at a position of the window. `modifiers`: 2 is Control, 8 is Shift.
    ///
    /// # Errors
    /// Fails if the browser refuses.
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
        // Drivers of other browsers don't support the wheel with modifiers.
        let turn = "const [x, y, modifiers, deltaY] = arguments;
                    document.elementFromPoint(x, y).dispatchEvent(new WheelEvent('wheel', {
                      clientX: x, clientY: y, deltaY, ctrlKey: (modifiers & 2) !== 0, shiftKey: (modifiers & 8) !== 0,
                      bubbles: true, cancelable: true,
                    }))";
        self.run(turn, [json!(x), json!(y), json!(modifiers), json!(pixels)]).await?;
        Ok(())
    }

    /// Returns the errors in the browser's log: of scripts, of the policy, of the network.
    ///
    /// # Errors
    /// Fails if the browser is gone.
    pub async fn logged_errors(&self) -> Step<Vec<String>> {
        let log = self.log().await?;
        Ok(log.into_iter().filter(|entry| entry.level == "SEVERE").map(|entry| entry.message).collect())
    }

    /// Returns the browser's log; only the driver of Chromium supports it.
    pub(crate) async fn log(&self) -> Step<Vec<thirtyfour::common::log::BrowserLogEntry>> {
        match self.engine {
            Engine::Chromium => Ok(self.browser.browser_log().await?),
            Engine::Firefox | Engine::WebKit => Ok(Vec::new()),
        }
    }
}

/// Returns whether an element is visible. The driver of WebKit considers elements with hidden overflow and only text as
/// hidden.
async fn is_displayed(element: &WebElement) -> WebDriverResult<bool> {
    let is_seen = "const [element] = arguments, { width, height } = element.getBoundingClientRect();
                   return width > 0 && height > 0
                     && element.checkVisibility({ opacityProperty: true, visibilityProperty: true })";
    let handle = element.handle().clone();
    handle.execute(is_seen, vec![element.to_json()?]).await?.convert()
}
