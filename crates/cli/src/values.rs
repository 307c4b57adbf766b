//! Parsers for the values of options.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use protocol::base::indexed_part::Window;
use protocol::base::time::Span;
use protocol::filter::{Condition, Extent, Name, Pattern, Query, QueryError, parse};
use protocol::request::Filter;

/// Parses a filter.
pub(super) fn filter(text: &str) -> Result<Filter, QueryError> {
    parse(text).map(|_| Filter { query: text.to_owned(), ..Filter::default() })
}

/// Parses the part of a trace to index. Only times and providers are known during indexing.
pub(super) fn rows(text: &str) -> Result<Window, String> {
    let mut window = Window::default();
    match parse(text).map_err(|error| error.to_string())? {
        Query::All(parts) => parts.into_iter().try_for_each(|part| restrict(&mut window, part)),
        part => restrict(&mut window, part),
    }
    .ok_or("expected a time range and providers, such as 'time:1s..2s provider=Name'")?;
    Ok(window)
}

/// Adds a condition; `None` if it isn't a time range or a provider.
fn restrict(window: &mut Window, part: Query) -> Option<()> {
    match part {
        Query::Is(Condition::Time(from, until)) if window.span.is_none() => {
            window.span = Some(Span::new(from.unwrap_or(i64::MIN), until.unwrap_or(i64::MAX)));
        }
        Query::Is(Condition::Named(Name::Provider, Pattern::Text(name), Extent::Whole))
            if window.providers.is_empty() =>
        {
            window.providers.push(name);
        }
        Query::Any(parts) if window.providers.is_empty() => {
            for part in parts {
                let Query::Is(Condition::Named(Name::Provider, Pattern::Text(name), Extent::Whole)) = part else {
                    return None;
                };
                window.providers.push(name);
            }
        }
        _ => return None,
    }
    Some(())
}

/// Parses a number of rows, events or groups.
pub(super) fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "expected a whole number".to_owned())
}

/// Parses a number of bytes, decimal or hexadecimal.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    let number = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    number.map_err(|_| "expected a decimal number, or a hexadecimal one with 0x".to_owned())
}

/// Returns a parser that maps names, each with its description, to values.
pub(super) fn named<T: Clone + Default + Send + Sync + 'static>(
    choices: impl IntoIterator<Item = (&'static str, &'static str, T)>,
) -> impl TypedValueParser<Value = T> {
    let choices: Vec<_> = choices.into_iter().collect();
    let names = choices.iter().map(|(name, help, _)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(names.collect::<Vec<_>>()).map(move |text| {
        let chosen = choices.iter().find(|(name, ..)| *name == text);
        chosen.map_or_else(T::default, |(.., value)| value.clone())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_accept_time_and_providers() {
        let of = |span, providers: &[&str]| {
            Ok(Window { span, providers: providers.iter().map(|name| (*name).to_owned()).collect() })
        };
        let from = |nanos| Some(Span::new(nanos, i64::MAX));
        assert_eq!(rows("time:1s.. provider=Shop"), of(from(1_000_000_000), &["Shop"]));
        assert_eq!(rows("provider=Shop or provider=Http"), of(None, &["Shop", "Http"]));
        for wrong in
            ["thread=7", "provider:Sh", "time:1s..2s a", "time:1s.. or time:..2s", "\"", "provider=A provider=B"]
        {
            assert!(rows(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn bytes_parse_decimal_and_hexadecimal() {
        assert_eq!([bytes("10"), bytes("0x40")], [Ok(10), Ok(64)]);
        assert!(bytes("ten").is_err() && bytes("0x").is_err() && bytes("-1").is_err());
    }
}
