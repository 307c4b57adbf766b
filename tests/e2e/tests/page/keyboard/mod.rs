//! Browser tests of keyboard use, dialogs and the palette.

mod dialogs;
mod keyboard_only;
mod palette;
