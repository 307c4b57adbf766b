//! Stacks in the format of speedscope, one profile per thread: evented for samples, sampled for other events
//! (<https://www.speedscope.app/file-format-schema.json>).

use super::StackExport;
use super::numbered::Numbered;
use crate::analysis::samples::thread_samples::ThreadSamples;
use crate::analysis::stacks::function_spans::{StackChange, stack_changes};
use protocol::base::ids::FunctionId;
use protocol::export::Json;
use protocol::request::StackSource;
use protocol::stacks::query::Unit;
use std::io::{self, Write};

const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

/// Frames by their number in the file; `None` for samples without a stack.
type Frames = Numbered<Option<FunctionId>>;

/// Writes the samples of every thread as functions that open and close, and other events as stacks with weights. Times
/// are nanoseconds since the sync point.
pub(super) fn write(export: &StackExport, output: &mut dyn Write) -> io::Result<()> {
    let mut json = Json::default();
    let mut frames = Frames::default();
    json.object(|json| {
        json.key("$schema").string(SCHEMA);
        json.key("exporter").string(concat!("traceglass ", env!("CARGO_PKG_VERSION")));
        json.key("name").markup_safe(&export.session.file().name);
        json.key("activeProfileIndex").integer(0);
        json.key("profiles").array(|json| {
            for (thread, samples) in export.threads() {
                let name = export.thread_name(thread);
                match export.query.source {
                    StackSource::Samples => {
                        let changes = stack_changes(samples, &export.nodes, export.chosen());
                        profile(json, &name, &changes, &mut frames);
                    }
                    StackSource::Events(_) | StackSource::Everything => {
                        weights(json, export, &name, samples, &mut frames)
                    }
                }
            }
        });
        json.key("shared").object(|json| {
            json.key("frames").array(|json| {
                for function in &frames.items {
                    json.object(|json| json.key("name").markup_safe(export.raw_name(*function)));
                }
            });
        });
    });
    json.line();
    json.drain_into(output)
}

fn weights(json: &mut Json, export: &StackExport, name: &str, events: &ThreadSamples, frames: &mut Frames) {
    let chosen = export.chosen();
    let weight = |index: usize| export.value(chosen.weight(events, index));
    json.object(|json| {
        json.key("type").string("sampled");
        json.key("name").markup_safe(name);
        json.key("unit").string(match export.unit() {
            Unit::Count => "none",
            Unit::Nanos => "nanoseconds",
            Unit::Bytes => "bytes",
            Unit::Millis => "milliseconds",
        });
        json.key("startValue").integer(0);
        json.key("endValue").float(chosen.of(events).map(weight).sum());
        json.key("samples").array(|json| {
            for index in chosen.of(events) {
                let leaf = export.nodes.of_stack(events.stack(index));
                let mut stack: Vec<Option<FunctionId>> = export.functions(leaf).map(Some).collect();
                if stack.is_empty() {
                    stack.push(None);
                }
                stack.reverse();
                json.array(|json| stack.iter().for_each(|function| json.integer(frames.number(function))));
            }
        });
        json.key("weights").array(|json| chosen.of(events).for_each(|index| json.float(weight(index))));
    });
}

fn profile(json: &mut Json, name: &str, changes: &[StackChange], frames: &mut Frames) {
    let ends = [changes.first(), changes.last()].map(|change| change.map_or(0, |change| change.at));
    json.object(|json| {
        json.key("type").string("evented");
        json.key("name").markup_safe(name);
        json.key("unit").string("nanoseconds");
        json.key("startValue").integer(ends[0]);
        json.key("endValue").integer(ends[1]);
        json.key("events").array(|json| {
            for change in changes {
                json.object(|json| {
                    json.key("type").string(if change.opens { "O" } else { "C" });
                    json.key("frame").integer(frames.number(&change.function));
                    json.key("at").integer(change.at);
                });
            }
        });
    });
}
