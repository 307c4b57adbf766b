//! Optimization tiers of the code that stacks show, by function.

use crate::clr::known::payload::OptimizationTier;
use crate::model::Store;
use protocol::base::ids::FrameId;

/// Several tiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tiers(u16);

impl Tiers {
    /// Returns, by function, the tiers of the code on stacks.
    pub fn of_functions(store: &Store) -> Vec<Self> {
        let mut tiers = vec![Self::default(); store.functions.len()];
        for frame in (0..store.frames.len() as u32).map(FrameId) {
            let Some(found) = store.frames.get(frame) else { continue };
            let method = found.method.and_then(|method| store.methods.get(method));
            if let (Some(method), Some(tiers)) = (method, tiers.get_mut(found.function.index())) {
                tiers.add(method.tier);
            }
        }
        tiers
    }

    pub fn add(&mut self, tier: OptimizationTier) {
        self.0 |= 1 << tier as u16;
    }

    /// Returns the tiers in words, the most optimized first; empty if unknown.
    pub fn words(self) -> String {
        let words = OptimizationTier::ALL.into_iter().rev().filter(|&tier| self.0 >> tier as u16 & 1 != 0);
        words.map(OptimizationTier::words).filter(|words| !words.is_empty()).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_optimized_tier_is_named_first() {
        let mut tiers = Tiers::default();
        assert_eq!(tiers.words(), "");
        for tier in [OptimizationTier::Tier1, OptimizationTier::Unknown, OptimizationTier::Tier0] {
            tiers.add(tier);
        }
        assert_eq!(tiers.words(), "Tier 1, Tier 0");
        let all = OptimizationTier::ALL.map(|tier| tier as u16);
        assert!(
            all.iter().all(|tier| *tier < 16)
                && all.len() == all.iter().collect::<std::collections::BTreeSet<_>>().len()
        );
    }
}
