//! Presentation without a browser.
