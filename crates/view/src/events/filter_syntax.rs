//! How filters are written, by example (docs/filter-language.md).

/// An example, and what it wants.
pub const EXAMPLES: [(&str, &str); 15] = [
    ("timeout", "a text: in names of provider, event and thread, and in values of the payload; capitals do not matter"),
    (r#""connection reset""#, "words that stand together"),
    ("/time-?out/i", "a regular expression; i: capitals do not matter"),
    ("provider:Http", "the provider's name contains it; also event: thread: process: stack: activity: trace: span:"),
    ("event=GC/Start", "the whole name"),
    ("stack:/Orders.*Pricing/", "a function on the stack, by a regular expression"),
    ("-thread:Finalizer", "all others"),
    ("provider:Http dur>5ms", "both; units are ns, us, ms, s and min"),
    ("event:Stop or event:Failed", "one of both is enough"),
    ("provider:Http -(event:Stop or event:Failed)", "parentheses hold together"),
    ("level<=warning", "a level, or its number from 0 to 5"),
    ("time:1.2s..3s", "since the trace's start; either end may be left out"),
    ("payload.Count>=100", "a field of the payload: < <= > >= = != and : for a part of a text"),
    (r#"payload."Field with blanks"=5"#, "names with blanks stand in quotes"),
    (r#"label.http.route="/orders/{id}""#, "a label and its value"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::filter::parse;

    #[test]
    fn every_example_is_a_filter() {
        for (example, words) in EXAMPLES {
            let query = parse(example).unwrap_or_else(|error| panic!("{example}: {error}"));
            assert_eq!(parse(&query.to_string()), Ok(query), "{example}");
            assert!(!words.is_empty());
        }
    }
}
