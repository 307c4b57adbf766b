//! Decides which changes are significant.

use super::resampling::Estimate;
use protocol::base::sort::sort_by;
use protocol::compare::{Change, ChangeKind, LEAST_CHANGE};

/// False discovery rates (Benjamini and Hochberg 1995): maximum shares of significant changes that are due to chance, for
/// values with a name and for values of the whole trace.
const FALSE_SHARES: [f64; 2] = [0.01, 0.05];

/// Returns the probability that traces of the same behavior differ at least as much (p-value): Welch's t-test with
/// resampled standard errors. If only one side has values, each of its parts could as well be on the other side.
pub(super) fn probability(old: &Estimate, new: &Estimate) -> f64 {
    let (variances, difference) = ([old, new].map(|one| one.error.powi(2)), (new.value - old.value).abs());
    let variance = variances[0] + variances[1];
    if difference == 0.0 {
        return 1.0;
    }
    let parts = old.parts + new.parts;
    if old.value == 0.0 || new.value == 0.0 {
        return 2f64.powi(1 - i32::try_from(parts).unwrap_or(i32::MAX)).min(1.0);
    }
    if variance == 0.0 {
        // Equal in every slice, so the number of slices is all that is known.
        return 2f64.powi(2 - i32::try_from(parts).unwrap_or(i32::MAX)).min(1.0);
    }
    let terms = [old, new].into_iter().zip(variances).map(|(one, variance)| {
        let freedom = one.parts.saturating_sub(1).max(1) as f64;
        variance.powi(2) / freedom
    });
    let freedom = variance.powi(2) / terms.sum::<f64>().max(f64::MIN_POSITIVE);
    student(difference / variance.sqrt(), freedom)
}

/// Classifies changes: significant ones by direction, the others as the same. Values of the whole trace are few, so they are
/// judged apart from the many values with a name.
pub(super) fn decide(changes: &mut [Change]) {
    let limits = [false, true].map(|is_whole| {
        let of_family = changes.iter().filter(|change| change.name.is_empty() == is_whole);
        limit(of_family.map(|change| change.probability).collect(), FALSE_SHARES[usize::from(is_whole)])
    });
    for change in changes {
        let limit = limits[usize::from(change.name.is_empty())];
        let is_large = change.relative().is_none_or(|relative| relative.abs() >= LEAST_CHANGE);
        change.kind = match change.probability <= limit && is_large {
            false => ChangeKind::Same,
            true if change.old == 0.0 => ChangeKind::New,
            true if change.new == 0.0 => ChangeKind::Gone,
            true if change.new > change.old => ChangeKind::Grew,
            true => ChangeKind::Shrank,
        };
    }
}

/// Returns the probability up to which changes are significant.
fn limit(mut probabilities: Vec<f64>, false_share: f64) -> f64 {
    sort_by(&mut probabilities, f64::total_cmp);
    let allowed = |at: usize| false_share * (at + 1) as f64 / probabilities.len() as f64;
    let last = (0..probabilities.len()).rev().find(|at| probabilities[*at] <= allowed(*at));
    last.map_or(-1.0, |at| probabilities[at])
}

/// Returns the probability that a variable with Student's distribution is further from 0 than `t`.
fn student(t: f64, freedom: f64) -> f64 {
    incomplete_beta(freedom / (freedom + t * t), freedom / 2.0, 0.5)
}

/// Returns the regularized incomplete beta function, by its continued fraction (Abramowitz and Stegun 26.5.8).
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    // It converges quickly below the mean; above, the function's symmetry helps.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(1.0 - x, b, a);
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p()).exp() / a;
    let tiny = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let (mut fraction, mut c, mut d) = (1.0, 1.0, 0.0);
    for step in 0..300 {
        let m = f64::from(step / 2);
        let numerator = match step {
            0 => 1.0,
            _ if step % 2 == 0 => m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            _ => -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        };
        d = 1.0 / tiny(1.0 + numerator * d);
        c = tiny(1.0 + numerator / c);
        fraction *= c * d;
        if (1.0 - c * d).abs() < 1e-12 {
            break;
        }
    }
    (front * (fraction - 1.0)).clamp(0.0, 1.0)
}

/// Returns the logarithm of the gamma function for positive numbers (Stirling's series after a shift).
fn ln_gamma(mut x: f64) -> f64 {
    let mut shift = 0.0;
    while x < 10.0 {
        shift -= x.ln();
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series = (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0))) / x;
    shift + (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn student_distribution_has_known_values() {
        // Two-sided limits from tables of the distribution.
        for (t, freedom, expected) in
            [(12.706, 1.0, 0.05), (2.228, 10.0, 0.05), (3.169, 10.0, 0.01), (1.96, 1e6, 0.05), (0.0, 5.0, 1.0)]
        {
            let found = student(t, freedom);
            assert!((found - expected).abs() < 2e-4, "{t} with {freedom}: {found}");
        }
    }
}
