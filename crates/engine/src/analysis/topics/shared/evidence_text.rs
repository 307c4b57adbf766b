//! Texts of findings: evidence that fits on a line, shares and times.

use protocol::base::time::Span;
use protocol::format::{percent, seconds};

/// Maximum characters of evidence. The fix follows on the same line.
const MAX_EVIDENCE: usize = 80;

/// Returns a sentence: a lead, and as many of the parts as fit on the line. Parts begin with their separator.
pub fn evidence(lead: impl Into<String>, parts: impl IntoIterator<Item = String>) -> String {
    let mut sentence = lead.into();
    for part in parts {
        if sentence.chars().count() + part.chars().count() < MAX_EVIDENCE {
            sentence += &part;
        }
    }
    sentence + "."
}

/// Returns a share that begins a sentence: "All", "Nearly all", "41%".
pub fn share(part: f64, whole: f64) -> String {
    match percent(part, whole) {
        _ if part >= whole && whole > 0.0 => "All".to_owned(),
        almost if almost.starts_with('>') => "Nearly all".to_owned(),
        little if little.starts_with('<') => "Almost none".to_owned(),
        share => share,
    }
}

/// Returns a share as the beginning of a sentence about where a cost was: "All of it was", "41% was".
pub fn share_was(part: f64, whole: f64) -> String {
    match share(part, whole) {
        words if words.ends_with('%') => format!("{words} was"),
        words => format!("{words} of it was"),
    }
}

/// Formats a time of the trace with three significant digits: "0.108 s", "4.03 s", "12.7 s".
pub fn moment(nanos: i64) -> String {
    let decimals = match nanos.unsigned_abs() {
        at if at < 1_000_000_000 => 3,
        at if at < 9_995_000_000 => 2,
        at if at < 99_950_000_000 => 1,
        _ => 0,
    };
    seconds(nanos, decimals)
}

/// Returns when a burst was, as a part of a sentence: ", from 4.03 s to 6.00 s"; empty without one.
pub fn when(burst: Option<Span>) -> String {
    burst.map_or_else(String::new, |span| format!(", {}", period(span)))
}

/// Formats a time range: "from 4.03 s to 6.00 s". "4.03–6.00 s" would look like the range of a duration.
pub fn period(span: Span) -> String {
    format!("from {} to {}", moment(span.start.0), moment(span.end.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_has_only_parts_that_fit() {
        let part = |length: usize| ["; ", "x".repeat(length).as_str()].concat();
        assert_eq!(evidence("41% in Stock.Take", [part(3), part(90), part(4)]), "41% in Stock.Take; xxx; xxxx.");
        assert_eq!(evidence("y".repeat(90), [part(1)]), "y".repeat(90) + ".");
    }

    #[test]
    fn shares_begin_sentences() {
        let shares =
            [(10.0, 10.0), (9.9995, 10.0), (4.1, 10.0), (0.0001, 10.0)].map(|(part, whole)| share(part, whole));
        assert_eq!(shares, ["All", "Nearly all", "41%", "Almost none"]);
    }

    #[test]
    fn times_have_three_digits() {
        assert_eq!(period(Span::new(4_028_000_000, 5_998_000_000)), "from 4.03 s to 6.00 s");
        let times = [108_000_000, 9_999_000_000, 12_740_000_000, 123_400_000_000].map(moment);
        assert_eq!(times, ["0.108 s", "10.0 s", "12.7 s", "123 s"]);
    }
}
