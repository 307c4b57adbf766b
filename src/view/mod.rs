//! Presentation without a browser.

pub mod url_state;
pub mod vscroll;
