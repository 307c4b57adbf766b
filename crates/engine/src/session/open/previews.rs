//! Schedule of previews while a trace is being read.

/// Minimum time before the first preview. Traces that load faster have none.
const FIRST_MS: f64 = 1_000.0;

/// Minimum time between previews, as a multiple of the time that the last preview and its requests took.
const COST_SHARE: f64 = 10.0;

/// Minimum remaining load time, as a multiple of the time that a preview takes.
const LEFT_SHARE: f64 = 3.0;

/// Schedule of previews: one early, then so few that they hardly slow down loading.
#[derive(Clone, Copy, Debug)]
pub struct PreviewSchedule {
    /// Start and end of the last preview.
    begun_ms: f64,
    ended_ms: f64,
    /// Time for the last preview, including requests about it.
    cost_ms: f64,
}

impl Default for PreviewSchedule {
    fn default() -> Self {
        Self { begun_ms: FIRST_MS, ended_ms: 0.0, cost_ms: FIRST_MS / COST_SHARE }
    }
}

impl PreviewSchedule {
    /// Returns whether a preview is due `elapsed_ms` after the start, with a share (0 to 1) of the file read. None is
    /// due shortly before the end.
    pub fn is_due(&self, elapsed_ms: f64, share: f64) -> bool {
        let left_ms = elapsed_ms * (1.0 - share) / share.max(f64::MIN_POSITIVE);
        let cost = self.cost_ms / self.begun_ms.max(1.0);
        elapsed_ms >= self.next_ms() && left_ms >= FIRST_MS.max(elapsed_ms * cost * LEFT_SHARE)
    }

    /// Returns whether a preview of a trace that is being recorded is due `elapsed_ms` after the start. New data comes at
    /// a steady rate, so previews do, too, as long as they take a small share of the time.
    pub fn is_due_while_recording(&self, elapsed_ms: f64) -> bool {
        elapsed_ms >= self.ended_ms + FIRST_MS.max(self.cost_ms * COST_SHARE)
    }

    /// Records a preview made from `begun_ms` to `ended_ms` after the start. The next one shows at least twice as much.
    pub fn made(&mut self, begun_ms: f64, ended_ms: f64) {
        *self = Self { begun_ms, ended_ms, cost_ms: ended_ms - begun_ms };
    }

    /// Records the time of a request about the preview. The page requests everything visible after each preview, which
    /// otherwise took half of the load time of a 1 GB trace.
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

    /// Returns the start times of previews for reading at a steady speed.
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
    fn fast_trace_has_no_preview() {
        assert!(previews(1_900.0, 0.2).is_empty());
    }

    #[test]
    fn slow_trace_has_previews_at_doubling_intervals() {
        let begun = previews(20_000.0, 0.02);
        assert_eq!(begun.first(), Some(&1_000.0));
        assert!((3..=5).contains(&begun.len()), "{begun:?}");
        assert!(begun.windows(2).all(|pair| pair[1] >= 2.0 * pair[0]), "{begun:?}");
    }

    #[test]
    fn requests_about_preview_delay_next_one() {
        let mut schedule = PreviewSchedule::default();
        schedule.made(1_000.0, 1_050.0);
        assert!(schedule.is_due(2_050.0, 0.1));
        schedule.asked(400.0);
        assert!(!schedule.is_due(5_000.0, 0.1));
        assert!(schedule.is_due(5_600.0, 0.1));
    }

    #[test]
    fn recording_is_shown_every_second_unless_that_is_costly() {
        let mut schedule = PreviewSchedule::default();
        assert!(!schedule.is_due_while_recording(900.0) && schedule.is_due_while_recording(1_000.0));
        schedule.made(60_000.0, 60_020.0);
        schedule.asked(30.0);
        assert!(!schedule.is_due_while_recording(61_000.0) && schedule.is_due_while_recording(61_020.0));
        schedule.asked(950.0);
        assert!(!schedule.is_due_while_recording(70_000.0) && schedule.is_due_while_recording(70_020.0));
    }

    #[test]
    fn costly_previews_are_rare() {
        let begun = previews(60_000.0, 0.5);
        let spent: f64 = begun.iter().map(|at| at * 0.5).sum();
        assert!(!begun.is_empty() && spent < 60_000.0 / 10.0, "{begun:?}");
    }
}
