//! Sparse values of events, by payload offset.

/// Sparse values of events. The payload offset identifies an event independently of its row.
#[derive(Clone, Debug, Default)]
pub(crate) struct SideTable<T> {
    entries: Vec<(u64, T)>,
}

impl<T: Copy> SideTable<T> {
    /// Adds the value of an event. Offsets must ascend, as they do in file order.
    pub fn push(&mut self, payload_offset: u64, value: T) {
        self.entries.push((payload_offset, value));
    }

    /// Returns the value of an event.
    pub fn get(&self, payload_offset: u64) -> Option<T> {
        let at = self.entries.binary_search_by_key(&payload_offset, |entry| entry.0).ok()?;
        self.entries.get(at).map(|entry| entry.1)
    }

    /// Returns all values, in file order.
    pub fn values(&self) -> impl Iterator<Item = T> + '_ {
        self.entries.iter().map(|entry| entry.1)
    }

    pub fn heap_bytes(&self) -> u64 {
        (self.entries.capacity() * size_of::<(u64, T)>()) as u64
    }
}
