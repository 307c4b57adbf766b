//! Markdown for pull requests and chats.

use crate::format::counted;

/// Escapes characters with a meaning in Markdown. Line breaks become spaces, and names after `@` and numbers after `#`
/// don't become mentions and links.
pub fn escaped(text: &str) -> String {
    /// Nobody sees it, but it ends a word.
    const NO_WIDTH: char = '\u{200b}';
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' | '`' | '*' | '_' | '[' | '<' | '|' | '~' => escaped.extend(['\\', letter]),
            '&' => escaped.push_str("&amp;"),
            '@' | '#' => escaped.extend([letter, NO_WIDTH]),
            // Also those that change the direction of writing.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => escaped.push(' '),
            letter if letter.is_control() => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// Returns a table of tab-separated lines, the first of which has the titles. Columns of numbers are aligned right.
/// Rows beyond `most` are counted.
pub fn table(tab_separated: &str, most: usize) -> String {
    let mut lines = tab_separated.lines();
    let titles: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split('\t').collect()).collect();
    let is_numeric = |column: usize| {
        let mut cells = rows.iter().filter_map(|row| row.get(column)).filter(|cell| !cell.is_empty()).peekable();
        cells.peek().is_some()
            && cells.all(|cell| cell.starts_with(|first: char| matches!(first, '0'..='9' | '−' | '+' | '<')))
    };
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut table = line(titles.iter().map(|title| escaped(title)).collect());
    let rule = |column| if is_numeric(column) { "---:" } else { "---" };
    table += &line((0..titles.len()).map(|column| rule(column).to_owned()).collect());
    for row in rows.iter().take(most) {
        table += &line((0..titles.len()).map(|column| cell(row.get(column).copied().unwrap_or_default())).collect());
    }
    if rows.len() > most {
        table += &format!("\n{} more\n", counted((rows.len() - most) as u64, "row"));
    }
    table
}

/// Returns the text of a cell. Leading spaces, which show the level in a tree, stay.
fn cell(text: &str) -> String {
    let rest = text.trim_start_matches(' ');
    "&nbsp;".repeat(text.len() - rest.len()) + &escaped(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_are_escaped() {
        assert_eq!(escaped("List<T>.Add|`x`\n*_"), "List\\<T>.Add\\|\\`x\\` \\*\\_");
        assert_eq!(escaped("@all GC #8 a&b"), "@\u{200b}all GC #\u{200b}8 a&amp;b");
    }

    #[test]
    fn table_has_aligned_columns_and_counts_further_rows() {
        let text = "Name\tTime\n  a|b\t1.5 ms\nc\t\nd\t−3";
        let expected = "| Name | Time |\n| --- | ---: |\n| &nbsp;&nbsp;a\\|b | 1.5 ms |\n| c |  |\n\n1 row more\n";
        assert_eq!(table(text, 2), expected);
        assert_eq!(table("", 2), "|  |\n| --- |\n");
    }
}
