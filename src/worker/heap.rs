//! The memory of the worker's program.

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
