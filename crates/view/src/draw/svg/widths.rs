//! Estimated widths of texts. A file is shown with fonts that are unknown when it is written.

use crate::draw::units::CssPx;

/// Returns about the width of a text, at an average width per `character`. Fonts differ in their average, which was
/// measured, more than in how wide letters are relative to it.
pub fn estimated_width(text: &str, character: CssPx) -> CssPx {
    text.chars().map(share).sum::<f64>() * character
}

/// Returns the lines of a text that is about `width` wide. Lines end between words, if they have several.
pub fn wrapped(text: &str, width: CssPx, character: CssPx) -> Vec<String> {
    let mut lines = vec![String::new()];
    let (mut used, space) = (0.0, share(' ') * character);
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        if used > 0.0 && used + space + estimated_width(word, character) > width {
            lines.push(String::new());
            used = 0.0;
        }
        let parts = [(used > 0.0).then_some(' ')].into_iter().flatten().chain(word.chars());
        for one in parts {
            let needed = share(one) * character;
            if used > 0.0 && used + needed > width {
                lines.push(String::new());
                used = 0.0;
            }
            lines.iter_mut().last().into_iter().for_each(|line| line.push(one));
            used += needed;
        }
    }
    lines
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

    #[test]
    fn long_text_is_wrapped_between_words() {
        let of = |text| wrapped(text, 60.0, 6.0);
        assert_eq!(of(""), [""]);
        assert_eq!(of("GC pause"), ["GC pause"]);
        assert_eq!(of("the workers wait for the pool"), ["the workers", "wait for the", "pool"]);
        let long = of("abcdefghabcdefghabcdefgh x");
        assert!(long.len() > 2 && long.iter().all(|line| estimated_width(line, 6.0) <= 60.0), "{long:?}");
        assert_eq!(long.concat(), "abcdefghabcdefghabcdefgh x");
    }
}
