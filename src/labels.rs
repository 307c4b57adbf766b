//! What threads and types of events are called.

use crate::app::state::App;
use leptos::prelude::*;
use protocol::base::ids::{ThreadId, TypeId};
use protocol::events::activity_path::path_of_text;
use protocol::filter::{Condition, Name};
use protocol::request::{Label, UNKNOWN_PROCESS};
use protocol::tables;
use view::events::filter_text::{named, of_label};

/// What belongs to a process of which nothing but losses is known.
pub const UNKNOWN_PROCESS_LABEL: &str = "Unknown process";

impl App {
    /// What a thread is called, with the operating system's number.
    pub fn thread_label(self, thread: ThreadId) -> String {
        let threads = self.threads.get();
        let row = threads.as_ref().and_then(|threads| Some((threads, row_of_thread(threads, thread)?)));
        row.map_or_else(
            || "Unknown thread".to_owned(),
            |(threads, row)| format!("{} {}", threads.label.get(row), threads.number.get(row)).trim_end().to_owned(),
        )
    }

    /// What a process is called, by the operating system's id.
    pub fn process_label(self, process: u32) -> String {
        let label = self.threads.with(|threads| {
            let threads = threads.as_ref()?;
            let row = threads.os_process.iter().position(|present| *present == process)?;
            Some(threads.process_label.get(row).to_owned())
        });
        label.unwrap_or_else(|| match process {
            UNKNOWN_PROCESS => UNKNOWN_PROCESS_LABEL.to_owned(),
            process => format!("Process {process}"),
        })
    }

    /// A label's value as people read it: of an activity the path, where its id is one.
    pub fn label_value(self, label: &Label) -> String {
        let path = match label {
            Label::Activity(guid) => path_of_text(guid, |process| self.is_process(process)),
            _ => None,
        };
        path.unwrap_or_else(|| label.value().to_owned())
    }

    /// That events carry a label, in words that people read.
    pub fn label_condition(self, label: &Label) -> Condition {
        match label {
            Label::Activity(_) => named(Name::Activity, &self.label_value(label)),
            _ => of_label(label),
        }
    }

    /// Whether the trace has a process with this id of the operating system.
    fn is_process(self, id: u32) -> bool {
        self.trace.with(|trace| trace.as_ref().is_some_and(|trace| trace.os_process == id))
            || self.threads.with(|threads| threads.as_ref().is_some_and(|threads| threads.os_process.contains(&id)))
    }

    /// What an event type is called.
    pub fn type_label(self, event_type: TypeId) -> String {
        let types = self.types.get();
        let row =
            types.as_ref().and_then(|types| Some((types, types.event_type.iter().position(|id| *id == event_type.0)?)));
        row.map_or_else(
            || "Unknown event".to_owned(),
            |(types, row)| format!("{} / {}", types.provider.get(row), types.name.get(row)),
        )
    }
}

/// The row of a thread.
pub fn row_of_thread(threads: &tables::Threads, thread: ThreadId) -> Option<usize> {
    threads.thread.iter().position(|id| *id == thread.0)
}
