//! Events about threads: samples, exceptions, waits, and threads themselves.

use super::cursor::{Cursor, Utf16Text};

/// State of a thread according to the sample profiler.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SampleKind {
    /// Unknown.
    Error,
    /// Outside managed code: waiting, in native code, or paused by the GC.
    External,
    /// In managed code.
    Managed,
}

impl SampleKind {
    /// Reads the payload of `ThreadSample`.
    pub fn read(payload: &[u8]) -> Option<Self> {
        match Cursor::new(payload, 8).u32()? {
            0 => Some(Self::Error),
            1 => Some(Self::External),
            2 => Some(Self::Managed),
            _ => None,
        }
    }
}

/// Payload of `ExceptionThrown` from version 1 on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExceptionThrown<'d> {
    /// Full name of the exception's type.
    pub type_name: Utf16Text<'d>,
    pub message: Utf16Text<'d>,
    /// Address of the instruction that threw.
    pub instruction: u64,
    pub hresult: u32,
    /// Flags: 1 has an inner exception, 2 nested, 4 rethrown, 8 corrupted state, 0x10 CLS compliant.
    pub flags: u16,
}

impl<'d> ExceptionThrown<'d> {
    /// Reads the payload. `pointer_size` is 4 or 8.
    pub fn read(payload: &'d [u8], pointer_size: u8) -> Option<Self> {
        let mut cursor = Cursor::new(payload, pointer_size);
        Some(Self {
            type_name: cursor.text()?,
            message: cursor.text()?,
            instruction: cursor.pointer()?,
            hresult: cursor.u32()?,
            flags: cursor.u16()?,
        })
    }
}

/// Payload of `ExceptionCatchStart`, `ExceptionFinallyStart` and `ExceptionFilterStart`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExceptionCatchBegin<'d> {
    /// Address of the first instruction of the handler.
    pub entry: u64,
    /// The runtime's ID of the method with the handler.
    pub method_id: u64,
    /// Full name of that method.
    pub method_name: Utf16Text<'d>,
}

impl<'d> ExceptionCatchBegin<'d> {
    pub fn read(payload: &'d [u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        Some(Self { entry: cursor.u64()?, method_id: cursor.u64()?, method_name: cursor.text()? })
    }
}

/// Payload of `ContentionStart` from version 1 on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ContentionStart {
    /// True if the lock is the runtime's own.
    pub is_native: bool,
    /// The runtime's ID of the lock, from version 2 on.
    pub lock_id: Option<u64>,
    /// Address of the locked object, from version 2 on.
    pub object_id: Option<u64>,
    /// OS ID of the owner thread, from version 2 on.
    pub owner_thread: Option<u64>,
}

impl ContentionStart {
    /// Reads the payload. IDs have 64 bits in 32-bit processes, too.
    pub fn read(payload: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        let is_native = cursor.u8()? != 0;
        let _clr_instance = cursor.u16()?;
        let has_lock = cursor.remaining() >= 24;
        let mut id = || if has_lock { cursor.u64() } else { None };
        Some(Self { is_native, lock_id: id(), object_id: id(), owner_thread: id() })
    }
}

/// Payload of `ContentionStop`, all versions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ContentionStop {
    /// True if the lock is the runtime's own.
    pub is_native: bool,
    /// Duration of the wait in nanoseconds, from version 1 on.
    pub duration_ns: Option<f64>,
}

impl ContentionStop {
    pub fn read(payload: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        let is_native = cursor.u8()? != 0;
        let _clr_instance = cursor.u16()?;
        Some(Self { is_native, duration_ns: cursor.f64() })
    }
}

/// Payload of `WaitHandleWaitStart`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitHandleWaitStart {
    /// True if the wait is `Monitor.Wait`.
    pub is_monitor_wait: bool,
    /// Address of the object, or 0.
    pub object_id: u64,
}

impl WaitHandleWaitStart {
    /// Reads the payload. `pointer_size` is 4 or 8.
    pub fn read(payload: &[u8], pointer_size: u8) -> Option<Self> {
        let mut cursor = Cursor::new(payload, pointer_size);
        Some(Self { is_monitor_wait: cursor.u8()? == 1, object_id: cursor.pointer()? })
    }
}

/// Payload of `ThreadCreated`, and of the rundown's `ThreadDC`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreadCreated {
    /// The runtime's ID of the thread: its address.
    pub managed_thread_id: u64,
    /// Flags: 1 special GC thread, 2 finalizer, 4 thread pool worker.
    pub flags: u32,
    /// `Thread.ManagedThreadId`.
    pub managed_thread_index: u32,
    /// OS thread ID.
    pub os_thread: u32,
}

impl ThreadCreated {
    pub fn read(payload: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        let managed_thread_id = cursor.u64()?;
        let _app_domain_id = cursor.u64()?;
        Some(Self {
            managed_thread_id,
            flags: cursor.u32()?,
            managed_thread_index: cursor.u32()?,
            os_thread: cursor.u32()?,
        })
    }

    /// Returns whether the thread works for the GC.
    pub fn is_gc_special(&self) -> bool {
        self.flags & 1 != 0
    }

    /// Returns whether the thread runs finalizers.
    pub fn is_finalizer(&self) -> bool {
        self.flags & 2 != 0
    }

    /// Returns whether the thread is a worker of the thread pool.
    pub fn is_thread_pool_worker(&self) -> bool {
        self.flags & 4 != 0
    }
}

/// Payload of `ThreadPoolWorkerThreadStart`, `Stop` and `Wait`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreadPoolWorkers {
    /// Number of active workers.
    pub active: u32,
    /// Number of retired workers (always 0 in .NET).
    pub retired: u32,
}

impl ThreadPoolWorkers {
    pub fn read(payload: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        Some(Self { active: cursor.u32()?, retired: cursor.u32()? })
    }
}

/// Payload of `ThreadPoolWorkerThreadAdjustmentAdjustment`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ThreadPoolAdjustment {
    /// Completed work items per second.
    pub average_throughput: f64,
    /// New target number of workers.
    pub worker_count: u32,
    /// Reason, named by the manifest.
    pub reason: u32,
}

impl ThreadPoolAdjustment {
    /// Reason for a worker that was added because no other one dequeued work for half a second.
    const STARVATION: u32 = 6;
    /// Reason for a change because workers blocked on other work of the pool, or continued.
    const COOPERATIVE_BLOCKING: u32 = 8;

    /// Returns whether the reason is blocked workers.
    pub fn is_for_stuck_workers(&self) -> bool {
        matches!(self.reason, Self::STARVATION | Self::COOPERATIVE_BLOCKING)
    }

    pub fn read(payload: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        Some(Self { average_throughput: cursor.f64()?, worker_count: cursor.u32()?, reason: cursor.u32()? })
    }
}

/// Payload of `TieredCompilationBackgroundJitStart`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BackgroundJitStart {
    /// Number of methods to recompile.
    pub pending_methods: u32,
}

impl BackgroundJitStart {
    pub fn read(payload: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        let _clr_instance = cursor.u16()?;
        Some(Self { pending_methods: cursor.u32()? })
    }
}

/// Payload of `TieredCompilationBackgroundJitStop`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BackgroundJitStop {
    /// Number of remaining methods to recompile.
    pub pending_methods: u32,
    /// Number of methods compiled since the start.
    pub jitted_methods: u32,
}

impl BackgroundJitStop {
    pub fn read(payload: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        let _clr_instance = cursor.u16()?;
        Some(Self { pending_methods: cursor.u32()?, jitted_methods: cursor.u32()? })
    }
}

#[cfg(test)]
mod tests {
    use super::super::cursor::testing::utf16;
    use super::*;

    #[test]
    fn exception_has_type_message_and_address() {
        let mut bytes = utf16("System.InvalidOperationException");
        bytes.extend(utf16("The order is closed."));
        bytes.extend(0x4000_u32.to_le_bytes());
        bytes.extend(0x8013_1509_u32.to_le_bytes());
        bytes.extend(0x11_u16.to_le_bytes());
        let thrown = ExceptionThrown::read(&bytes, 4).expect("complete payload");
        assert_eq!(thrown.message.to_string(), "The order is closed.");
        assert_eq!((thrown.instruction, thrown.hresult, thrown.flags), (0x4000, 0x8013_1509, 0x11));
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
        let stop = ContentionStop::read(&[&[0, 0, 0], 1_500_000.0_f64.to_le_bytes().as_slice()].concat());
        assert_eq!(stop.and_then(|stop| stop.duration_ns), Some(1_500_000.0));
    }

    #[test]
    fn sample_has_thread_state() {
        assert_eq!(SampleKind::read(&[2, 0, 0, 0]), Some(SampleKind::Managed));
        assert_eq!(SampleKind::read(&[1, 0, 0, 0]), Some(SampleKind::External));
        assert_eq!(SampleKind::read(&[9, 0, 0, 0]), None);
    }
}
