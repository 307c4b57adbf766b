//! Normalized queries: the text of commands without their values.

/// Maximum bytes of a command that are examined.
const MAX_BYTES: usize = 8192;

/// Returns a command on one line without comments, with `?` for values, parameters and lists of these. Commands that
/// differ only in these have the same normalized query.
pub(super) fn shape_of(command: &str) -> String {
    let mut end = command.len().min(MAX_BYTES);
    while !command.is_char_boundary(end) {
        end -= 1;
    }
    let mut shape = Shape::default();
    let mut rest = &command[..end];
    while let Some(first) = rest.chars().next() {
        rest = shape.take(rest, first);
    }
    shape.text.trim_end().to_owned()
}

/// A normalized query under construction.
#[derive(Default)]
struct Shape {
    text: String,
}

impl Shape {
    /// Reads the token at the start of the text, and returns the rest.
    fn take<'t>(&mut self, text: &'t str, first: char) -> &'t str {
        let after = |length: usize| text.get(length..).unwrap_or("");
        if text.starts_with("--") {
            self.space();
            return text.split_once('\n').map_or("", |(_, rest)| rest);
        }
        if let Some(inside) = text.strip_prefix("/*") {
            self.space();
            return inside.split_once("*/").map_or("", |(_, rest)| rest);
        }
        match first {
            '\'' => {
                self.value();
                after(quoted(text, '\''))
            }
            'N' | 'n' | 'E' | 'e' | 'X' | 'x' if !self.ends_in_word() && text[1..].starts_with('\'') => {
                self.value();
                after(1 + quoted(&text[1..], '\''))
            }
            '"' | '`' => {
                let length = quoted(text, first);
                self.text.push_str(text.get(..length).unwrap_or(text));
                after(length)
            }
            '[' => {
                let length = text.find(']').map_or(text.len(), |at| at + 1);
                self.text.push_str(&text[..length]);
                after(length)
            }
            '@' | ':' | '$' if text[1..].starts_with(is_word) && !self.text.ends_with([':', '@']) => {
                self.value();
                after(1 + word_length(&text[1..]))
            }
            '?' => {
                self.value();
                after(1)
            }
            _ if first.is_ascii_digit() && !self.ends_in_word() => {
                self.value();
                after(number_length(text))
            }
            _ if first.is_whitespace() => {
                self.space();
                after(first.len_utf8())
            }
            _ => {
                self.text.push(first);
                after(first.len_utf8())
            }
        }
    }

    fn space(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with([' ', '(']) {
            self.text.push(' ');
        }
    }

    /// Adds a value. A value after another and a comma belongs to the same list, as does a list in parentheses after
    /// another.
    fn value(&mut self) {
        let list = self.text.trim_end();
        if let Some(before) = list.strip_suffix(',').map(str::trim_end).filter(|before| before.ends_with('?')) {
            self.text.truncate(before.len());
            return;
        }
        if let Some(before) = list.strip_suffix('(').map(str::trim_end)
            && let Some(before) = before.strip_suffix(',').map(str::trim_end).filter(|before| before.ends_with("(?)"))
        {
            self.text.truncate(before.len() - 2);
        }
        self.text.push('?');
    }

    fn ends_in_word(&self) -> bool {
        self.text.ends_with(is_word)
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn word_length(text: &str) -> usize {
    text.find(|character| !is_word(character)).unwrap_or(text.len())
}

fn number_length(text: &str) -> usize {
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '.';
    text.find(|character| !is_part(character)).unwrap_or(text.len())
}

/// Returns the bytes up to and including the closing quote; a doubled quote doesn't close.
fn quoted(text: &str, mark: char) -> usize {
    let mut at = mark.len_utf8();
    while let Some(next) = text.get(at..).and_then(|rest| rest.find(mark)) {
        at += next + mark.len_utf8();
        if !text[at..].starts_with(mark) {
            return at;
        }
        at += mark.len_utf8();
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn normalized_query_omits_values_and_comments() {
        let cases = [
            ("SELECT  *\nFROM orders WHERE id = 17", "SELECT * FROM orders WHERE id = ?"),
            (
                "SELECT a1 FROM t2 WHERE b = @p0 AND c = $1 AND d = :name",
                "SELECT a1 FROM t2 WHERE b = ? AND c = ? AND d = ?",
            ),
            ("WHERE name = 'O''Brien' AND x = N'é' AND y = 0x1F", "WHERE name = ? AND x = ? AND y = ?"),
            ("WHERE id IN (1, 2,3 , @p4)", "WHERE id IN (?)"),
            ("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')", "INSERT INTO t VALUES (?)"),
            ("SELECT 1.5e3, [Order 7].\"x1\" -- all of them\nFROM t /* 7 */", "SELECT ?, [Order 7].\"x1\" FROM t"),
            ("SELECT @@ROWCOUNT, x::int", "SELECT @@ROWCOUNT, x::int"),
            ("SELECT 'open", "SELECT ?"),
        ];
        for (command, shape) in cases {
            assert_eq!(shape_of(command), shape, "{command}");
        }
    }

    proptest! {
        #[test]
        fn normalizing_query_twice_changes_nothing(text in "[ -~é\n'\"@:$?(),/*\\-]{0,80}") {
            let shape = shape_of(&text);
            prop_assert!(shape.len() <= text.len() + 1);
        }
    }
}
