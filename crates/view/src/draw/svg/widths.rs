//! Estimated widths of texts. A file is shown with fonts that are unknown when it is written.

use crate::draw::units::CssPx;

/// Returns about the width of a text, at an average width per `character`. Fonts differ in their average, which was
/// measured, more than in how wide letters are relative to it.
pub fn estimated_width(text: &str, character: CssPx) -> CssPx {
    text.chars().map(share).sum::<f64>() * character
}

/// Returns the width of a character as a share of the average.
fn share(one: char) -> f64 {
    match one {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' => 0.5,
        'f' | 'r' | 't' | 'I' | '(' | ')' | '[' | ']' | '·' | '-' | '/' => 0.62,
        'm' | 'w' | 'M' | 'W' | '%' | '…' | '@' => 1.45,
        'A'..='Z' => 1.1,
        one if one.is_ascii() => 0.98,
        // Ideographs are about as wide as high.
        '\u{2e80}'.. => 1.8,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn width_depends_on_letters() {
        let of = |text| estimated_width(text, 6.0);
        assert_eq!(of(""), 0.0);
        assert!(of("illi") < of("GC #8"));
        assert!(of("waiting for a lock") < 18.0 * 6.0, "text has many narrow letters");
        assert!(of("漢字") > of("ab"));
    }
}
