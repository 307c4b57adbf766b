//! Items that a file refers to by number.

use protocol::base::hash::FastMap;
use std::borrow::Borrow;
use std::hash::Hash;

/// Items, numbered in the order of their first use.
pub(super) struct Numbered<T> {
    pub items: Vec<T>,
    numbers: FastMap<T, u32>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self { items: Vec::new(), numbers: FastMap::default() }
    }
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    /// Returns the number of an item, a new one at its first use.
    pub fn number<Q>(&mut self, item: &Q) -> u32
    where
        Q: Eq + Hash + ToOwned<Owned = T> + ?Sized,
        T: Borrow<Q>,
    {
        if let Some(known) = self.known(item) {
            return known;
        }
        let number = self.items.len() as u32;
        self.items.push(item.to_owned());
        self.numbers.insert(item.to_owned(), number);
        number
    }

    /// Returns the number of an item, if it was used.
    pub fn known<Q>(&self, item: &Q) -> Option<u32>
    where
        Q: Eq + Hash + ?Sized,
        T: Borrow<Q>,
    {
        self.numbers.get(item).copied()
    }
}
