//! Track of loads: assemblies, modules and types.

use super::interval_look::{Look, solid};
use crate::draw::palette::Token;

/// Look of loads.
pub const LOOK: Look = Look {
    lines: |item, _| vec![("Kind", item.note().to_owned())],
    ..Look::new("load", 5.0, &[solid(Token::External, Token::ExternalSoft)])
};
