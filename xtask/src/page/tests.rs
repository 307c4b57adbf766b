//! Tests how the page is assembled, and the hashes in file names.

use super::{Page, hash, hashed_name};
use std::path::{Path, PathBuf};

/// Folder that is removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("traceglass-page-{}", std::process::id()));
        for name in ["www/icons", "programs", "dist"] {
            std::fs::create_dir_all(folder.join(name)).expect("a temporary folder");
        }
        Self(folder)
    }

    fn write(&self, name: &str, content: &str) {
        std::fs::write(self.0.join(name), content).expect("a temporary file");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const HTML: &str = r#"<!doctype html>
<head>
  <script data-trunk defer src="www/a.js"></script>
  <link data-trunk rel="css" href="www/a.css" />
  <link data-trunk rel="rust" href="Cargo.toml" data-bin="start" data-type="main" data-integrity="none"
    data-cargo-profile-release="web" data-cargo-profile-dev="web-dev" data-wasm-opt="0" />
  <link data-trunk rel="rust" href="Cargo.toml" data-bin="app" data-type="worker" data-bindgen-target="web"
    data-cargo-profile-release="web" data-cargo-profile-dev="web-dev" data-wasm-opt="0" />
  <link data-trunk rel="copy-file" href="www/b.js" />
  <link data-trunk rel="copy-dir" href="www/icons" />
</head>
"#;

#[test]
fn page_is_assembled_with_all_files() {
    let folder = Folder::new();
    folder.write("index.html", HTML);
    folder.write(
        "Trunk.toml",
        "[build]\npublic_url = \"./\"\nminify = \"never\"\npattern_script = '<meta {base}{js} {wasm}>'\n",
    );
    for name in ["www/a.js", "www/a.css", "www/b.js", "www/icons/i.svg", "compiled.wasm"] {
        folder.write(name, "content");
    }
    for name in ["start.js", "start_bg.wasm", "app.js", "app_bg.wasm"] {
        folder.write(&format!("programs/{name}"), name);
    }
    let dist = folder.0.join("dist");
    let page = Page::read(&folder.0).expect("the page is understood");
    page.assemble(&folder.0.join("programs"), &folder.0.join("compiled.wasm"), &dist).expect("it is assembled");

    // For "content": the hash in names by Trunk 0.21, and the output of `openssl dgst -sha384 -binary | base64`.
    let hash = "eb07c641b354d3f1";
    let integrity = "sha384-VAbr6hYY6bc6cpDF1xbwtHtPH7xdjF54yQEKPgHBjYWUqpQuNTb34BV0JF00ZHUj";
    let expected = format!(
        "<!doctype html>\n<head>\n  <script src=\"./a-{hash}.js\" defer integrity=\"{integrity}\"></script>\n  \
         <link rel=\"stylesheet\" href=\"./a-{hash}.css\" integrity=\"{integrity}\"/>\n  \
         <meta ./start-{hash}.js start-{hash}_bg.wasm>\n  \n  \n  \n\
         <link rel=\"modulepreload\" href=\"./start-{hash}.js\" crossorigin=\"anonymous\">\
         <link rel=\"preload\" href=\"./start-{hash}_bg.wasm\" crossorigin=\"anonymous\" as=\"fetch\" \
         type=\"application/wasm\"></head>\n"
    );
    let read = |name: &str| std::fs::read_to_string(dist.join(name)).expect(name);
    assert_eq!(read("index.html"), expected);
    for (name, content) in [
        (format!("a-{hash}.js"), "content"),
        (format!("a-{hash}.css"), "content"),
        (format!("start-{hash}.js"), "start.js"),
        (format!("start-{hash}_bg.wasm"), "start_bg.wasm"),
        ("app.js".to_owned(), "app.js"),
        ("app_bg.wasm".to_owned(), "app_bg.wasm"),
        ("b.js".to_owned(), "content"),
        ("icons/i.svg".to_owned(), "content"),
    ] {
        assert_eq!(read(&name), content, "{name}");
    }
}

#[test]
fn name_hashes_match_seahash() {
    // Example of its documentation.
    assert_eq!(hash(b"to be or not to be"), 1_988_685_042_348_123_509);
    assert_eq!(hashed_name(Path::new("www/a.b.js"), b"to be or not to be"), Ok("a.b-1b993a826f4ae575.js".to_owned()));
}

#[test]
fn page_of_this_clone_parses() {
    let page = Page::read(&crate::paths::root()).expect("index.html and Trunk.toml");
    let programs: Vec<_> = page.programs().map(|program| (program.bin.as_str(), program.is_first)).collect();
    assert_eq!(programs, [("start", true), ("app", false), ("worker", false), ("unpack", false)]);
}
