//! Tracks of spans: those of the app's own event sources, and activities across threads.

use super::interval_look::{Look, solid};
use crate::draw::palette::{Fill, Token};

/// By [`protocol::tables::span_shade`]: the app's own spans, I/O, JIT, GC, tasks, exception handlers.
const COLORS: &[(Fill, Fill)] = &[
    solid(Token::Span, Token::SpanSoft),
    solid(Token::Io, Token::IoSoft),
    solid(Token::Jit, Token::JitSoft),
    solid(Token::Gen1, Token::BackgroundSoft),
    solid(Token::External, Token::ExternalSoft),
    solid(Token::Exception, Token::ExceptionSoft),
];

/// Look of the app's own spans.
pub const OWN: Look = Look::new("span", 14.0, &[solid(Token::Span, Token::SpanSoft)]);

pub const ACTIVITIES: Look = Look::new("activity", 13.0, COLORS);

/// Look of the spans of a thread.
pub const OF_THREADS: Look = Look::new("span", 13.0, COLORS);
