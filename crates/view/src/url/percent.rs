//! Text in addresses.

/// Percent-encodes everything that is not unreserved (RFC 3986), so that any reader of query strings agrees.
pub fn escape(text: &str, out: &mut String) {
    escape_except(text, b"-_.~", out);
}

/// The same, dots included: for a part that is followed by others.
pub fn escape_dots(text: &str, out: &mut String) {
    escape_except(text, b"-_~", out);
}

fn escape_except(text: &str, allowed: &[u8], out: &mut String) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for &byte in text.as_bytes() {
        if byte.is_ascii_alphanumeric() || allowed.contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push(char::from(HEX[usize::from(byte >> 4)]));
            out.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
}

/// Undoes [`escape`]; none for what is no percent-encoded UTF-8.
pub fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        match byte {
            b'%' => {
                let (digits, tail) = rest.split_first_chunk::<2>()?;
                let [high, low] = digits.map(|digit| char::from(digit).to_digit(16));
                bytes.push((high? * 16 + low?) as u8);
                rest = tail;
            }
            b'+' => bytes.push(b' '),
            _ => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_escaped_comes_back() {
        let mut text = String::new();
        escape_dots("a.b c=ä&%", &mut text);
        assert_eq!(text, "a%2Eb%20c%3D%C3%A4%26%25");
        assert_eq!(unescape(&text).as_deref(), Some("a.b c=ä&%"));
        assert_eq!((unescape("a+b"), unescape("%z1"), unescape("%ff")), (Some("a b".to_owned()), None, None));
    }
}
