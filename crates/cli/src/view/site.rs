//! Content of the server: paths of the page and traces.

use super::page::{INDEX, Page};
use super::request::{NOT_FOUND, Refusal, Request};
use std::borrow::Cow;
use std::fmt::Write;
use std::fs::File;
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;

/// Page and traces below a random path.
pub(super) struct Site {
    token: String,
    page: Page,
    /// True if traces may still be recorded.
    follows: bool,
    files: Vec<ServedFile>,
    /// Paths that open a file once. Other users of this computer can read the browser's command line, so a URL in it
    /// must not work twice.
    single_use: Mutex<Vec<(String, usize)>>,
}

/// Open file. It stays open, so that all ranges come from the same file.
pub(super) struct ServedFile {
    /// Name, encoded for a URL.
    name: String,
    pub(super) file: Mutex<File>,
    /// Path of the trace in an archive.
    entry: Option<String>,
}

impl ServedFile {
    pub(super) fn new(name: String, file: File, entry: Option<String>) -> Self {
        Self { name: encoded(&name), file: Mutex::new(file), entry }
    }

    /// Returns the size, and an entity tag that changes with the content.
    ///
    /// # Errors
    /// Fails if the system can't read the file.
    pub(super) fn facts(&self) -> io::Result<(u64, String)> {
        let facts = self.file.lock().unwrap_or_else(PoisonError::into_inner).metadata()?;
        let changed = facts.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        Ok((facts.len(), format!("\"{:x}-{:x}\"", facts.len(), changed.as_nanos())))
    }

    /// Reads bytes of the file.
    ///
    /// # Errors
    /// Fails if the file is shorter, or the system can't read it.
    pub(super) fn read(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        use std::io::{Read, Seek, SeekFrom};
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(buffer)
    }
}

/// Answer to a request.
pub(super) enum Resource<'s> {
    /// File of the page, with its path.
    Page(String, Cow<'static, [u8]>),
    /// Trace.
    File(&'s ServedFile),
    /// Redirect to another path.
    Redirect(String),
    /// Request that stays open as long as the page.
    Alive,
}

impl Site {
    /// Creates a site at a random path.
    ///
    /// # Errors
    /// Fails if the system has no random numbers.
    pub(super) fn new(page: Page, files: Vec<ServedFile>, follows: bool) -> io::Result<Self> {
        let single_use = (0..files.len()).map(|index| Ok((format!("/{}", random()?), index)));
        let single_use = single_use.collect::<io::Result<Vec<_>>>()?;
        Ok(Self { token: random()?, page, follows, files, single_use: Mutex::new(single_use) })
    }

    /// Returns the paths at which the files can be opened.
    pub(super) fn paths(&self) -> Vec<String> {
        (0..self.files.len()).map(|index| format!("/{}/open/{index}", self.token)).collect()
    }

    /// Returns the paths at which the files can be opened once.
    pub(super) fn single_use_paths(&self) -> Vec<String> {
        let paths = self.single_use.lock().unwrap_or_else(PoisonError::into_inner);
        paths.iter().map(|(path, _)| path.clone()).collect()
    }

    /// Returns the resource at the path of a request.
    ///
    /// # Errors
    /// Fails if there is none.
    pub(super) fn resource(&self, request: &Request) -> Result<Resource<'_>, Refusal> {
        if let Some(index) = self.use_once(request) {
            return Ok(Resource::Redirect(self.view_of(index, &request.host)));
        }
        let path = self.below(&request.path).ok_or(NOT_FOUND)?;
        if path == "alive" {
            return Ok(Resource::Alive);
        }
        for (index, file) in self.files.iter().enumerate() {
            if path == format!("open/{index}") {
                return Ok(Resource::Redirect(self.view_of(index, &request.host)));
            }
            if path == format!("files/{index}/{}", file.name) {
                return Ok(Resource::File(file));
            }
        }
        let path = if path.is_empty() { INDEX } else { path };
        match self.page.content(path, self.follows) {
            Some(Ok(content)) => Ok(Resource::Page(path.to_owned(), content)),
            Some(Err(_)) | None => Err(NOT_FOUND),
        }
    }

    /// Returns the file of a single-use path, and removes the path.
    fn use_once(&self, request: &Request) -> Option<usize> {
        let mut paths = self.single_use.lock().unwrap_or_else(PoisonError::into_inner);
        let position = paths.iter().position(|(path, _)| equals(path, &request.path)).filter(|_| !request.is_head)?;
        Some(paths.remove(position).1)
    }

    /// Returns the rest of a path after the random part.
    fn below<'p>(&self, path: &'p str) -> Option<&'p str> {
        let (token, rest) = path.strip_prefix('/')?.split_once('/')?;
        equals(token, &self.token).then_some(rest)
    }

    /// Returns the page's path with the URL of a file, on the host by which the browser reached this server.
    fn view_of(&self, index: usize, host: &str) -> String {
        let (token, file) = (&self.token, self.files.get(index));
        let name = file.map_or("", |file| file.name.as_str());
        let url = encoded(&format!("http://{host}/{token}/files/{index}/{name}"));
        let entry = file.and_then(|file| file.entry.as_deref());
        let entry = entry.map_or(String::new(), |entry| format!("&entry={}", encoded(entry)));
        format!("/{token}/#/summary?v=1&url={url}{entry}")
    }
}

/// Returns 128 random bits as a name.
fn random() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::from)?;
    Ok(bytes.iter().fold(String::new(), |mut name, byte| {
        let _ = write!(name, "{byte:02x}");
        name
    }))
}

/// Compares texts in constant time.
fn equals(one: &str, other: &str) -> bool {
    let difference = one.bytes().zip(other.bytes()).fold(0, |difference, (one, other)| difference | (one ^ other));
    one.len() == other.len() && difference == 0
}

/// Encodes every character that could have a meaning in a URL or a header.
pub(crate) fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}
