//! Bytes as hexadecimal digits and as text.

use leptos::prelude::*;
use view::file::hex_line::printable;

const A_LINE: usize = 8;

/// Hex dump with eight bytes per line and absolute offsets.
#[component]
pub fn Hex(
    bytes: Vec<u8>,
    /// Absolute offset of the first byte.
    offset: u64,
) -> impl IntoView {
    let lines = bytes.chunks(A_LINE).enumerate().map(|(index, chunk)| {
        let at = format!("{:08X}", offset + (index * A_LINE) as u64);
        let digits: Vec<String> = chunk.iter().map(|byte| format!("{byte:02X}")).collect();
        let text: String = chunk.iter().map(|byte| printable(*byte)).collect();
        view! {
            <li>
                <span class="offset">{at}</span>
                <span>{format!("{:<23}", digits.join(" "))}</span>
                <span class="text">{text}</span>
            </li>
        }
    });
    view! { <ol class="hex" tabindex="0" data-testid="hex">{lines.collect_view()}</ol> }
}
