//! Number formats for users: units, three significant digits.

use std::borrow::Cow;

/// Formats a duration with three significant digits: "850 ns", "12.3 µs", "203 ms", "1.50 s", "9,877 s".
pub fn duration(nanos: i64) -> String {
    let sign = if nanos < 0 { "−" } else { "" };
    let size = nanos.unsigned_abs();
    let text = match size {
        0..1_000 => format!("{size} ns"),
        1_000..999_500 => format!("{} µs", three_digits(size as f64 / 1e3)),
        999_500..999_500_000 => format!("{} ms", three_digits(size as f64 / 1e6)),
        _ => format!("{} s", three_digits(size as f64 / 1e9)),
    };
    format!("{sign}{text}")
}

/// Formats a number of at least 1 with three significant digits, including trailing zeros. From 1,000, formats all
/// digits.
fn three_digits(value: f64) -> String {
    match value {
        _ if value < 9.995 => format!("{value:.2}"),
        _ if value < 99.95 => format!("{value:.1}"),
        _ => with_separators(&format!("{value:.0}")),
    }
}

/// Formats a time as seconds since the trace's sync point, with a number of decimals.
pub fn seconds(at_nanos: i64, decimals: usize) -> String {
    let decimals = decimals.min(9);
    let unit = 10u64.pow(9 - decimals as u32);
    let rounded = at_nanos.unsigned_abs().saturating_add(unit / 2) / unit;
    let scale = 10u64.pow(decimals as u32);
    let sign = if at_nanos < 0 && rounded > 0 { "−" } else { "" };
    let whole = count(rounded / scale);
    if decimals == 0 {
        return format!("{sign}{whole} s");
    }
    format!("{sign}{whole}.{:0decimals$} s", rounded % scale)
}

/// Returns the number of decimals of a second that distinguish times `step_nanos` apart.
pub fn decimals_for(step_nanos: i64) -> usize {
    let mut decimals = 0;
    let mut unit = 1_000_000_000;
    while decimals < 9 && step_nanos % unit != 0 {
        unit /= 10;
        decimals += 1;
    }
    decimals
}

/// Formats a time range with decimals that fit its length: "2.100–3.900 s".
pub fn range(start_nanos: i64, end_nanos: i64) -> String {
    let decimals = decimals_of_range(start_nanos, end_nanos);
    let start = seconds(start_nanos, decimals);
    format!("{}–{}", start.trim_end_matches(" s"), seconds(end_nanos, decimals))
}

/// Formats a range of values with their unit once if both have the same: "2–4 threads", "25–50%", "512 kB–1.00 MB".
pub fn between(least: &str, most: &str) -> String {
    match (least.split_once(' '), most.split_once(' ')) {
        (Some((number, unit)), Some((_, same))) if unit == same => format!("{number}–{most}"),
        (None, None) if most.ends_with('%') => format!("{}–{most}", least.trim_end_matches('%')),
        _ => format!("{least}–{most}"),
    }
}

/// Returns the number of decimals of a second that fit the length of a range.
pub fn decimals_of_range(start_nanos: i64, end_nanos: i64) -> usize {
    let length = end_nanos.saturating_sub(start_nanos).max(1);
    let mut decimals = 3;
    while decimals < 9 && length < 100 * 10i64.pow(9 - decimals as u32) && length < 1_000_000_000 {
        decimals += 3;
    }
    decimals
}

/// Formats a count with thousands separators: "412,331".
pub fn count(value: u64) -> String {
    with_separators(&value.to_string())
}

/// Capitalizes the first letter, if it is an ASCII letter.
pub fn capitalized(words: &str) -> String {
    let mut text = words.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

/// Makes the first letter small, if it is an ASCII letter.
pub fn uncapitalized(words: &str) -> String {
    let mut text = words.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    text
}

/// Formats a count with its noun, pluralized: "1 event", "23 events".
pub fn counted(value: u64, noun: &str) -> String {
    let number = count(value);
    if value == 1 { format!("{number} {noun}") } else { format!("{number} {}", plural(noun)) }
}

/// Formats a number of times: "once", "23 times".
pub fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { counted(count, "time") }
}

fn with_separators(digits: &str) -> String {
    let whole = digits.find('.').unwrap_or(digits.len());
    let mut text = String::with_capacity(digits.len() + whole / 3);
    for (position, digit) in digits.char_indices() {
        if position > 0 && position < whole && (whole - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats an offset in the file: "0x013DFA10".
pub fn offset(value: u64) -> String {
    format!("0x{value:08X}")
}

/// Formats a size in decimal units with three significant digits: "812 B", "40.5 MB", "1.50 GB".
pub fn bytes(value: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if value < 1_000 {
        return format!("{value} B");
    }
    let mut scaled = value as f64 / 1e3;
    let mut unit = 0;
    while scaled >= 999.5 && unit + 1 < UNITS.len() {
        scaled /= 1e3;
        unit += 1;
    }
    format!("{} {}", three_digits(scaled), UNITS[unit])
}

/// Formats a share: "0%", "4.3%", "48%", "<0.1%", ">99.9%"; "–" if the whole is 0. Shares below 1 are never "100%".
pub fn percent(part: f64, whole: f64) -> String {
    if whole <= 0.0 {
        return "–".to_owned();
    }
    let value = part / whole * 100.0;
    if value == 0.0 {
        "0%".to_owned()
    } else if value > 0.0 && value < 0.1 {
        "<0.1%".to_owned()
    } else if value > 99.9 && value < 100.0 {
        ">99.9%".to_owned()
    } else if value < 9.95 || (99.5..100.0).contains(&value) {
        format!("{value:.1}%")
    } else {
        with_separators(&format!("{value:.0}")) + "%"
    }
}

/// Formats a measured value: "0", "12.5", "1,234", "3.2 M"; at most four digits below a thousand.
pub fn quantity(value: f64) -> String {
    let sign = if value < 0.0 { "−" } else { "" };
    let text = match value.abs() {
        size if size >= 1e12 => format!("{size:.3e}"),
        size if size >= 1e7 => format!("{:.1} M", size / 1e6),
        size if size >= 1000.0 => count(size.round() as u64),
        size if size >= 0.01 || size == 0.0 => {
            let text = format!("{size:.2}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        size => format!("{size:.1e}"),
    };
    format!("{sign}{text}")
}

/// Formats a number per second with three significant digits: "0.500/s", "12.4/s", "1,234/s".
pub fn rate(per_second: f64) -> String {
    padded(per_second) + "/s"
}

/// Formats a number with three significant digits, including trailing zeros: "0", "0.157", "6.20", "1,234".
pub fn padded(value: f64) -> String {
    let sign = if value < 0.0 { "−" } else { "" };
    match value.abs() {
        size @ 0.001..1.0 => {
            let decimals = [0.9995, 0.09995, 0.009995].iter().filter(|limit| size < **limit).count() + 2;
            format!("{sign}{size:.decimals$}")
        }
        size @ 1.0..1e7 => format!("{sign}{}", three_digits(size)),
        _ => quantity(value),
    }
}

/// Formats a number with three significant digits, without trailing zeros.
pub fn significant(value: f64) -> String {
    if !(1.0..1000.0).contains(&value.abs()) {
        return quantity(value);
    }
    let sign = if value < 0.0 { "−" } else { "" };
    let text = three_digits(value.abs());
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{sign}{text}")
}

/// Formats a measured value with its unit. Bytes and seconds are scaled; units in braces, such as "{request}", are
/// pluralized.
pub fn measured(value: f64, unit: &str) -> String {
    let (unit, rest) = unit.split_once(['/', ' ']).map_or((unit, ""), |(of, _)| (of, &unit[of.len()..]));
    let text = match unit {
        "B" | "By" | "bytes" if value >= 0.0 => bytes(value.round() as u64),
        "s" if value.abs() < 1e6 => duration((value * 1e9).round() as i64),
        "" => quantity(value),
        "%" => significant(value) + "%",
        unit => match unit.strip_prefix('{').and_then(|unit| unit.strip_suffix('}')) {
            Some(noun) if value != 1.0 => format!("{} {}", quantity(value), plural(noun)),
            Some(noun) => format!("{} {noun}", quantity(value)),
            None => format!("{} {unit}", significant(value)),
        },
    };
    text + rest
}

/// Pluralizes a noun such as "request" or "activity".
fn plural(noun: &str) -> String {
    match noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u'])) {
        Some(stem) => format!("{stem}ies"),
        None if ["s", "x", "ch", "sh"].iter().any(|end| noun.ends_with(end)) => format!("{noun}es"),
        None => format!("{noun}s"),
    }
}

/// Replaces control characters, line breaks and text-direction overrides with escapes such as `\n` and `\u{1b}`.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(needs_escape) {
        return Cow::Borrowed(text);
    }
    let mut line = String::with_capacity(text.len() + 16);
    for one in text.chars() {
        if needs_escape(one) {
            line.extend(one.escape_default());
        } else {
            line.push(one);
        }
    }
    Cow::Owned(line)
}

/// Returns whether a terminal could interpret the character as a command, line break or change of the text direction.
pub fn needs_escape(one: char) -> bool {
    one.is_control() || matches!(one, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_control_characters_are_escaped() {
        for (text, expected) in [
            ("a\r\n\tb\0", "a\\r\\n\\tb\\u{0}"),
            ("\x1b[31m\x7f", "\\u{1b}[31m\\u{7f}"),
            ("\u{85}\u{9b}31m\u{2028}\u{2029}", "\\u{85}\\u{9b}31m\\u{2028}\\u{2029}"),
            ("\u{202a}\u{202e}x\u{2066}\u{2069}", "\\u{202a}\\u{202e}x\\u{2066}\\u{2069}"),
            ("C:\\new “käse” שלום 🧀\u{200d}", "C:\\new “käse” שלום 🧀\u{200d}"),
        ] {
            assert_eq!(escaped(text), expected);
        }
    }

    #[test]
    fn rates_have_three_significant_digits() {
        let cases = [
            (0.0, "0/s"),
            (0.00512, "0.00512/s"),
            (0.0998, "0.0998/s"),
            (0.5, "0.500/s"),
            (0.9996, "1.00/s"),
            (1.0, "1.00/s"),
            (16.0, "16.0/s"),
            (13.13, "13.1/s"),
            (501.4, "501/s"),
            (999.96, "1,000/s"),
            (1234.0, "1,234/s"),
        ];
        for (value, text) in cases {
            assert_eq!(rate(value), text);
        }
    }

    #[test]
    fn measured_values_have_fitting_unit() {
        let cases = [
            (12_345_678.0, "B/s", "12.3 MB/s"),
            (9.0, "{timer}", "9 timers"),
            (1.0, "{query}", "1 query"),
            (2.0, "{query}", "2 queries"),
            (0.0226, "s", "22.6 ms"),
            (55.26, "MB", "55.3 MB"),
            (5.0, "{request} per interval", "5 requests per interval"),
            (5.0, "", "5"),
            (3.0, "work items", "3 work items"),
            (39.42, "%", "39.4%"),
        ];
        for (value, unit, text) in cases {
            assert_eq!(measured(value, unit), text, "{unit}");
        }
    }

    #[test]
    fn durations_have_fitting_unit() {
        let cases = [
            (0, "0 ns"),
            (850, "850 ns"),
            (1_234, "1.23 µs"),
            (12_345, "12.3 µs"),
            (999_499, "999 µs"),
            (999_500, "1.00 ms"),
            (203_412_345, "203 ms"),
            (999_500_000, "1.00 s"),
            (1_234_000_000, "1.23 s"),
            (99_949_999_999, "99.9 s"),
            (99_950_000_000, "100 s"),
            (123_412_345_678, "123 s"),
            (9_876_543_000_000, "9,877 s"),
            (-15_970_000, "−16.0 ms"),
        ];
        for (nanos, text) in cases {
            assert_eq!(duration(nanos), text, "{nanos}");
        }
    }

    #[test]
    fn seconds_round_to_nearest_digit() {
        assert_eq!(seconds(2_776_499_999, 3), "2.776 s");
        assert_eq!(seconds(2_776_500_000, 3), "2.777 s");
        assert_eq!(seconds(-15_970_000, 3), "−0.016 s");
        assert_eq!(seconds(-1, 3), "0.000 s");
        assert_eq!(seconds(3_600_000_000_000, 0), "3,600 s");
        assert_eq!(seconds(1, 9), "0.000000001 s");
    }

    #[test]
    fn decimals_distinguish_steps() {
        assert_eq!(decimals_for(5_000_000_000), 0);
        assert_eq!(decimals_for(200_000_000), 1);
        assert_eq!(decimals_for(20_000), 5);
        assert_eq!(decimals_for(1), 9);
    }

    #[test]
    fn range_decimals_fit_length() {
        assert_eq!(between("2 threads", "4 threads"), "2–4 threads");
        assert_eq!(between("512 kB", "1.00 MB"), "512 kB–1.00 MB");
        assert_eq!(range(2_100_000_000, 3_900_000_000), "2.100–3.900 s");
        assert_eq!(range(2_100_000_000, 2_100_250_000), "2.100000–2.100250 s");
    }

    #[test]
    fn counts_sizes_and_shares_are_formatted() {
        assert_eq!(count(999), "999");
        assert_eq!(count(412_331), "412,331");
        assert_eq!(counted(1, "event"), "1 event");
        assert_eq!(counted(1_000, "event"), "1,000 events");
        assert_eq!([1, 2].map(|value| counted(value, "activity")), ["1 activity", "2 activities"]);
        assert_eq!(counted(0, "request phase"), "0 request phases");
        assert_eq!(bytes(812), "812 B");
        assert_eq!([999_499, 999_500].map(bytes), ["999 kB", "1.00 MB"]);
        assert_eq!([40_512_345, 405_123_450].map(bytes), ["40.5 MB", "405 MB"]);
        assert_eq!(bytes(u64::MAX), "18,446,744 TB");
        assert_eq!(percent(0.01, 100.0), "<0.1%");
        assert_eq!(percent(43.0, 1000.0), "4.3%");
        assert_eq!(percent(48.4, 100.0), "48%");
        assert_eq!(percent(99.7, 100.0), "99.7%");
        assert_eq!(percent(99.98, 100.0), ">99.9%");
        assert_eq!(percent(100.0, 100.0), "100%");
        assert_eq!(percent(1.0, 0.0), "–");
    }

    #[test]
    fn quantities_are_short() {
        let texts = [0.0, 4.0, 110.5, 0.037_734, 1234.4, -2500.0, 123_456_789.0, 2.5e15, 1.2e-5].map(quantity);
        assert_eq!(texts, ["0", "4", "110.5", "0.04", "1,234", "−2,500", "123.5 M", "2.500e15", "1.2e-5"]);
    }
}
