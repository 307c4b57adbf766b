//! Sums of allocations with their errors.
//!
//! An event of a random sample represents s / p bytes, where s is the size of its object and p its sampling
//! probability; the variance of their sum is the sum of (s / p)² (1 − p) (Horvitz and Thompson). Ticks come at equal
//! distances in bytes, and the object named by each is practically random: if k of n ticks name a type, the variance of
//! k is n (k / n) (1 − k / n).

use crate::analysis::timeline::allocation_rate::sampling_probability;
use crate::clr::KnownEvent;

/// Half width of a 95% confidence interval, in standard deviations.
const Z_95: f64 = 1.96;
/// Number of heaps: small objects, large objects, pinned objects, unknown.
pub const KINDS: usize = 4;

/// Totals of allocations with a common property.
#[derive(Clone, Debug, Default)]
pub struct Sum {
    pub events: u64,
    pub bytes: f64,
    /// Number of objects; 0 if events don't record it.
    pub objects: f64,
    pub by_kind: [f64; KINDS],
    variance: f64,
    squares: f64,
}

impl Sum {
    /// Adds an event that records `recorded` bytes and represents `bytes`.
    pub fn add(&mut self, known: KnownEvent, kind: u8, (recorded, objects): (u64, u32), bytes: f64) {
        self.events += 1;
        self.bytes += bytes;
        self.by_kind[usize::from(kind) % KINDS] += bytes;
        self.squares += bytes * bytes;
        match known {
            KnownEvent::AllocationSampled => {
                let probability = sampling_probability(recorded, bytes);
                self.objects += 1.0 / probability;
                self.variance += bytes * bytes * (1.0 - probability);
            }
            KnownEvent::SampledObjectAllocation => self.objects += f64::from(objects),
            _ => {}
        }
    }

    /// Returns half the 95% confidence interval of the bytes; `None` if unknown. `all` is the sum of all events.
    pub fn margin(&self, known: KnownEvent, all: &Sum) -> Option<f64> {
        let variance = match known {
            KnownEvent::AllocationSampled => self.variance,
            KnownEvent::GcAllocationTick if all.events > 0 => {
                self.squares * (1.0 - self.events as f64 / all.events as f64)
            }
            _ => return None,
        };
        Some(Z_95 * variance.max(0.0).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::timeline::allocation_rate::bytes_for;

    #[test]
    fn more_samples_reduce_margin() {
        let known = KnownEvent::AllocationSampled;
        let sum = |events: usize, size: u64| {
            let mut sum = Sum::default();
            (0..events).for_each(|_| sum.add(known, 0, (size, 1), bytes_for(known, size)));
            sum
        };
        let relative = |events| {
            let sum = sum(events, 100);
            sum.margin(known, &sum).expect("an error") / sum.bytes
        };
        assert!((relative(1) - 1.96).abs() < 0.01 && (relative(400) - 0.098).abs() < 0.001);
        assert!((sum(10, 100).objects / 10.0 - 1024.5).abs() < 1.0, "each of 100 B stands for about 1,024");
        let huge = sum(1, 50_000_000);
        assert!(huge.margin(known, &huge).is_some_and(|margin| margin < 1e4), "a huge object is always sampled");
    }

    #[test]
    fn sum_of_all_ticks_has_no_margin() {
        let known = KnownEvent::GcAllocationTick;
        let (mut all, mut one) = (Sum::default(), Sum::default());
        for at in 0..100 {
            all.add(known, 0, (100_000, 0), 1e5);
            if at < 25 {
                one.add(known, 1, (100_000, 0), 1e5);
            }
        }
        assert_eq!((all.margin(known, &all), all.objects, one.by_kind[1]), (Some(0.0), 0.0, 2.5e6));
        assert!((one.margin(known, &all).expect("an error") - 1.96e5 * 18.75f64.sqrt()).abs() < 1.0);
        assert_eq!(one.margin(KnownEvent::SampledObjectAllocation, &all), None);
    }
}
