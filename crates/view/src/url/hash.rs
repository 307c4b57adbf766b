//! URL hash that is being written.

use super::percent::escape;
use crate::page::tab::Tab;

/// Version of the URL format, raised when older versions of the page can't read it.
pub(super) const VERSION: u32 = 1;

/// URL hash: `#/events?v=1&…`.
pub(super) struct Hash(pub(super) String);

impl Hash {
    pub(super) fn new(tab: Tab) -> Self {
        Self(format!("#/{}?v={VERSION}", tab.slug()))
    }

    pub(super) fn push(&mut self, key: &str, value: &str) {
        self.0.push('&');
        self.0.push_str(key);
        self.0.push('=');
        escape(value, &mut self.0);
    }
}
