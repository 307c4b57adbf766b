//! Writes a page that contains the viewer and traces, as *Save as HTML* does in the page (`www/save_page.js`), from the
//! same template.

use super::page::{INDEX, Page};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use flate2::Compression;
use flate2::write::GzEncoder;
use protocol::format;
use std::fmt::Write as _;
use std::io::{self, Read, Write};

/// Page with names in braces, which says what is in it.
const TEMPLATE: &str = "saved_page.html";
/// First script of such a page.
const SAVED_SCRIPT: &str = "saved_page.js";
/// Name of a file of the page, compressed.
const PART: &str = "part ";
/// Part of a trace, with the size of parts and of all traces.
const BLOCK: &str = "{{block of ";

/// Trace in a page.
pub(super) struct Content<R> {
    /// What `saved_page.js` says about it.
    pub(super) about: Vec<(&'static str, String)>,
    pub(super) bytes: R,
}

/// Template, divided at the line that is repeated for each piece of a trace.
struct Template<'t> {
    head: &'t str,
    /// The line before and after the piece.
    line: [&'t str; 2],
    piece_bytes: usize,
    max_bytes: u64,
    foot: &'t str,
}

/// Writes the page. `view` is the view as in a URL, with its `#`.
///
/// # Errors
/// Fails if the page lacks a file, the traces are too large, or something can't be read or written.
pub(super) fn write(
    page: &Page,
    traces: &mut [Content<impl Read>],
    title: &str,
    view: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    let template = text(page, TEMPLATE)?;
    let template = Template::read(&template).ok_or_else(|| io::Error::other(format!("{TEMPLATE} has no traces")))?;
    let index = text(page, INDEX)?;
    out.write_all(filled(template.head, |name| value(page, &index, name, (title, view)))?.as_bytes())?;
    let mut written = 0;
    for (nth, trace) in traces.iter_mut().enumerate() {
        let about = trace.about.iter().fold(String::new(), |mut about, (key, value)| {
            _ = write!(about, " data-{key}=\"{}\"", escaped(value));
            about
        });
        let elements = Elements { out: &mut *out, template: &template, nth, about, piece: Vec::new(), written };
        let mut packing = GzEncoder::new(elements, Compression::default());
        io::copy(&mut trace.bytes, &mut packing)?;
        written = packing.finish()?.end()?;
    }
    out.write_all(filled(template.foot, |name| value(page, &index, name, (title, view)))?.as_bytes())
}

impl<'t> Template<'t> {
    fn read(text: &'t str) -> Option<Self> {
        let (before, rest) = text.split_once(BLOCK)?;
        let (sizes, rest) = rest.split_once("}}")?;
        let (piece_bytes, max_bytes) = sizes.split_once(" bytes, at most ")?;
        let (end, foot) = rest.split_at(rest.find('\n')? + 1);
        let (head, start) = before.split_at(before.rfind('\n')? + 1);
        let (piece_bytes, max_bytes) = (piece_bytes.parse().ok()?, max_bytes.parse().ok()?);
        // Pieces without padding can be joined.
        (piece_bytes % 3 == 0).then_some(Self { head, line: [start, end], piece_bytes, max_bytes, foot })
    }
}

/// Replaces the names in braces, once: values may have braces of their own.
fn filled(template: &str, value: impl Fn(&str) -> io::Result<String>) -> io::Result<String> {
    let mut parts = template.split("{{");
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once("}}").unwrap_or((part, ""));
        filled += &value(name)?;
        filled += rest;
    }
    Ok(filled)
}

/// Returns the value of a name in the template.
fn value(page: &Page, index: &str, name: &str, (title, view): (&str, &str)) -> io::Result<String> {
    if let Some(part) = name.strip_prefix(PART) {
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(&content(page, part)?)?;
        return Ok(BASE64.encode(packed.finish()?));
    }
    let texts = |first: &[&str], element, attribute| {
        let files = first.iter().copied().chain(attributes(index, element, attribute));
        inlined(&files.map(|file| text(page, file)).collect::<io::Result<Vec<_>>>()?)
    };
    match name {
        "attributes" => Ok(format!("data-view=\"{}\"", escaped(view))),
        "nonce" => Ok(String::new()),
        "title" => Ok(format!("{} – Traceglass", escaped(title))),
        "scripts" => texts(&[SAVED_SCRIPT], "<script ", "src"),
        "styles" => texts(&[], "<link rel=\"stylesheet\"", "href"),
        "icon" => {
            let icon = attributes(index, "<link rel=\"icon\"", "href").into_iter().next().unwrap_or_default();
            Ok(BASE64.encode(content(page, icon)?))
        }
        "noscript" => Ok(between(index, "<noscript>", "</noscript>").unwrap_or_default().trim().to_owned()),
        name => Err(io::Error::other(format!("{TEMPLATE} has an unknown name: {name}"))),
    }
}

/// Returns an attribute of all elements that begin so, in their order.
fn attributes<'p>(page: &'p str, element: &str, name: &str) -> Vec<&'p str> {
    let elements = page.split(element).skip(1).filter_map(|rest| rest.split('>').next());
    let value = |element: &'p str| between(element, &format!("{name}=\""), "\"");
    elements.filter_map(value).map(|address| address.trim_start_matches("./")).collect()
}

fn between<'t>(text: &'t str, start: &str, end: &str) -> Option<&'t str> {
    text.split_once(start).and_then(|(_, rest)| rest.split_once(end)).map(|(found, _)| found)
}

fn content(page: &Page, path: &str) -> io::Result<std::borrow::Cow<'static, [u8]>> {
    page.content(path, false).unwrap_or_else(|| Err(io::Error::other(format!("the page has no file “{path}”"))))
}

fn text(page: &Page, path: &str) -> io::Result<String> {
    String::from_utf8(content(page, path)?.into_owned()).map_err(io::Error::other)
}

/// Joins scripts or styles.
fn inlined(texts: &[String]) -> io::Result<String> {
    let text = texts.iter().map(|text| text.trim()).collect::<Vec<_>>().join("\n");
    let lower = text.to_ascii_lowercase();
    // They would end the element that contains them.
    match ["</script", "</style", "<!--"].iter().any(|end| lower.contains(end)) {
        true => Err(io::Error::other("scripts of the page can't be put into one file")),
        false => Ok(text),
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' | '<' | '>' | '"' => _ = write!(escaped, "&#{};", u32::from(letter)),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// Writes bytes of a trace as base64 into elements that no browser runs.
struct Elements<'o, 't, W: Write> {
    out: &'o mut W,
    template: &'o Template<'t>,
    /// Number of the trace.
    nth: usize,
    /// Attributes of the first element.
    about: String,
    piece: Vec<u8>,
    /// Bytes of all traces so far.
    written: u64,
}

impl<W: Write> Elements<'_, '_, W> {
    fn end_piece(&mut self) -> io::Result<()> {
        self.written += self.piece.len() as u64;
        let limit = self.template.max_bytes;
        if self.written > limit {
            let limit = format::bytes(limit);
            return Err(io::Error::other(format!("too large for a page (limit {limit} compressed)")));
        }
        let start = filled(self.template.line[0], |name| match name {
            "nth" => Ok(self.nth.to_string()),
            _ => Ok(self.about.clone()),
        })?;
        write!(self.out, "{start}{}{}", BASE64.encode(&self.piece), self.template.line[1])?;
        self.about.clear();
        self.piece.clear();
        Ok(())
    }

    /// Writes the rest, and returns the number of bytes of all traces so far.
    fn end(mut self) -> io::Result<u64> {
        if !self.piece.is_empty() {
            self.end_piece()?;
        }
        Ok(self.written)
    }
}

impl<W: Write> Write for Elements<'_, '_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(self.template.piece_bytes - self.piece.len());
        self.piece.extend_from_slice(&bytes[..count]);
        if self.piece.len() == self.template.piece_bytes {
            self.end_piece()?;
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "a\n<i {{nth}}{{about}}>{{block of 3 bytes, at most 7}}</i>\nb\n";

    #[test]
    fn trace_is_in_elements_of_limited_size() {
        let template = Template::read(LINE).expect("a template");
        assert_eq!((template.head, template.foot), ("a\n", "b\n"));
        let mut out = Vec::new();
        let mut write = |bytes: &[u8]| {
            let about = " x".to_owned();
            let mut elements =
                Elements { out: &mut out, template: &template, nth: 1, about, piece: Vec::new(), written: 0 };
            elements.write_all(bytes).and_then(|()| elements.end())
        };
        assert_eq!(write(b"abcd").ok(), Some(4));
        assert!(write(b"abcdefgh").is_err(), "too large");
        let text = String::from_utf8(out).expect("ASCII");
        assert!(text.starts_with("<i 1 x>YWJj</i>\n<i 1>ZA==</i>\n<i 1 x>"), "{text}");
        assert!(Template::read(&LINE.replace("3 bytes", "4 bytes")).is_none(), "padding in between");
    }

    #[test]
    fn values_with_braces_are_not_filled_again() {
        let value = |name: &str| Ok(format!("<{name}{{{{b}}}}>"));
        assert_eq!(filled("1{{a}}2{{b}}3", value).ok().as_deref(), Some("1<a{{b}}>2<b{{b}}>3"));
        assert_eq!(filled("none", value).ok().as_deref(), Some("none"));
    }

    #[test]
    fn files_of_page_are_found() {
        let page = "<link rel=\"icon\" href=\"./i.svg\"/><link rel=\"stylesheet\" href=\"./a.css\"/><script src=\"./b.js\" defer>";
        assert_eq!(attributes(page, "<link rel=\"stylesheet\"", "href"), ["a.css"]);
        assert_eq!(attributes(page, "<script ", "src"), ["b.js"]);
        assert_eq!(escaped("a\"<b>&"), "a&#34;&#60;b&#62;&#38;");
    }
}
