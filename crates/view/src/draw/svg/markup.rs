//! Numbers, texts and attributes of SVG.

use super::theme::Color;
use crate::draw::units::{CssPx, Rect};
use std::fmt::{self, Display, Formatter, Write};

/// Number with at most two decimals.
#[derive(Clone, Copy)]
pub struct Number(pub f64);

impl Display for Number {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let hundredths = (self.0 * 100.0).round();
        // Also "-0".
        if hundredths == 0.0 || !hundredths.is_finite() {
            formatter.write_char('0')
        } else {
            (hundredths / 100.0).fmt(formatter)
        }
    }
}

/// Text as content of an element or value of an attribute. Characters that XML forbids are replaced.
#[derive(Clone, Copy)]
pub struct Escaped<'a>(pub &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        for one in self.0.chars() {
            match one {
                '&' => formatter.write_str("&amp;")?,
                '<' => formatter.write_str("&lt;")?,
                '>' => formatter.write_str("&gt;")?,
                '"' => formatter.write_str("&quot;")?,
                '\'' => formatter.write_str("&#39;")?,
                '\t' | '\n' | '\r' => formatter.write_char(' ')?,
                '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => formatter.write_char('\u{fffd}')?,
                one => formatter.write_char(one)?,
            }
        }
        Ok(())
    }
}

/// Attribute with a color: `fill` or `stroke`.
#[derive(Clone, Copy)]
pub struct Paint(pub &'static str, pub Color);

impl Display for Paint {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self(attribute, Color { red, green, blue, alpha }) = *self;
        write!(formatter, r##" {attribute}="#{red:02x}{green:02x}{blue:02x}""##)?;
        match alpha {
            u8::MAX => Ok(()),
            alpha => write!(formatter, r#" {attribute}-opacity="{}""#, Number(f64::from(alpha) / 255.0)),
        }
    }
}

/// Attributes of a box.
#[derive(Clone, Copy)]
pub struct Area(pub Rect);

impl Display for Area {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self(Rect { x, y, width, height }) = *self;
        let (width, height) = (width.max(0.0), height.max(0.0));
        let [x, y, width, height] = [x, y, width, height].map(Number);
        write!(formatter, r#" x="{x}" y="{y}" width="{width}" height="{height}""#)
    }
}

/// Position in the data of a path.
#[derive(Clone, Copy)]
pub struct Point(pub CssPx, pub CssPx);

impl Display for Point {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", Number(self.0), Number(self.1))
    }
}

/// Appends formatted markup. Writing into a string can't fail.
macro_rules! append {
    ($out:expr, $($format:tt)*) => {
        _ = std::fmt::Write::write_fmt($out, format_args!($($format)*))
    };
}
pub(super) use append;
