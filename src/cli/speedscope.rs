//! Stacks over time in the format of speedscope: one evented profile a thread
//! (<https://www.speedscope.app/file-format-schema.json>).

use super::Stop;
use super::json::Json;
use crate::analysis::stack_spans::StackChange;
use crate::model::ids::{FunctionId, ThreadId};
use crate::session::Session;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::Write;

const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";
/// The frame of samples that found a thread and no stack.
const NO_STACK: &str = "(no stack)";

/// Frames by their number in the file: in the order of their first use.
#[derive(Default)]
struct Frames {
    functions: Vec<Option<FunctionId>>,
    numbers: HashMap<Option<FunctionId>, usize>,
}

impl Frames {
    fn number(&mut self, function: Option<FunctionId>) -> usize {
        match self.numbers.entry(function) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                self.functions.push(function);
                *new.insert(self.functions.len() - 1)
            }
        }
    }
}

/// Prints the samples of every thread as functions that open and close. Times are nanoseconds since the sync point.
pub(super) fn print(session: &Session, managed: bool, output: &mut impl Write) -> Result<(), Stop> {
    let mut json = Json::default();
    let mut frames = Frames::default();
    json.object(|json| {
        json.key("$schema").string(SCHEMA);
        json.key("exporter").string(concat!("traceglass ", env!("CARGO_PKG_VERSION")));
        json.key("name").markup_safe(&session.file().name);
        json.key("activeProfileIndex").integer(0);
        json.key("profiles").array(|json| {
            for (thread, changes) in session.stack_changes(managed) {
                profile(json, &thread_name(session, thread), &changes, &mut frames);
            }
        });
        json.key("shared").object(|json| {
            json.key("frames").array(|json| {
                for function in &frames.functions {
                    json.object(|json| json.key("name").markup_safe(function_name(session, *function)));
                }
            });
        });
    });
    json.line();
    Ok(output.write_all(json.as_str().as_bytes())?)
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
                    json.key("frame").integer(frames.number(change.function) as u64);
                    json.key("at").integer(change.at);
                });
            }
        });
    });
}

/// What a thread is and its operating system's id; before it the process, if there are several.
fn thread_name(session: &Session, thread: ThreadId) -> String {
    let store = session.store();
    let Some(thread) = store.threads().get(thread) else { return String::new() };
    let name = thread.numbered_label();
    match store.processes().get(thread.process).filter(|_| store.processes().len() > 1) {
        Some(process) => format!("{} · {name}", process.numbered_label()),
        None => name,
    }
}

fn function_name(session: &Session, function: Option<FunctionId>) -> &str {
    let store = session.store();
    match function {
        Some(function) => store.functions().get(function).map_or("", |function| store.strings().get(function.raw_name)),
        None => NO_STACK,
    }
}
