mod dialogs;
mod keyboard_only;
mod palette;
