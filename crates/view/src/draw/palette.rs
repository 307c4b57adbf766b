//! Colors by name, with the custom properties of the style sheet that contain their values.

use super::units::CssPx;
use protocol::named;

named! {
    /// Color of the style sheet.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Token {
        /// Background of data.
        Panel: "--bg-panel";
        /// Background of bars and group headings.
        App: "--bg-app";
        /// Wells and folded parts.
        Sunken: "--bg-sunken";
        /// Grid lines.
        LineFaint: "--line-faint";
        /// Between rows.
        Line: "--line";
        /// Ticks of the ruler.
        LineStrong: "--line-strong";
        Text: "--text";
        /// Secondary text.
        Text2: "--text-2";
        /// Captions, the crosshair.
        Text3: "--text-3";
        /// Density without a specific color.
        Neutral: "--n-400";
        /// Pale variant of [`Token::Neutral`], for the most frequent neutral items.
        NeutralSoft: "--box";
        /// Strong variant of [`Token::Neutral`].
        NeutralStrong: "--n-600";
        Accent: "--accent";
        /// Pale variant of [`Token::Accent`].
        AccentSoft: "--accent-soft";
        /// Text on [`Token::Accent`].
        AccentOn: "--accent-on";
        /// Lines of the selection.
        AccentLine: "--accent-line";
        /// Managed code.
        Managed: "--cat-managed";
        /// Text on [`Token::Managed`].
        ManagedOn: "--cat-managed-on";
        /// Framework code, and code that waits in a callee.
        ManagedSoft: "--cat-managed-soft";
        /// Native code or waiting.
        External: "--cat-external";
        /// Pale variant of [`Token::External`].
        ExternalSoft: "--cat-external-soft";
        /// Pause of a generation 0 GC.
        Gen0: "--cat-gc0";
        /// Pause of a generation 1 GC.
        Gen1: "--cat-gc1";
        /// Pause of a generation 2 GC.
        Gen2: "--cat-gc2";
        /// [`Token::Gen2`] for text.
        Gen2Ink: "--cat-gc2-ink";
        /// Text on [`Token::Gen0`].
        Gen0On: "--cat-gc0-on";
        /// Text on [`Token::Gen2`].
        Gen2On: "--cat-gc2-on";
        Background: "--cat-gcbg";
        /// Pale variant of [`Token::Background`].
        BackgroundSoft: "--cat-gcbg-soft";
        /// [`Token::Background`] for text.
        BackgroundInk: "--cat-gcbg-ink";
        Exception: "--cat-exc";
        /// [`Token::Exception`] for text.
        ExceptionInk: "--cat-exc-ink";
        /// Pale variant of [`Token::Exception`].
        ExceptionSoft: "--cat-exc-soft";
        /// Compilation.
        Jit: "--cat-jit";
        /// Pale variant of [`Token::Jit`].
        JitSoft: "--cat-jit-soft";
        /// Requests and other I/O.
        Io: "--cat-io";
        /// Text on [`Token::Io`].
        IoOn: "--cat-io-on";
        /// Pale variant of [`Token::Io`].
        IoSoft: "--cat-io-soft";
        /// Outgoing requests.
        Outgoing: "--cat-out";
        /// The app's own spans.
        Span: "--cat-span";
        /// Pale variant of [`Token::Span`].
        SpanSoft: "--cat-span-soft";
        /// Blocked on a task or handle.
        Blocked: "--cat-task";
        /// Text on [`Token::Blocked`].
        BlockedOn: "--cat-task-on";
        /// Waiting for a lock.
        Lock: "--cat-lock";
        /// Text on [`Token::Lock`].
        LockOn: "--cat-lock-on";
        /// Pale variant of [`Token::Lock`].
        LockSoft: "--cat-lock-soft";
        Lost: "--cat-lost";
        /// Background of lost events.
        LostSoft: "--cat-lost-soft";
        Warning: "--warn";
        /// Error.
        Danger: "--danger";
        /// Band of a GC pause across all threads.
        PauseBand: "--band-gc";
        /// Veil over everything outside the selected range.
        Veil: "--veil";
        /// Frames with more weight than in the baseline.
        DiffMore: "--diff-more";
        /// Frames with less weight than in the baseline.
        DiffLess: "--diff-less";
        /// Background of a hatch: waiting, idle or native code.
        WaitingSoft: "--cat-wait-soft";
        HatchLine: "--hatch-line";
        /// Stripes and dots on [`Token::Lock`] and [`Token::Blocked`].
        StripeLine: "--stripe-line";
    }
    /// Returns the custom property with the value.
    fn property;
}

/// Number of parts in which [`Fill::Share`] counts.
pub const SHARES: u8 = 64;

/// Fill of an area.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fill {
    Solid(Token),
    /// With an opacity: 1 for sparse to 4 for dense.
    Shade(Token, u8),
    /// With an opacity proportional to a share, in parts of [`SHARES`].
    Share(Token, u8),
    /// Hatched: waiting, idle or native code.
    Waiting,
    /// Dotted: blocked on a task or handle.
    Blocked,
    /// Striped: waiting for a lock.
    LockWait,
    /// Sparsely hatched: unknown.
    Unknown,
    /// Striped: background GC.
    BackgroundGc,
    /// Densely hatched: lost events.
    Lost,
}

impl Fill {
    /// The fills with patterns.
    pub const PATTERNS: [Self; 6] =
        [Self::Waiting, Self::Blocked, Self::LockWait, Self::Unknown, Self::BackgroundGc, Self::Lost];

    /// Returns color and opacity of a plain fill; `None` for patterns.
    pub fn plain(self) -> Option<(Token, f64)> {
        match self {
            Self::Solid(token) => Some((token, 1.0)),
            Self::Shade(token, level) => Some((token, Self::opacity(level))),
            Self::Share(token, parts) => Some((token, f64::from(parts.min(SHARES)) / f64::from(SHARES))),
            _ => None,
        }
    }

    /// Returns the opacity of a density level, 1 to 4.
    fn opacity(level: u8) -> f64 {
        [0.0, 0.22, 0.42, 0.66, 0.92][usize::from(level.min(4))]
    }

    /// Returns the fill for a share of covered time; `None` if the share is too small to show.
    pub fn density(color: Token, share: f64) -> Option<Self> {
        let level = match share {
            share if share < 0.06 => return None,
            share if share <= 0.25 => 1,
            share if share <= 0.5 => 2,
            share if share <= 0.78 => 3,
            _ => 4,
        };
        Some(Self::Shade(color, level))
    }

    /// Returns the pattern; `None` for plain fills.
    pub fn pattern(self) -> Option<Pattern> {
        let lines = |period, width, ground, color| Some(Pattern { period, mark: Mark::Line(width), ground, color });
        match self {
            Self::Solid(_) | Self::Shade(..) | Self::Share(..) => None,
            Self::Waiting => lines(4.0, 1.0, Some(Token::WaitingSoft), Token::HatchLine),
            Self::Blocked => Some(Pattern {
                period: 6.0,
                mark: Mark::Dots(0.8),
                ground: Some(Token::Blocked),
                color: Token::StripeLine,
            }),
            Self::LockWait => lines(4.0, 1.5, Some(Token::Lock), Token::StripeLine),
            Self::Unknown => lines(6.0, 1.0, None, Token::LineStrong),
            Self::BackgroundGc => lines(5.0, 1.5, Some(Token::BackgroundSoft), Token::Background),
            Self::Lost => lines(3.0, 1.0, Some(Token::LostSoft), Token::Text3),
        }
    }
}

/// Marks of a pattern.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Mark {
    /// Diagonal lines of a width.
    Line(CssPx),
    /// Dots of a radius, two in each tile.
    Dots(CssPx),
}

/// Pattern of square tiles.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pattern {
    /// Distance of lines, or side of a tile with dots.
    pub period: CssPx,
    pub mark: Mark,
    /// Color between the marks; `None` if it is transparent.
    pub ground: Option<Token>,
    /// Color of the marks.
    pub color: Token,
}

impl Pattern {
    /// Returns the side of a tile.
    pub fn side(&self) -> CssPx {
        match self.mark {
            Mark::Line(_) => self.period * std::f64::consts::SQRT_2,
            Mark::Dots(_) => self.period,
        }
    }

    /// Returns both coordinates of the dots in a tile of a side.
    pub fn centers(side: CssPx) -> [CssPx; 2] {
        [side / 4.0, side * 3.0 / 4.0]
    }
}

/// Returns the outline of boxes whose color is that of the background, according to `is_ground`: themes with more
/// contrast have no pale colors.
pub fn outline(fill: Fill, is_ground: impl FnOnce(Token) -> bool) -> Option<Token> {
    let Fill::Solid(pale) = fill else { return None };
    pale.strong().filter(|_| is_ground(pale))
}

impl Token {
    /// Returns the color of which this is the pale variant, for items that may be outlined.
    pub fn strong(self) -> Option<Self> {
        Some(match self {
            Self::ManagedSoft => Self::Managed,
            Self::ExternalSoft => Self::External,
            Self::ExceptionSoft => Self::Exception,
            Self::JitSoft => Self::Jit,
            Self::IoSoft => Self::Io,
            Self::SpanSoft => Self::Span,
            Self::LockSoft => Self::Lock,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn density_has_four_visible_levels() {
        let level = |share| Fill::density(Token::Managed, share);
        assert_eq!(level(0.05), None);
        assert_eq!(level(0.1), Some(Fill::Shade(Token::Managed, 1)));
        assert_eq!(level(1.0), Some(Fill::Shade(Token::Managed, 4)));
        assert!((1..4).all(|level| Fill::opacity(level) < Fill::opacity(level + 1)));
    }
}
