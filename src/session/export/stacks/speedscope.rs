//! Stacks over time in the format of speedscope: one evented profile a thread
//! (<https://www.speedscope.app/file-format-schema.json>).

use super::StackExport;
use super::numbered::Numbered;
use crate::analysis::stack_spans::{StackChange, stack_changes};
use crate::model::ids::FunctionId;
use crate::session::export::json::Json;
use std::io::{self, Write};

const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

/// Frames by their number in the file; none stands for samples without a stack.
type Frames = Numbered<Option<FunctionId>>;

/// Writes the samples of every thread as functions that open and close. Times are nanoseconds since the sync point.
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
                let changes = stack_changes(samples, export.session.nodes(), export.chosen());
                profile(json, &export.thread_name(thread), &changes, &mut frames);
            }
        });
        json.key("shared").object(|json| {
            json.key("frames").array(|json| {
                for function in frames.items() {
                    json.object(|json| json.key("name").markup_safe(export.raw_name(*function)));
                }
            });
        });
    });
    json.line();
    json.drain_into(output)
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
