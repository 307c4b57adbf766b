//! Paths of the clone, the build output and tools.

use std::path::{Path, PathBuf};

/// Returns the folder of the clone.
pub fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package).to_path_buf()
}

/// Returns the folder of the built page.
pub fn dist() -> PathBuf {
    root().join("dist")
}

/// Returns Cargo's folder for build output.
pub fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

/// Returns a program of this workspace that Cargo has compiled for `cargo xtask`.
pub fn compiled_tool(name: &str) -> PathBuf {
    target().join("debug").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// Returns the folder with real traces and their reference outputs, if it is beside the clone.
pub fn shared() -> Option<PathBuf> {
    let folder = root().join("../shared");
    folder.join("traces").is_dir().then_some(folder)
}

/// Returns the folder outside the clone for installed tools and decompressed traces, which clones share.
///
/// # Errors
/// Fails if neither an override nor a home folder is known.
pub fn cache() -> crate::Outcome<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    variable("TRACEGLASS_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("traceglass")))
        .or_else(|| variable("HOME").map(|home| home.join(".cache/traceglass")))
        .or_else(|| variable("LOCALAPPDATA").map(|folder| folder.join("traceglass")))
        .ok_or_else(|| "no folder for tools: set TRACEGLASS_CACHE".to_owned())
}

/// Returns the program with a name on PATH.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(&file)).find(|path| path.is_file())
}
