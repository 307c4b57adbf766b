//! Tracks of incoming and outgoing HTTP requests.

use super::interval_look::{Look, solid};
use crate::draw::palette::Token;

/// Look of requests.
pub const LOOK: Look = Look::new("request", 14.0, &[solid(Token::Io, Token::IoSoft)]);
