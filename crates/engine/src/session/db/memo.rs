//! Cache of derived data: complete values, and searches in progress.

use super::interrupt::Interrupt;
use crate::analysis::scan::payload_batches::Step;
use std::rc::Rc;

/// Least-recently-used cache of values that are computed in steps by searches.
pub(crate) struct Memo<K, V, S = ()> {
    /// Entries, most recently used first.
    entries: Vec<(K, Rc<V>)>,
    capacity: usize,
    /// Searches, most recently continued last.
    searches: Vec<(K, Box<S>)>,
    most_searches: usize,
}

impl<K: PartialEq, V, S> Memo<K, V, S> {
    /// Creates a cache for `capacity` values.
    pub(crate) fn new(capacity: usize) -> Self {
        Self::with_searches(capacity, 0)
    }

    /// Creates a cache for `capacity` values with at most `most_searches` searches in progress.
    pub(crate) fn with_searches(capacity: usize, most_searches: usize) -> Self {
        Self { entries: Vec::with_capacity(capacity), capacity, searches: Vec::new(), most_searches }
    }

    /// Removes and returns the search for a key, if there is one.
    pub(crate) fn resume(&mut self, key: &K) -> Option<Box<S>> {
        let at = self.searches.iter().position(|(of, _)| of == key)?;
        Some(self.searches.remove(at).1)
    }

    /// Stores a search until it is resumed. If there are too many, the least recently continued one is dropped, so
    /// abandoned work ends.
    pub(crate) fn pause(&mut self, key: K, search: Box<S>, step: Step) -> Interrupt {
        if self.searches.len() >= self.most_searches.max(1) {
            self.searches.remove(0);
        }
        self.searches.push((key, search));
        if step == Step::Waiting { Interrupt::Waiting } else { Interrupt::More }
    }

    /// Returns the searches in progress, with their keys.
    pub(crate) fn searches(&self) -> impl Iterator<Item = (&K, &S)> {
        self.searches.iter().map(|(key, search)| (key, &**search))
    }

    /// Returns the cached value of a key.
    pub(crate) fn get(&mut self, key: &K) -> Option<Rc<V>> {
        let at = self.entries.iter().position(|(known, _)| known == key)?;
        self.entries[..=at].rotate_right(1);
        Some(self.entries[0].1.clone())
    }

    /// Adds a value, evicting the least recently used one if the cache is full.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Rc<V> {
        self.entries.truncate(self.capacity.saturating_sub(1));
        let value = Rc::new(value);
        self.entries.insert(0, (key, value.clone()));
        value
    }

    /// Adds the value of a search, and returns an interrupt, because the search has used up its time slice.
    pub(crate) fn finish(&mut self, key: K, value: V) -> Interrupt {
        self.insert(key, value);
        Interrupt::More
    }

    /// Removes all values and searches.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.searches.clear();
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &V> {
        self.entries.iter().map(|(_, value)| &**value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cache_keeps_recently_used_values() {
        let mut recent = Memo::<_, _>::new(2);
        let mut made = Vec::new();
        for key in [1, 2, 1, 3, 1, 2] {
            let value = recent.get(&key).unwrap_or_else(|| {
                made.push(key);
                recent.insert(key, key * 10)
            });
            assert_eq!(*value, key * 10);
        }
        assert_eq!(made, [1, 2, 3, 2], "1 was used between 2 and 3 and stays");
        assert_eq!(recent.values().count(), 2);
    }
}
