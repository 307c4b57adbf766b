//! Texts that must fit: shortens names where that loses least, and cuts them by one measured character width.

use super::units::CssPx;
use std::borrow::Cow;

/// Minimum width of a box with a label.
pub const MIN_LABEL_WIDTH: CssPx = 36.0;

/// Returns the start of `text` that fits into `width`, at an average width per `character`; empty if fewer than three
/// characters would remain.
pub fn fit(text: &str, width: CssPx, character: CssPx) -> Cow<'_, str> {
    let room = (width / character).floor().max(0.0) as usize;
    if room >= text.len() || room >= text.chars().count() {
        return Cow::Borrowed(text);
    }
    if room < 3 {
        return Cow::Borrowed("");
    }
    let end = text.char_indices().nth(room - 1).map_or(text.len(), |(position, _)| position);
    Cow::Owned(format!("{}…", &text[..end]))
}

/// Returns the part of a function's name that identifies it in a narrow box: type and method, without namespace and
/// parameters.
///
/// "Orders.Api.PriceCache.GetOrAdd(System.String)" → "PriceCache.GetOrAdd".
pub fn short_name(name: &str) -> &str {
    let head = without_parameters(name);
    let mut dots = 0;
    let mut nesting = 0;
    for (position, character) in head.char_indices().rev() {
        match character {
            '>' | ')' | ']' => nesting += 1,
            '<' | '(' | '[' => nesting -= 1,
            '.' if nesting == 0 && position + 1 < head.len() && !head[..position].ends_with('.') => {
                dots += 1;
                if dots == 2 {
                    return &head[position + 1..];
                }
            }
            _ => {}
        }
    }
    head
}

fn without_parameters(name: &str) -> &str {
    let mut nesting = 0;
    for (position, character) in name.char_indices() {
        match character {
            '<' | '[' => nesting += 1,
            '>' | ']' => nesting -= 1,
            '(' if nesting == 0 && position > 0 => return name[..position].trim_end(),
            _ => {}
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncated_text_ends_in_ellipsis_and_fits() {
        assert_eq!(fit("Monitor.Enter", 100.0, 6.0), "Monitor.Enter");
        assert_eq!(fit("Monitor.Enter", 60.0, 6.0), "Monitor.E…");
        assert_eq!(fit("Größenänderung", 42.0, 6.0), "Größen…");
        assert_eq!(fit("Monitor.Enter", 12.0, 6.0), "");
        assert_eq!(fit("ab", 12.0, 6.0), "ab");
    }

    #[test]
    fn short_name_has_no_namespace_and_parameters() {
        let cases = [
            ("Orders.Api.PriceCache.GetOrAdd(System.String)", "PriceCache.GetOrAdd"),
            ("Program.Main", "Program.Main"),
            ("Main", "Main"),
            ("System.Collections.Generic.List<System.Int32>.Add(T)", "List<System.Int32>.Add"),
            ("Worker.<Run>b__0(System.Object)", "Worker.<Run>b__0"),
            ("App.Program..ctor()", "Program..ctor"),
            ("libcoreclr.so+0x1234", "libcoreclr.so+0x1234"),
        ];
        for (name, short) in cases {
            assert_eq!(short_name(name), short);
        }
    }
}
