//! When it is worth showing what was read of a trace that is still being read.

/// Nothing is shown before: a trace that is read sooner is shown as a whole.
const FIRST_MS: f64 = 1_000.0;

/// Reading on gets at least this many times as long as making the last preview and answering questions about it took.
const COST_SHARE: f64 = 10.0;

/// What is left has to take at least this many times as long as making a preview.
const LEFT_SHARE: f64 = 3.0;

/// Decides when to make a preview: early, and then so rarely that reading hardly takes longer.
#[derive(Clone, Copy, Debug)]
pub struct PreviewSchedule {
    /// When the last one was begun and made.
    begun_ms: f64,
    ended_ms: f64,
    /// What it cost, with the questions about it.
    cost_ms: f64,
}

impl Default for PreviewSchedule {
    fn default() -> Self {
        Self { begun_ms: FIRST_MS, ended_ms: 0.0, cost_ms: FIRST_MS / COST_SHARE }
    }
}

impl PreviewSchedule {
    /// Whether to make one now, that many milliseconds after the start, with this share (0 to 1) of the file read. Not
    /// when the whole will be there as soon as the user has looked.
    pub fn is_due(&self, elapsed_ms: f64, share: f64) -> bool {
        let left_ms = elapsed_ms * (1.0 - share) / share.max(f64::MIN_POSITIVE);
        let cost = self.cost_ms / self.begun_ms.max(1.0);
        elapsed_ms >= self.next_ms() && left_ms >= FIRST_MS.max(elapsed_ms * cost * LEFT_SHARE)
    }

    /// One was made, from `begun_ms` to `ended_ms` after the start. The next shows at least twice as much.
    pub fn made(&mut self, begun_ms: f64, ended_ms: f64) {
        *self = Self { begun_ms, ended_ms, cost_ms: ended_ms - begun_ms };
    }

    /// A question about it was worked on for so long. Every preview is asked all that the page shows: without this a trace
    /// of a gigabyte was read half of the time, and asked the other half.
    pub fn asked(&mut self, ms: f64) {
        self.cost_ms += ms;
    }

    fn next_ms(&self) -> f64 {
        self.ended_ms + self.begun_ms.max(self.cost_ms * COST_SHARE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads at a steady speed; the times at which previews were begun.
    fn previews(total_ms: f64, cost_share: f64) -> Vec<f64> {
        let (mut schedule, mut begun, mut read_ms, mut now) = (PreviewSchedule::default(), Vec::new(), 0.0, 0.0);
        while read_ms < total_ms {
            if schedule.is_due(now, read_ms / total_ms) {
                begun.push(now);
                let end = now + read_ms * cost_share;
                schedule.made(now, end);
                now = end;
            }
            read_ms += 10.0;
            now += 10.0;
        }
        begun
    }

    #[test]
    fn a_trace_that_is_read_in_two_seconds_is_shown_as_a_whole() {
        assert!(previews(1_900.0, 0.2).is_empty());
    }

    #[test]
    fn a_long_reading_is_shown_early_and_then_at_doubling_distances() {
        let begun = previews(20_000.0, 0.02);
        assert_eq!(begun.first(), Some(&1_000.0));
        assert!((3..=5).contains(&begun.len()), "{begun:?}");
        assert!(begun.windows(2).all(|pair| pair[1] >= 2.0 * pair[0]), "{begun:?}");
    }

    #[test]
    fn questions_about_a_preview_put_off_the_next() {
        let mut schedule = PreviewSchedule::default();
        schedule.made(1_000.0, 1_050.0);
        assert!(schedule.is_due(2_050.0, 0.1));
        schedule.asked(400.0);
        assert!(!schedule.is_due(5_000.0, 0.1));
        assert!(schedule.is_due(5_600.0, 0.1));
    }

    #[test]
    fn costly_previews_are_rare() {
        let begun = previews(60_000.0, 0.5);
        let spent: f64 = begun.iter().map(|at| at * 0.5).sum();
        assert!(!begun.is_empty() && spent < 60_000.0 / 10.0, "{begun:?}");
    }
}
