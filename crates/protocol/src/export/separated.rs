//! Separated values for spreadsheets (RFC 4180).

use crate::format::escaped;
use std::fmt::Write;

/// Appends a line of cells. Quotes ambiguous cells, and escapes control characters, because the table may be printed to
/// a terminal.
pub fn write_line(text: &mut String, separator: char, cells: &[impl AsRef<str>]) {
    for (at, cell) in cells.iter().map(AsRef::as_ref).enumerate() {
        if at > 0 {
            text.push(separator);
        }
        let cell = &*escaped(cell);
        if cell.contains([separator, '"']) {
            // Writing to a string cannot fail.
            let _ = write!(text, "\"{}\"", cell.replace('"', "\"\""));
        } else {
            text.push_str(cell);
        }
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ambiguous_cells_are_quoted() {
        let mut text = String::new();
        write_line(&mut text, ',', &["a", "b,c", "say \"no\"", "", "two\nlines", "t\tb"]);
        assert_eq!(text, "a,\"b,c\",\"say \"\"no\"\"\",,two\\nlines,t\\tb\n");
        text.clear();
        write_line(&mut text, '\t', &["b,c", "t\tb"]);
        assert_eq!(text, "b,c\tt\\tb\n");
        text.clear();
        write_line(&mut text, ',', &["\u{1b}[31mred", "\u{202e}x"]);
        assert_eq!(text, "\\u{1b}[31mred,\\u{202e}x\n", "no command reaches a terminal");
    }
}
