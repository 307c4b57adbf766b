//! Bytes part of the Metadata tab: any byte of the file with its meaning.

use super::cursor::{Explained, FileCursor};
use super::hex::{Bytes, HexGrid};
use super::section_head::{ItemHead, SectionHead};
use super::structure_tree::StructureTree;
use crate::trace::live_query::Trouble;
use leptos::prelude::*;
use view::file::hex_line::digits;
use view::format;
use view::keys::keymap::{Command, Scope};

/// Maximum number of bytes in the line about a part.
const SHOWN_BYTES: usize = 16;

/// Bytes of the file beside the structure of the block at the cursor.
#[component]
pub fn BytesPane(
    cursor: FileCursor,
    /// True if it is visible.
    open: Memo<bool>,
) -> impl IntoView {
    let bytes = Bytes::new(cursor, open);
    let can = move |command: Command| {
        open.get_untracked() && matches!(command, Command::CopyText | Command::NextPart | Command::PreviousPart)
    };
    cursor.app.actions.offer(Scope::Bytes, can, move |command| bytes.act(command));
    view! {
        <section class="pane tall bytes" aria-label="Bytes">
            <SectionHead cursor with_bytes=false/>
            <Trouble failure=cursor.failure/>
            <div class="both">
                <HexGrid bytes open/>
                <div class="parts-of" on:mouseleave=move |_| cursor.hovered.set((0, 0))>
                    <ItemHead cursor/>
                    <StructureTree cursor open testid="structure"/>
                </div>
            </div>
            <p class="why" role="status" data-testid="byte-field">{move || about(bytes)}</p>
        </section>
    }
}

/// Returns the description of the part under the pointer or at the cursor.
fn about(bytes: Bytes) -> Option<impl IntoView> {
    let Explained { offset, bytes: count, name, value, section, meaning } = bytes.explained()?;
    let raw = digits(&bytes.known_bytes(offset, count.min(SHOWN_BYTES as u64 + 1)), SHOWN_BYTES);
    let place = match count {
        0 => format!("Empty, before {}.", format::offset(offset)),
        1 => format!("Byte {}: {raw}.", format::offset(offset)),
        _ => format!("{} from {}: {raw}.", format::counted(count, "byte"), format::offset(offset)),
    };
    Some(view! {
        <b data-testid="byte-name">{name}</b>
        <span class="value" data-testid="byte-value">{value}</span>
        <span class="raw">{place}</span>
        <span>{meaning}</span>
        <span class="section">{section}</span>
    })
}
