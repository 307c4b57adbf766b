//! Finds the elements of a page that a build replaces.
//!
//! It supports the markup of `index.html`, and rejects other HTML, which would need a real parser.

use crate::Outcome;
use std::ops::Range;

/// Attribute of the elements that a build replaces.
const MARK: &str = "data-trunk";

/// Marked element.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Element<'a> {
    /// Range in the page, including the end tag if there is one.
    pub(super) range: Range<usize>,
    pub(super) name: &'a str,
    /// Attributes except the mark. One without a value has an empty one.
    pub(super) attributes: Vec<(&'a str, &'a str)>,
}

/// Returns the marked elements of a page, in order.
pub(super) fn marked_elements(html: &str) -> Outcome<Vec<Element<'_>>> {
    let mut elements = Vec::new();
    let mut position = 0;
    while let Some(offset) = html[position..].find('<') {
        let start = position + offset;
        let rest = &html[start..];
        if rest.starts_with("<!--") {
            let length = rest.find("-->").ok_or("a comment doesn't end")? + "-->".len();
            position = start + length;
        } else if rest.starts_with("</") || rest.starts_with("<!") {
            position = start + rest.find('>').ok_or("a tag doesn't end")? + 1;
        } else {
            let (mut element, is_marked) = start_tag(html, start)?;
            if matches!(element.name, "script" | "style") {
                // The content of such an element isn't markup; a replaced script has none.
                let end = format!("</{}>", element.name);
                if !html[element.range.end..].starts_with(&end) {
                    return Err(format!("<{}> isn't empty", element.name));
                }
                element.range.end += end.len();
            }
            position = element.range.end;
            if is_marked {
                elements.push(element);
            }
        }
    }
    Ok(elements)
}

/// Parses the start tag of the element at `start`, and returns whether it has the mark.
fn start_tag(html: &str, start: usize) -> Outcome<(Element<'_>, bool)> {
    let mut tag = Cursor { text: html, position: start + 1 };
    let name = tag.name();
    if name.is_empty() {
        return Err(format!("\"<\" begins no tag: {}", excerpt(&html[start..])));
    }
    let mut attributes = Vec::new();
    let mut is_marked = false;
    loop {
        tag.skip_spaces();
        if tag.take('>') || tag.take_all("/>") {
            break;
        }
        let attribute = tag.name();
        if attribute.is_empty() {
            return Err(format!("not an attribute: {}", excerpt(&html[start..])));
        }
        let value = if tag.take('=') { tag.quoted()? } else { "" };
        // Character references aren't supported.
        if value.contains('&') {
            return Err(format!("{attribute}=\"{value}\" has a character reference"));
        }
        if attribute == MARK {
            is_marked = true;
        } else {
            attributes.push((attribute, value));
        }
    }
    Ok((Element { range: start..tag.position, name, attributes }, is_marked))
}

fn excerpt(text: &str) -> String {
    text.chars().take(60).collect()
}

struct Cursor<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.position..]
    }

    fn skip_spaces(&mut self) {
        let rest = self.rest();
        self.position += rest.len() - rest.trim_ascii_start().len();
    }

    fn name(&mut self) -> &'a str {
        let rest = self.rest();
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
        let length = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        self.position += length;
        &rest[..length]
    }

    fn take(&mut self, letter: char) -> bool {
        self.take_all(letter.encode_utf8(&mut [0; 4]))
    }

    fn take_all(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        if is_next {
            self.position += text.len();
        }
        is_next
    }

    fn quoted(&mut self) -> Outcome<&'a str> {
        let rest = self.rest();
        let value = rest.strip_prefix('"').and_then(|rest| rest.split_once('"')).map(|(value, _)| value);
        let value = value.ok_or_else(|| format!("not in double quotes: {}", excerpt(rest)))?;
        self.position += value.len() + 2;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::{Element, marked_elements};

    #[test]
    fn marked_elements_are_found_with_their_attributes() {
        let html = "<!doctype html><head>\n<!-- <link data-trunk /> -->\n<meta charset=\"utf-8\" />\
                    <script data-trunk defer src=\"a.js\"></script><template>\
                    <link data-trunk rel=\"css\"\n  href=\"b.css\" /></template></head><body>x</body>";
        let elements = marked_elements(html).expect("the page is understood");
        let found: Vec<_> = elements.iter().map(|Element { range, name, .. }| (*name, &html[range.clone()])).collect();
        assert_eq!(
            found,
            [
                ("script", "<script data-trunk defer src=\"a.js\"></script>"),
                ("link", "<link data-trunk rel=\"css\"\n  href=\"b.css\" />"),
            ]
        );
        assert_eq!(elements[0].attributes, [("defer", ""), ("src", "a.js")]);
        assert_eq!(elements[1].attributes, [("rel", "css"), ("href", "b.css")]);
    }

    #[test]
    fn unsupported_markup_is_rejected() {
        for html in [
            "<!-- a comment",
            "<p class=x>",
            "<p class='x'>",
            "<p class=\"x>",
            "<p title=\"a &amp; b\">",
            "a < b",
            "<p",
            "<script>let inline = 1;</script>",
            "<script data-trunk src=\"a.js\" />",
        ] {
            assert!(marked_elements(html).is_err(), "{html}");
        }
    }
}
