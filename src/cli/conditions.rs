//! Which events, as it is written on the command line.

use crate::model::time::Span;
use crate::model::window::Window;

/// Which events, as it was written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Conditions {
    /// Inside of a range.
    pub span: Option<Span>,
    /// Of threads with these ids of the operating system.
    pub os_threads: Vec<u64>,
    /// Of these providers.
    pub providers: Vec<String>,
    /// With this text.
    pub text: String,
}

impl Conditions {
    /// Understands what was written.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn new(text: &str) -> Result<Self, String> {
        let mut conditions = Self::default();
        for part in text.split(',') {
            let is_understood = match part.split_once('=') {
                Some(("thread", id)) => id.parse().map(|id| conditions.os_threads.push(id)).is_ok(),
                Some(("provider", name)) => {
                    conditions.providers.push(name.to_owned());
                    true
                }
                Some(("text", text)) => {
                    text.clone_into(&mut conditions.text);
                    true
                }
                Some(_) => false,
                None => {
                    conditions.span = range(part);
                    conditions.span.is_some()
                }
            };
            if !is_understood {
                return Err(format!("“{part}” is no range of time, thread=ID, provider=NAME or text=TEXT"));
            }
        }
        Ok(conditions)
    }

    /// The part of a trace that gets rows. Only time and providers tell it from the rest while it is read.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn window(self) -> Result<Window, String> {
        let Self { span, os_threads, providers, text } = self;
        if os_threads.is_empty() && text.is_empty() {
            Ok(Window { span, providers })
        } else {
            Err("“--rows” takes a range of time and providers".to_owned())
        }
    }
}

/// A range of time since the trace's start.
fn range(text: &str) -> Option<Span> {
    let (start, end) = text.split_once("..")?;
    let moment = |text: &str, open: i64| if text.is_empty() { Some(open) } else { nanos(text) };
    let span = Span::new(moment(start, i64::MIN)?, moment(end, i64::MAX)?);
    (span.start < span.end).then_some(span)
}

fn nanos(text: &str) -> Option<i64> {
    const UNITS: [(&str, f64); 4] = [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)];
    let (unit, size) = UNITS.into_iter().find(|(unit, _)| text.ends_with(unit))?;
    let number: f64 = text.strip_suffix(unit)?.parse().ok()?;
    number.is_finite().then(|| (number * size).round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_chosen_by_time_thread_provider_and_text() {
        let expected = Conditions {
            span: Some(Span::new(1_500_000_000, 2_000_000_000)),
            os_threads: vec![7],
            providers: vec!["Shop".to_owned()],
            text: "a b".to_owned(),
        };
        assert_eq!(Conditions::new("1.5s..2000ms,thread=7,provider=Shop,text=a b"), Ok(expected));
        let span = |text: &str| Conditions::new(text).map(|conditions| conditions.span);
        assert_eq!(span("-5us.."), Ok(Some(Span::new(-5_000, i64::MAX))));
        assert_eq!(span("..90ns"), Ok(Some(Span::new(i64::MIN, 90))));
        for wrong in ["", "5", "1s", "2s..1s", "1..2", "thread=x", "NaNs..1s"] {
            assert!(Conditions::new(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn rows_are_chosen_by_time_and_provider() {
        let window = |text: &str| Conditions::new(text)?.window();
        let expected = Window { span: Some(Span::new(1_000_000_000, i64::MAX)), providers: vec!["Shop".to_owned()] };
        assert_eq!(window("1s..,provider=Shop"), Ok(expected));
        assert!(window("thread=7").is_err() && window("1s..2s,text=a").is_err());
    }
}
