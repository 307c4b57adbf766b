//! Examples of the filter syntax (docs/filter-language.md).

/// Examples with their meanings.
pub const EXAMPLES: [(&str, &str); 16] = [
    ("timeout", "text in provider, event or thread names, or in payload values (case-insensitive)"),
    (r#""connection reset""#, "exact phrase"),
    ("/time-?out/i", "regular expression; i makes it case-insensitive"),
    (
        "provider:Http",
        "provider name contains “Http”; also event:, thread:, process:, stack:, activity:, route:, trace:, span:",
    ),
    ("event=GC/Start", "exact name"),
    ("stack:/Orders.*Pricing/", "a frame on the stack matches this regular expression"),
    ("route:/orders", "written during requests of this route"),
    ("-thread:Finalizer", "exclude: everything but the Finalizer thread"),
    ("provider:Http dur>5ms", "both conditions; duration units: ns, us, ms, s, min"),
    ("event:Stop or event:Failed", "either condition"),
    ("provider:Http -(event:Stop or event:Failed)", "group with parentheses"),
    ("level<=warning", "level name or number (0–5)"),
    ("time:1.2s..3s", "time range from the start of the trace; omit either end for an open range"),
    ("payload.Count>=100", "payload field; operators < <= > >= = != and : (contains)"),
    (r#"payload."Field with spaces"=5"#, "quote names that contain spaces"),
    (r#"label.http.route="/orders/{id}""#, "label with this value"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::filter::parse;

    #[test]
    fn every_example_parses() {
        for (example, words) in EXAMPLES {
            let query = parse(example).unwrap_or_else(|error| panic!("{example}: {error}"));
            assert_eq!(parse(&query.to_string()), Ok(query), "{example}");
            assert!(!words.is_empty());
        }
    }
}
