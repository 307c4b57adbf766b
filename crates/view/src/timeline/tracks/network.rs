//! Track of network operations other than requests.

use super::interval_look::{Look, solid};
use crate::draw::palette::Token;

/// Look of network operations.
pub const LOOK: Look = Look::new("operation", 7.0, &[solid(Token::Io, Token::IoSoft)]);
