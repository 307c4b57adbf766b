//! Formats times and tables for the terminal.

use protocol::base::time::Nanos;
use std::io::{self, Write};

/// Formats a time with microseconds: "1.234567 s".
pub(super) fn seconds(at: Nanos) -> String {
    let micros = at.0.div_euclid(1000);
    let sign = if micros < 0 { "-" } else { "" };
    let size = micros.unsigned_abs();
    format!("{sign}{}.{:06} s", size / 1_000_000, size % 1_000_000)
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

/// Replaces control characters, which a terminal could take for commands, with spaces.
pub(super) fn on_one_line(text: &str) -> String {
    text.chars().map(|one| if one.is_control() { ' ' } else { one }).collect()
}

/// Prints a table whose columns are as wide as their longest cell.
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
    fn seconds_have_microseconds() {
        assert_eq!(seconds(Nanos(1_500_000_999)), "1.500000 s");
        assert_eq!(seconds(Nanos(-15_970_000)), "-0.015970 s");
    }

    #[test]
    fn table_aligns_columns() {
        let mut text = Vec::new();
        let rows = [vec!["a".to_owned(), "1".to_owned()], vec!["longer".to_owned(), "1,000".to_owned()]];
        table(&mut text, &[("Name", Align::Left), ("N", Align::Right)], &rows).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), "  Name        N\n  a           1\n  longer  1,000\n");
    }
}
