//! Pointer input.

use crate::Step;
use crate::page::{PATIENCE, POLL, Page};
use serde_json::Value;
use std::time::Instant;
use thirtyfour::error::WebDriverErrorInner;
use thirtyfour::prelude::*;

impl Page {
    /// Clicks the element with this `data-testid`, as soon as it isn't covered.
    ///
    /// # Errors
    /// Fails if there is none, or it stays covered.
    pub async fn click(&self, id: &str) -> Step {
        self.click_by(By::Testid(id)).await
    }

    /// Clicks a line in the menu of a button. Opens the menu if necessary: it closes when the window is resized.
    ///
    /// # Errors
    /// Fails if the button or line doesn't exist.
    pub async fn choose_from(&self, button: &str, line: &str) -> Step {
        let is_open = self.run("return !!document.querySelector('[data-testid=menu]')", []).await?;
        if is_open != Value::Bool(true) {
            self.click(button).await?;
        }
        self.click(line).await
    }

    /// Clicks the first visible matching element, as soon as it isn't covered.
    ///
    /// # Errors
    /// Fails if there is none, or it stays covered.
    pub async fn click_by(&self, by: By) -> Step {
        let start = Instant::now();
        loop {
            let element = self.find_by(by.clone()).await?;
            self.scroll_to(&element).await?;
            let clicked = element.click().await;
            let is_covered = clicked.as_ref().is_err_and(|error| cannot_be_clicked(error.as_inner()));
            if !is_covered || start.elapsed() > PATIENCE {
                return Ok(clicked?);
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Returns the position in the window at the horizontal center of an element, a number of pixels below its top.
    ///
    /// # Errors
    /// Fails if the element doesn't exist.
    pub async fn below_top(&self, id: &str, pixels: f64) -> Step<(f64, f64)> {
        let place = self.find(id).await?.rect().await?;
        Ok((place.x + place.width / 2.0, place.y + pixels))
    }

    /// Clicks at a position of the window.
    ///
    /// # Errors
    /// Fails if the browser refuses.
    pub async fn click_at(&self, (x, y): (f64, f64)) -> Step {
        Ok(self.pointer().move_to(x as i64, y as i64).click().perform().await?)
    }

    /// Selects the option of a dropdown that contains `part`, or turns on or off the line of a menu that a button opens.
    ///
    /// # Errors
    /// Fails if the option doesn't appear in time.
    pub async fn pick(&self, list: &str, part: &str) -> Step {
        if self.find(list).await?.tag_name().await? == "button" {
            self.click(list).await?;
            let line = format!("//*[@data-testid='menu']//button[contains(., '{part}')]");
            self.browser().query(By::XPath(line)).wait(PATIENCE, POLL).first().await?.click().await?;
            return self.press(Key::Escape).await;
        }
        let list = self.find(list).await?;
        let entry = list.query(By::XPath(format!(".//option[contains(., '{part}')]")));
        entry.wait(PATIENCE, POLL).first().await?.click().await?;
        Ok(())
    }

    /// Opens the context menu below the top of an element.
    ///
    /// # Errors
    /// Fails if there is none.
    pub async fn menu_of(&self, id: &str) -> Step {
        self.right_click(self.below_top(id, 8.0).await?).await?;
        self.find("menu").await?;
        Ok(())
    }
}

/// Returns whether a click failed because the element is covered or still moving.
fn cannot_be_clicked(error: &WebDriverErrorInner) -> bool {
    use WebDriverErrorInner::{ElementClickIntercepted, ElementNotInteractable};
    matches!(error, ElementClickIntercepted(_) | ElementNotInteractable(_))
}
