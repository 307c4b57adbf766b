//! Allocator that counts the memory of each thread, to limit the memory use for damaged traces.

// Implementing an allocator requires unsafe code.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(change: isize) {
    // A thread that is ending has no counters any more.
    let held = HELD.try_with(|held| {
        held.set(held.get() + change);
        held.get()
    });
    if let Ok(held) = held {
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(held)));
    }
}

// SAFETY: every call is passed to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the requirements are those of the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as above; the pointer is from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count(new_size as isize - layout.size() as isize);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

/// Returns the peak memory of an action on this thread, beyond the memory before it.
pub fn peak_bytes(action: impl FnOnce()) -> u64 {
    let before = HELD.get();
    PEAK.set(before);
    action();
    u64::try_from(PEAK.get() - before).unwrap_or(0)
}

#[test]
fn peak_bytes_counts_allocations_of_action() {
    assert_eq!(peak_bytes(|| drop(vec![0u8; 100_000])), 100_000);
}
