//! Display names of threads, processes, labels and event types.

use crate::app::state::App;
use leptos::prelude::*;
use protocol::base::ids::{ThreadId, TypeId};
use protocol::events::activity_path::path_of_text;
use protocol::filter::{Condition, Name};
use protocol::request::{Label, UNKNOWN_PROCESS};
use protocol::tables;
use view::events::filter_text::{named, of_label};

/// Name of the process of which only lost events are known.
pub const UNKNOWN_PROCESS_LABEL: &str = "Unknown process";

impl App {
    /// Returns the label of a thread with its OS thread ID.
    pub fn thread_label(self, thread: ThreadId) -> String {
        let threads = self.threads.get();
        let row = threads.as_ref().and_then(|threads| Some((threads, row_of_thread(threads, thread)?)));
        row.map_or_else(|| "Unknown thread".to_owned(), |(threads, row)| threads.numbered.get(row).to_owned())
    }

    /// Returns the label of a process, by its OS process ID.
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

    /// Returns the displayed value of a label: for an activity, its path, if its ID is a path.
    pub fn label_value(self, label: &Label) -> String {
        let path = match label {
            Label::Activity(guid) => path_of_text(guid, |process| self.is_process(process)),
            _ => None,
        };
        path.unwrap_or_else(|| label.value().to_owned())
    }

    /// Returns the condition for a label with its displayed value.
    pub fn label_condition(self, label: &Label) -> Condition {
        match label {
            Label::Activity(_) => named(Name::Activity, &self.label_value(label)),
            _ => of_label(label),
        }
    }

    /// Returns whether the trace has a process with this OS process ID.
    fn is_process(self, id: u32) -> bool {
        self.trace.with(|trace| trace.as_ref().is_some_and(|trace| trace.os_process == id))
            || self.threads.with(|threads| threads.as_ref().is_some_and(|threads| threads.os_process.contains(&id)))
    }

    /// Returns the name of an event type.
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

pub fn row_of_thread(threads: &tables::Threads, thread: ThreadId) -> Option<usize> {
    threads.thread.iter().position(|id| *id == thread.0)
}
