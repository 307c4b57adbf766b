//! Browser tests of filters across tabs.

mod buttons;
mod chips;
mod counts_agree;
mod panels;
mod typed;
mod words;
