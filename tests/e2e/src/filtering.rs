//! The filter as a user reads and changes it.

use crate::Step;
use crate::page::Page;
use serde_json::json;
use thirtyfour::prelude::*;

/// A number as it is written on the page: `26,800`.
///
/// # Errors
/// When it is none.
pub fn number(text: &str) -> Step<u64> {
    text.replace(',', "").parse().map_err(|error| format!("{text:?}: {error}").into())
}

/// A number as the page writes it.
pub fn written(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

impl Page {
    /// Empties the field of the filter and types into it.
    ///
    /// # Errors
    /// When there is no such field.
    pub async fn type_filter(&self, text: &str) -> Step {
        let field = self.find("search").await?;
        field.clear().await?;
        // WebKit's driver refuses to type nothing.
        if !text.is_empty() {
            field.send_keys(text).await?;
        }
        Ok(())
    }

    /// What stands in the field of the filter.
    ///
    /// # Errors
    /// When there is no such field.
    pub async fn typed_filter(&self) -> Step<String> {
        Ok(self.find("search").await?.value().await?.unwrap_or_default())
    }

    /// Waits until the row of chips says that so many events match.
    ///
    /// # Errors
    /// When it never does.
    pub async fn matches_when(&self, events: &str) -> Step {
        self.text_when("matches", |text| text == events).await.map(drop)
    }

    /// Waits until the row of chips, the line at the bottom and the table of events, which is opened, say that so many events
    /// match.
    ///
    /// # Errors
    /// When one of them never does.
    pub async fn events_when(&self, events: &str) -> Step {
        self.matches_when(events).await?;
        self.text_when("status-events", |text| text == events).await?;
        self.click("tab-events").await?;
        self.text_when("events-total", |text| text == events).await.map(drop)
    }

    /// Waits until these are the conditions of the filter, a chip each.
    ///
    /// # Errors
    /// When they never are.
    pub async fn chips_when(&self, chips: &[&str]) -> Step {
        let script = format!(
            "const chips = [...document.querySelectorAll('.filters .chip .edit')].map((chip) => chip.textContent.trim());
             return JSON.stringify(chips) === JSON.stringify({})",
            json!(chips)
        );
        self.until(&format!("the chips are {chips:?}"), &script).await
    }

    /// Presses `≠` of a chip: what it wanted is left out then, or the other way round. A part of its stable name is enough.
    ///
    /// # Errors
    /// When there is no such chip.
    pub async fn turn_round(&self, chip: &str) -> Step {
        self.click_by(By::Css(format!("[data-testid^='chip-{chip}'] [data-testid=turn-round]"))).await
    }

    /// Takes a chip away. A part of its stable name is enough.
    ///
    /// # Errors
    /// When there is no such chip.
    pub async fn remove_chip(&self, chip: &str) -> Step {
        self.click_by(By::Css(format!("[data-testid^='chip-{chip}'] [aria-label^='Remove']"))).await
    }

    /// Takes the first of the ways in which the filter may go on.
    ///
    /// # Errors
    /// When there is none.
    pub async fn take_first_suggestion(&self) -> Step {
        self.press(Key::Down).await?;
        let chosen = "return !!document.querySelector('#query-suggestions [aria-selected=true]')";
        self.until("a suggestion is chosen", chosen).await?;
        self.press(Key::Enter).await
    }
}
