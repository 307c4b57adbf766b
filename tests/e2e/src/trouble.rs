//! Error of a test step.

use thirtyfour::error::WebDriverError;

/// Reason why a test can't continue.
pub struct Trouble(pub String);

impl std::fmt::Debug for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<WebDriverError> for Trouble {
    fn from(error: WebDriverError) -> Self {
        Self(error.to_string())
    }
}

impl From<String> for Trouble {
    fn from(message: String) -> Self {
        Self(message)
    }
}
