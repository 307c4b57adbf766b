//! Symbol files for the open trace.

use crate::app::state::{App, Screen};
use leptos::prelude::*;
use protocol::Answer;
use wasm_bindgen_futures::spawn_local;
use web_sys::File;

impl App {
    /// Returns whether a file with this name is a symbol file for the open trace.
    pub fn is_for_open_trace(self, name: &str) -> bool {
        let is_perf_map = name.starts_with("perf-") && name.ends_with(".map");
        let is_pdb = name.to_ascii_lowercase().ends_with(".pdb");
        (is_perf_map || is_pdb) && self.screen.get_untracked() == Screen::Workspace
    }

    /// Adds symbols or source lines from a file, and shows a confirmation.
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
