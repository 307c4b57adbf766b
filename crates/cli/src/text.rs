//! Numbers and tables for people at a terminal.

use protocol::base::time::Nanos;
use std::io::{self, Write};

/// "12,345".
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// "3.4 MB", in powers of ten.
pub(super) fn bytes(number: u64) -> String {
    match number {
        0..1_000 => format!("{number} B"),
        1_000..1_000_000 => format!("{:.1} kB", number as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", number as f64 / 1e6),
        _ => format!("{:.2} GB", number as f64 / 1e9),
    }
}

/// "1.234567 s", with the digits that a microsecond needs.
pub(super) fn seconds(at: Nanos) -> String {
    let micros = at.0.div_euclid(1000);
    let sign = if micros < 0 { "-" } else { "" };
    let size = micros.unsigned_abs();
    format!("{sign}{}.{:06} s", size / 1_000_000, size % 1_000_000)
}

/// How a column stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

/// On one line, and nothing that a terminal could take for a command.
pub(super) fn on_one_line(text: &str) -> String {
    text.chars().map(|one| if one.is_control() { ' ' } else { one }).collect()
}

/// Prints rows with columns as wide as what is in them.
pub(super) fn table(output: &mut impl Write, columns: &[(&str, Align)], rows: &[Vec<String>]) -> io::Result<()> {
    let width = |text: &str| text.chars().count();
    let widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(at, (title, _))| {
            rows.iter().filter_map(|row| row.get(at)).map(|cell| width(cell)).max().unwrap_or(0).max(width(title))
        })
        .collect();
    let titles: Vec<String> = columns.iter().map(|(title, _)| (*title).to_owned()).collect();
    for row in std::iter::once(&titles).chain(rows) {
        let mut line = String::from(" ");
        for ((cell, &width), (_, align)) in row.iter().zip(&widths).zip(columns) {
            line.push(' ');
            line += &match align {
                Align::Left => format!("{cell:<width$} "),
                Align::Right => format!("{cell:>width$} "),
            };
        }
        writeln!(output, "{}", line.trim_end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!([grouped(0), grouped(999), grouped(1_234_567)], ["0", "999", "1,234,567"]);
        assert_eq!([bytes(999), bytes(3_558_950)], ["999 B", "3.6 MB"]);
        assert_eq!(seconds(Nanos(1_500_000_999)), "1.500000 s");
        assert_eq!(seconds(Nanos(-15_970_000)), "-0.015970 s");
    }

    #[test]
    fn tables_line_up() {
        let mut text = Vec::new();
        let rows = [vec!["a".to_owned(), "1".to_owned()], vec!["longer".to_owned(), "1,000".to_owned()]];
        table(&mut text, &[("Name", Align::Left), ("N", Align::Right)], &rows).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), "  Name        N\n  a           1\n  longer  1,000\n");
    }
}
