//! Facts that few events have, found by the position of the event's payload in the file.

/// Values of few events. A payload position names an event whatever its place in the columns becomes.
#[derive(Clone, Debug, Default)]
pub(crate) struct SideTable<T> {
    entries: Vec<(u64, T)>,
}

impl<T: Copy> SideTable<T> {
    /// Adds the value of an event. Positions must ascend, as they do in the order of the file.
    pub fn push(&mut self, payload_offset: u64, value: T) {
        self.entries.push((payload_offset, value));
    }

    /// The value of an event.
    pub fn get(&self, payload_offset: u64) -> Option<T> {
        let at = self.entries.binary_search_by_key(&payload_offset, |entry| entry.0).ok()?;
        self.entries.get(at).map(|entry| entry.1)
    }

    /// The values of all events that have one, in the order of the file.
    pub fn values(&self) -> impl Iterator<Item = T> + '_ {
        self.entries.iter().map(|entry| entry.1)
    }

    /// Bytes held.
    pub fn heap_bytes(&self) -> u64 {
        (self.entries.capacity() * size_of::<(u64, T)>()) as u64
    }
}
