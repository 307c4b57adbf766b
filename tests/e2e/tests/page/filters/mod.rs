mod buttons;
mod chips;
mod counts_agree;
mod panels;
mod typed;
mod words;
