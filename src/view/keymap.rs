//! Every key of the page, in one table: it feeds the handlers, the sheet of keys and the documentation.
//!
//! A key belongs to the part of the page that has the focus; what that part does not know falls through to
//! [`Scope::Everywhere`].

mod bindings;

pub use bindings::BINDINGS;

/// Where a key means something.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scope {
    /// Wherever the focus is, unless the focused part has a meaning of its own for the key.
    Everywhere,
    /// The picture of the timeline.
    Timeline,
    /// The list of tracks beside it.
    Tracks,
    /// Flame graph and call tree.
    Stacks,
    /// Tables.
    Tables,
}

impl Scope {
    /// All, in the order of the sheet.
    pub const ALL: [Scope; 5] = [Scope::Everywhere, Scope::Timeline, Scope::Tracks, Scope::Stacks, Scope::Tables];

    /// Its heading.
    pub fn title(self) -> &'static str {
        match self {
            Scope::Everywhere => "Everywhere",
            Scope::Timeline => "Timeline",
            Scope::Tracks => "Tracks",
            Scope::Stacks => "Stacks",
            Scope::Tables => "Tables",
        }
    }
}

/// What a key does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Command {
    /// Show or hide the sheet of keys.
    Help,
    /// Go to the search field.
    Search,
    /// Choose a file.
    Open,
    /// Show the view at this place, from 1.
    ShowTab(u8),
    /// Light or dark.
    ToggleTheme,
    /// Closer.
    ZoomIn,
    /// Farther away.
    ZoomOut,
    /// To earlier times.
    PanEarlier,
    /// To later times.
    PanLater,
    /// Towards the first track.
    ScrollUp,
    /// Towards the last track.
    ScrollDown,
    /// The selected thing as wide as the window; again: the whole trace.
    FitSelection,
    /// The whole trace.
    Fit,
    /// The chosen range, as wide as the window.
    ZoomToRange,
    /// The range is kept as a bookmark; without one, what is shown becomes the range.
    MarkRange,
    /// The time of what is selected becomes the range.
    RangeOfSelection,
    /// The range ends later.
    RangeLonger,
    /// The range ends earlier.
    RangeShorter,
    /// The list of what was kept.
    Bookmarks,
    /// The next thing on the track that has the focus, else the next pause or exception.
    NextMoment,
    /// The one before it.
    PreviousMoment,
    /// To what the selected event leads to.
    FollowOnward,
    /// To what leads to the selected event.
    FollowBack,
    /// The next event that contains what is searched for.
    NextMatch,
    /// The one before it.
    PreviousMatch,
    /// A list of all tracks by name.
    FindTrack,
    /// Keep the track in view, or no longer.
    PinTrack,
    /// Leave the track out.
    HideTrack,
    /// One place up among its siblings.
    MoveUp,
    /// One place down among its siblings.
    MoveDown,
    /// What the track shows, as a table.
    ShowTable,
    /// Give up the drag, then the selection, then the range.
    Clear,
    /// Next row.
    NextRow,
    /// Previous row.
    PreviousRow,
    /// A screenful of rows on.
    NextPage,
    /// A screenful of rows back.
    PreviousPage,
    /// First row.
    FirstRow,
    /// Last row.
    LastRow,
    /// Show what belongs to the row, or go into it.
    Expand,
    /// Hide what belongs to the row, or go out of it.
    Collapse,
    /// Show or hide what belongs to the row.
    ToggleExpanded,
    /// The box above: the caller.
    Outward,
    /// The box below: the heaviest callee.
    Inward,
    /// The neighbouring box to the right.
    NextBox,
    /// The neighbouring box to the left.
    PreviousBox,
    /// The box as wide as the window.
    ZoomToBox,
    /// One step back from [`Command::ZoomToBox`].
    ZoomOutOfBox,
    /// Every row of the stack, or only those with user code.
    ToggleFullStack,
    /// Show everything below the row, or everything.
    ExpandAll,
    /// What is shown, as text in the clipboard.
    CopyText,
    /// Choose the row.
    Choose,
    /// Narrow every view to the row, or widen again.
    FilterTo,
    /// The menu of what has the focus.
    Menu,
    /// Only what goes through the function, from it on.
    FocusFunction,
    /// Only what goes through this call, from it on.
    FocusNode,
    /// Only stacks with the function.
    KeepFunction,
    /// Without stacks with the function.
    DropFunction,
    /// The function is left out of stacks.
    MergeFunction,
    /// This call is left out of stacks.
    MergeNode,
    /// What the function calls becomes part of it.
    CollapseFunction,
    /// Functions of its module that call each other become one.
    CollapseModule,
    /// Calls of the function out of itself become one.
    CollapseRecursion,
    /// The frames that a folded one stands for.
    ShowFamily,
    /// Every view shows only what has the function on the stack.
    NarrowToFunction,
    /// Callers and callees of the function.
    Pivot,
    /// Leaves become roots.
    InvertStacks,
    /// .NET's own frames are folded, or not.
    JustMyCode,
    /// Takes back what was done last to stacks.
    UndoTransform,
}

/// A key with its modifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chord {
    key: Key,
    with_control: bool,
    with_alt: bool,
    shift: Shift,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Key {
    /// A place on the keyboard, whatever is printed on it (`KeyboardEvent.code`).
    Place(&'static str),
    /// What the key types or does (`KeyboardEvent.key`).
    Meaning(&'static str),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shift {
    Up,
    Down,
    /// Signs need Shift on some keyboards and not on others.
    Whatever,
}

const fn place(code: &'static str) -> Chord {
    Chord { key: Key::Place(code), with_control: false, with_alt: false, shift: Shift::Up }
}

const fn named(key: &'static str) -> Chord {
    Chord { key: Key::Meaning(key), with_control: false, with_alt: false, shift: Shift::Up }
}

const fn sign(key: &'static str) -> Chord {
    Chord { key: Key::Meaning(key), with_control: false, with_alt: false, shift: Shift::Whatever }
}

const fn control(code: &'static str) -> Chord {
    Chord { key: Key::Place(code), with_control: true, with_alt: false, shift: Shift::Up }
}

const fn shifted(code: &'static str) -> Chord {
    Chord { key: Key::Place(code), with_control: false, with_alt: false, shift: Shift::Down }
}

const fn shift_named(key: &'static str) -> Chord {
    Chord { key: Key::Meaning(key), with_control: false, with_alt: false, shift: Shift::Down }
}

const fn alt(key: &'static str) -> Chord {
    Chord { key: Key::Meaning(key), with_control: false, with_alt: true, shift: Shift::Up }
}

/// A key that was pressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct KeyPress<'a> {
    /// `KeyboardEvent.code`.
    pub code: &'a str,
    /// `KeyboardEvent.key`.
    pub key: &'a str,
    /// Control, or Command on a Mac.
    pub control: bool,
    /// Shift.
    pub shift: bool,
    /// Alt, or Option.
    pub alt: bool,
}

impl Chord {
    fn matches(self, press: &KeyPress<'_>) -> bool {
        let shift = match self.shift {
            Shift::Up => !press.shift,
            Shift::Down => press.shift,
            Shift::Whatever => true,
        };
        let key = match self.key {
            Key::Place(code) => code == press.code,
            Key::Meaning(key) => key == press.key,
        };
        key && shift && press.control == self.with_control && press.alt == self.with_alt
    }

    /// How it is written, one part a key: "Ctrl", "K".
    pub fn parts(self, is_mac: bool) -> Vec<&'static str> {
        let mut parts = Vec::new();
        if self.with_control {
            parts.push(if is_mac { "⌘" } else { "Ctrl" });
        }
        if self.with_alt {
            parts.push(if is_mac { "⌥" } else { "Alt" });
        }
        if self.shift == Shift::Down {
            parts.push("Shift");
        }
        parts.push(match self.key {
            Key::Place(code) => code.strip_prefix("Key").or_else(|| code.strip_prefix("Digit")).unwrap_or(code),
            Key::Meaning("ArrowLeft") => "←",
            Key::Meaning("ArrowRight") => "→",
            Key::Meaning("ArrowUp") => "↑",
            Key::Meaning("ArrowDown") => "↓",
            Key::Meaning("Escape") => "Esc",
            Key::Meaning(" ") => "Space",
            Key::Meaning(key) => key,
        });
        parts
    }
}

/// A line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// What it does.
    pub command: Command,
    /// Where.
    pub scope: Scope,
    /// By which keys; any of them.
    pub chords: &'static [Chord],
    /// In words, for the sheet.
    pub words: &'static str,
}

const fn bind(scope: Scope, command: Command, chords: &'static [Chord], words: &'static str) -> Binding {
    Binding { command, scope, chords, words }
}

/// What a key means in a part of the page.
pub fn command_for(scope: Scope, press: &KeyPress<'_>) -> Option<Command> {
    let in_scope = |scope| {
        let matches =
            |binding: &&Binding| binding.scope == scope && binding.chords.iter().any(|chord| chord.matches(press));
        BINDINGS.iter().find(matches).map(|binding| binding.command)
    };
    in_scope(scope).or_else(|| in_scope(Scope::Everywhere))
}

/// Whether a command may also be given while a text is being typed.
pub fn works_while_typing(press: &KeyPress<'_>) -> bool {
    press.control || press.key == "Escape"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlap(one: Chord, other: Chord) -> bool {
        let shift = one.shift == other.shift || one.shift == Shift::Whatever || other.shift == Shift::Whatever;
        one.key == other.key && one.with_control == other.with_control && one.with_alt == other.with_alt && shift
    }

    #[test]
    fn no_key_means_two_things_in_one_place() {
        for (position, one) in BINDINGS.iter().enumerate() {
            for other in BINDINGS[position + 1..].iter().filter(|other| other.scope == one.scope) {
                for (first, second) in one.chords.iter().flat_map(|a| other.chords.iter().map(move |b| (*a, *b))) {
                    assert!(!overlap(first, second), "{:?}: {} and {}", one.scope, one.words, other.words);
                }
            }
        }
    }

    #[test]
    fn the_focused_part_comes_first_and_the_rest_falls_through() {
        let letter = |code| KeyPress { code, key: "x", ..KeyPress::default() };
        assert_eq!(command_for(Scope::Timeline, &letter("KeyW")), Some(Command::ZoomIn));
        assert_eq!(command_for(Scope::Stacks, &letter("KeyW")), None);
        assert_eq!(command_for(Scope::Tracks, &letter("Digit2")), Some(Command::ShowTab(2)));
        assert_eq!(command_for(Scope::Timeline, &letter("Digit0")), Some(Command::Fit));
    }

    #[test]
    fn modifiers_must_agree_except_where_a_sign_needs_them() {
        let press = KeyPress { code: "KeyF", key: "f", ..KeyPress::default() };
        assert_eq!(command_for(Scope::Timeline, &press), Some(Command::FitSelection));
        assert_eq!(command_for(Scope::Timeline, &KeyPress { control: true, ..press }), Some(Command::Search));
        assert_eq!(command_for(Scope::Timeline, &KeyPress { alt: true, ..press }), None);
        let slash = KeyPress { code: "Digit7", key: "/", shift: true, ..KeyPress::default() };
        assert_eq!(command_for(Scope::Everywhere, &slash), Some(Command::Search));
    }

    #[test]
    fn keys_are_written_as_they_are_printed() {
        assert_eq!(control("KeyO").parts(true), ["⌘", "O"]);
        assert_eq!(shifted("KeyT").parts(false), ["Shift", "T"]);
        assert_eq!(named("ArrowLeft").parts(false), ["←"]);
        assert_eq!(alt("ArrowUp").parts(false), ["Alt", "↑"]);
    }
}
