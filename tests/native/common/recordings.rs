//! Recordings beside the clone.

use std::path::{Path, PathBuf};

/// Maximum size of a file that is always compared; larger ones only in a full run.
const SMALL_BYTES: u64 = 3 << 20;
/// The same for compressed files: recordings are compressed to a tenth.
const SMALL_PACKED_BYTES: u64 = 1 << 20;

/// True for `cargo xtask test --full`.
pub fn is_full() -> bool {
    std::env::var_os("TRACEGLASS_FULL").is_some()
}

/// Returns the folder of real traces beside the clone, or in TRACEGLASS_SHARED.
pub fn traces() -> Option<PathBuf> {
    let beside = || crate::common::root().join("../shared");
    let traces = std::env::var_os("TRACEGLASS_SHARED").map_or_else(beside, PathBuf::from).join("traces");
    if !traces.is_dir() {
        println!("SKIPPED: there is no {}", traces.display());
        return None;
    }
    Some(traces)
}

/// Returns the name of a trace without the ending of its compression.
pub fn unpacked_name(path: &Path) -> String {
    let name = path.file_name().expect("a name").to_string_lossy();
    [".gz", ".zst", ".zip"].iter().find_map(|packing| name.strip_suffix(packing)).unwrap_or(&name).to_owned()
}

/// Returns the path of a recording, compressed or not, unless it is missing or too large for this run.
pub fn recording(traces: &Path, name: &str) -> Option<PathBuf> {
    let places = [name.to_owned(), format!("{name}.zst"), format!("perfview/{name}.zip")];
    let Some(path) = places.iter().map(|place| traces.join(place)).find(|path| path.is_file()) else {
        println!("SKIPPED {name}: it is not there");
        return None;
    };
    let most = if path.ends_with(name) { SMALL_BYTES } else { SMALL_PACKED_BYTES };
    if !is_full() && path.metadata().is_ok_and(|file| file.len() > most) {
        println!("SKIPPED {name}: it is large");
        return None;
    }
    Some(path)
}
