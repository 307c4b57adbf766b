//! Estimates the noise of a value by resampling time slices (block bootstrap: Künsch 1989, Politis and Romano 1992).

use super::series::Prepared;
use protocol::base::sort::sort_by;

const RESAMPLES: usize = 400;
/// Maximum length of a block in slices.
const LENGTHS: usize = 5;
/// Seed of the random numbers: the same traces give the same result.
const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

/// How often each slice occurs in each resample, by block length.
pub(super) struct Resamples {
    slices: usize,
    by_length: [Vec<u16>; LENGTHS],
}

/// A value with its resamples.
pub(super) struct Estimate {
    pub value: f64,
    /// Standard error.
    pub error: f64,
    /// Number of independent parts of the trace with a value.
    pub parts: usize,
    resampled: Vec<f64>,
}

impl Resamples {
    /// Draws resamples for traces with these numbers of slices: first the traces, then blocks of slices of each.
    pub fn new(slices: &[usize]) -> Self {
        let total = slices.iter().sum();
        let mut random = Random(SEED);
        let by_length = std::array::from_fn(|at| {
            let length = at + 1;
            let mut occurrences = vec![0u16; total * RESAMPLES];
            if total > 0 {
                occurrences.chunks_exact_mut(total).for_each(|resample| draw(resample, slices, length, &mut random));
            }
            occurrences
        });
        Self { slices: total, by_length }
    }
}

fn draw(resample: &mut [u16], slices: &[usize], length: usize, random: &mut Random) {
    for _ in slices {
        let trace = random.below(slices.len());
        let (first, count) = (slices[..trace].iter().sum::<usize>(), slices[trace]);
        for block in 0..count.div_ceil(length) {
            let start = random.below(count);
            let length = length.min(count - block * length);
            (start..start + length).for_each(|slice| resample[first + slice % count] += 1);
        }
    }
}

impl Estimate {
    pub fn of(prepared: &Prepared<'_>, resamples: &Resamples, dependence: usize) -> Self {
        let value = prepared.value(|_| 1.0);
        let occurrences = &resamples.by_length[dependence.clamp(1, LENGTHS) - 1];
        let resampled: Vec<f64> = match resamples.slices {
            0 => Vec::new(),
            slices => occurrences
                .chunks_exact(slices)
                .map(|resample| prepared.value(|slice| f64::from(resample.get(slice).copied().unwrap_or(0))))
                .collect(),
        };
        let mean = resampled.iter().sum::<f64>() / resampled.len().max(1) as f64;
        let variance = resampled.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / resampled.len().max(2) as f64;
        Self { value, error: variance.sqrt(), parts: prepared.occupied_blocks(dependence), resampled }
    }
}

/// Returns the bounds of the 95% confidence interval of `new / old`; `None` if a value is 0.
pub(super) fn ratio(old: &Estimate, new: &Estimate) -> Option<(f64, f64)> {
    if old.value <= 0.0 || new.value <= 0.0 {
        return None;
    }
    let pairs = old.resampled.iter().zip(&new.resampled).filter(|(old, _)| **old > 0.0);
    let mut ratios: Vec<f64> = pairs.map(|(old, new)| new / old).collect();
    sort_by(&mut ratios, f64::total_cmp);
    let at = |share: f64| ratios.get((share * (ratios.len().max(1) - 1) as f64).round() as usize).copied();
    Some((at(0.025)?, at(0.975)?))
}

/// Random numbers (xorshift64*): they need no quality beyond even distribution.
struct Random(u64);

impl Random {
    /// Returns a number below `limit`; 0 if that is 0.
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32;
        ((number * limit as u64) >> 32) as usize
    }
}
