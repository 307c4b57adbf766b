//! Frames at the leaf of an event's stack that write the event: they are the same for every event.

use crate::stacks::function_name::split_name;
use protocol::reply::FrameLine;

/// Namespaces and types of the code that writes events, and that throws exceptions for the runtime.
const NAMESPACES: [&str; 3] =
    ["System.Diagnostics.Tracing.", "System.Diagnostics.DiagnosticListener.", "System.Runtime.EH."];
/// End of the names of types that write events.
const SOURCE: &str = "EventSource";
/// Start and end of the names of such types in .NET itself.
const TELEMETRY: [&str; 2] = ["System.Net.", "Telemetry"];

/// Returns the number of frames, leaf first, that write the event. The stack keeps at least one other frame.
pub fn writing_frames(frames: &[FrameLine]) -> usize {
    let count = frames.iter().take_while(|frame| writes(&frame.name) || is_address(&frame.name)).count();
    // Native frames count only below the code that calls them.
    let count = frames.iter().take(count).rposition(|frame| writes(&frame.name)).map_or(0, |last| last + 1);
    if count == frames.len() { 0 } else { count }
}

fn writes(name: &str) -> bool {
    let (namespace, short, _) = split_name(name);
    let [network, telemetry] = TELEMETRY;
    let is_source = |part: &str| part.ends_with(SOURCE) || namespace.starts_with(network) && part.ends_with(telemetry);
    // A method or a local function of such a type.
    let has_source = [namespace, short].concat().rsplit('.').skip(1).any(is_source);
    has_source || NAMESPACES.iter().any(|known| name.starts_with(known))
}

/// Returns whether a name is a module and an address.
fn is_address(name: &str) -> bool {
    name.contains("!0x")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(names: &[&str]) -> usize {
        let frame = |name: &&str| FrameLine { name: (*name).to_owned(), ..FrameLine::default() };
        writing_frames(&names.iter().map(frame).collect::<Vec<_>>())
    }

    #[test]
    fn frames_that_write_the_event_are_counted() {
        let write = "System.Diagnostics.Tracing.EventSource.WriteEvent(int, string)";
        let request = "Microsoft.AspNetCore.Hosting.HostingEventSource.RequestStart(string, string)";
        let caller = "Microsoft.AspNetCore.Hosting.HostingApplicationDiagnostics.BeginRequest(HttpContext)";
        assert_eq!(count(&["libcoreclr.so!0x7f03", write, request, caller]), 3);
        assert_eq!(count(&[caller, write]), 0, "only at the leaf");
        assert_eq!(count(&["libcoreclr.so!0x7f03", caller]), 0, "native code may be what the event is about");
        assert_eq!(count(&[write, request]), 0, "a stack has at least one frame");
        assert_eq!(count(&["App.EventSources.Create()", write]), 0);
        let local = "Microsoft.AspNetCore.Infrastructure.KestrelEventSource.RequestStart.Core(string)";
        let telemetry = "System.Net.Http.HttpTelemetry.RequestStart(HttpRequestMessage)";
        assert_eq!(count(&[write, local, caller]), 2);
        assert_eq!(count(&[write, telemetry, caller]), 2);
        assert_eq!(count(&[write, "App.Telemetry.Send()", caller]), 1);
        assert_eq!(count(&["System.Runtime.EH.DispatchEx(ref StackFrameIterator)", caller]), 1);
        assert_eq!(count(&[]), 0);
    }
}
