//! Generates the known events and the readers of their payloads, and sets `has_recordings` where real traces are beside the clone: tests that need
//! them are ignored elsewhere, and say so.

#[path = "build/manifest.rs"]
mod manifest;

use std::path::{Path, PathBuf};

const MANIFEST: &str = "src/clr/manifest/events.txt";

fn main() -> Result<(), String> {
    write_known_events()?;
    let beside = || PathBuf::from("../../../shared");
    let traces = std::env::var_os("TRACEGLASS_SHARED").map_or_else(beside, PathBuf::from).join("traces");
    println!("cargo::rustc-check-cfg=cfg(has_recordings)");
    println!("cargo::rerun-if-env-changed=TRACEGLASS_SHARED");
    // Not the folder itself: a missing path would make every build run this again.
    println!("cargo::rerun-if-changed=build.rs");
    // The page's programs are the same wherever they are built.
    let is_native = std::env::var_os("CARGO_CFG_TARGET_ARCH").is_some_and(|arch| arch != "wasm32");
    if is_native && traces.is_dir() {
        println!("cargo::rustc-cfg=has_recordings");
    }
    Ok(())
}

fn write_known_events() -> Result<(), String> {
    println!("cargo::rerun-if-changed={MANIFEST}");
    println!("cargo::rerun-if-changed=build/manifest.rs");
    let text = std::fs::read_to_string(MANIFEST).map_err(|error| format!("{MANIFEST}: {error}"))?;
    let directory = std::env::var_os("OUT_DIR").ok_or("OUT_DIR isn't set")?;
    for (file, code) in
        [("known_events.rs", manifest::known_events(&text)?), ("payload_readers.rs", manifest::readers(&text)?)]
    {
        let path = Path::new(&directory).join(file);
        std::fs::write(&path, code).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}
