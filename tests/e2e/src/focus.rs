//! Where the focus is, and where Tab takes it.

use crate::Step;
use crate::page::Page;
use thirtyfour::prelude::*;

/// So many presses of Tab go round any screen.
const ROUND: usize = 80;

impl Page {
    /// What has the focus, by its stable name or, in a table, its role.
    ///
    /// # Errors
    /// When the browser is gone.
    pub async fn focused(&self) -> Step<String> {
        let focused =
            "return document.activeElement?.dataset.testid ?? document.activeElement?.getAttribute('role') ?? ''";
        Ok(self.run(focused, []).await?.as_str().unwrap_or_default().to_owned())
    }

    /// Presses Tab until the focus is there.
    ///
    /// # Errors
    /// When it never is.
    pub async fn tab_to(&self, wanted: &str) -> Step {
        self.tab(wanted, async || self.press(Key::Tab).await).await
    }

    /// Presses Shift and Tab until the focus is there.
    ///
    /// # Errors
    /// When it never is.
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
