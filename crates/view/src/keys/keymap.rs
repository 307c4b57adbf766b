//! All commands of the page, in one table for buttons, menus, the palette, the list of shortcuts and the documentation.
//!
//! A key belongs to the part of the page that has the focus; keys that this part doesn't use go to
//! [`Scope::Everywhere`].

mod scope;
mod table;
mod tabs;

pub use scope::Scope;
use table::NAMES;
pub use table::{Command, KEYS, synonyms};
use tabs::TABS;

/// Key with its modifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chord {
    key: Key,
    with_control: bool,
    with_alt: bool,
    shift: Shift,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Key {
    /// Position on the keyboard, independent of the layout (`KeyboardEvent.code`).
    Place(&'static str),
    /// Value of the key (`KeyboardEvent.key`).
    Meaning(&'static str),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shift {
    Up,
    Down,
    /// Any state: signs need Shift on some keyboards and not on others.
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

const fn control_named(key: &'static str) -> Chord {
    Chord { key: Key::Meaning(key), with_control: true, with_alt: false, shift: Shift::Up }
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

/// Pressed key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct KeyPress<'a> {
    /// `KeyboardEvent.code`.
    pub code: &'a str,
    /// `KeyboardEvent.key`.
    pub key: &'a str,
    /// Control, or Command on a Mac.
    pub control: bool,
    pub shift: bool,
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

    /// Returns the display text, one part per key: "Ctrl", "K".
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
            Key::Meaning("ContextMenu") => "Menu",
            Key::Meaning("PageUp") => "Page Up",
            Key::Meaning("PageDown") => "Page Down",
            Key::Meaning(key) => key,
        });
        parts
    }
}

/// Command with its shortcuts in a part of the page.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    pub command: Command,
    /// Part of the page.
    pub scope: Scope,
    /// Shortcuts, any of which triggers the command.
    pub chords: &'static [Chord],
    pub name: &'static str,
}

impl Binding {
    /// Returns the first shortcut, for menus; empty if there is none.
    pub fn keys(&self, is_mac: bool) -> String {
        self.chords.first().map(|chord| chord.parts(is_mac).join(" ")).unwrap_or_default()
    }

    /// Returns the tooltip of a button: the name, and the first shortcut if there is one.
    pub fn title(&self, is_mac: bool) -> String {
        let keys = self.keys(is_mac);
        if keys.is_empty() { self.name.to_owned() } else { format!("{} ({keys})", self.name) }
    }
}

impl Command {
    /// Returns the name in the page for tests. Unlike [`Self::id`], it distinguishes analyses.
    pub fn name(self) -> String {
        format!("{self:?}")
    }
}

/// Returns all commands, with and without shortcuts.
pub fn bindings() -> impl Iterator<Item = &'static Binding> + Clone {
    KEYS.iter().chain(&NAMES).chain(&TABS)
}

/// Returns the binding of a command in a part of the page.
pub fn binding(scope: Scope, command: Command) -> Option<&'static Binding> {
    bindings().find(|binding| binding.scope == scope && binding.command == command)
}

/// Returns the command of a key in a part of the page.
pub fn command_for(scope: Scope, press: &KeyPress<'_>) -> Option<Command> {
    let in_scope = |scope| {
        let matches =
            |binding: &&Binding| binding.scope == scope && binding.chords.iter().any(|chord| chord.matches(press));
        KEYS.iter().find(matches).map(|binding| binding.command)
    };
    in_scope(scope).or_else(|| in_scope(Scope::Everywhere))
}

/// Returns whether a shortcut also works while the user types.
pub fn works_while_typing(press: &KeyPress<'_>) -> bool {
    press.control || press.key == "Escape"
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::topics::topic::Topic;

    fn overlap(one: Chord, other: Chord) -> bool {
        let shift = one.shift == other.shift || one.shift == Shift::Whatever || other.shift == Shift::Whatever;
        one.key == other.key && one.with_control == other.with_control && one.with_alt == other.with_alt && shift
    }

    #[test]
    fn shortcuts_are_unique_per_scope() {
        for (position, one) in KEYS.iter().enumerate() {
            for other in KEYS[position + 1..].iter().filter(|other| other.scope == one.scope) {
                for (first, second) in one.chords.iter().flat_map(|a| other.chords.iter().map(move |b| (*a, *b))) {
                    assert!(!overlap(first, second), "{:?}: {} and {}", one.scope, one.name, other.name);
                }
            }
        }
    }

    #[test]
    fn commands_and_names_are_unique_per_scope() {
        for (position, one) in bindings().enumerate() {
            let mut others = bindings().skip(position + 1).filter(|other| other.scope == one.scope);
            assert!(others.all(|other| other.command != one.command && other.name != one.name), "{}", one.name);
        }
    }

    #[test]
    fn commands_are_found_by_scope() {
        let csv = binding(Scope::Events, Command::CopyCsv).expect("a command");
        assert_eq!(
            (csv.name, csv.keys(false), csv.title(false)),
            ("Copy as CSV", String::new(), "Copy as CSV".to_owned())
        );
        let search = binding(Scope::Everywhere, Command::Search).expect("a command");
        assert_eq!((search.title(false).as_str(), Command::Search.id()), ("Search (/)", "Search"));
        assert!(Command::ZoomIn.is_motion() && !Command::Search.is_motion());
        assert!(bindings().any(|binding| binding.command == Command::ShowTopic(Topic::Gc)));
        assert!(synonyms(Scope::Everywhere, Command::ToggleTheme).contains("dark"));
        assert_eq!(Command::ShowTopic(Topic::Gc).name(), "ShowTopic(Gc)");
    }

    #[test]
    fn focused_scope_takes_precedence() {
        let letter = |code| KeyPress { code, key: "x", ..KeyPress::default() };
        assert_eq!(command_for(Scope::Timeline, &letter("KeyW")), Some(Command::ZoomIn));
        assert_eq!(command_for(Scope::Stacks, &letter("KeyW")), None);
        assert_eq!(command_for(Scope::Tracks, &letter("Digit2")), Some(Command::ShowStacks));
        assert_eq!(command_for(Scope::Timeline, &letter("Digit0")), Some(Command::Fit));
    }

    #[test]
    fn modifiers_must_match_except_for_signs() {
        let press = KeyPress { code: "KeyF", key: "f", ..KeyPress::default() };
        assert_eq!(command_for(Scope::Timeline, &press), Some(Command::FitSelection));
        assert_eq!(command_for(Scope::Timeline, &KeyPress { control: true, ..press }), Some(Command::Search));
        assert_eq!(command_for(Scope::Timeline, &KeyPress { alt: true, ..press }), None);
        let slash = KeyPress { code: "Digit7", key: "/", shift: true, ..KeyPress::default() };
        assert_eq!(command_for(Scope::Everywhere, &slash), Some(Command::Search));
    }

    #[test]
    fn keys_have_printed_names() {
        assert_eq!(control("KeyO").parts(true), ["⌘", "O"]);
        assert_eq!(shifted("KeyT").parts(false), ["Shift", "T"]);
        assert_eq!(named("ArrowLeft").parts(false), ["←"]);
        assert_eq!(alt("ArrowUp").parts(false), ["Alt", "↑"]);
    }
}
