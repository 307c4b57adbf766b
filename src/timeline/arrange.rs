//! Arranging the tracks: what was chosen goes to the address and comes from it; a track is brought into view.

use super::stage::Stage;
use super::track_headers::text::words;
use crate::address::{link_of_thread, thread_of};
use crate::app::state::Selection;
use leptos::prelude::*;
use std::rc::Rc;
use view::timeline::track_key::TrackKey;
use view::timeline::track_tree::TrackTree;
use view::url::tracks::{TrackChoice, link_of, take_on};

impl Stage {
    /// Reports to the page what is chosen about the tracks.
    pub fn publish_choices(&self) {
        let link = {
            let state = self.state.borrow();
            link_of(&state.choices, &self.at_first, |thread| link_of_thread(&state.threads, thread))
        };
        let order = self.state.borrow().choices.order;
        if self.signals.order.get_untracked() != order {
            self.signals.order.set(order);
        }
        if self.app.timeline.tracks.with_untracked(|shown| *shown != link) {
            self.app.timeline.tracks.set(link);
        }
    }

    /// The page wants these tracks to be chosen.
    pub fn take_on_choices(self: &Rc<Self>, link: &[TrackChoice]) {
        let threads = self.state.borrow().threads.clone();
        let mut choices = self.state.borrow().choices.clone();
        take_on(&mut choices, link, &self.at_first, |link| thread_of(&threads, link));
        let is_new = self.state.borrow().choices != choices;
        if is_new {
            self.choose_tracks(|chosen| *chosen = choices);
        }
    }

    /// Scrolls a track into view.
    pub fn scroll_to(self: &Rc<Self>, key: TrackKey) {
        self.scroll_to_both(key, key);
    }

    /// Scrolls a track into view, and another one with it if there is room for both.
    pub fn scroll_to_both(self: &Rc<Self>, key: TrackKey, other: TrackKey) {
        let Some(elements) = self.elements() else { return };
        let top = {
            let state = self.state.borrow();
            state.layout.scroll_to(key, other, f64::from(elements.scroller.scroll_top()), state.size.1)
        };
        if let Some(top) = top {
            elements.scroller.set_scroll_top(top.ceil() as i32);
        }
        self.follow_scroll();
    }

    /// All tracks by name with the groups that they are in, outermost first; also those that are not shown.
    pub fn all_tracks(&self) -> Vec<(TrackKey, Vec<TrackKey>, String)> {
        let state = self.state.borrow();
        let mut tracks = Vec::new();
        for root in TrackTree::complete(&state.threads, &state.choices) {
            root.visit(&mut Vec::new(), &mut |key, above| {
                let said = words(self.signals, &state.threads, key, state.row_of(key));
                let number = if said.id.is_empty() { String::new() } else { format!(" {}", said.id) };
                // Each process has tracks of the same names.
                let process = above
                    .iter()
                    .find(|group| matches!(group, TrackKey::Process(_)))
                    .map_or_else(String::new, |group| {
                        format!(" · {}", words(self.signals, &state.threads, *group, None).name)
                    });
                tracks.push((key, above.to_vec(), format!("{}{number}{process}", said.name)));
            });
        }
        tracks
    }

    /// Opens the groups that a track is in, unless it is shown already.
    pub fn uncover(self: &Rc<Self>, key: TrackKey) {
        if self.state.borrow().layout.find(key).is_some() {
            return;
        }
        let all = self.all_tracks();
        if let Some((_, above, _)) = all.iter().find(|track| track.0 == key) {
            self.choose_tracks(|choices| choices.uncover(key, above));
        }
    }

    /// Opens the groups that threads are in, scrolls to the first, and draws what a finding says about them.
    pub fn show_threads(self: &Rc<Self>, threads: &[ThreadId]) {
        for thread in threads {
            self.uncover(TrackKey::Thread(*thread));
        }
        if let (Some(first), Some(last)) = (threads.first(), threads.last()) {
            self.scroll_to_both(TrackKey::Thread(*first), TrackKey::Thread(*last));
        }
        self.request_frame();
    }

    /// Shows a track wherever it is: opens its groups, expands it, scrolls to it, and gives it the focus.
    pub fn go_to_track(self: &Rc<Self>, key: TrackKey, above: &[TrackKey]) {
        self.choose_tracks(|choices| {
            choices.uncover(key, above);
            choices.expand(key);
        });
        self.scroll_to(key);
        self.signals.focused.set(key);
        super::track_headers::track_commands::focus_later(key);
        if let TrackKey::Thread(thread) = key {
            self.app.select(Selection::Thread(thread));
        }
    }

    /// Leaves a track or a group out, and says how it comes back.
    pub fn hide(self: &Rc<Self>, key: TrackKey) {
        self.choose_tracks(|choices| choices.hide(key));
        self.app.shell.say("Track hidden. Restore it from the track menu (⋯).".to_owned());
    }
}
