//! Static web server: files of a folder with content types and no special headers, like any static host.

use crate::Outcome;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Network connection that all responses of a server share.
#[derive(Clone, Copy, Debug)]
pub struct Network {
    /// Throughput.
    pub bytes_per_second: u32,
    /// Minimum time from a request to the first byte of its response.
    pub round_trip: Duration,
}

impl Network {
    /// Phone, or a poor office network: 20 Mbit/s, 40 ms.
    pub const SLOW: Self = Self { bytes_per_second: 2_500_000, round_trip: Duration::from_millis(40) };
}

/// Running server on the loopback interface, until the program ends.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

struct Shared {
    folder: PathBuf,
    prefix: String,
    requests: Mutex<Vec<String>>,
    trickle: Mutex<Option<String>>,
    replaced: Mutex<Vec<(String, Option<Vec<u8>>)>>,
    network: Mutex<Option<Network>>,
    /// Time at which the bytes sent so far have passed the network.
    busy_until: Mutex<Option<Instant>>,
    /// True if CORS allows pages of other origins.
    is_open: AtomicBool,
    /// True if all connections are refused.
    is_gone: AtomicBool,
}

impl Server {
    /// Serves `folder` under `prefix` (which begins and ends with a slash); port 0 selects a free one.
    ///
    /// # Errors
    /// Fails if the port is taken.
    pub fn start(folder: &Path, prefix: &str, port: u16) -> Outcome<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
            .map_err(|error| format!("cannot listen on port {port}: {error}"))?;
        let address = listener.local_addr().map_err(|error| error.to_string())?;
        let shared = Arc::new(Shared {
            folder: folder.to_path_buf(),
            prefix: prefix.to_owned(),
            requests: Mutex::default(),
            trickle: Mutex::default(),
            replaced: Mutex::default(),
            network: Mutex::default(),
            busy_until: Mutex::default(),
            is_open: AtomicBool::new(true),
            is_gone: AtomicBool::new(false),
        });
        let accepting = std::thread::spawn({
            let shared = shared.clone();
            move || {
                for stream in listener.incoming().flatten() {
                    let shared = shared.clone();
                    std::thread::spawn(move || {
                        // Connections that the browser closes are ignored.
                        let _ = shared.answer(&stream);
                    });
                }
            }
        });
        Ok(Self { address, shared, accepting })
    }

    /// Returns the URL of the folder.
    pub fn address(&self) -> String {
        format!("http://localhost:{}{}", self.address.port(), self.shared.prefix)
    }

    /// Returns the paths requested so far by pages and their workers, without those of the service worker's cache.
    pub fn requests(&self) -> Vec<String> {
        self.shared.requests.lock().map(|requests| requests.clone()).unwrap_or_default()
    }

    /// Sends the file at a path (below the prefix) slowly from now on: 256 KiB at once, then 1 KiB every 20 ms.
    pub fn trickle(&self, path: &str) {
        if let Ok(mut trickle) = self.shared.trickle.lock() {
            *trickle = Some(path.to_owned());
        }
    }

    /// Simulates a network for all responses from now on, compressed if there is a `.br` file beside the file.
    pub fn slow_down(&self, network: Network) {
        if let Ok(mut current) = self.shared.network.lock() {
            *current = Some(network);
        }
    }

    /// Replaces the content of the file at a path (below the prefix).
    pub fn replace(&self, path: &str, body: Vec<u8>) {
        self.put(path, Some(body));
    }

    /// Removes the file at a path (below the prefix).
    pub fn withhold(&self, path: &str) {
        self.put(path, None);
    }

    fn put(&self, path: &str, body: Option<Vec<u8>>) {
        if let Ok(mut replaced) = self.shared.replaced.lock() {
            replaced.push((path.to_owned(), body));
        }
    }

    /// Disallows pages of other origins from now on, as most hosts do.
    pub fn forbid_other_origins(&self) {
        self.shared.is_open.store(false, Ordering::Relaxed);
    }

    /// Refuses all connections from now on, as without a network, or accepts them again.
    pub fn be_gone(&self, is_gone: bool) {
        self.shared.is_gone.store(is_gone, Ordering::Relaxed);
    }

    /// Serves until the program is terminated.
    pub fn wait(self) {
        // The accepting thread never ends.
        let _ = self.accepting.join();
    }
}

impl Shared {
    fn answer(&self, stream: &TcpStream) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream.take(64 * 1024));
        let mut request = String::new();
        reader.read_line(&mut request)?;
        let mut header = String::new();
        let (mut is_for_later, mut takes_brotli) = (false, false);
        while reader.read_line(&mut header)? > 2 {
            let line = header.trim_end().to_ascii_lowercase();
            is_for_later |=
                line == "service-worker: script" || (line.starts_with("referer:") && line.ends_with("/sw.js"));
            takes_brotli |= line.strip_prefix("accept-encoding:").is_some_and(|list| list.contains("br"));
            header.clear();
        }
        if self.is_gone.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mut words = request.split_whitespace();
        let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or("/"));
        let path = target.split(['?', '#']).next().unwrap_or("/");
        if let Ok(mut requests) = self.requests.lock()
            && !is_for_later
        {
            requests.push(path.to_owned());
        }
        let mut stream = stream;
        if method != "GET" && method != "HEAD" {
            return stream.write_all(&self.head("405 Method Not Allowed", "text/plain", 0));
        }
        let Some((kind, body)) = self.file(path) else {
            let body = b"not found";
            stream.write_all(&self.head("404 Not Found", "text/plain", body.len()))?;
            return stream.write_all(body);
        };
        let network = self.network.lock().map(|network| *network).unwrap_or_default();
        if let Some(network) = network {
            return self.answer_slowly(stream, network, path, (kind, body), takes_brotli);
        }
        stream.write_all(&self.head("200 OK", kind, body.len()))?;
        match method {
            "HEAD" => Ok(()),
            _ if self.trickles(path) => write_slowly(stream, &body),
            _ => stream.write_all(&body),
        }
    }

    fn answer_slowly(
        &self,
        mut stream: &TcpStream,
        network: Network,
        path: &str,
        (kind, body): (&str, Vec<u8>),
        takes_brotli: bool,
    ) -> std::io::Result<()> {
        std::thread::sleep(network.round_trip);
        let compressed = self.file(&format!("{path}.br")).filter(|_| takes_brotli);
        let (kind, body) = match compressed {
            Some((_, compressed)) => (format!("{kind}\r\nContent-Encoding: br"), compressed),
            None => (kind.to_owned(), body),
        };
        stream.write_all(&self.head("200 OK", &kind, body.len()))?;
        for chunk in body.chunks(16 * 1024) {
            let time = Duration::from_secs_f64(chunk.len() as f64 / f64::from(network.bytes_per_second));
            let through = {
                let mut busy_until = self.busy_until.lock().map_err(|_| std::io::ErrorKind::Other)?;
                let now = Instant::now();
                let through = busy_until.map_or(now, |until| until.max(now)) + time;
                *busy_until = Some(through);
                through
            };
            std::thread::sleep(through.saturating_duration_since(Instant::now()));
            stream.write_all(chunk)?;
        }
        Ok(())
    }

    /// Returns the response head. CORS allows other origins by default, because a host of traces must allow them, and a
    /// test that expects a rejection by the page's policy must not pass because of the host.
    fn head(&self, status: &str, kind: &str, length: usize) -> Vec<u8> {
        let origins = if self.is_open.load(Ordering::Relaxed) { "Access-Control-Allow-Origin: *\r\n" } else { "" };
        format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{origins}\
             Cache-Control: no-cache\r\nConnection: close\r\n\r\n"
        )
        .into_bytes()
    }

    fn file(&self, path: &str) -> Option<(&'static str, Vec<u8>)> {
        let below = path.strip_prefix(self.prefix.as_str())?;
        let below =
            if below.is_empty() || below.ends_with('/') { format!("{below}index.html") } else { below.to_owned() };
        let relative = PathBuf::from(below.replace("%20", " "));
        // Only files inside the folder.
        if !relative.components().all(|component| matches!(component, Component::Normal(_))) {
            return None;
        }
        let body = match self.replacement(&below) {
            Some(replaced) => replaced?,
            None => std::fs::read(self.folder.join(&relative)).ok()?,
        };
        Some((media_type(&relative), body))
    }

    /// Returns the replacement of a file; `Some(None)` if it was removed.
    fn replacement(&self, below: &str) -> Option<Option<Vec<u8>>> {
        let replaced = self.replaced.lock().ok()?;
        replaced.iter().rfind(|(path, _)| path == below).map(|(_, body)| body.clone())
    }

    fn trickles(&self, path: &str) -> bool {
        let slow = self.trickle.lock().ok().and_then(|slow| slow.clone());
        slow.is_some_and(|slow| path.strip_prefix(self.prefix.as_str()) == Some(slow.as_str()))
    }
}

fn write_slowly(mut stream: &TcpStream, body: &[u8]) -> std::io::Result<()> {
    let (first, rest) = body.split_at(body.len().min(256 * 1024));
    stream.write_all(first)?;
    for piece in rest.chunks(1024) {
        std::thread::sleep(Duration::from_millis(20));
        stream.write_all(piece)?;
    }
    Ok(())
}

fn media_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("json" | "webmanifest") => "application/json",
        Some("txt" | "md") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::Server;
    use std::io::{Read, Write};

    fn get(server: &Server, target: &str) -> String {
        let mut stream = std::net::TcpStream::connect(server.address).expect("the server listens");
        write!(stream, "GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("the server reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("the server answers");
        answer
    }

    #[test]
    fn server_serves_only_folder_and_prefix() {
        let folder = std::env::temp_dir().join(format!("traceglass-server-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("public")).expect("a temporary folder");
        std::fs::write(folder.join("secret.txt"), "secret").expect("a temporary file");
        std::fs::write(folder.join("public/index.html"), "<p>hello</p>").expect("a temporary file");
        std::fs::write(folder.join("public/a.wasm"), "wasm").expect("a temporary file");
        let server = Server::start(&folder.join("public"), "/some/where/", 0).expect("a free port");

        assert!(get(&server, "/some/where/?v=1").ends_with("<p>hello</p>"));
        assert!(get(&server, "/some/where/a.wasm").contains("Content-Type: application/wasm\r\n"));
        for outside in ["/", "/a.wasm", "/some/where/../secret.txt", "/some/where//etc/passwd", "/some/where/none"] {
            assert!(get(&server, outside).starts_with("HTTP/1.1 404 "), "{outside}");
        }
        std::fs::remove_dir_all(folder).expect("the temporary folder");
    }
}
