//! Cache of recent results.

use std::rc::Rc;

/// Values of the most recently used keys, up to a capacity.
pub(crate) struct Recent<K, V> {
    /// Entries, last used first.
    entries: Vec<(K, Rc<V>)>,
    capacity: usize,
}

impl<K: PartialEq, V> Recent<K, V> {
    /// Creates a cache for `capacity` values.
    pub(crate) fn new(capacity: usize) -> Self {
        Self { entries: Vec::with_capacity(capacity), capacity }
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

    /// Removes all values.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
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
        let mut recent = Recent::new(2);
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
