//! The recordings beside the clone.

use std::path::{Path, PathBuf};

/// Files up to this size are compared always, larger ones only when everything is asked for.
const SMALL_BYTES: u64 = 3 << 20;

/// The real traces beside the clone, or where TRACEGLASS_SHARED says.
pub fn traces() -> Option<PathBuf> {
    let beside = || crate::common::root().join("../shared");
    let traces = std::env::var_os("TRACEGLASS_SHARED").map_or_else(beside, PathBuf::from).join("traces");
    if !traces.is_dir() {
        println!("SKIPPED: there is no {}", traces.display());
        return None;
    }
    Some(traces)
}

/// A recording, packed or not, unless it is not there or too large for this run.
pub fn recording(traces: &Path, name: &str) -> Option<PathBuf> {
    let places = [name.to_owned(), format!("{name}.zst"), format!("perfview/{name}.zip")];
    let Some(path) = places.iter().map(|place| traces.join(place)).find(|path| path.is_file()) else {
        println!("SKIPPED {name}: it is not there");
        return None;
    };
    let is_full = std::env::var_os("TRACEGLASS_FULL").is_some();
    if !is_full && path.metadata().is_ok_and(|file| file.len() > SMALL_BYTES) {
        println!("SKIPPED {name}: it is large");
        return None;
    }
    Some(path)
}
