//! Groups of items with a common property.

use protocol::base::hash::FastMap;
use protocol::base::sort::sort_by_key;
use std::cmp::Reverse;
use std::hash::Hash;

/// Groups items by a key, by rank in descending order.
pub fn grouped<T, K: Ord + Hash + Copy, R: Ord>(
    items: impl IntoIterator<Item = T>,
    key: impl Fn(&T) -> K,
    rank: impl Fn(&Vec<T>) -> R,
) -> Vec<(K, Vec<T>)> {
    let mut groups: FastMap<K, Vec<T>> = FastMap::default();
    items.into_iter().for_each(|item| groups.entry(key(&item)).or_default().push(item));
    ranked(groups, rank)
}

/// Returns groups by rank in descending order; those of equal rank in the order of their keys.
pub fn ranked<K: Ord + Copy, G, R: Ord>(
    groups: impl IntoIterator<Item = (K, G)>,
    rank: impl Fn(&G) -> R,
) -> Vec<(K, G)> {
    let mut groups: Vec<(K, G)> = groups.into_iter().collect();
    sort_by_key(&mut groups, |(key, group)| (Reverse(rank(group)), *key));
    groups
}
