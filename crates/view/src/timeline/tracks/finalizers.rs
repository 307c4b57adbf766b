//! Track of runs of the finalizer thread.

use super::interval_look::{Item, Look, solid};
use crate::draw::palette::Token;
use crate::format;

/// Look of runs of finalizers; an interval is named after the number of finalizers.
pub const LOOK: Look = Look {
    lines: |item, _| vec![("Rate", rate(item))],
    ..Look::new("run", 14.0, &[solid(Token::Gen1, Token::BackgroundSoft)])
};

/// Returns the runs per second of several runs that are too close to be drawn separately.
fn rate(item: &Item<'_>) -> String {
    let (intervals, row) = (item.intervals, item.row);
    let seconds = intervals.end[row].saturating_sub(intervals.start[row]) as f64 / 1e9;
    match intervals.count[row] {
        count @ 2.. if seconds > 0.0 => format::rate(f64::from(count) / seconds),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use crate::timeline::hit::samples::small;
    use crate::timeline::track_key::RuntimeKey;
    use crate::timeline::tracks::intervals::{IntervalTrack, samples};
    use crate::timeline::tracks::track::{RuntimeTrack, TrackContent};
    use protocol::base::time::Span;
    use protocol::columns::Strings;
    use protocol::timeline::track::TrackKind;

    #[test]
    fn tooltip_has_count_of_one_run_and_rate_of_several() {
        let mut intervals = samples::intervals(&[(100, 300_100, 0, 1), (1_000_000, 2_000_000, 0, 4)]);
        intervals.texts = ["12 finalizers", ""].into_iter().collect::<Strings>();
        let key = RuntimeKey::only(TrackKind::Finalizers);
        let track = IntervalTrack::new(key, intervals, Span::new(0, 2_000_000), 1).unwrap();
        let small = small();
        let text = |target| track.tooltip(&target, &small.context()).unwrap().sentence();
        assert_eq!(
            track.targets().into_iter().map(text).collect::<Vec<_>>(),
            [
                "12 finalizers, 300 µs; Start 0.000000 s; Thread Thread 1 (4001)",
                "4 runs, 1.00 ms; Longest 12 finalizers; Rate 4,000/s; Start 0.001000 s; Thread Thread 1 (4001)"
            ]
        );
        let words = track.words(Span::new(0, 2_000_000));
        assert_eq!((words.name.as_str(), words.figures.as_str()), ("Finalizers", "5 · 1.30 ms"));
    }
}
