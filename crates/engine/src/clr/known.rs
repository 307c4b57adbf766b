//! Events that the store and the analyses use.
//!
//! An event is identified by its provider and its ID: the runtime and its rundown provider use the same IDs for
//! different events.

mod identity;
pub mod payload;

use super::provider::Provider;

// The enum of events and their classes, from the manifest.
include!(concat!(env!("OUT_DIR"), "/known_events.rs"));

impl KnownEvent {
    /// Returns whether the store copies the payloads of this event, because analyses read all of them. They are small
    /// and rare.
    pub fn keep_payload(self) -> bool {
        self.is_kept() || self == Self::EventSourceMessage
    }

    /// Returns whether the event loads or unloads code of a method, with its name.
    pub fn is_verbose_method(self) -> bool {
        use KnownEvent::*;
        matches!(self, MethodLoadVerbose | MethodUnloadVerbose | MethodDcStartVerbose | MethodDcEndVerbose)
    }

    /// Returns whether the event is about a loaded module, with the layout of [`payload::ModulePayload`]
    /// or [`payload::DomainModulePayload`].
    pub fn is_module(self) -> bool {
        use KnownEvent::*;
        matches!(self, ModuleLoad | ModuleUnload | ModuleDc | DomainModuleLoad | DomainModuleDc)
    }

    /// Returns whether the event has the layout of [`payload::DomainModulePayload`].
    pub fn is_domain_module(self) -> bool {
        matches!(self, Self::DomainModuleLoad | Self::DomainModuleDc)
    }

    /// Returns whether the event records an allocated amount.
    pub fn is_allocation(self) -> bool {
        Self::ALLOCATIONS.contains(&self)
    }

    /// Events that record an allocated amount.
    pub const ALLOCATIONS: [Self; 3] = [Self::GcAllocationTick, Self::AllocationSampled, Self::SampledObjectAllocation];
}

/// Returns whether the events of a provider describe the state at the start or end of the session, not changes at their
/// times.
pub fn is_rundown(provider: &str) -> bool {
    Provider::from_name(provider) == Some(Provider::Rundown)
}
