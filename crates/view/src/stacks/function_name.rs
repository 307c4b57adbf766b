//! Shortens names of functions. The distinctive part is at the end.

use std::borrow::Cow;

/// Splits a readable name into its namespace, including the dot, and the rest: type, method, parameters.
pub fn split_namespace(name: &str) -> (&str, &str) {
    let head = name.find(['(', '<', '[', '!']).unwrap_or(name.len());
    let path = name.get(..head).unwrap_or(name);
    let mut dots = path.rmatch_indices('.').map(|(place, _)| place).filter(|place| !path[..*place].ends_with('.'));
    // A lambda or local function isn't informative without its method.
    let inner = path.rsplit('.').next().is_some_and(|last| last.starts_with('λ'));
    let kept_dots = if inner { 2 } else { 1 };
    match dots.nth(kept_dots) {
        Some(place) => name.split_at(place + 1),
        None => ("", name),
    }
}

/// Splits a readable name into its namespace, type and method, and parameters.
pub fn split_name(name: &str) -> (&str, &str, &str) {
    let (namespace, rest) = split_namespace(name);
    let (short, parameters) = rest.split_at(without_parameters(rest).len());
    (namespace, short, parameters)
}

/// Shortens a readable name to a number of characters: removes the namespace, then the parameters, then the type, and
/// finally the end of the method.
pub fn fitting(name: &str, room: usize) -> Cow<'_, str> {
    let fits = |text: &str| text.chars().count() <= room;
    if fits(name) {
        return name.into();
    }
    let short = split_namespace(name).1;
    let bare = without_parameters(short);
    match [short, bare, without_type(bare)].into_iter().find(|text| fits(text)) {
        Some(text) => text.into(),
        None => cut(without_type(bare), room),
    }
}

/// Truncates a text to a number of characters.
pub fn cut(text: &str, most: usize) -> Cow<'_, str> {
    if text.chars().count() <= most {
        return text.into();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{kept}…").into()
}

/// Returns the characters outside angle and square brackets, with their positions.
fn outside_brackets(name: &str) -> impl DoubleEndedIterator<Item = (usize, char)> + '_ {
    let mut depth = 0_i32;
    let mut places: Vec<(usize, char)> = Vec::new();
    for (at, one) in name.char_indices() {
        match one {
            '<' | '[' => depth += 1,
            '>' | ']' => depth -= 1,
            _ if depth == 0 => places.push((at, one)),
            _ => {}
        }
    }
    places.into_iter()
}

fn without_parameters(name: &str) -> &str {
    let end = outside_brackets(name).find(|(at, one)| *one == '(' && *at > 0).map(|(at, _)| at);
    end.and_then(|end| name.get(..end)).map_or(name, str::trim_end)
}

/// Returns the method without its type; lambdas and local functions keep their method, constructors their type.
fn without_type(name: &str) -> &str {
    let is_part = |part: &str| !part.is_empty() && !part.starts_with(['.', 'λ']) && part != "ctor" && part != "cctor";
    let dots = outside_brackets(name).filter(|(_, one)| *one == '.');
    let parts = dots.rev().filter_map(|(at, _)| name.get(at + 1..));
    parts.into_iter().find(|part| is_part(part)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinctive_part_of_name_is_kept_longest() {
        let tile = "Studio.RayTracer.RenderTile(Scene, int)";
        let lambda = "Shop.Program.Main.λ5(HttpContext) (async)";
        let sort = "Studio.Sorting.Quick<T1, T2>(T1[], int)";
        for (name, room, expected) in [
            (tile, 39, tile),
            (tile, 38, "RayTracer.RenderTile(Scene, int)"),
            (tile, 31, "RayTracer.RenderTile"),
            (tile, 19, "RenderTile"),
            (tile, 9, "RenderTi…"),
            (lambda, 20, "Program.Main.λ5"),
            (lambda, 10, "Main.λ5"),
            (sort, 20, "Quick<T1, T2>"),
            (sort, 10, "Quick<T1,…"),
            ("System.Text.Json.JsonDocument..ctor(int)", 22, "JsonDocument..ctor"),
            ("System.Text.Json.JsonDocument..ctor(int)", 9, "JsonDocu…"),
            ("A.B<(int, long)>.Add(T)", 16, "Add"),
            ("Vec.operator <(Vec, Vec)", 10, "operator …"),
            ("(code)", 4, "(co…"),
            ("name", 0, "…"),
        ] {
            assert_eq!(fitting(name, room), expected, "{name} in {room}");
        }
    }

    #[test]
    fn parameters_are_split_from_type_and_method() {
        let cases = [
            ("Shop.PriceFeed.Parse(string)", "PriceFeed.Parse", "(string)"),
            ("Studio.Sorting.Quick<T1, T2>(T1[], int)", "Sorting.Quick<T1, T2>", "(T1[], int)"),
            ("Shop.Program.Main.λ5(HttpContext) (async)", "Program.Main.λ5", "(HttpContext) (async)"),
            ("(unresolved)", "(unresolved)", ""),
            ("libcoreclr.so!0x7f034869f7ef", "libcoreclr.so!0x7f034869f7ef", ""),
        ];
        for (name, short, parameters) in cases {
            let (namespace, found, rest) = split_name(name);
            assert_eq!((found, rest), (short, parameters));
            assert_eq!(format!("{namespace}{found}{rest}"), name);
        }
    }

    #[test]
    fn type_and_method_are_not_split() {
        let cases = [
            ("System.Threading.Monitor.Wait(object, int)", "Monitor.Wait(object, int)"),
            (
                "Shop.Program.Main.λ5(Microsoft.AspNetCore.Http.HttpContext)",
                "Program.Main.λ5(Microsoft.AspNetCore.Http.HttpContext)",
            ),
            ("Main()", "Main()"),
            ("Program.Main()", "Program.Main()"),
            ("System.Collections.Generic.List<System.Int32>.Add(T)", "Generic.List<System.Int32>.Add(T)"),
            ("System.Text.Json.JsonDocument..ctor(int)", "JsonDocument..ctor(int)"),
            ("libcoreclr.so!0x7f034869f7ef", "libcoreclr.so!0x7f034869f7ef"),
            ("", ""),
        ];
        for (name, end) in cases {
            let (namespace, rest) = split_namespace(name);
            assert_eq!(rest, end);
            assert_eq!(format!("{namespace}{rest}"), name);
        }
    }
}
