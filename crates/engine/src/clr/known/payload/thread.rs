//! What happens on a thread: samples, exceptions, waits, and threads themselves.

use super::cursor::{Cursor, Utf16Text};

/// What the sampler found a thread doing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SampleKind {
    /// The sampler didn't know.
    Error,
    /// Outside managed code: waiting, in native code, or stopped by the garbage collector.
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

/// The payload of `ExceptionThrown` from version 1 on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExceptionThrown<'d> {
    /// The full name of the exception's type.
    pub type_name: Utf16Text<'d>,
    /// Its message.
    pub message: Utf16Text<'d>,
    /// The address of the instruction that threw.
    pub instruction: u64,
    /// The exception's HRESULT.
    pub hresult: u32,
    /// 1 has an inner exception, 2 nested, 4 thrown again, 8 corrupted state, 0x10 CLS compliant.
    pub flags: u16,
}

impl<'d> ExceptionThrown<'d> {
    /// Reads the event. `pointer_size` is 4 or 8.
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

/// The payload of `ExceptionCatchStart`, `ExceptionFinallyStart` and `ExceptionFilterStart`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExceptionCatchBegin<'d> {
    /// The address of the first instruction of the handler.
    pub entry: u64,
    /// The runtime's id of the method that has the handler.
    pub method_id: u64,
    /// The full name of that method.
    pub method_name: Utf16Text<'d>,
}

impl<'d> ExceptionCatchBegin<'d> {
    /// Reads the event.
    pub fn read(payload: &'d [u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        Some(Self { entry: cursor.u64()?, method_id: cursor.u64()?, method_name: cursor.text()? })
    }
}

/// The payload of `ContentionStart` from version 1 on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ContentionStart {
    /// Whether the lock is the runtime's own.
    pub is_native: bool,
    /// The runtime's id of the lock, from version 2 on.
    pub lock_id: Option<u64>,
    /// The address of the object that is locked, from version 2 on.
    pub object_id: Option<u64>,
    /// The operating system's id of the thread that holds the lock, from version 2 on.
    pub owner_thread: Option<u64>,
}

impl ContentionStart {
    /// Reads the event. Its ids are 64 bits wide in 32-bit processes too.
    pub fn read(payload: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        let is_native = cursor.u8()? != 0;
        let _clr_instance = cursor.u16()?;
        let has_lock = cursor.remaining() >= 24;
        let mut id = || if has_lock { cursor.u64() } else { None };
        Some(Self { is_native, lock_id: id(), object_id: id(), owner_thread: id() })
    }
}

/// The payload of `ContentionStop`, all versions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ContentionStop {
    /// Whether the lock is the runtime's own.
    pub is_native: bool,
    /// How long the thread waited, in nanoseconds, from version 1 on.
    pub duration_ns: Option<f64>,
}

impl ContentionStop {
    /// Reads the event.
    pub fn read(payload: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        let is_native = cursor.u8()? != 0;
        let _clr_instance = cursor.u16()?;
        Some(Self { is_native, duration_ns: cursor.f64() })
    }
}

/// The payload of `WaitHandleWaitStart`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitHandleWaitStart {
    /// Whether the wait is `Monitor.Wait`.
    pub is_monitor_wait: bool,
    /// The address of the object that is waited for, or 0.
    pub object_id: u64,
}

impl WaitHandleWaitStart {
    /// Reads the event. `pointer_size` is 4 or 8.
    pub fn read(payload: &[u8], pointer_size: u8) -> Option<Self> {
        let mut cursor = Cursor::new(payload, pointer_size);
        Some(Self { is_monitor_wait: cursor.u8()? == 1, object_id: cursor.pointer()? })
    }
}

/// The payload of `ThreadCreated`, and of the rundown's `ThreadDC`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreadCreated {
    /// The runtime's id of the thread: its address.
    pub managed_thread_id: u64,
    /// 1 special GC thread, 2 finalizer, 4 thread pool worker.
    pub flags: u32,
    /// `Thread.ManagedThreadId`.
    pub managed_thread_index: u32,
    /// The operating system's id.
    pub os_thread: u32,
}

impl ThreadCreated {
    /// Reads the event.
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

    /// Whether the garbage collector made the thread for itself.
    pub fn is_gc_special(&self) -> bool {
        self.flags & 1 != 0
    }

    /// Whether the thread runs finalizers.
    pub fn is_finalizer(&self) -> bool {
        self.flags & 2 != 0
    }

    /// Whether the thread is a worker of the thread pool.
    pub fn is_thread_pool_worker(&self) -> bool {
        self.flags & 4 != 0
    }
}

/// The payload of `ThreadPoolWorkerThreadStart`, `Stop` and `Wait`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreadPoolWorkers {
    /// How many workers are active.
    pub active: u32,
    /// How many are retired (always 0 in .NET).
    pub retired: u32,
}

impl ThreadPoolWorkers {
    /// Reads the event.
    pub fn read(payload: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        Some(Self { active: cursor.u32()?, retired: cursor.u32()? })
    }
}

/// The payload of `ThreadPoolWorkerThreadAdjustmentAdjustment`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ThreadPoolAdjustment {
    /// Completed work items per second.
    pub average_throughput: f64,
    /// How many workers there shall be from now on.
    pub worker_count: u32,
    /// Why. The manifest has the words.
    pub reason: u32,
}

impl ThreadPoolAdjustment {
    /// A worker was added since none of the others took work for half a second.
    const STARVATION: u32 = 6;
    /// Workers that waited for other work of the pool were made up for, or went on.
    const COOPERATIVE_BLOCKING: u32 = 8;

    /// Whether workers were stuck.
    pub fn is_for_stuck_workers(&self) -> bool {
        matches!(self.reason, Self::STARVATION | Self::COOPERATIVE_BLOCKING)
    }

    /// Reads the event.
    pub fn read(payload: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        Some(Self { average_throughput: cursor.f64()?, worker_count: cursor.u32()?, reason: cursor.u32()? })
    }
}

/// The payload of `TieredCompilationBackgroundJitStart`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BackgroundJitStart {
    /// How many methods wait for better code.
    pub pending_methods: u32,
}

impl BackgroundJitStart {
    /// Reads the event.
    pub fn read(payload: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        let _clr_instance = cursor.u16()?;
        Some(Self { pending_methods: cursor.u32()? })
    }
}

/// The payload of `TieredCompilationBackgroundJitStop`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BackgroundJitStop {
    /// How many methods still wait for better code.
    pub pending_methods: u32,
    /// How many methods were compiled since the start.
    pub jitted_methods: u32,
}

impl BackgroundJitStop {
    /// Reads the event.
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
    fn an_exception_has_type_message_and_place() {
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
    fn contention_names_lock_and_owner_from_version_two_on() {
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
    fn a_sample_says_what_the_thread_was_doing() {
        assert_eq!(SampleKind::read(&[2, 0, 0, 0]), Some(SampleKind::Managed));
        assert_eq!(SampleKind::read(&[1, 0, 0, 0]), Some(SampleKind::External));
        assert_eq!(SampleKind::read(&[9, 0, 0, 0]), None);
    }
}
