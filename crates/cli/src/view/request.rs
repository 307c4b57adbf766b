//! Parses requests, and refuses those that don't come from the page.
//!
//! Any website can send requests to this computer, even under its own host name (DNS rebinding). Such requests neither
//! contain the random path nor pass these checks.

use std::ops::Range;

/// Maximum size of a request.
pub(super) const MAX_BYTES: usize = 16 << 10;
const MAX_HEADERS: usize = 64;

/// Request that may be answered.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) is_head: bool,
    /// Path without query.
    pub(super) path: String,
    /// Host name and port by which the browser reached this server.
    pub(super) host: String,
    pub(super) range: Option<String>,
    pub(super) if_range: Option<String>,
}

/// Refused request: HTTP status and reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: &'static str,
    pub(super) reason: &'static str,
}

const fn refusal(status: &'static str, reason: &'static str) -> Refusal {
    Refusal { status, reason }
}

pub(super) const MALFORMED: Refusal = refusal("400 Bad Request", "The request is malformed.");
const WRONG_HOST: Refusal =
    refusal("403 Forbidden", "This server answers only as 127.0.0.1 or localhost, at its own port.");
const WRONG_ORIGIN: Refusal =
    refusal("403 Forbidden", "Other websites may not link to this page. Paste its URL into a new tab.");
const WRONG_METHOD: Refusal = refusal("405 Method Not Allowed", "Only GET and HEAD are allowed.");
pub(super) const NOT_FOUND: Refusal = refusal("404 Not Found", "No such file.");

impl Request {
    /// Parses and checks a request. Returns `Ok(None)` if it is incomplete.
    ///
    /// # Errors
    /// Fails if the request must not be answered.
    pub(super) fn parse(bytes: &[u8], port: u16) -> Result<Option<Self>, Refusal> {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut parsed = httparse::Request::new(&mut headers);
        if parsed.parse(bytes).map_err(|_| MALFORMED)?.is_partial() {
            return if bytes.len() >= MAX_BYTES { Err(MALFORMED) } else { Ok(None) };
        }
        let (Some(method), Some(target)) = (parsed.method, parsed.path) else { return Err(MALFORMED) };
        let header = |name: &str| -> Result<Option<&str>, Refusal> {
            let mut values = parsed.headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name));
            match (values.next(), values.next()) {
                (None, _) => Ok(None),
                (Some(header), None) => {
                    let value = std::str::from_utf8(header.value).map_err(|_| MALFORMED)?;
                    Ok(Some(value.trim()))
                }
                // Programs disagree about which duplicate header counts.
                _ => Err(MALFORMED),
            }
        };
        let host = header("host")?.ok_or(MALFORMED)?;
        if !["127.0.0.1", "localhost"].iter().any(|name| host.eq_ignore_ascii_case(&format!("{name}:{port}"))) {
            return Err(WRONG_HOST);
        }
        let origin = header("origin")?;
        if origin.is_some_and(|origin| !origin.eq_ignore_ascii_case(&format!("http://{host}"))) {
            return Err(WRONG_ORIGIN);
        }
        // "none" means that the user typed the URL, or a program opened it.
        if header("sec-fetch-site")?.is_some_and(|site| !matches!(site, "same-origin" | "none")) {
            return Err(WRONG_ORIGIN);
        }
        let is_head = method == "HEAD";
        if !is_head && method != "GET" {
            return Err(WRONG_METHOD);
        }
        let path = target.split('?').next().filter(|path| path.starts_with('/')).ok_or(MALFORMED)?;
        Ok(Some(Self {
            is_head,
            path: path.to_owned(),
            host: host.to_owned(),
            range: header("range")?.map(str::to_owned),
            if_range: header("if-range")?.map(str::to_owned),
        }))
    }
}

/// Part of a file to send.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part {
    Whole,
    Range(Range<u64>),
    /// The range begins after the end of the file.
    Unsatisfiable,
}

impl Part {
    /// Interprets a `Range` header. Multiple ranges, other units and syntax errors select the whole file, as HTTP
    /// allows.
    pub(super) fn of(header: Option<&str>, size: u64) -> Self {
        let range = header.and_then(|header| header.strip_prefix("bytes="));
        let Some((first, last)) = range.and_then(|range| range.split_once('-')) else { return Self::Whole };
        let number = |digits: &str| {
            let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
            is_number.then(|| digits.parse::<u64>().unwrap_or(u64::MAX))
        };
        let (start, end) = match (number(first), number(last)) {
            (Some(first), Some(last)) if first <= last => (first, last.saturating_add(1).min(size)),
            (Some(first), None) if last.is_empty() => (first, size),
            (None, Some(count)) if first.is_empty() => {
                if count == 0 {
                    return Self::Unsatisfiable;
                }
                (size.saturating_sub(count), size)
            }
            _ => return Self::Whole,
        };
        if start < end { Self::Range(start..end) } else { Self::Unsatisfiable }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(head: &str) -> Result<Option<Request>, Refusal> {
        Request::parse(format!("{}\r\n\r\n", head.replace('\n', "\r\n")).as_bytes(), 8000)
    }

    #[test]
    fn request_of_own_page_is_accepted() {
        for head in [
            "GET /a/b?v=1 HTTP/1.1\nHost: 127.0.0.1:8000",
            "GET /a/b HTTP/1.1\nhost: localhost:8000\nOrigin: http://localhost:8000\nSec-Fetch-Site: same-origin",
            "HEAD /a/b HTTP/1.1\nHost: 127.0.0.1:8000\nSec-Fetch-Site: none\nRange: bytes=0-1",
        ] {
            let request = parse(head).expect("allowed").expect("complete");
            assert!(request.path == "/a/b" && request.is_head == head.starts_with("HEAD"), "{head}");
        }
        assert_eq!(Request::parse(b"GET / HTTP/1.1\r\nHost: 127", 8000), Ok(None));
    }

    #[test]
    fn request_of_others_is_refused() {
        let own = "Host: 127.0.0.1:8000";
        for (head, expected) in [
            ("GET / HTTP/1.1".to_owned(), MALFORMED),
            ("GET / HTTP/1.1\nHost: evil.example:8000".to_owned(), WRONG_HOST),
            ("GET / HTTP/1.1\nHost: 127.0.0.1:8001".to_owned(), WRONG_HOST),
            ("GET / HTTP/1.1\nHost: 127.0.0.1".to_owned(), WRONG_HOST),
            ("GET / HTTP/1.1\nHost: 127.0.0.1.evil.example:8000".to_owned(), WRONG_HOST),
            (format!("GET / HTTP/1.1\n{own}\n{own}"), MALFORMED),
            (format!("GET / HTTP/1.1\n{own}\nOrigin: http://evil.example"), WRONG_ORIGIN),
            (format!("GET / HTTP/1.1\n{own}\nOrigin: null"), WRONG_ORIGIN),
            // Not the host that the browser used.
            (format!("GET / HTTP/1.1\n{own}\nOrigin: http://localhost:8000"), WRONG_ORIGIN),
            (format!("GET / HTTP/1.1\n{own}\nSec-Fetch-Site: cross-site"), WRONG_ORIGIN),
            (format!("GET / HTTP/1.1\n{own}\nSec-Fetch-Site: same-site"), WRONG_ORIGIN),
            (format!("POST / HTTP/1.1\n{own}"), WRONG_METHOD),
            (format!("OPTIONS / HTTP/1.1\n{own}"), WRONG_METHOD),
            (format!("GET http://127.0.0.1:8000/ HTTP/1.1\n{own}"), MALFORMED),
            (format!("nonsense\n{own}"), MALFORMED),
        ] {
            assert_eq!(parse(&head), Err(expected), "{head}");
        }
        assert_eq!(Request::parse(&[b'A'; MAX_BYTES], 8000), Err(MALFORMED));
    }

    #[test]
    fn ranges_are_inside_file() {
        for (header, expected) in [
            ("bytes=0-0", Part::Range(0..1)),
            ("bytes=2-", Part::Range(2..10)),
            ("bytes=5-99", Part::Range(5..10)),
            ("bytes=5-99999999999999999999999", Part::Range(5..10)),
            ("bytes=-3", Part::Range(7..10)),
            ("bytes=-30", Part::Range(0..10)),
            ("bytes=10-", Part::Unsatisfiable),
            ("bytes=99999999999999999999999-", Part::Unsatisfiable),
            ("bytes=-0", Part::Unsatisfiable),
            ("bytes=3-2", Part::Whole),
            ("bytes=0-1,4-5", Part::Whole),
            ("bytes=+1-2", Part::Whole),
            ("bytes=-", Part::Whole),
            ("lines=0-1", Part::Whole),
        ] {
            assert_eq!(Part::of(Some(header), 10), expected, "{header}");
        }
        assert_eq!(Part::of(None, 10), Part::Whole);
        assert_eq!(Part::of(Some("bytes=0-"), 0), Part::Unsatisfiable);
        assert_eq!(Part::of(Some("bytes=-1"), 0), Part::Unsatisfiable);
    }
}
