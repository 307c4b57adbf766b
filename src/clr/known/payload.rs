//! Readers for the payload fields that the store and the analyses need.
//!
//! They read directly from the payload bytes and allocate nothing; text stays UTF-16 until someone
//! wants it. Every reader answers `None` for a payload that is too short for its fields, and ignores
//! bytes after them: newer runtimes append fields.

mod cursor;
mod gc;
mod machine;
mod method;
mod module;
mod process;
mod thread;

pub use cursor::Utf16Text;
pub use gc::{AllocationKind, AllocationSampled, AllocationTick, GcEnd, GcFinalizersEnd, GcHeapStats, GcStart};
pub use gc::{GcTriggered, GcType, GenerationSize, SuspendBegin};
pub use machine::{MachineMapping, MachineMappingMetadata, MachineProcess, MachineSample, MachineSymbol};
pub use method::{JittingStarted, MethodCode, MethodPayload, OptimizationTier};
pub use module::{AssemblyPayload, ModulePayload};
pub use process::{ProcessInfo, RuntimeInformation};
pub use thread::WaitHandleWaitStart;
pub use thread::{BackgroundJitStart, BackgroundJitStop, ContentionStart, ContentionStop, ExceptionCatchBegin};
pub use thread::{ExceptionThrown, SampleKind, ThreadCreated, ThreadPoolAdjustment, ThreadPoolWorkers};
