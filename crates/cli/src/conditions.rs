//! Which events, as it is written on the command line: in the language of filters.

use protocol::base::time::Span;
use protocol::base::window::Window;
use protocol::filter::{Condition, Extent, Name, Pattern, Query, parse};

/// A query that can be understood, as it was written.
///
/// # Errors
/// What is wrong with it, and where.
pub fn understood(text: &str) -> Result<String, String> {
    parse(text).map(|_| text.to_owned()).map_err(|error| format!("“{text}” is no filter: {error}"))
}

/// The part of a trace that gets rows. Only time and providers tell it from the rest while it is read.
///
/// # Errors
/// A sentence that says what is wrong.
pub fn window(text: &str) -> Result<Window, String> {
    let wrong =
        || format!("“--rows” takes a range of time and providers, such as time:1s..2s provider=Name, not “{text}”");
    let mut window = Window::default();
    match parse(text).map_err(|error| format!("“{text}” is no filter: {error}"))? {
        Query::All(parts) => parts.into_iter().try_for_each(|part| add(&mut window, part)),
        part => add(&mut window, part),
    }
    .ok_or_else(wrong)?;
    Ok(window)
}

/// None for what cannot tell.
fn add(window: &mut Window, part: Query) -> Option<()> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_chosen_by_time_and_providers() {
        let of = |span, providers: &[&str]| {
            Ok(Window { span, providers: providers.iter().map(|name| (*name).to_owned()).collect() })
        };
        let from = |nanos| Some(Span::new(nanos, i64::MAX));
        assert_eq!(window("time:1s.. provider=Shop"), of(from(1_000_000_000), &["Shop"]));
        assert_eq!(window("provider=Shop or provider=Http"), of(None, &["Shop", "Http"]));
        for wrong in
            ["thread=7", "provider:Sh", "time:1s..2s a", "time:1s.. or time:..2s", "\"", "provider=A provider=B"]
        {
            assert!(window(wrong).is_err(), "{wrong}");
        }
    }
}
