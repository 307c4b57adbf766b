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
        let level = shade::level_words(item.intervals.shade[item.row]);
        vec![("Level", level.to_lowercase()), ("Logger", item.note().to_owned())]
    },
    ..Look::new("message", 16.0, COLORS)
};
