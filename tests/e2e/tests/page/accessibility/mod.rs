//! Accessibility: no screen violates rules of axe-core in any theme.

mod analyses;
mod details;
mod menus;
mod opening;
mod workspace;

use thirtyfour::prelude::*;
use traceglass_e2e::{Page, Step};

async fn close(page: &Page) -> Step {
    page.press(Key::Escape).await?;
    page.until("it is closed", "return !document.querySelector('dialog[open], [role=menu]')").await
}

/// Opens a tab by its URL, even if its button is in a menu.
async fn go(page: &Page, tab: &str) -> Step {
    let hash = "location.hash = location.hash.replace(/^#\\/[^?]*/, '#/' + arguments[0])";
    page.run(hash, [tab.into()]).await?;
    Ok(())
}
