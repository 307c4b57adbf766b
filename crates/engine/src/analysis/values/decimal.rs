//! Parses numbers that a program wrote as text.

/// Powers of ten that a double represents exactly.
const EXACT_POWERS: i32 = 22;

/// Parses a text such as `12.5`, `-3` or `1.5E+07`; `None` if it isn't a number, or not finite.
///
/// Exact for up to 15 digits and powers of ten up to 22, and nearly so for others, which is enough for charts. The
/// standard library's parser is always exact, but needs a table that every visitor would download.
pub fn decimal(text: &str) -> Option<f64> {
    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (is_negative, digits) = match number.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, number.strip_prefix('+').unwrap_or(number)),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && part.is_empty() {
        return None;
    }
    let (mut mantissa, mut scale) = (0_u64, exponent);
    for (place, digit) in whole.bytes().chain(part.bytes()).enumerate() {
        if !digit.is_ascii_digit() {
            return None;
        }
        let is_part = place >= whole.len();
        match mantissa.checked_mul(10).and_then(|tens| tens.checked_add(u64::from(digit - b'0'))) {
            Some(more) => {
                mantissa = more;
                scale = scale.saturating_sub(i32::from(is_part));
            }
            // A digit that no longer has an effect.
            None => scale = scale.saturating_add(i32::from(!is_part)),
        }
    }
    let mut value = mantissa as f64;
    while scale > 0 && value.is_finite() && value > 0.0 {
        value *= 10_f64.powi(scale.min(EXACT_POWERS));
        scale -= scale.min(EXACT_POWERS);
    }
    while scale < 0 && value > 0.0 {
        value /= 10_f64.powi((-scale).min(EXACT_POWERS));
        scale += (-scale).min(EXACT_POWERS);
    }
    value.is_finite().then_some(if is_negative { -value } else { value })
}

/// Parses a number in the format of the program's culture: `12,5` and `−3` as well as `12.5` and `-3`. `None` if it
/// isn't a number, or not finite. Such text has no thousands separators.
pub fn local_decimal(text: &str) -> Option<f64> {
    if text.is_ascii() && !text.contains(',') {
        return decimal(text);
    }
    let plain = text.chars().filter_map(|character| match character {
        ',' | '\u{66b}' => Some('.'),
        '\u{2212}' => Some('-'),
        // Marks of the writing direction beside the sign.
        '\u{200e}' | '\u{200f}' | '\u{61c}' => None,
        other => Some(other),
    });
    decimal(&plain.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decimal_of_other_text_is_none() {
        for text in ["", "-", ".", "1.2.3", "12x", "e5", "1e", "NaN", "infinity", "1e999999999999", "1e400", "0x10"] {
            assert_eq!(decimal(text), None, "{text}");
        }
        assert_eq!(decimal("0e400"), Some(0.0));
        assert_eq!(decimal(&"9".repeat(400)), None);
        assert_eq!(decimal("+.5"), Some(0.5));
    }

    #[test]
    fn local_decimal_reads_the_formats_of_cultures() {
        let cases =
            [("10,25", 10.25), ("10.25", 10.25), ("-0,5", -0.5), ("\u{2212}3", -3.0), ("1,5E+07", 1.5e7), ("7", 7.0)];
        for (text, value) in cases {
            assert_eq!(local_decimal(text), Some(value), "{text}");
        }
        assert_eq!(local_decimal("\u{61c}-2\u{66b}5"), Some(-2.5));
        for text in ["", ",", "1,2,3", "1.234,5", "NaN", "\u{221e}", "-\u{221e}", "Infinity"] {
            assert_eq!(local_decimal(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn decimal_matches_standard_library(value in -1e15..1e15_f64, whole in any::<i32>(), digits in 0_usize..6) {
            for text in [whole.to_string(), format!("{:.digits$}", value / 1e6), format!("{:e}", f64::from(whole))] {
                let expected: f64 = text.parse().unwrap();
                let found = decimal(&text).unwrap();
                prop_assert!((found - expected).abs() <= expected.abs() * 1e-15, "{text}: {found}");
            }
        }
    }
}
