//! Track of log messages, by level.

use super::interval_look::{Look, Shape, solid};
use crate::draw::palette::{Fill, Token};
use protocol::tables::shade;

/// Unknown, Critical, Error, Warning, Information, Debug and Trace.
const COLORS: &[(Fill, Fill)] = &[
    solid(Token::Text3, Token::Text3),
    solid(Token::Danger, Token::Danger),
    solid(Token::Danger, Token::Danger),
    solid(Token::Warning, Token::Warning),
    solid(Token::Neutral, Token::Neutral),
    solid(Token::Text3, Token::Text3),
];

/// Look of log messages.
pub const LOOK: Look = Look {
    shape: Shape::Levels,
    lines: |item, _| {
        let level = level_words(item.intervals.shade[item.row]);
        vec![("Level", level.to_owned()), ("Logger", item.note().to_owned())]
    },
    ..Look::new("message", 16.0, COLORS)
};

/// Returns the display name of a log level.
fn level_words(level: u8) -> &'static str {
    match level {
        shade::LEVEL_CRITICAL => "critical",
        shade::LEVEL_ERROR => "error",
        shade::LEVEL_WARNING => "warning",
        shade::LEVEL_INFORMATION => "information",
        shade::LEVEL_DEBUG => "debug",
        shade::LEVEL_TRACE => "trace",
        _ => "",
    }
}
