//! Adds offline support to the built page: a service worker that knows all files of the build.

use crate::{Outcome, build, paths};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};
use std::path::Path;

/// File name of the page.
const PAGE: &str = "index.html";
/// Prefixes of files that aren't cached: samples are traces, and browsers store the service worker themselves.
const NOT_KEPT: [&str; 2] = ["samples/", SERVICE_WORKER];
const SERVICE_WORKER: &str = "sw.js";

/// Writes the service worker of a built page, and the build ID into the page, which then registers it.
///
/// # Errors
/// Fails if a file can't be read or written.
pub fn prepare(build: &str) -> Outcome {
    let dist = paths::dist();
    let page = read(&dist.join(PAGE))?;
    let page = String::from_utf8(page).map_err(|error| format!("{PAGE}: {error}"))?;
    write(&dist.join(PAGE), &with_build(&page, build)?)?;
    let mut files = Vec::new();
    build::collect_files(&dist, &mut files);
    let mut contents = Vec::new();
    for file in files {
        let name = file.strip_prefix(&dist).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        contents.push((name, read(&file)?));
    }
    contents.sort();
    let source = String::from_utf8(read(&paths::root().join("www").join(SERVICE_WORKER))?);
    let source = source.map_err(|error| format!("{SERVICE_WORKER}: {error}"))?;
    write(&dist.join(SERVICE_WORKER), &format!("{}\n{source}", kept(build, &contents)?))
}

/// Returns the page with the build ID where `boot.js` expects it.
fn with_build(page: &str, build: &str) -> Outcome<String> {
    const PROGRAM: &str = "<meta name=\"traceglass-program\"";
    if !page.contains(PROGRAM) {
        return Err(format!("{PAGE} does not say which program to start"));
    }
    Ok(page.replacen(PROGRAM, &format!("{PROGRAM} data-build=\"{build}\""), 1))
}

/// Returns the list of files that the service worker caches: the page, and every other file by its URL.
fn kept(build: &str, files: &[(String, Vec<u8>)]) -> Outcome<String> {
    let (page, _) =
        files.iter().map(|(name, bytes)| (integrity(bytes), name)).find(|(_, name)| *name == PAGE).ok_or(PAGE)?;
    let is_part = |name: &str| name != PAGE && !NOT_KEPT.iter().any(|start| name.starts_with(start));
    let parts = files.iter().filter(|(name, _)| is_part(name));
    let parts = parts.map(|(name, bytes)| format!("  [\"{}\", \"{}\"],\n", address(name, build), integrity(bytes)));
    let parts: String = parts.collect();
    Ok(format!("const KEPT = {{ build: \"{build}\", page: \"{page}\", parts: [\n{parts}] }};"))
}

/// Returns the URL of a file: with the build ID, unless its name changes with its content.
fn address(name: &str, build: &str) -> String {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
    if matches!(extension, Some("js" | "wasm" | "html")) && !is_hashed(name) {
        format!("{name}?v={build}")
    } else {
        name.to_owned()
    }
}

/// Returns whether Trunk added a hash of the content to the name: `boot-0123456789abcdef.js`. It omits leading zeros.
fn is_hashed(name: &str) -> bool {
    const FEWEST_DIGITS: usize = 8;
    let digits = |part: &str| part.bytes().take_while(u8::is_ascii_hexdigit).count();
    name.split('-').skip(1).any(|part| digits(part) >= FEWEST_DIGITS)
}

/// Returns the integrity value of a file for `fetch`.
fn integrity(bytes: &[u8]) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(bytes)))
}

fn read(path: &Path) -> Outcome<Vec<u8>> {
    std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Outcome {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{kept, with_build};

    #[test]
    fn every_file_is_cached_under_its_url() {
        let names = [
            "app.js",
            "app_bg.wasm",
            "boot-0123456789abcdef.js",
            "icons/app.svg",
            "index.html",
            "samples/a.gz",
            "saved_page.html",
            "start-52ab9947c718c8a_bg.wasm",
            "sw.js",
        ];
        let files = names.map(|name| (name.to_owned(), b"abc".to_vec()));
        let hash = "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=";
        let expected = format!(
            "const KEPT = {{ build: \"b1\", page: \"{hash}\", parts: [\n  [\"app.js?v=b1\", \"{hash}\"],\n  \
             [\"app_bg.wasm?v=b1\", \"{hash}\"],\n  [\"boot-0123456789abcdef.js\", \"{hash}\"],\n  \
             [\"icons/app.svg\", \"{hash}\"],\n  [\"saved_page.html?v=b1\", \"{hash}\"],\n  [\"start-52ab9947c718c8a_bg.wasm\", \"{hash}\"],\n] }};"
        );
        assert_eq!(kept("b1", &files), Ok(expected));
    }

    #[test]
    fn page_contains_build_id() {
        let page = "<head><meta name=\"traceglass-program\" data-js=\"./a.js\"></head>";
        let named = "<head><meta name=\"traceglass-program\" data-build=\"b1\" data-js=\"./a.js\"></head>";
        assert_eq!(with_build(page, "b1").as_deref(), Ok(named));
        assert!(with_build("<head></head>", "b1").is_err());
    }
}
