//! Colours by name: what a draw list says, and the custom property of the style sheet that holds the value.

macro_rules! tokens {
    ($($(#[$doc:meta])* $name:ident = $property:literal),* $(,)?) => {
        /// A colour of the style sheet.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Token { $($(#[$doc])* $name),* }

        impl Token {
            /// All of them, in the order of declaration.
            pub const ALL: &[Token] = &[$(Token::$name),*];

            /// The custom property that holds the value.
            pub fn property(self) -> &'static str {
                match self { $(Token::$name => $property),* }
            }
        }
    };
}

tokens! {
    /// Behind data.
    Panel = "--bg-panel",
    /// Behind bars and group headings.
    App = "--bg-app",
    /// Wells and folded parts.
    Sunken = "--bg-sunken",
    /// Grid lines.
    LineFaint = "--line-faint",
    /// Between rows.
    Line = "--line",
    /// Ruler ticks.
    LineStrong = "--line-strong",
    /// Text.
    Text = "--text",
    /// Text next to stronger text.
    Text2 = "--text-2",
    /// Captions, the crosshair.
    Text3 = "--text-3",
    /// Density without a meaning of its own.
    Neutral = "--n-400",
    /// The same, paler: the most frequent of several neutral things.
    NeutralSoft = "--box",
    /// The same, stronger.
    NeutralStrong = "--n-600",
    /// Selection.
    Accent = "--accent",
    /// The same, pale.
    AccentSoft = "--accent-soft",
    /// Text on the selection colour.
    AccentOn = "--accent-on",
    /// Lines of the selection.
    AccentLine = "--accent-line",
    /// Managed code.
    Managed = "--cat-managed",
    /// Text on it.
    ManagedOn = "--cat-managed-on",
    /// Framework code, code that waits below.
    ManagedSoft = "--cat-managed-soft",
    /// Outside managed code.
    External = "--cat-external",
    /// The same, wide and pale.
    ExternalSoft = "--cat-external-soft",
    /// Pause of a generation 0 collection.
    Gen0 = "--cat-gc0",
    /// Pause of a generation 1 collection.
    Gen1 = "--cat-gc1",
    /// Pause of a generation 2 collection.
    Gen2 = "--cat-gc2",
    /// The latter as a text colour.
    Gen2Ink = "--cat-gc2-ink",
    /// Text on generation 0.
    Gen0On = "--cat-gc0-on",
    /// Text on generation 2.
    Gen2On = "--cat-gc2-on",
    /// Background collection.
    Background = "--cat-gcbg",
    /// The same, pale.
    BackgroundSoft = "--cat-gcbg-soft",
    /// The same, as a text colour.
    BackgroundInk = "--cat-gcbg-ink",
    /// Exception.
    Exception = "--cat-exc",
    /// The same, as a text colour.
    ExceptionInk = "--cat-exc-ink",
    /// Exception, pale.
    ExceptionSoft = "--cat-exc-soft",
    /// Compilation.
    Jit = "--cat-jit",
    /// The same, pale.
    JitSoft = "--cat-jit-soft",
    /// Requests and other input and output.
    Io = "--cat-io",
    /// The same, pale.
    IoSoft = "--cat-io-soft",
    /// Starts and stops of the program's own.
    Span = "--cat-span",
    /// The same, pale.
    SpanSoft = "--cat-span-soft",
    /// Blocked on a task or handle.
    Blocked = "--cat-task",
    /// Waiting for a lock.
    Lock = "--cat-lock",
    /// The same, pale.
    LockSoft = "--cat-lock-soft",
    /// Lost events.
    Lost = "--cat-lost",
    /// Ground of lost events.
    LostSoft = "--cat-lost-soft",
    /// A message that warns.
    Warning = "--warn",
    /// A message of an error.
    Danger = "--danger",
    /// A pause that crosses all threads.
    PauseBand = "--band-gc",
    /// A long pause that crosses all threads.
    LongPauseBand = "--band-gc2",
    /// Over everything outside the range.
    Veil = "--veil",
    /// Ground of a hatch: waiting, idle or native.
    WaitingSoft = "--cat-wait-soft",
    /// Lines of a hatch.
    HatchLine = "--hatch-line",
}

/// How an area is filled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fill {
    /// Evenly.
    Solid(Token),
    /// With opacity: 1 sparse … 4 dense.
    Shade(Token, u8),
    /// Hatched: waiting, idle or native.
    Waiting,
    /// Sparsely hatched: nothing is known.
    Unknown,
    /// Striped: background collection.
    BackgroundGc,
    /// Hatched densely: events were lost.
    Lost,
}

impl Fill {
    /// Opacity of a density level, 1 to 4.
    pub fn opacity(level: u8) -> f64 {
        [0.0, 0.22, 0.42, 0.66, 0.92][usize::from(level.min(4))]
    }

    /// The level for a share of covered time, none if too little to show.
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
}

impl Token {
    /// The colour that this is the pale variant of, for things that may be outlined.
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
