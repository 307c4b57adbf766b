//! Functions over time in Chrome's Trace Event Format (JSON object form), also for Perfetto. Times are microseconds
//! since the sync point.

use super::StackExport;
use crate::analysis::stacks::function_spans::stack_changes;
use protocol::base::ids::ThreadId;
use protocol::export::Json;
use std::io::{self, Write};

pub(super) fn write(export: &StackExport, output: &mut dyn Write) -> io::Result<()> {
    output.write_all(b"{\"displayTimeUnit\":\"ms\",\"traceEvents\":[")?;
    let mut events = Json::default();
    for (thread, samples) in export.threads() {
        name_of_thread(export, thread, &mut events);
        for change in stack_changes(samples, &export.nodes, export.chosen()) {
            events.object(|event| {
                event.key("ph").string(if change.opens { "B" } else { "E" });
                whose(export, thread, event);
                event.key("ts").float(change.at as f64 / 1000.0);
                // Programs that sort events by time match ends by name.
                event.key("name").markup_safe(export.function_name(change.function));
                let module = change.function.map_or("", |function| export.module(function));
                event.key("cat").markup_safe(if module.is_empty() { "unknown" } else { module });
            });
        }
        events.drain_into(output)?;
    }
    output.write_all(b"]}\n")
}

/// Writes the events with the names of a thread and its process.
fn name_of_thread(export: &StackExport, thread: ThreadId, events: &mut Json) {
    let store = export.session.store();
    let process = export.process(thread).map_or_else(String::new, |process| process.name.clone());
    let name = store.threads.get(thread).map_or_else(String::new, |thread| thread.label().to_owned());
    for (kind, name) in [("process_name", process), ("thread_name", name)] {
        events.object(|event| {
            event.key("ph").string("M");
            whose(export, thread, event);
            event.key("name").string(kind);
            event.key("args").object(|args| args.key("name").markup_safe(&name));
        });
    }
}

fn whose(export: &StackExport, thread: ThreadId, event: &mut Json) {
    event.key("pid").integer(export.process(thread).map_or(0, |process| process.os_process));
    event.key("tid").integer(export.os_thread(thread));
}
