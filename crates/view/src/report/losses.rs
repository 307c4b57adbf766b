//! Text of the banner for traces that lost many events.

use protocol::format::{count, counted, percent};

/// Least share of lost events for the banner. Smaller losses are only a finding.
const LEAST_SHARE: f64 = 0.05;

/// Text of the banner.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LossWords {
    /// Claim: "90% of events were lost."
    pub claim: String,
    /// Consequence for the numbers on the page.
    pub meaning: String,
}

/// Returns the text for numbers of lost and recorded events; `None` if few were lost. Lost events have no names, so a
/// filter can't be applied to them.
pub fn loss_words(lost: u64, recorded: u64, is_filtered: bool) -> Option<LossWords> {
    let all = lost.saturating_add(recorded);
    if lost == 0 || (lost as f64) < LEAST_SHARE * all as f64 {
        return None;
    }
    let of_whole = if is_filtered { " in the whole trace" } else { "" };
    Some(LossWords {
        claim: format!("{} of events were lost{of_whole}.", percent(lost as f64, all as f64)),
        meaning: format!(
            "{} lost while recording, {} recorded. All counts are minimums.",
            counted(lost, "event"),
            count(recorded)
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loss_share_is_of_lost_and_recorded_events() {
        let claim = |lost, recorded, is_filtered| loss_words(lost, recorded, is_filtered).map(|words| words.claim);
        assert_eq!(claim(394_727, 44_609, false).as_deref(), Some("90% of events were lost."));
        assert_eq!(claim(1_100, 100, true).as_deref(), Some("92% of events were lost in the whole trace."));
        assert_eq!(claim(1, 3, false).as_deref(), Some("25% of events were lost."));
        assert_eq!(claim(7, 1_382, false), None);
        assert_eq!(claim(0, 0, false), None);
    }
}
