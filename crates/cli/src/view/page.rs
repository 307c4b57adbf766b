//! Files of the page, embedded in the program or from a folder.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

#[cfg(feature = "page")]
mod embedded {
    include!(concat!(env!("OUT_DIR"), "/page.rs"));
}

/// First file of the page.
pub(super) const INDEX: &str = "index.html";

/// Service worker, which isn't served. It would cache a copy of the page for each random URL.
const SERVICE_WORKER: &str = "sw.js";

/// Element that makes the page keep a request open (`www/boot.js`).
const MARK: &str = "<meta name=\"traceglass-view\" />";

/// Element that makes the page also follow traces while they are recorded.
const FOLLOWING_MARK: &str = "<meta name=\"traceglass-view\" content=\"follow\" />";

/// Files of a page by relative path. Requests can only select these paths; they are never used as file-system paths.
pub(super) struct Page(BTreeMap<String, Asset>);

enum Asset {
    File(PathBuf),
    /// Brotli-compressed content, and its decompressed size.
    #[cfg(feature = "page")]
    Compressed(&'static [u8], usize),
}

impl Page {
    /// Returns the page in this program, if it has one.
    #[cfg(feature = "page")]
    pub(super) fn embedded() -> Option<Self> {
        let asset = |(path, bytes, size): &(&str, &'static [u8], usize)| {
            let is_served = *path != SERVICE_WORKER;
            is_served.then(|| ((*path).to_owned(), Asset::Compressed(bytes, *size)))
        };
        Self::with_index(embedded::FILES.iter().filter_map(asset).collect())
    }

    #[cfg(not(feature = "page"))]
    pub(super) fn embedded() -> Option<Self> {
        None
    }

    /// Returns the page in a folder; `None` if it contains none. Symbolic links are ignored.
    ///
    /// # Errors
    /// Fails if the folder can't be read.
    pub(super) fn in_folder(folder: &Path) -> io::Result<Option<Self>> {
        let mut assets = BTreeMap::new();
        let mut folders = vec![(folder.to_owned(), String::new())];
        while let Some((folder, prefix)) = folders.pop() {
            for entry in fs::read_dir(folder)? {
                let entry = entry?;
                let kind = entry.file_type()?;
                let Ok(name) = entry.file_name().into_string() else { continue };
                let path = format!("{prefix}{name}");
                if kind.is_dir() {
                    folders.push((entry.path(), format!("{path}/")));
                } else if kind.is_file() && path != SERVICE_WORKER {
                    assets.insert(path, Asset::File(entry.path()));
                }
            }
        }
        Ok(Self::with_index(assets))
    }

    fn with_index(assets: BTreeMap<String, Asset>) -> Option<Self> {
        assets.contains_key(INDEX).then_some(Self(assets))
    }

    /// Returns the content of a file; `None` if the page has no such file.
    pub(super) fn content(&self, path: &str, follows: bool) -> Option<io::Result<Cow<'static, [u8]>>> {
        let content = self.0.get(path)?.content();
        let mark = if follows { FOLLOWING_MARK } else { MARK };
        Some(if path == INDEX { content.map(|page| marked(&page, mark).into()) } else { content })
    }
}

impl Asset {
    fn content(&self) -> io::Result<Cow<'static, [u8]>> {
        match self {
            Self::File(path) => fs::read(path).map(Cow::Owned),
            #[cfg(feature = "page")]
            Self::Compressed(bytes, size) => {
                let mut content = Vec::with_capacity(*size);
                let mut bytes = *bytes;
                brotli_decompressor::BrotliDecompress(&mut bytes, &mut content)?;
                Ok(Cow::Owned(content))
            }
        }
    }
}

/// Inserts an element at the end of the head.
fn marked(page: &[u8], mark: &str) -> Vec<u8> {
    const END: &[u8] = b"</head>";
    let at = page.windows(END.len()).position(|bytes| bytes == END).unwrap_or(0);
    let (before, after) = page.split_at_checked(at).unwrap_or((page, &[]));
    [before, mark.as_bytes(), after].concat()
}

/// Returns the media type of a file of the page.
pub(super) fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "wasm" => "application/wasm",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "webmanifest" => "application/manifest+json",
        _ => "application/octet-stream",
    }
}
