//! Event density of several traces together.

use protocol::tables::Overview;

/// Returns the density of a trace together with that of others over the same time range, each with the nanoseconds to
/// add to its times. Excludes a density with other
/// buckets, which is about to be replaced.
pub fn joined<'o>(first: &Overview, others: impl Iterator<Item = (&'o Overview, i64)>) -> Overview {
    let mut whole = first.clone();
    for (other, nanos) in others.filter(|(other, _)| other.events.len() == first.events.len()) {
        for (sum, count) in whole.events.iter_mut().zip(&other.events) {
            *sum = sum.saturating_add(*count);
        }
        whole.pause_starts.extend(other.pause_starts.iter().map(|at| at.saturating_add(nanos)));
        whole.pause_ends.extend(other.pause_ends.iter().map(|at| at.saturating_add(nanos)));
        whole.pause_generations.extend(&other.pause_generations);
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn densities_add_up_and_pauses_move() {
        let of = |events: &[u32], pause: i64| Overview {
            bounds: vec![0, 100],
            events: events.to_vec(),
            pause_starts: vec![pause],
            pause_ends: vec![pause + 1],
            pause_generations: vec![2],
            ..Overview::default()
        };
        let (first, other, stale) = (of(&[1, 2], 10), of(&[3, u32::MAX], 20), of(&[7], 30));
        let whole = joined(&first, [(&other, 5), (&stale, 0)].into_iter());
        assert_eq!(whole.events, [4, u32::MAX]);
        assert_eq!((whole.pause_starts, whole.pause_ends), (vec![10, 25], vec![11, 26]));
    }
}
