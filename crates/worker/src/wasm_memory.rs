//! Memory of the worker's program.

use engine::model::OutOfMemory;
use engine::session::out_of_memory;
use protocol::Failure;

/// Memory that must stay available, for allocations that can't fail: columns check before they grow, but other code
/// can't. A program that runs out of memory aborts.
const HEADROOM_BYTES: usize = 32 << 20;

/// Checks that memory is available.
///
/// # Errors
/// Fails if the headroom isn't available.
pub(super) fn check_headroom() -> Result<(), Failure> {
    let mut headroom = Vec::<u8>::new();
    let reserved = headroom.try_reserve_exact(HEADROOM_BYTES);
    // Prevents the compiler from removing the unused allocation.
    std::hint::black_box(&mut headroom);
    reserved.map_err(|_| out_of_memory(&OutOfMemory { wanted: HEADROOM_BYTES as u64 }))
}

/// Grows the heap once: small growth costs as much as large growth, and memory is never returned anyway.
pub(super) fn prime_heap(file_bytes: f64) {
    const SHARE: f64 = 0.6;
    const MAX_BYTES: f64 = 1536.0 * 1024.0 * 1024.0;
    let mut heap = Vec::<u8>::new();
    // If the browser refuses, the heap stays as it is, and grows step by step.
    if heap.try_reserve_exact((file_bytes * SHARE).min(MAX_BYTES) as usize).is_ok() {
        std::hint::black_box(&mut heap);
    }
}
