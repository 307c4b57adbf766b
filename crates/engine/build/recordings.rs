//! Sets `has_recordings` if real traces are beside the clone: tests that need them are ignored elsewhere, with the reason.

use std::path::PathBuf;

/// Prints the instructions for Cargo.
pub fn set_has_recordings() {
    let beside = || PathBuf::from("../../../shared");
    let traces = std::env::var_os("TRACEGLASS_SHARED").map_or_else(beside, PathBuf::from).join("traces");
    println!("cargo::rustc-check-cfg=cfg(has_recordings)");
    println!("cargo::rerun-if-env-changed=TRACEGLASS_SHARED");
    // Not the folder itself: a missing path would run this script in every build.
    println!("cargo::rerun-if-changed=build.rs");
    // The page's programs are the same wherever they are built.
    let is_native = std::env::var_os("CARGO_CFG_TARGET_ARCH").is_some_and(|arch| arch != "wasm32");
    if is_native && traces.is_dir() {
        println!("cargo::rustc-cfg=has_recordings");
    }
}
