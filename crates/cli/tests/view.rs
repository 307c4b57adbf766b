//! `traceglass view` as a process, over its socket; and the npm package, which follows the same rules.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Time limit for what takes milliseconds, or the five seconds after the page was closed.
const PATIENCE: Duration = Duration::from_secs(30);

/// Folder for one test, with a page and a trace.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("traceglass-view-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = Self(std::env::temp_dir().join(name));
        fs::create_dir_all(folder.0.join("page/icons")).expect("a temporary folder");
        for (name, content) in [
            ("page/index.html", "<!doctype html><head><title>Page</title></head><body></body>"),
            ("page/app.js", "script"),
            ("page/app_bg.wasm", "program"),
            ("page/sw.js", "service worker"),
            ("page/icons/app.svg", "<svg/>"),
            ("secret.txt", "secret"),
            ("my trace.nettrace", "0123456789"),
        ] {
            fs::write(folder.0.join(name), content).expect("a temporary file");
        }
        folder
    }

    fn page(&self) -> PathBuf {
        self.0.join("page")
    }

    fn trace(&self) -> PathBuf {
        self.0.join("my trace.nettrace")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn native() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_traceglass"));
    command.arg("view");
    command
}

/// Returns the script of the npm package; `None` without Node.
fn script() -> Option<Command> {
    let has_node = Command::new("node").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !has_node {
        println!("the npm package isn't tested: no Node");
        return None;
    }
    let mut command = Command::new("node");
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../npm/bin/traceglass.js"));
    Some(command)
}

/// Running server, which is terminated on drop.
struct Served {
    process: Child,
    address: SocketAddr,
    /// Random part of the path.
    token: String,
    /// Printed URLs.
    printed: Vec<String>,
}

impl Served {
    fn start(mut command: Command, folder: &Folder, arguments: &[&str]) -> Self {
        command.args(["--no-open", "--page"]).arg(folder.page()).arg(folder.trace()).args(arguments);
        Self::run(&mut command, 1)
    }

    fn run(command: &mut Command, files: usize) -> Self {
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the program starts");
        let lines = BufReader::new(process.stdout.take().expect("its output")).lines();
        let printed: Vec<String> = lines.take(files).map(|line| line.expect("UTF-8")).collect();
        let (address, path) =
            printed[0].strip_prefix("http://").and_then(|rest| rest.split_once('/')).expect("an address");
        let (token, _) = path.split_once('/').expect("a path");
        Self { process, address: address.parse().expect("an IP address"), token: token.to_owned(), printed }
    }

    /// Sends a request with the headers of a browser, unless `headers` replaces them.
    fn connect(&self, method: &str, path: &str, headers: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        let host = if headers.contains("Host:") { String::new() } else { format!("Host: {}\r\n", self.address) };
        write!(stream, "{method} {path} HTTP/1.1\r\n{host}{headers}\r\n").expect("the server reads");
        stream
    }

    fn ask(&self, method: &str, path: &str, headers: &str) -> (String, String) {
        let mut response = Vec::new();
        self.connect(method, path, headers).read_to_end(&mut response).expect("the server answers");
        let response = String::from_utf8(response).expect("UTF-8");
        let (head, body) = response.split_once("\r\n\r\n").expect("a head");
        (head.to_owned(), body.to_owned())
    }

    fn status(&self, method: &str, path: &str, headers: &str) -> String {
        let (head, body) = self.ask(method, path, headers);
        assert!(!body.contains("secret"), "{path}");
        head.split(' ').nth(1).expect("a status").to_owned()
    }

    /// Returns a path below the random one.
    fn path(&self, below: &str) -> String {
        format!("/{}/{below}", self.token)
    }

    /// Opens a connection that lasts as long as a page.
    fn open_page(&self) -> TcpStream {
        let mut page = self.connect("GET", &self.path("alive"), "");
        let mut status = [0; 15];
        page.read_exact(&mut status).expect("the server answers");
        assert_eq!(&status, b"HTTP/1.1 200 OK");
        page
    }

    /// Waits for the end, and returns the exit code.
    fn end(&mut self) -> Option<i32> {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if let Some(status) = self.process.try_wait().expect("a child") {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        None
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns the value of a header.
fn header<'h>(head: &'h str, name: &str) -> &'h str {
    let is_it = |line: &&'h str| line.split_once(": ").is_some_and(|(found, _)| found.eq_ignore_ascii_case(name));
    head.lines().find(is_it).and_then(|line| line.split_once(": ")).map_or("", |(_, value)| value)
}

/// Runs a test with the program, and with the npm package.
fn with_both(test: impl Fn(Command) + Sync) {
    std::thread::scope(|scope| {
        for program in [Some(native()), script()].into_iter().flatten() {
            scope.spawn(|| test(program));
        }
    });
}

#[test]
fn page_is_served_with_policy() {
    with_both(|program| {
        let folder = Folder::new();
        let served = Served::start(program, &folder, &[]);
        let (head, body) = served.ask("GET", &served.path(""), "Sec-Fetch-Site: none\r\n");
        assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
        assert!(body.contains("<meta name=\"traceglass-view\" /></head>"), "{body}");
        assert_eq!(header(&head, "content-type"), "text/html; charset=utf-8");
        assert_eq!(header(&head, "content-length"), body.len().to_string());
        let policy = header(&head, "content-security-policy");
        for rule in ["default-src 'none'", "connect-src 'self' blob:;", "frame-ancestors 'none'", "base-uri 'none'"] {
            assert!(policy.contains(rule), "{policy}");
        }
        for (path, kind, content) in [
            ("app.js?v=1&now", "text/javascript; charset=utf-8", "script"),
            ("app_bg.wasm", "application/wasm", "program"),
            ("icons/app.svg", "image/svg+xml", "<svg/>"),
        ] {
            let (head, body) = served.ask("GET", &served.path(path), "Sec-Fetch-Site: same-origin\r\n");
            assert_eq!((header(&head, "content-type"), body.as_str()), (kind, content), "{path}");
            assert_eq!(header(&head, "content-security-policy"), policy, "{path}");
            assert_eq!(header(&head, "cache-control"), "no-store", "{path}");
            assert_eq!(header(&head, "x-content-type-options"), "nosniff", "{path}");
            assert_eq!(header(&head, "referrer-policy"), "no-referrer", "{path}");
            assert_eq!(header(&head, "cross-origin-resource-policy"), "same-origin", "{path}");
            assert_eq!(header(&head, "cross-origin-opener-policy"), "same-origin", "{path}");
            assert_eq!(header(&head, "access-control-allow-origin"), "", "{path}");
        }
        // It would keep a copy of the page in the browser for every random URL.
        assert_eq!(served.status("GET", &served.path("sw.js"), ""), "404");
        let (head, body) = served.ask("HEAD", &served.path("app.js"), "");
        assert_eq!((header(&head, "content-length"), body.as_str()), ("6", ""));
    });
}

#[test]
fn program_and_npm_package_send_same_headers() {
    let Some(script) = script() else { return };
    let folder = Folder::new();
    let heads = [native(), script].map(|program| {
        let served = Served::start(program, &folder, &[]);
        let (head, _) = served.ask("GET", &served.path("files/0/my%20trace.nettrace"), "Range: bytes=0-4\r\n");
        let mut lines: Vec<String> = head.lines().skip(1).map(str::to_lowercase).collect();
        lines.retain(|line| !line.starts_with("date: "));
        lines.sort();
        lines
    });
    assert_eq!(heads[0], heads[1]);
}

#[test]
fn printed_url_opens_trace() {
    with_both(|program| {
        let folder = Folder::new();
        let served = Served::start(program, &folder, &[]);
        let path = format!("/{}", served.printed[0].splitn(4, '/').nth(3).expect("a path"));
        assert!(served.token.len() == 32 && path == served.path("open/0"), "{path}");
        for name in ["127.0.0.1", "localhost"] {
            let host = format!("{name}:{}", served.address.port());
            let (head, _) = served.ask("GET", &path, &format!("Host: {host}\r\n"));
            assert!(head.starts_with("HTTP/1.1 303 "), "{head}");
            let escaped = host.replace(':', "%3A");
            let expected = format!(
                "/{0}/#/summary?v=1&url=http%3A%2F%2F{escaped}%2F{0}%2Ffiles%2F0%2Fmy%2520trace.nettrace",
                served.token
            );
            assert_eq!(header(&head, "location"), expected);
        }
    });
}

#[test]
fn trace_is_served_in_ranges() {
    with_both(|program| {
        let folder = Folder::new();
        let served = Served::start(program, &folder, &[]);
        let path = served.path("files/0/my%20trace.nettrace");
        let (head, body) = served.ask("GET", &path, "");
        assert_eq!((header(&head, "accept-ranges"), body.as_str()), ("bytes", "0123456789"));
        let tag = header(&head, "etag").to_owned();
        for (headers, status, range, content) in [
            ("Range: bytes=2-4\r\n".to_owned(), "206", "bytes 2-4/10", "234"),
            ("Range: bytes=7-\r\n".to_owned(), "206", "bytes 7-9/10", "789"),
            ("Range: bytes=-1\r\n".to_owned(), "206", "bytes 9-9/10", "9"),
            ("Range: bytes=8-99999999999999999999\r\n".to_owned(), "206", "bytes 8-9/10", "89"),
            ("Range: bytes=10-\r\n".to_owned(), "416", "bytes */10", ""),
            ("Range: bytes=-0\r\n".to_owned(), "416", "bytes */10", ""),
            ("Range: bytes=4-2\r\n".to_owned(), "200", "", "0123456789"),
            ("Range: bytes=0-1,4-5\r\n".to_owned(), "200", "", "0123456789"),
            ("Range: lines=0-1\r\n".to_owned(), "200", "", "0123456789"),
            (format!("Range: bytes=0-1\r\nIf-Range: {tag}\r\n"), "206", "bytes 0-1/10", "01"),
            ("Range: bytes=0-1\r\nIf-Range: \"other\"\r\n".to_owned(), "200", "", "0123456789"),
        ] {
            let (head, body) = served.ask("GET", &path, &headers);
            assert_eq!(head.split(' ').nth(1), Some(status), "{headers}");
            assert_eq!((header(&head, "content-range"), body.as_str()), (range, content), "{headers}");
            assert_eq!(header(&head, "content-length"), content.len().to_string(), "{headers}");
        }
        let (head, body) = served.ask("HEAD", &path, "Range: bytes=0-1\r\n");
        assert_eq!((header(&head, "content-length"), body.as_str()), ("10", ""));
    });
}

#[test]
fn followed_trace_grows_while_it_is_served() {
    with_both(|program| {
        let folder = Folder::new();
        let served = Served::start(program, &folder, &["--follow"]);
        let (_, page) = served.ask("GET", &served.path(""), "Sec-Fetch-Site: none\r\n");
        assert!(page.contains("<meta name=\"traceglass-view\" content=\"follow\" /></head>"), "{page}");
        let path = served.path("files/0/my%20trace.nettrace");
        let (head, _) = served.ask("GET", &path, "Range: bytes=10-4194313\r\n");
        assert!(head.starts_with("HTTP/1.1 416 "), "{head}");
        let mut trace = fs::OpenOptions::new().append(true).open(folder.trace()).expect("the trace");
        trace.write_all(b"more").expect("a longer trace");
        let (head, body) = served.ask("GET", &path, "Range: bytes=10-4194313\r\n");
        assert!(head.starts_with("HTTP/1.1 206 "), "{head}");
        assert_eq!((body.as_str(), header(&head, "content-range")), ("more", "bytes 10-13/14"));
    });
}

#[test]
fn large_file_is_served_from_any_offset() {
    with_both(|program| {
        let folder = Folder::new();
        // Without content, most file systems store nothing.
        let trace = fs::File::options().write(true).open(folder.trace()).expect("the trace");
        trace.set_len(5 << 30).expect("a sparse file");
        drop(trace);
        let served = Served::start(program, &folder, &[]);
        let path = served.path("files/0/my%20trace.nettrace");
        let (head, body) = served.ask("GET", &path, "Range: bytes=5368709110-\r\n");
        assert_eq!(header(&head, "content-range"), "bytes 5368709110-5368709119/5368709120");
        assert_eq!(body, "\0".repeat(10));
        let (_, body) = served.ask("GET", &path, "Range: bytes=0-999999\r\n");
        assert!(body.len() == 1_000_000 && body.starts_with("0123456789\0"));
    });
}

#[test]
fn other_hosts_origins_methods_and_paths_are_refused() {
    with_both(|program| {
        let folder = Folder::new();
        let served = Served::start(program, &folder, &[]);
        let page = served.path("");
        let port = served.address.port();
        for (method, headers, status) in [
            ("GET", "Host: evil.example\r\n".to_owned(), "403"),
            ("GET", format!("Host: evil.example:{port}\r\n"), "403"),
            ("GET", format!("Host: 127.0.0.1.evil.example:{port}\r\n"), "403"),
            ("GET", "Host: 127.0.0.1\r\n".to_owned(), "403"),
            ("GET", format!("Host: 127.0.0.1:{port}\r\nHost: evil.example\r\n"), "400"),
            ("GET", "Origin: http://evil.example\r\n".to_owned(), "403"),
            ("GET", "Origin: null\r\n".to_owned(), "403"),
            ("GET", format!("Origin: http://127.0.0.1:{}\r\n", port ^ 1), "403"),
            ("GET", "Sec-Fetch-Site: cross-site\r\n".to_owned(), "403"),
            // Another port of this computer.
            ("GET", "Sec-Fetch-Site: same-site\r\n".to_owned(), "403"),
            ("POST", "Content-Length: 0\r\n".to_owned(), "405"),
            ("OPTIONS", "Access-Control-Request-Method: GET\r\n".to_owned(), "405"),
            ("DELETE", String::new(), "405"),
            ("GET", format!("Origin: http://127.0.0.1:{port}\r\nSec-Fetch-Site: same-origin\r\n"), "200"),
        ] {
            assert_eq!(served.status(method, &page, &headers), status, "{method} {headers}");
        }
        let mut paths: Vec<String> = ["/", "/index.html", "/app.js", "/alive", "/files/0/my%20trace.nettrace"]
            .iter()
            .map(|path| (*path).to_owned())
            .collect();
        paths.push(format!("/{}/", "0".repeat(32)));
        paths.push(format!("/{}", served.token));
        paths.push(format!("//{}/", served.token));
        for below in [
            "../secret.txt",
            "icons/../../secret.txt",
            "..%2fsecret.txt",
            "%2e%2e/secret.txt",
            "..\\secret.txt",
            "//etc/passwd",
            "/etc/passwd",
            "icons",
            "icons/",
            "none.js",
            "open/1",
            "open/-1",
            "files/0/secret.txt",
            "files/0/../../secret.txt",
            "files/1/my%20trace.nettrace",
            "files/0/my%20trace.nettrace/",
            "constructor",
            "__proto__",
        ] {
            paths.push(served.path(below));
        }
        for path in paths {
            assert_eq!(served.status("GET", &path, ""), "404", "{path}");
        }
    });
}

/// Anyone can connect, so nobody may hold connections with requests that never end.
#[test]
fn request_that_does_not_end_is_closed() {
    with_both(|program| {
        let folder = Folder::new();
        let served = Served::start(program, &folder, &[]);
        let mut stream = TcpStream::connect(served.address).expect("the server listens");
        stream.set_read_timeout(Some(Duration::from_millis(500))).expect("a time limit");
        stream.write_all(b"GET / HTTP/1.1\r\nX: ").expect("the server reads");
        let start = Instant::now();
        let is_open = |stream: &mut TcpStream| match stream.write_all(b"x").and_then(|()| stream.read(&mut [0; 64])) {
            Err(error) => matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut),
            Ok(_) => false,
        };
        while is_open(&mut stream) {
            assert!(start.elapsed() < PATIENCE, "the connection is open");
        }
    });
}

#[test]
#[cfg(target_os = "linux")]
fn server_listens_only_on_loopback_address() {
    with_both(|program| {
        let folder = Folder::new();
        let served = Served::start(program, &folder, &[]);
        assert_eq!(served.address.ip(), std::net::Ipv4Addr::LOCALHOST);
        // Every address of 127.0.0.0/8 is this computer: a server on all interfaces would answer there.
        assert!(TcpStream::connect(("127.0.0.2", served.address.port())).is_err());
    });
}

#[test]
fn server_ends_when_page_is_closed() {
    with_both(|program| {
        let folder = Folder::new();
        let mut served = Served::start(program, &folder, &[]);
        drop(served.open_page());
        // Reloaded.
        std::thread::sleep(Duration::from_secs(1));
        let page = served.open_page();
        std::thread::sleep(Duration::from_secs(6));
        assert!(served.process.try_wait().expect("a child").is_none(), "the page is open");
        drop(page);
        assert_eq!(served.end(), Some(0));
        assert!(TcpStream::connect(served.address).is_err());
    });
}

#[test]
fn port_can_be_chosen() {
    with_both(|mut program| {
        let folder = Folder::new();
        let served = Served::start(native(), &folder, &[]);
        let port = served.address.port().to_string();
        program.args(["--no-open", "--port", &port, "--page"]).arg(folder.page()).arg(folder.trace());
        let taken = program.output().expect("the program runs");
        assert_eq!(taken.status.code(), Some(1));
        let message = String::from_utf8_lossy(&taken.stderr).into_owned();
        assert!(message.starts_with(&format!("traceglass: can't listen on port {port}")), "{message}");
        drop(served);
        let again = Served::run(&mut program, 1);
        assert_eq!(again.address.port().to_string(), port);
    });
}

#[test]
fn each_file_has_url() {
    with_both(|mut program| {
        let folder = Folder::new();
        let archive = folder.0.join("capture.zip");
        fs::write(&archive, "archive").expect("a temporary file");
        program.args(["--no-open", "--page"]).arg(folder.page()).arg(folder.trace());
        program.arg(format!("{}!day/app.nettrace", archive.display()));
        let served = Served::run(&mut program, 2);
        assert!(served.printed[1].ends_with("/open/1"), "{:?}", served.printed);
        let (head, _) = served.ask("GET", &served.path("open/1"), "");
        let location = header(&head, "location");
        assert!(location.ends_with("%2Ffiles%2F1%2Fcapture.zip&entry=day%2Fapp.nettrace"), "{location}");
        assert_eq!(served.ask("GET", &served.path("files/1/capture.zip"), "").1, "archive");
    });
}

#[test]
fn missing_file_and_missing_page_are_reported() {
    with_both(|mut program| {
        let folder = Folder::new();
        let output =
            program.args(["--no-open", "--page"]).arg(folder.0.join("page/icons")).arg(folder.trace()).output();
        let output = output.expect("the program runs");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && message.contains("no index.html"), "{message}");
    });
    with_both(|mut program| {
        let output = program.args(["--no-open", "/nowhere/app.nettrace"]).output().expect("the program runs");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && message.contains("Can't read “/nowhere/app.nettrace”"), "{message}");
    });
    with_both(|mut program| {
        let output = program.output().expect("the program runs");
        assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    });
}

/// The build script reports if there is no page to embed, and the program has none.
#[test]
#[cfg(feature = "page")]
fn embedded_page_is_served() {
    let folder = Folder::new();
    let served = Served::run(native().arg("--no-open").arg(folder.trace()), 1);
    let (head, body) = served.ask("GET", &served.path(""), "");
    assert!(head.starts_with("HTTP/1.1 200 ") && body.contains("<meta name=\"traceglass-view\" />"), "{head}");
    let mut response = Vec::new();
    let mut stream = served.connect("GET", &served.path("app_bg.wasm"), "");
    stream.read_to_end(&mut response).expect("the server answers");
    assert!(response.windows(8).any(|bytes| bytes == b"\0asm\x01\0\0\0"), "a WebAssembly module");
}

#[test]
#[cfg(not(feature = "page"))]
fn program_without_page_explains_where_to_get_it() {
    let folder = Folder::new();
    let output = native().arg("--no-open").arg(folder.trace()).output().expect("the program runs");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{message}");
    for words in ["has no web page", "--page dist", "cargo xtask build", "--features page"] {
        assert!(message.contains(words), "{message}");
    }
}

/// Other users of the computer can read the command line of the browser.
#[test]
#[cfg(target_os = "linux")]
fn browser_gets_url_that_works_once() {
    use std::os::unix::fs::PermissionsExt;
    with_both(|mut program| {
        let folder = Folder::new();
        let bin = folder.0.join("bin");
        fs::create_dir(&bin).expect("a temporary folder");
        let (opener, opened) = (bin.join("xdg-open"), folder.0.join("opened"));
        let script = format!("#!/bin/sh\necho \"$1\" > '{0}.part' && mv '{0}.part' '{0}'\n", opened.display());
        fs::write(&opener, script).expect("a temporary file");
        fs::set_permissions(&opener, fs::Permissions::from_mode(0o755)).expect("a temporary file");
        let path = std::env::var("PATH").expect("a path");
        program.env("PATH", format!("{}:{path}", bin.display()));
        let served = Served::run(program.arg("--page").arg(folder.page()).arg(folder.trace()), 1);
        let start = Instant::now();
        while !opened.exists() && start.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(20));
        }
        let url = fs::read_to_string(&opened).expect("the browser was opened");
        assert!(!url.contains(&served.token), "{url}");
        let path = url.trim().strip_prefix(&format!("http://{}", served.address)).expect("the same server");
        assert_eq!(served.status("HEAD", path, ""), "404", "only a browser uses it up");
        let (head, _) = served.ask("GET", path, "Sec-Fetch-Site: none\r\n");
        assert!(header(&head, "location").starts_with(&served.path("#/summary?v=1&url=")), "{head}");
        assert_eq!(served.status("GET", path, ""), "404");
        assert_eq!(served.status("GET", &served.path("open/0"), ""), "303");
    });
}
