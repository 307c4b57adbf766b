//! Reads and changes the filter like a user.

use crate::Step;
use crate::page::Page;
use serde_json::json;
use thirtyfour::prelude::*;

/// Parses a number as displayed on the page: `26,800`.
///
/// # Errors
/// Fails if the text isn't a number.
pub fn number(text: &str) -> Step<u64> {
    text.replace(',', "").parse().map_err(|error| format!("{text:?}: {error}").into())
}

/// Formats a number as the page does.
pub fn written(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

impl Page {
    /// Replaces the text of the filter field by typing.
    ///
    /// # Errors
    /// Fails if the field doesn't exist.
    pub async fn type_filter(&self, text: &str) -> Step {
        let field = self.find("search").await?;
        field.clear().await?;
        // WebKit's driver refuses to type an empty text.
        if !text.is_empty() {
            field.send_keys(text).await?;
        }
        Ok(())
    }

    /// Returns the text of the filter field.
    ///
    /// # Errors
    /// Fails if the field doesn't exist.
    pub async fn typed_filter(&self) -> Step<String> {
        Ok(self.find("search").await?.value().await?.unwrap_or_default())
    }

    /// Waits until the row of chips shows a number of matching events.
    ///
    /// # Errors
    /// Fails if it doesn't in time.
    pub async fn matches_when(&self, events: &str) -> Step {
        self.text_when("matches", |text| text == events).await.map(drop)
    }

    /// Waits until the row of chips, the status bar and the event table, which is opened, show a number of matching
    /// events.
    ///
    /// # Errors
    /// Fails if they don't in time.
    pub async fn events_when(&self, events: &str) -> Step {
        self.matches_when(events).await?;
        self.text_when("status-events", |text| text == events).await?;
        self.click("tab-events").await?;
        self.text_when("events-total", |text| text == events).await.map(drop)
    }

    /// Waits until the chips of the filter have these texts.
    ///
    /// # Errors
    /// Fails if they don't in time.
    pub async fn chips_when(&self, chips: &[&str]) -> Step {
        let script = format!(
            "const chips = [...document.querySelectorAll('.filters .chip .edit')].map((chip) => chip.textContent.trim());
             return JSON.stringify(chips) === JSON.stringify({})",
            json!(chips)
        );
        self.until(&format!("the chips are {chips:?}"), &script).await
    }

    /// Inverts a chip with its button `≠`. A part of its test ID is enough.
    ///
    /// # Errors
    /// Fails if the chip doesn't exist.
    pub async fn invert_chip(&self, chip: &str) -> Step {
        self.click_by(By::Css(format!("[data-testid^='chip-{chip}'] [data-testid=turn-round]"))).await
    }

    /// Removes a chip. A part of its test ID is enough.
    ///
    /// # Errors
    /// Fails if the chip doesn't exist.
    pub async fn remove_chip(&self, chip: &str) -> Step {
        self.click_by(By::Css(format!("[data-testid^='chip-{chip}'] [aria-label^='Remove']"))).await
    }

    /// Accepts the first suggestion for the filter.
    ///
    /// # Errors
    /// Fails if there is none.
    pub async fn take_first_suggestion(&self) -> Step {
        self.press(Key::Down).await?;
        let chosen = "return !!document.querySelector('#query-suggestions [aria-selected=true]')";
        self.until("a suggestion is chosen", chosen).await?;
        self.press(Key::Enter).await
    }
}
