//! Reads the focus, and moves it with Tab.

use crate::Step;
use crate::page::Page;
use thirtyfour::prelude::*;

/// Maximum number of presses of Tab for a cycle through any screen.
const ROUND: usize = 80;

impl Page {
    /// Returns the test ID of the focused element or, in a table, its role.
    ///
    /// # Errors
    /// Fails if the browser is gone.
    pub async fn focused(&self) -> Step<String> {
        let focused =
            "return document.activeElement?.dataset.testid ?? document.activeElement?.getAttribute('role') ?? ''";
        Ok(self.run(focused, []).await?.as_str().unwrap_or_default().to_owned())
    }

    /// Presses Tab until an element has the focus.
    ///
    /// # Errors
    /// Fails if it never has.
    pub async fn tab_to(&self, wanted: &str) -> Step {
        self.tab(wanted, async || self.press(Key::Tab).await).await
    }

    /// Presses Shift+Tab until an element has the focus.
    ///
    /// # Errors
    /// Fails if it never has.
    pub async fn tab_back_to(&self, wanted: &str) -> Step {
        self.tab(wanted, async || self.press_with(Key::Shift, Key::Tab).await).await
    }

    async fn tab(&self, wanted: &str, press: impl AsyncFn() -> Step) -> Step {
        let mut passed = Vec::new();
        for _ in 0..ROUND {
            press().await?;
            let focused = self.focused().await?;
            if focused == wanted {
                return Ok(());
            }
            passed.push(focused);
        }
        Err(format!("Tab never comes to {wanted}: {passed:?}").into())
    }
}
