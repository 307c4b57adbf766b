//! Names of functions where there is little room: what tells one from another stands at the end.

/// Cuts a readable name into its namespace, with the dot after it, and the rest: type, method, parameters.
pub fn split_namespace(name: &str) -> (&str, &str) {
    let head = name.find(['(', '<', '[', '!']).unwrap_or(name.len());
    let path = name.get(..head).unwrap_or(name);
    let mut dots = path.rmatch_indices('.').map(|(place, _)| place).filter(|place| !path[..*place].ends_with('.'));
    // A lambda or local function says little without the method around it.
    let inner = path.rsplit('.').next().is_some_and(|last| last.starts_with('λ'));
    let kept_dots = if inner { 2 } else { 1 };
    match dots.nth(kept_dots) {
        Some(place) => name.split_at(place + 1),
        None => ("", name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_and_method_stay_together() {
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
