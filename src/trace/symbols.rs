//! Files that have more about the code of the open trace than the trace itself.

use crate::app::state::{App, Screen};
use leptos::prelude::*;
use protocol::Answer;
use wasm_bindgen_futures::spawn_local;
use web_sys::File;

impl App {
    /// Whether a file of this name is meant for the trace that is open.
    pub fn is_for_open_trace(self, name: &str) -> bool {
        let is_perf_map = name.starts_with("perf-") && name.ends_with(".map");
        let is_pdb = name.to_ascii_lowercase().ends_with(".pdb");
        (is_perf_map || is_pdb) && self.screen.get_untracked() == Screen::Workspace
    }

    /// Takes names or lines of code from a file, and says what it brought.
    pub fn add_symbols(self, file: File) {
        let client = self.client();
        spawn_local(async move {
            match client.add_symbols(file).await.map(|reply| reply.answer) {
                Ok(Answer::SymbolsAdded(words)) => {
                    self.shell.say(words);
                    self.revision.update(|revision| *revision += 1);
                }
                Ok(_) => {}
                Err(failure) => self.shell.say(failure.to_string()),
            }
        });
    }
}
