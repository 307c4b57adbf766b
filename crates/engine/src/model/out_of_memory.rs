//! Out-of-memory errors: large columns check for memory before they grow, instead of aborting.

/// Allocation failure of a part of the store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfMemory {
    /// Bytes of the failed allocation.
    pub wanted: u64,
}

impl std::fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "out of memory: can't allocate {} more bytes", self.wanted)
    }
}

impl std::error::Error for OutOfMemory {}

/// Reserves memory for exactly `additional` values.
pub(crate) fn reserve_exact<T>(values: &mut Vec<T>, additional: usize) -> Result<(), OutOfMemory> {
    values.try_reserve_exact(additional).map_err(|_| out_of_memory::<T>(additional))
}

/// Reserves memory for at least `additional` values, with room to grow.
pub(crate) fn reserve<T>(values: &mut Vec<T>, additional: usize) -> Result<(), OutOfMemory> {
    values.try_reserve(additional).map_err(|_| out_of_memory::<T>(additional))
}

#[cold]
fn out_of_memory<T>(values: usize) -> OutOfMemory {
    OutOfMemory { wanted: (values as u64).saturating_mul(size_of::<T>() as u64) }
}
