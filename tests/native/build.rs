//! Sets `has_recordings` if real traces are beside the clone; otherwise, tests that need them are ignored, with the
//! reason.

use std::path::PathBuf;

fn main() {
    let beside = || PathBuf::from("../../../shared");
    let traces = std::env::var_os("TRACEGLASS_SHARED").map_or_else(beside, PathBuf::from).join("traces");
    println!("cargo::rustc-check-cfg=cfg(has_recordings)");
    println!("cargo::rerun-if-env-changed=TRACEGLASS_SHARED");
    // Not the folder itself: a missing path would run this script in every build.
    println!("cargo::rerun-if-changed=build.rs");
    if traces.is_dir() {
        println!("cargo::rustc-cfg=has_recordings");
    }
}
