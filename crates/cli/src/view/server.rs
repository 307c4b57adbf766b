//! HTTP server on the loopback interface, with one request per connection and one thread per request.

use super::lifetime::Lifetime;
use super::page::media_type;
use super::request::{MALFORMED, MAX_BYTES, Part, Refusal, Request};
use super::site::{Resource, ServedFile, Site};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Time limit for a request to arrive.
const ARRIVAL: Duration = Duration::from_secs(10);
/// Maximum number of connections. A page uses about ten at a time.
const MAX_CONNECTIONS: u32 = 128;
/// Number of bytes of a trace read at a time.
const PIECE_BYTES: u64 = 256 << 10;

/// Content security policy: the page may run its own scripts and connect to this server. Workers from `blob:` URLs
/// inherit it.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src blob:; \
    connect-src 'self' blob:; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; manifest-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Running server.
pub(super) struct Server {
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

struct Shared {
    address: SocketAddr,
    site: Site,
    lifetime: Lifetime,
    connections: AtomicU32,
    is_stopped: AtomicBool,
}

impl Server {
    /// Starts answering requests.
    ///
    /// # Errors
    /// Fails if the system refuses a thread.
    pub(super) fn start(listener: TcpListener, site: Site) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            address: listener.local_addr()?,
            site,
            lifetime: Lifetime::default(),
            connections: AtomicU32::new(0),
            is_stopped: AtomicBool::new(false),
        });
        let accepting = thread::Builder::new().spawn({
            let shared = shared.clone();
            move || accept(&listener, &shared)
        })?;
        Ok(Self { shared, accepting: Some(accepting) })
    }

    /// Returns the URLs that open each file in the page.
    pub(super) fn urls(&self) -> Vec<String> {
        self.absolute(self.shared.site.paths())
    }

    /// Opens each file's page with `open`. Returns whether all succeeded.
    pub(super) fn open_pages(&self, open: impl Fn(&str) -> io::Result<()>) -> bool {
        self.absolute(self.shared.site.single_use_paths()).iter().all(|url| open(url).is_ok())
    }

    fn absolute(&self, paths: Vec<String>) -> Vec<String> {
        paths.iter().map(|path| format!("http://{}{path}", self.shared.address)).collect()
    }

    /// Waits until all pages were closed for the time of `grace`.
    pub(super) fn wait_until_closed(mut self, grace: Duration) {
        self.shared.lifetime.wait_until_closed(grace);
        self.shared.is_stopped.store(true, Ordering::Relaxed);
        // Wakes the thread that waits for connections. If that fails, the thread ends with the program.
        let is_awake = TcpStream::connect(self.shared.address).is_ok();
        if let Some(accepting) = self.accepting.take().filter(|_| is_awake) {
            let _ = accepting.join();
        }
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    loop {
        let stream = listener.accept();
        if shared.is_stopped.load(Ordering::Relaxed) {
            return;
        }
        match stream {
            Ok((stream, _)) => {
                let connection = Connection::new(shared.clone());
                if shared.connections.load(Ordering::Relaxed) <= MAX_CONNECTIONS {
                    // If no thread can start, the connection is closed. Errors mean that the browser stopped waiting.
                    let _ = thread::Builder::new().spawn(move || connection.answer(&stream));
                }
            }
            // Too many open files, or the connection was closed immediately. The next one may succeed.
            Err(_) => thread::sleep(Duration::from_millis(50)),
        }
    }
}

/// Connection, counted until it is dropped.
struct Connection(Arc<Shared>);

impl Connection {
    fn new(shared: Arc<Shared>) -> Self {
        shared.connections.fetch_add(1, Ordering::Relaxed);
        Self(shared)
    }

    fn answer(&self, stream: &TcpStream) -> io::Result<()> {
        let shared = &self.0;
        let request = receive(stream, shared.address.port())?;
        match request.and_then(|request| Ok((shared.site.resource(&request)?, request))) {
            Ok((resource, request)) => {
                let _user = shared.lifetime.request();
                send(stream, &request, resource, &shared.lifetime)?;
            }
            Err(refusal) => refuse(stream, refusal)?,
        }
        stream.shutdown(std::net::Shutdown::Write)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Reads a request.
fn receive(mut stream: &TcpStream, port: u16) -> io::Result<Result<Request, Refusal>> {
    let started = Instant::now();
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        // For all of it: a byte now and then must not hold a connection.
        let left = ARRIVAL.checked_sub(started.elapsed()).filter(|left| !left.is_zero());
        stream.set_read_timeout(Some(left.ok_or(io::ErrorKind::TimedOut)?))?;
        let count = stream.read(&mut piece)?;
        bytes.extend_from_slice(&piece[..count]);
        match Request::parse(&bytes[..bytes.len().min(MAX_BYTES)], port) {
            Ok(Some(request)) => return Ok(Ok(request)),
            Ok(None) if count == 0 => return Ok(Err(MALFORMED)),
            Ok(None) => {}
            Err(refusal) => return Ok(Err(refusal)),
        }
    }
}

fn send(stream: &TcpStream, request: &Request, resource: Resource<'_>, lifetime: &Lifetime) -> io::Result<()> {
    match resource {
        Resource::Page(path, content) => {
            let kind = media_type(&path);
            write_head(stream, "200 OK", &format!("Content-Type: {kind}\r\nContent-Length: {}\r\n", content.len()))?;
            if request.is_head { Ok(()) } else { write(stream, &content) }
        }
        Resource::File(file) => send_file(stream, request, file),
        Resource::Redirect(address) => {
            write_head(stream, "303 See Other", &format!("Location: {address}\r\nContent-Length: 0\r\n"))
        }
        Resource::Alive => {
            write_head(stream, "200 OK", "Content-Type: text/plain\r\n")?;
            if request.is_head {
                return Ok(());
            }
            lifetime.page_opened();
            hold(stream)
        }
    }
}

fn write(mut stream: &TcpStream, content: &[u8]) -> io::Result<()> {
    stream.write_all(content)
}

/// Waits until the browser closes the connection, which means that the page was closed.
fn hold(mut stream: &TcpStream) -> io::Result<()> {
    stream.set_read_timeout(None)?;
    let mut ignored = [0; 64];
    while stream.read(&mut ignored)? > 0 {}
    Ok(())
}

fn send_file(stream: &TcpStream, request: &Request, file: &ServedFile) -> io::Result<()> {
    let (size, tag) = file.facts()?;
    // A range of another version of the file would be wrong.
    let is_current = request.if_range.as_ref().is_none_or(|expected| *expected == tag);
    let range = request.range.as_deref().filter(|_| is_current && !request.is_head);
    let kind = format!("Content-Type: application/octet-stream\r\nAccept-Ranges: bytes\r\nETag: {tag}\r\n");
    let (status, extra, range) = match Part::of(range, size) {
        Part::Whole => ("200 OK", String::new(), 0..size),
        Part::Range(range) => {
            let extra = format!("Content-Range: bytes {}-{}/{size}\r\n", range.start, range.end - 1);
            ("206 Partial Content", extra, range)
        }
        Part::Unsatisfiable => ("416 Range Not Satisfiable", format!("Content-Range: bytes */{size}\r\n"), 0..0),
    };
    write_head(stream, status, &format!("{kind}{extra}Content-Length: {}\r\n", range.end - range.start))?;
    if request.is_head { Ok(()) } else { copy(stream, file, range) }
}

fn copy(stream: &TcpStream, file: &ServedFile, range: Range<u64>) -> io::Result<()> {
    let mut piece = vec![0; PIECE_BYTES.min(range.end - range.start) as usize];
    let mut at = range.start;
    while at < range.end {
        let count = PIECE_BYTES.min(range.end - at);
        let piece = &mut piece[..count as usize];
        file.read(at, piece)?;
        write(stream, piece)?;
        at += count;
    }
    Ok(())
}

fn refuse(stream: &TcpStream, refusal: Refusal) -> io::Result<()> {
    let Refusal { status, reason } = refusal;
    let allow = if status.starts_with("405") { "Allow: GET, HEAD\r\n" } else { "" };
    let kind = "Content-Type: text/plain; charset=utf-8\r\n";
    write_head(stream, status, &format!("{allow}{kind}Content-Length: {}\r\n", reason.len()))?;
    write(stream, reason.as_bytes())
}

/// Writes the head of a response, with the headers that all responses have.
fn write_head(stream: &TcpStream, status: &str, headers: &str) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status}\r\n{headers}Content-Security-Policy: {POLICY}\r\nX-Content-Type-Options: nosniff\r\n\
         Referrer-Policy: no-referrer\r\nCross-Origin-Opener-Policy: same-origin\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
    );
    write(stream, head.as_bytes())
}
