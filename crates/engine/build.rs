//! Generates the known events and the readers of their payloads, and sets `has_recordings`.

#[path = "build/manifest.rs"]
mod manifest;
#[path = "build/recordings.rs"]
mod recordings;

use std::path::Path;

const MANIFEST: &str = "src/clr/manifest/events.txt";

fn main() -> Result<(), String> {
    write_known_events()?;
    recordings::set_has_recordings();
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
