//! Identifies events by provider and ID.

use super::KnownEvent;
use crate::clr::provider::Provider;

impl KnownEvent {
    /// Identifies an event. `name` comes from the file and is empty for runtime events. It identifies events of
    /// machine-wide traces, and errors that an `EventSource` reports about itself.
    pub fn identify(provider: &str, event_id: u32, name: &str) -> Self {
        if name == "EventSourceMessage" {
            return Self::EventSourceMessage;
        }
        match Provider::from_name(provider) {
            Some(Provider::UniversalEvents) => universal_events(name),
            Some(provider) => Self::of_manifest(provider.name(), event_id),
            None => Self::Other,
        }
    }
}

fn universal_events(name: &str) -> KnownEvent {
    match name {
        "cpu" => KnownEvent::CpuSample,
        "cswitch" => KnownEvent::ContextSwitch,
        _ => KnownEvent::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::super::is_rundown;
    use super::*;

    #[test]
    fn same_event_id_differs_between_runtime_and_rundown() {
        let runtime = "Microsoft-Windows-DotNETRuntime";
        let rundown = "Microsoft-Windows-DotNETRuntimeRundown";
        assert_eq!(KnownEvent::identify(runtime, 144, ""), KnownEvent::MethodUnloadVerbose);
        assert_eq!(KnownEvent::identify(rundown, 144, ""), KnownEvent::MethodDcEndVerbose);
        assert_eq!(KnownEvent::identify(runtime, 151, ""), KnownEvent::DomainModuleLoad);
        assert_eq!(KnownEvent::identify("Example.Orders", 1, ""), KnownEvent::Other);
        assert!(is_rundown(rundown) && !is_rundown(runtime));
    }

    #[test]
    fn machine_wide_samples_are_identified_by_name() {
        assert_eq!(KnownEvent::identify("Universal.Events", 1, "cpu"), KnownEvent::CpuSample);
        assert_eq!(KnownEvent::identify("Universal.Events", 3, "cpu"), KnownEvent::CpuSample);
        assert_eq!(KnownEvent::identify("Universal.Events", 2, "cswitch"), KnownEvent::ContextSwitch);
    }
}
