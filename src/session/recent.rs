//! Results of the last few questions.

use std::rc::Rc;

/// The values of the keys used last, at most as many as its capacity.
pub(super) struct Recent<K, V> {
    /// Last used first.
    entries: Vec<(K, Rc<V>)>,
    capacity: usize,
}

impl<K: PartialEq + Clone, V> Recent<K, V> {
    /// Room for `capacity` values.
    pub(super) fn new(capacity: usize) -> Self {
        Self { entries: Vec::with_capacity(capacity + 1), capacity }
    }

    /// The value of `key`, made if it is not there; forgets the value that was not used for longest.
    pub(super) fn get_or_make(&mut self, key: &K, make: impl FnOnce() -> V) -> Rc<V> {
        if let Some(at) = self.entries.iter().position(|(known, _)| known == key) {
            self.entries[..=at].rotate_right(1);
        } else {
            // Forgotten before the new one is made, so that never more than the capacity is held.
            self.entries.truncate(self.capacity.saturating_sub(1));
            let value = Rc::new(make());
            self.entries.insert(0, (key.clone(), value));
        }
        self.entries[0].1.clone()
    }

    /// All values held.
    pub(super) fn values(&self) -> impl Iterator<Item = &V> {
        self.entries.iter().map(|(_, value)| &**value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_was_used_last() {
        let mut recent = Recent::new(2);
        let mut made = Vec::new();
        for key in [1, 2, 1, 3, 1, 2] {
            let value = recent.get_or_make(&key, || {
                made.push(key);
                key * 10
            });
            assert_eq!(*value, key * 10);
        }
        assert_eq!(made, [1, 2, 3, 2], "1 was used between 2 and 3 and stays");
        assert_eq!(recent.values().count(), 2);
    }
}
