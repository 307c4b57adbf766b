//! Features that some tests need, and the engines or drivers that lack them.

use crate::fixtures::real_traces;
use xtask::browser::Engine;

/// Feature that not every engine or driver supports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// Touch input with the browser's own gestures.
    Fingers,
    /// The browser's report on whether the page can be installed as an app.
    Installing,
    /// File handles that a page can store to reopen files.
    FileHandles,
    /// Files that become unreadable after they have changed on disk.
    UnchangedFiles,
    /// Windows as narrow as those of phones.
    NarrowWindows,
    /// System settings about colors, contrast and motion that a test can change.
    SystemLooks,
    /// Rules of axe-core, an npm package.
    Axe,
    /// Recordings that are too large for the repository, and the minutes that they take.
    RealTraces,
    /// Minutes and gigabytes of `cargo xtask test --full`.
    Full,
}

impl Need {
    /// Returns the reason why an engine lacks the feature; `None` if it is supported.
    pub fn missing_in(self, engine: Engine) -> Option<&'static str> {
        match (self, engine) {
            (Self::Axe, _) => {
                let is_missing = std::env::var_os("TRACEGLASS_AXE").is_none();
                is_missing.then_some("axe-core isn't here: `cargo xtask test` brings it where there is Node")
            }
            (Self::Full, _) => {
                let is_missing = std::env::var_os("TRACEGLASS_FULL").is_none();
                is_missing.then_some("only `cargo xtask test --full` takes the time")
            }
            (Self::RealTraces, _) if !real_traces().is_dir() => Some("there is no ../shared/traces"),
            (Self::RealTraces, _) => Self::Full.missing_in(engine),
            (_, Engine::Chromium) | (Self::UnchangedFiles, Engine::WebKit) => None,
            (Self::Fingers, _) => Some("its driver has no fingers with the browser's own gestures"),
            (Self::Installing, _) => Some("it installs no pages, or its driver doesn't say whether it would"),
            (Self::NarrowWindows, _) => Some("its windows do not become that narrow"),
            (Self::SystemLooks, _) => Some("its driver changes none of the system's settings"),
            (Self::FileHandles, _) => Some("it gives pages no handles of files"),
            (Self::UnchangedFiles, Engine::Firefox) => {
                Some("it reads a file as it now is, and doesn't report that it changed")
            }
        }
    }
}
