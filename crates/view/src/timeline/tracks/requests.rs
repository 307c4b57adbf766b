//! Tracks of incoming and outgoing HTTP requests.

use super::interval_look::{Look, solid};
use crate::draw::palette::Token;

/// Look of incoming requests.
pub const INCOMING: Look = Look::new("request", 14.0, &[solid(Token::Io, Token::IoSoft)]);

/// Look of outgoing requests.
pub const OUTGOING: Look = Look::new("request", 14.0, &[solid(Token::Outgoing, Token::IoSoft)]);
