//! Writes a page that contains the viewer and a trace, as *Save as HTML* does in the page (`www/save_page.js`).

use super::page::{INDEX, Page};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use flate2::Compression;
use flate2::write::GzEncoder;
use protocol::format;
use std::fmt::Write as _;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// Script that makes such pages in the browser; it lists the files that a page needs.
const SAVE_SCRIPT: &str = "save_page.js";
/// First script of such a page.
const SAVED_SCRIPT: &str = "saved_page.js";
/// A larger page would take more memory than many browsers give one.
const MAX_PACKED_BYTES: u64 = 256 << 20;
/// Bytes per element; a multiple of three, so that base64 has no padding in between.
const PIECE_BYTES: usize = 3 << 20;
/// First bytes of compressed files.
const COMPRESSED: [&[u8]; 3] = [&[0x1f, 0x8b], b"PK\x03\x04", &[0x28, 0xb5, 0x2f, 0xfd]];

/// Writes the page. `view` is the view as in a URL, with its `#`.
///
/// # Errors
/// Fails if the page lacks a file, the trace is too large, or something can't be read or written.
pub(super) fn write(
    page: &Page,
    (name, trace): (&str, &mut (impl Read + Seek)),
    view: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    out.write_all(head(page, name, view)?.as_bytes())?;
    for part in parts(&text(page, SAVE_SCRIPT)?) {
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(&content(page, &part)?)?;
        let packed = BASE64.encode(packed.finish()?);
        writeln!(out, "<script type=\"text/plain\" data-part=\"{part}\">{packed}</script>")?;
    }
    let mut start = Vec::new();
    trace.by_ref().take(4).read_to_end(&mut start)?;
    trace.seek(SeekFrom::Start(0))?;
    let is_compressed = COMPRESSED.iter().any(|beginning| start.starts_with(beginning));
    let (name, is_packed) = (escaped(name), !is_compressed);
    let start = format!("<script type=\"text/plain\" data-trace=\"{name}\" data-is-packed=\"{is_packed}\">");
    let mut elements = Elements { out: &mut *out, start, piece: Vec::new(), written: 0 };
    if is_compressed {
        io::copy(trace, &mut elements)?;
    } else {
        let mut packing = GzEncoder::new(&mut elements, Compression::default());
        io::copy(trace, &mut packing)?;
        packing.finish()?;
    }
    elements.end()?;
    out.write_all(b"</body>\n</html>\n")
}

/// Returns the page before the elements with files: scripts, styles and icon are in it.
fn head(page: &Page, name: &str, view: &str) -> io::Result<String> {
    let index = text(page, INDEX)?;
    let mut scripts = vec![text(page, SAVED_SCRIPT)?];
    for script in attributes(&index, "<script ", "src") {
        scripts.push(text(page, script)?);
    }
    let mut styles = Vec::new();
    for style in attributes(&index, "<link rel=\"stylesheet\"", "href") {
        styles.push(text(page, style)?);
    }
    let icon = attributes(&index, "<link rel=\"icon\"", "href").into_iter().next().unwrap_or_default();
    let icon = BASE64.encode(content(page, icon)?);
    let (scripts, styles) = (inlined(&scripts)?, inlined(&styles)?);
    let (name, view) = (escaped(name), escaped(view));
    let without_scripts = between(&index, "<noscript>", "</noscript>").unwrap_or_default().trim();
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\" data-view=\"{view}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <script>\n{scripts}\n</script>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{name} – Traceglass</title>\n\
         <link rel=\"icon\" href=\"data:image/svg+xml;base64,{icon}\">\n<style>\n{styles}\n</style>\n</head>\n<body>\n\
         <div id=\"boot\" role=\"status\">Starting Traceglass…</div>\n<noscript>{without_scripts}</noscript>\n"
    ))
}

/// Returns the files that a page needs, as the script lists them.
fn parts(script: &str) -> Vec<String> {
    let list = between(script, "const PARTS = [", "]").unwrap_or_default();
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
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

/// Writes bytes as base64 into elements that no browser runs.
struct Elements<'o, W: Write> {
    out: &'o mut W,
    /// Start tag.
    start: String,
    piece: Vec<u8>,
    written: u64,
}

impl<W: Write> Elements<'_, W> {
    fn end_piece(&mut self) -> io::Result<()> {
        self.written += self.piece.len() as u64;
        if self.written > MAX_PACKED_BYTES {
            let limit = format::bytes(MAX_PACKED_BYTES);
            return Err(io::Error::other(format!("the trace is too large for a page (limit {limit} compressed)")));
        }
        writeln!(self.out, "{}{}</script>", self.start, BASE64.encode(&self.piece))?;
        self.piece.clear();
        Ok(())
    }

    fn end(mut self) -> io::Result<()> {
        // A page has at least one element.
        if !self.piece.is_empty() || self.written == 0 { self.end_piece() } else { Ok(()) }
    }
}

impl<W: Write> Write for Elements<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(PIECE_BYTES - self.piece.len());
        self.piece.extend_from_slice(&bytes[..count]);
        if self.piece.len() == PIECE_BYTES {
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

    #[test]
    fn base64_is_padded() {
        let texts = ["", "a", "ab", "abc", "abcd"].map(|text| BASE64.encode(text));
        assert_eq!(texts, ["", "YQ==", "YWI=", "YWJj", "YWJjZA=="]);
    }

    #[test]
    fn trace_is_in_elements_of_limited_size() {
        let mut out = Vec::new();
        let mut elements = Elements { out: &mut out, start: "<script>".to_owned(), piece: Vec::new(), written: 0 };
        elements.write_all(&vec![0; PIECE_BYTES + 1]).expect("memory");
        elements.end().expect("memory");
        let text = String::from_utf8(out).expect("ASCII");
        let lengths: Vec<usize> = text.lines().map(|line| line.len() - "<script></script>".len()).collect();
        assert_eq!(lengths, [PIECE_BYTES / 3 * 4, 4]);
    }

    #[test]
    fn files_of_page_are_found() {
        assert_eq!(parts("const PARTS = [\n  \"app.js\",\n  \"app_bg.wasm\",\n];"), ["app.js", "app_bg.wasm"]);
        let page = "<link rel=\"icon\" href=\"./i.svg\"/><link rel=\"stylesheet\" href=\"./a.css\"/><script src=\"./b.js\" defer>";
        assert_eq!(attributes(page, "<link rel=\"stylesheet\"", "href"), ["a.css"]);
        assert_eq!(attributes(page, "<script ", "src"), ["b.js"]);
        assert_eq!(escaped("a\"<b>&"), "a&#34;&#60;b&#62;&#38;");
    }
}
