//! Describes the indexed part of a trace that doesn't fit into the tab, and suggests another part.

use crate::format;
use crate::timeline::clock::ClockFace;
use protocol::base::indexed_part::{Indexed, Window};
use protocol::base::time::Span;
use protocol::reply::ProviderCount;

/// Formats the indexed part: "0.000–758.452 s (100,005,446 of 267,950,610 events)".
pub fn part_words(indexed: &Indexed, events: u64, face: &ClockFace) -> String {
    let Indexed { span, providers, rows } = indexed;
    let of = match providers.len() {
        0 => String::new(),
        count => format!(" of {}", format::counted(count as u64, "provider")),
    };
    format!(
        "{}{of} ({} of {})",
        face.range(span.start.0, span.end.0),
        format::count(*rows),
        format::counted(events, "event")
    )
}

/// Returns all providers without the largest ones, as many as must be excluded for the rest to fit, and the number of
/// events of the rest; `None` if everything fits, or not even the smallest provider does. `providers` are sorted, most
/// events first.
pub fn all_but_the_largest(providers: &[ProviderCount], most_rows: u64) -> Option<(Vec<String>, u64)> {
    let mut events: u64 = providers.iter().map(|provider| provider.events).sum();
    let mut excluded = 0;
    while events > most_rows {
        events -= providers.get(excluded)?.events;
        excluded += 1;
    }
    let kept = providers.get(excluded..).unwrap_or_default();
    let names: Vec<String> =
        kept.iter().filter(|provider| provider.events > 0).map(|provider| provider.name.clone()).collect();
    (excluded > 0 && !names.is_empty()).then_some((names, events))
}

/// Returns the window between two typed times in seconds. Text that isn't a number, or is outside the trace, sets no
/// bound.
pub fn window_of(from: &str, to: &str, full: Span, providers: Vec<String>) -> Window {
    let nanos = |text: &str| {
        let seconds: f64 = text.trim().parse().ok()?;
        Some((seconds * 1e9).round() as i64)
    };
    let start = nanos(from).unwrap_or(full.start.0).clamp(full.start.0, full.end.0);
    let end = nanos(to).unwrap_or(full.end.0).clamp(start, full.end.0);
    let is_all = (start, end) == (full.start.0, full.end.0);
    Window { span: (!is_all).then(|| Span::new(start, end)), providers }
}

/// Formats a time for an input field for seconds.
pub fn seconds_to_edit(nanos: i64) -> String {
    format!("{:.3}", nanos as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::clock::Clock;

    fn provider(name: &str, events: u64) -> ProviderCount {
        ProviderCount { name: name.to_owned(), events, payload_bytes: 0 }
    }

    #[test]
    fn largest_providers_are_excluded_until_rest_fits() {
        let providers = [provider("Runtime", 900), provider("Http", 80), provider("Shop", 20), provider("Silent", 0)];
        let names = |most| all_but_the_largest(&providers, most).map(|(names, events)| (names.join(" "), events));
        assert_eq!(names(2000), None);
        assert_eq!(names(100), Some(("Http Shop".to_owned(), 100)));
        assert_eq!(names(99), Some(("Shop".to_owned(), 20)));
        assert_eq!(names(19), None);
        assert_eq!(all_but_the_largest(&[], 0), None);
    }

    #[test]
    fn window_parses_seconds() {
        let full = Span::new(-500_000_000, 20_000_000_000);
        let span = |from, to| window_of(from, to, full, Vec::new()).span;
        assert_eq!(span("1.5", " 3"), Some(Span::new(1_500_000_000, 3_000_000_000)));
        assert_eq!(span("", "99"), None, "everything");
        assert_eq!(span("-7", "x"), None, "everything");
        assert_eq!(span("30", "3"), Some(Span::new(20_000_000_000, 20_000_000_000)));
        assert_eq!(seconds_to_edit(1_234_567_890), "1.235");
    }

    #[test]
    fn part_words_have_share() {
        let indexed = Indexed { span: Span::new(0, 2_000_000_000), providers: Vec::new(), rows: 1_000 };
        let face = ClockFace::default();
        let words = part_words(&indexed, 5_000, &face);
        assert!(words.ends_with("(1,000 of 5,000 events)") && !words.contains("provider"), "{words}");
        let indexed = Indexed { providers: vec!["Shop".to_owned()], ..indexed };
        let words = part_words(&indexed, 5_000, &face);
        assert!(words.contains("of 1 provider (1,000"), "{words}");
        let face = ClockFace { clock: Clock::Utc, start_unix_ms: 1_795_244_243_396.0, local_ahead_minutes: 0 };
        let words = part_words(&indexed, 5_000, &face);
        assert!(words.starts_with("06:57:23.396–06:57:25.396 of"), "{words}");
    }
}
