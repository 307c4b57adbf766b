//! Times with units: `5ms`, `1.2s`.

/// Units in nanoseconds. Units that are suffixes of others come last.
const UNITS: [(&str, i64); 6] =
    [("ns", 1), ("us", 1_000), ("µs", 1_000), ("ms", 1_000_000), ("min", 60_000_000_000), ("s", 1_000_000_000)];

/// Parses a time into nanoseconds; `None` if it isn't a number with a unit.
pub(super) fn nanos(text: &str) -> Option<i64> {
    let (unit, size) = UNITS.into_iter().find(|(unit, _)| text.ends_with(unit))?;
    let number: f64 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
    let nanos = (number * size as f64).round();
    (nanos.is_finite() && nanos.abs() < i64::MAX as f64).then_some(nanos as i64)
}

/// Formats a time exactly.
pub(super) fn text(nanos: i64) -> String {
    let unit = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)].into_iter().find(|(_, size)| nanos % size == 0);
    match unit {
        Some((unit, size)) => format!("{}{unit}", nanos / size),
        None => format!("{nanos}ns"),
    }
}
