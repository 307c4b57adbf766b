//! Derived data: cached values, and those that are being computed.

use super::interrupt::Interrupt;
use crate::analysis::scan::payload_batches::Step;
use std::rc::Rc;

/// Values of the most recently used keys, up to a capacity, and searches in progress for further values.
pub(crate) struct Memo<K, V, S = ()> {
    /// Entries, last used first.
    entries: Vec<(K, Rc<V>)>,
    capacity: usize,
    /// Searches, last continued last.
    searches: Vec<(K, Box<S>)>,
    most_searches: usize,
}

impl<K: PartialEq, V, S> Memo<K, V, S> {
    /// Creates a cache for `capacity` values.
    pub(crate) fn new(capacity: usize) -> Self {
        Self::with_searches(capacity, 0)
    }

    /// Creates a cache for `capacity` values that are computed in steps, at most `most_searches` at a time.
    pub(crate) fn with_searches(capacity: usize, most_searches: usize) -> Self {
        Self { entries: Vec::with_capacity(capacity), capacity, searches: Vec::new(), most_searches }
    }

    /// Takes the search for the value of a key, if it has begun.
    pub(crate) fn resume(&mut self, key: &K) -> Option<Box<S>> {
        let at = self.searches.iter().position(|(of, _)| of == key)?;
        Some(self.searches.remove(at).1)
    }

    /// Stores a search until it is resumed. If there are too many, the one that wasn't continued for the longest time
    /// is dropped: abandoned work costs nothing more.
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

    /// Returns the value of a key, if it is cached.
    pub(crate) fn get(&mut self, key: &K) -> Option<Rc<V>> {
        let at = self.entries.iter().position(|(known, _)| known == key)?;
        self.entries[..=at].rotate_right(1);
        Some(self.entries[0].1.clone())
    }

    /// Adds a value, and removes the least recently used one if the cache is full.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Rc<V> {
        self.entries.truncate(self.capacity.saturating_sub(1));
        let value = Rc::new(value);
        self.entries.insert(0, (key, value.clone()));
        value
    }

    /// Adds the value that a search has found. Interrupts, because the search has used its time slice.
    pub(crate) fn finish(&mut self, key: K, value: V) -> Interrupt {
        self.insert(key, value);
        Interrupt::More
    }

    /// Removes all values and searches.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.searches.clear();
    }

    /// Returns all values.
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
