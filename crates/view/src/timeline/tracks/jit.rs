//! Tracks of the JIT: compilations, and batches of background compilation.

use super::interval_look::{Look, solid};
use crate::draw::palette::{Fill, Token};
use protocol::tables::code_row;

/// Quickly compiled code, optimized code.
const COLORS: &[(Fill, Fill)] =
    &[(Fill::Shade(Token::Jit, 2), Fill::Solid(Token::JitSoft)), solid(Token::Jit, Token::JitSoft)];

pub const COMPILATIONS: Look = Look {
    lines: |item, _| {
        let is_background = item.intervals.row[item.row] == code_row::BACKGROUND;
        let reason = if is_background { "tier-up (background)" } else { "first call" };
        vec![("Tier", item.note().to_owned()), ("Reason", reason.to_owned())]
    },
    ..Look::new("method", 7.0, COLORS)
};

/// Look of batches of background compilation.
pub const BATCHES: Look =
    Look { lines: |item, _| vec![("Methods", item.note().to_owned())], ..Look::new("batch", 7.0, COLORS) };
