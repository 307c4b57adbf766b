//! Text output for the terminal: lines, tables and times.

use protocol::base::time::Nanos;
use protocol::export::Json;
use protocol::format::escaped;
use protocol::table::{Cell, CellKind, Column, Unit};
use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};

/// Output of a command.
///
/// Names and values from a trace may contain line breaks and terminal commands. [`Output::print`] escapes them. Only
/// formats with their own escaping use [`Output::verbatim`] and [`Output::writer`] instead.
pub(super) struct Output<'w>(&'w mut dyn Write);

impl<'w> Output<'w> {
    pub(super) fn new(writer: &'w mut dyn Write) -> Self {
        Self(writer)
    }

    /// Prints one line with control characters escaped and trailing spaces removed. See [`line!`].
    pub(super) fn print(&mut self, line: fmt::Arguments<'_>) -> io::Result<()> {
        let line = line.as_str().map_or_else(|| line.to_string().into(), Cow::Borrowed);
        writeln!(self.0, "{}", escaped(&line).trim_end())
    }

    /// Prints the lines of a text that doesn't come from a trace.
    pub(super) fn print_lines(&mut self, text: &str) -> io::Result<()> {
        text.lines().try_for_each(|line| self.print(format_args!("{line}")))
    }

    /// Prints text of a format with its own escaping, such as JSON.
    pub(super) fn verbatim(&mut self, text: &str) -> io::Result<()> {
        self.0.write_all(text.as_bytes())
    }

    /// Prints a JSON object.
    pub(super) fn json(&mut self, write: impl FnOnce(&mut Json)) -> io::Result<()> {
        let mut json = Json::default();
        json.object(write);
        json.line();
        self.verbatim(json.as_str())
    }

    /// Returns the writer for a format with its own escaping.
    pub(super) fn writer(&mut self) -> &mut dyn Write {
        self.0
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Prints one line with control characters escaped: `line!(output, "{name} {value}")`. Without a format, prints an
/// empty line.
macro_rules! line {
    ($output:expr) => {
        $output.print(format_args!(""))
    };
    ($output:expr, $($line:tt)+) => {
        $output.print(format_args!($($line)+))
    };
}
pub(super) use line;

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

impl Align {
    /// Returns the alignment of cells.
    pub(super) fn of(kind: CellKind) -> Self {
        if kind == CellKind::Text { Self::Left } else { Self::Right }
    }
}

/// Returns a column with its alignment.
pub(super) fn head<T, M>(column: &Column<T, M>) -> (&'static str, Align) {
    (column.title, Align::of(column.kind))
}

/// Formats a cell. Times have microseconds, and offsets are decimal, so that they can be passed to other commands.
pub(super) fn cell_words(kind: CellKind, cell: &Cell<'_>) -> String {
    match (kind, cell) {
        (_, Cell::Range(start, end)) => format!("{} to {}", seconds(Nanos(*start)), seconds(Nanos(*end))),
        (CellKind::Number(Unit::Moment), Cell::Integer(at)) => seconds(Nanos(*at)),
        (CellKind::Number(Unit::Offset), Cell::Integer(offset)) => offset.to_string(),
        (CellKind::Number(Unit::Weight), Cell::Number(number)) => number.to_string(),
        _ => cell.words(kind),
    }
}

/// Prints records as a table of the columns with titles.
pub(super) fn records<T>(output: &mut Output<'_>, columns: &[Column<T>], records: &[T]) -> io::Result<()> {
    let shown: Vec<&Column<T>> = columns.iter().filter(|column| !column.title.is_empty()).collect();
    let heads: Vec<_> = shown.iter().map(|column| head(column)).collect();
    let row = |record| shown.iter().map(|column| cell_words(column.kind, &(column.cell)(record, 0))).collect();
    table(output, &heads, &records.iter().map(row).collect::<Vec<_>>())
}

/// Prints a table. Each column is as wide as its longest cell.
pub(super) fn table(output: &mut Output<'_>, columns: &[(&str, Align)], rows: &[Vec<String>]) -> io::Result<()> {
    // Escapes change the width of cells.
    let escaped_row = |row: &Vec<String>| row.iter().map(|cell| escaped(cell).into_owned()).collect();
    let rows: &[Vec<String>] = &rows.iter().map(escaped_row).collect::<Vec<_>>();
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
        line!(output, "{line}")?;
    }
    Ok(())
}

/// Lists the first names below a title, one per line; empty if there are none.
pub(super) fn listed(title: &str, names: &[String]) -> String {
    const LISTED: usize = 10;
    let Some(first) = names.get(..LISTED.min(names.len())).filter(|first| !first.is_empty()) else {
        return String::new();
    };
    let first: Vec<_> = first.iter().map(|name| escaped(name)).collect();
    let more = names.len() - first.len();
    let more = if more > 0 { format!("\n  and {more} more") } else { String::new() };
    format!("{title}:\n  {}{more}", first.join("\n  "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_beyond_the_first_ten_are_counted() {
        let names = |count: usize| (0..count).map(|number| number.to_string()).collect::<Vec<_>>();
        assert_eq!(listed("Names", &names(0)), "");
        assert_eq!(listed("Names", &names(2)), "Names:\n  0\n  1");
        assert!(listed("Names", &names(12)).ends_with("\n  9\n  and 2 more"));
    }

    #[test]
    fn seconds_have_microseconds() {
        assert_eq!(seconds(Nanos(1_500_000_999)), "1.500000 s");
        assert_eq!(seconds(Nanos(-15_970_000)), "-0.015970 s");
    }

    #[test]
    fn table_aligns_columns() {
        let rows = [vec!["a".to_owned(), "1".to_owned()], vec!["longer".to_owned(), "1,000".to_owned()]];
        let printed = printed(|output| table(output, &[("Name", Align::Left), ("N", Align::Right)], &rows));
        assert_eq!(printed, "  Name        N\n  a           1\n  longer  1,000\n");
    }

    #[test]
    fn table_cells_are_escaped() {
        let rows = [vec!["a\nb".to_owned(), "\x1b[2J".to_owned()], vec!["c".to_owned(), "d".to_owned()]];
        let printed = printed(|output| table(output, &[("Name", Align::Left), ("Value", Align::Left)], &rows));
        assert_eq!(printed, "  Name  Value\n  a\\nb  \\u{1b}[2J\n  c     d\n");
    }

    #[test]
    fn line_with_line_breaks_is_one_line() {
        let name = "a\r\n\x1b[31m\u{9b}2J\u{202e}";
        assert_eq!(printed(|output| line!(output, "{name}  ")), "a\\r\\n\\u{1b}[31m\\u{9b}2J\\u{202e}\n");
        assert_eq!(printed(|output| line!(output)), "\n");
        assert_eq!(printed(|output| output.print_lines("a\x1b\n  b\n")), "a\\u{1b}\n  b\n");
    }

    fn printed(print: impl FnOnce(&mut Output<'_>) -> io::Result<()>) -> String {
        let mut text = Vec::new();
        print(&mut Output::new(&mut text)).expect("room");
        String::from_utf8(text).expect("UTF-8")
    }
}
