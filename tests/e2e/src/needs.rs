//! What some tests need of a browser, and which engines or drivers cannot do it.

use crate::fixtures::real_traces;
use xtask::browser::Engine;

/// What a test needs that not every engine, or not every driver, can do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// Fingers on the page, with the gestures that the browser itself makes of them.
    Fingers,
    /// The browser's word on whether the page can be installed as a program.
    Installing,
    /// Handles of files, which a page may keep to open the files again.
    FileHandles,
    /// Files that cannot be read any more once they were changed on the disk.
    UnchangedFiles,
    /// Windows as narrow as those of telephones.
    NarrowWindows,
    /// Settings of the system about colours, contrast and motion, which a test may change.
    SystemLooks,
    /// The rules of axe-core, which are a package of Node's.
    Axe,
    /// Recordings that are too large for the repository, and the minutes that they take.
    RealTraces,
    /// The minutes and gigabytes that only `cargo xtask test --full` has.
    Full,
}

impl Need {
    /// Why this cannot be had in an engine; none where it can.
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
