//! Lines of separated values, as spreadsheets read them (RFC 4180).

use std::fmt::Write;

/// Appends a line of cells, quoting cells that would be ambiguous.
pub fn write_line(text: &mut String, separator: char, cells: &[impl AsRef<str>]) {
    for (at, cell) in cells.iter().map(AsRef::as_ref).enumerate() {
        if at > 0 {
            text.push(separator);
        }
        if cell.contains([separator, '"', '\n', '\r']) {
            // Writing to a string can't fail.
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
        assert_eq!(text, "a,\"b,c\",\"say \"\"no\"\"\",,\"two\nlines\",t\tb\n");
        text.clear();
        write_line(&mut text, '\t', &["b,c", "t\tb"]);
        assert_eq!(text, "b,c\t\"t\tb\"\n");
    }
}
