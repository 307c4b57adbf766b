//! Maps and sets with a fast hash of 64 bits on every platform.
//!
//! rustc-hash computes in machine words, which have 32 bits in WebAssembly. For addresses that are multiples of 8 to
//! 32, so few bits reach the bucket number that a million addresses share about ten thousand buckets.

use rustc_hash::FxHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// Map with a fast hash that is the same on every platform. Crafted keys can only make it slow.
pub type FastMap<K, V> = HashMap<K, V, FastBuildHasher>;
/// Set with the same hash.
pub type FastSet<K> = HashSet<K, FastBuildHasher>;
/// Builder of a [`FastHasher`].
pub type FastBuildHasher = BuildHasherDefault<FastHasher>;

/// Multiplier of rustc-hash for 64 bits.
const MULTIPLIER: u64 = 0xf135_7aea_2e62_a9c5;

/// 64-bit hash of integers: (previous state + next word) × multiplier.
#[derive(Clone, Copy, Debug, Default)]
pub struct FastHasher(u64);

impl FastHasher {
    fn add(&mut self, word: u64) {
        self.0 = self.0.wrapping_add(word).wrapping_mul(MULTIPLIER);
    }
}

impl Hasher for FastHasher {
    fn write(&mut self, bytes: &[u8]) {
        let mut hasher = FxHasher::default();
        hasher.write(bytes);
        self.add(hasher.finish());
    }

    fn write_u8(&mut self, word: u8) {
        self.add(u64::from(word));
    }

    fn write_u16(&mut self, word: u16) {
        self.add(u64::from(word));
    }

    fn write_u32(&mut self, word: u32) {
        self.add(u64::from(word));
    }

    fn write_u64(&mut self, word: u64) {
        self.add(word);
    }

    fn write_usize(&mut self, word: usize) {
        self.add(word as u64);
    }

    /// Returns the hash. The upper bits of a product depend on all bits of the key, the lower bits only on its lower
    /// bits. Tables take the bucket from the lower bits and the tag from the upper bits of 32 or 64.
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::BuildHasher;

    /// A random hash fills 63% of the buckets if there are as many buckets as keys.
    #[test]
    fn regular_keys_fill_as_many_buckets_as_random_ones() {
        let keys = 1u64 << 16;
        for step in [1, 8, 16, 24, 32, 64, 0x1000, 0x1_0000, 1 << 32] {
            for base in [0, 0x7f12_3456_0000] {
                for shift in [0, 25] {
                    let bucket = |at: u64| {
                        let hash = FastBuildHasher::default().hash_one(base + at * step);
                        (u64::from(hash as u32) >> shift) & (keys - 1)
                    };
                    let mut reached: Vec<u64> = (0..keys).map(bucket).collect();
                    reached.sort_unstable();
                    reached.dedup();
                    let expected = if shift == 0 { keys / 2 } else { 128 };
                    assert!(reached.len() as u64 >= expected, "{step} {base} {shift}: {}", reached.len());
                }
            }
        }
    }

    #[test]
    fn different_pairs_and_texts_have_different_hashes() {
        let hash = |key: (u32, u64)| FastBuildHasher::default().hash_one(key);
        assert_ne!(hash((1, 2)), hash((2, 1)));
        let text = |key: &str| FastBuildHasher::default().hash_one(key);
        assert_ne!(text("Provider"), text("Provides"));
    }
}
