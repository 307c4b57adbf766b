//! Colors and widths of characters of a picture.

use crate::draw::drawlist::CharacterWidths;
use crate::draw::palette::Token;

/// Color with its opacity.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Color {
    pub red: u8,
    pub green: u8,
    pub blue: u8,
    /// Opacity.
    pub alpha: u8,
}

impl Color {
    /// Returns the color with a share of its opacity.
    pub fn faded(self, opacity: f64) -> Self {
        Self { alpha: (f64::from(self.alpha) * opacity).round() as u8, ..self }
    }
}

/// Theme of a picture.
#[derive(Clone, PartialEq, Debug)]
pub struct Theme {
    colors: Vec<Color>,
    pub characters: CharacterWidths,
}

impl Theme {
    /// Creates a theme; `color` returns the value of a color.
    pub fn new(characters: CharacterWidths, color: impl FnMut(&Token) -> Color) -> Self {
        Self { colors: Token::ALL.iter().map(color).collect(), characters }
    }

    pub fn color(&self, token: Token) -> Color {
        self.colors.get(token as usize).copied().unwrap_or_default()
    }
}
