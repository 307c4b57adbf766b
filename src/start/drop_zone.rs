//! Opening of local files: picker, drag and drop, paste.

use crate::app::shell::{Chosen, Shell};
use crate::trace::files;
use crate::widgets::icon::{DROP, Icon};
use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use web_sys::{DataTransfer, File};

/// File picker of the page.
#[derive(Clone, Copy)]
pub struct Picker {
    input: NodeRef<html::Input>,
    shell: Shell,
}

impl Picker {
    /// Opens the browser's file dialog.
    pub fn open(self) {
        if files::are_kept() {
            return files::pick(self.shell);
        }
        if let Some(input) = self.input.get_untracked() {
            // Allows choosing the same file again.
            input.set_value("");
            input.click();
        }
    }
}

/// Provides the picker as context.
pub fn provide_picker(shell: Shell) -> Picker {
    let picker = Picker { input: NodeRef::new(), shell };
    provide_context(picker);
    picker
}

/// Input element of the picker, and the overlay while a file is dragged over the window.
#[component]
pub fn DropTarget(picker: Picker) -> impl IntoView {
    let shell = expect_context::<Shell>();
    // Enter and leave events occur for each element under the pointer, so their balance is counted.
    let depth = RwSignal::new(0_i32);
    let handles = [
        window_event_listener_untyped("dragenter", move |event| {
            event.prevent_default();
            depth.update(|depth| *depth += 1);
        }),
        window_event_listener_untyped("dragleave", move |_| depth.update(|depth| *depth = (*depth - 1).max(0))),
        window_event_listener_untyped("dragover", |event| event.prevent_default()),
        window_event_listener(ev::drop, move |event| {
            event.prevent_default();
            depth.set(0);
            open_from(shell, event.data_transfer());
        }),
        window_event_listener(ev::paste, move |event| {
            if open_from(shell, event.clipboard_data()) {
                event.prevent_default();
            }
        }),
    ];
    on_cleanup(move || handles.into_iter().for_each(|handle| handle.remove()));
    let chosen = move |_| {
        let file = picker.input.get_untracked().and_then(|input| input.files()).and_then(|files| files.get(0));
        if let Some(file) = file {
            shell.open(Chosen::File(file));
        }
    };
    view! {
        <input
            type="file"
            class="sr"
            tabindex="-1"
            multiple=true
            aria-hidden="true"
            data-testid="file-input"
            node_ref=picker.input
            on:change=chosen
        />
        <Show when=move || { depth.get() > 0 }>
            <div class="dropcover" data-testid="drop-cover">
                <div>
                    <Icon shape=DROP/>
                    "Drop the trace to open it"
                </div>
            </div>
        </Show>
    }
}

fn open_from(shell: Shell, data: Option<DataTransfer>) -> bool {
    let Some(data) = data else { return false };
    files::dropped(&data);
    let file: Option<File> = data.files().and_then(|files| files.get(0));
    let found = file.is_some();
    if let Some(file) = file {
        shell.open(Chosen::File(file));
    }
    found
}
