//! Events about threads: samples, exceptions, waits, and threads themselves.

use super::{ThreadCreated, ThreadPoolAdjustment};

/// State of a thread according to the sample profiler.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SampleKind {
    /// Unknown.
    Error,
    /// Not in managed code: waiting, in native code, or paused by the GC.
    External,
    /// In managed code.
    Managed,
}

impl SampleKind {
    /// Returns the state with a number in `ThreadSample`.
    #[inline]
    pub fn from_number(number: u32) -> Option<Self> {
        match number {
            0 => Some(Self::Error),
            1 => Some(Self::External),
            2 => Some(Self::Managed),
            _ => None,
        }
    }
}

impl ThreadCreated {
    /// Returns whether the thread works for the GC.
    pub fn is_gc_special(&self) -> bool {
        self.flags & 1 != 0
    }

    /// Returns whether the thread runs finalizers.
    pub fn is_finalizer(&self) -> bool {
        self.flags & 2 != 0
    }

    pub fn is_thread_pool_worker(&self) -> bool {
        self.flags & 4 != 0
    }
}

impl ThreadPoolAdjustment {
    /// Reason: a worker was added because none had dequeued work for half a second.
    const STARVATION: u32 = 6;
    /// Reason: workers blocked on other work items, or continued.
    const COOPERATIVE_BLOCKING: u32 = 8;

    /// Returns whether the worker count changed because workers were blocked.
    pub fn is_for_stuck_workers(&self) -> bool {
        matches!(self.reason, Self::STARVATION | Self::COOPERATIVE_BLOCKING)
    }
}

#[cfg(test)]
mod tests {
    use super::super::cursor::testing::utf16;
    use super::super::{ContentionStart, ExceptionThrown, ThreadSample};
    use super::*;

    #[test]
    fn exception_has_type_message_and_flags() {
        let mut bytes = utf16("System.InvalidOperationException");
        bytes.extend(utf16("The order is closed."));
        bytes.extend(0x4000_u32.to_le_bytes());
        bytes.extend(0x8013_1509_u32.to_le_bytes());
        bytes.extend(0x11_u16.to_le_bytes());
        let thrown = ExceptionThrown::read(&bytes, 4).expect("complete payload");
        assert_eq!(thrown.message.to_string(), "The order is closed.");
        assert_eq!((thrown.hresult, thrown.flags), (0x8013_1509, 0x11));
        assert_eq!(ExceptionThrown::read(&bytes, 8), None);
    }

    #[test]
    fn contention_version_2_has_lock_and_owner() {
        let first = ContentionStart::read(&[0, 0, 0]).expect("complete payload");
        assert_eq!((first.lock_id, first.owner_thread), (None, None));
        let mut bytes = vec![0, 0, 0];
        bytes.extend([1_u64, 2, 31_337].into_iter().flat_map(u64::to_le_bytes));
        let second = ContentionStart::read(&bytes).expect("complete payload");
        assert_eq!((second.lock_id, second.object_id, second.owner_thread), (Some(1), Some(2), Some(31_337)));
        assert_eq!(ContentionStart::read(&bytes[..2]), Some(first), "the flags are required, and nothing else");
        assert_eq!(ContentionStart::read(&[]), None);
    }

    #[test]
    fn sample_has_thread_state() {
        let kind = |number| ThreadSample::read(&[number, 0, 0, 0]).and_then(|sample| sample.kind);
        assert_eq!([2, 1, 9].map(kind), [Some(SampleKind::Managed), Some(SampleKind::External), None]);
    }
}
