//! The memory of the worker's program.

use engine::model::OutOfMemory;
use engine::session::out_of_memory;
use protocol::Failure;

/// What is always to be had besides the columns, which ask before they grow: for everything that cannot ask. A program whose
/// memory ends there is ended.
const HEADROOM_BYTES: usize = 32 << 20;

/// Sees that there is some memory left.
///
/// # Errors
/// If there is not.
pub(super) fn check_headroom() -> Result<(), Failure> {
    let mut headroom = Vec::<u8>::new();
    let reserved = headroom.try_reserve_exact(HEADROOM_BYTES);
    // Memory that nobody looks at need not be had.
    std::hint::black_box(&mut headroom);
    reserved.map_err(|_| out_of_memory(&OutOfMemory { wanted: HEADROOM_BYTES as u64 }))
}

/// Lets the heap grow once: every small growth costs as much as a large one, and memory is never given back anyway.
pub(super) fn prime_heap(file_bytes: f64) {
    const SHARE: f64 = 0.6;
    const MOST_BYTES: f64 = 1536.0 * 1024.0 * 1024.0;
    let mut heap = Vec::<u8>::new();
    // A browser that refuses leaves the heap as it was; then it grows step by step.
    if heap.try_reserve_exact((file_bytes * SHARE).min(MOST_BYTES) as usize).is_ok() {
        std::hint::black_box(&mut heap);
    }
}
