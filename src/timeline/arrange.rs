//! Arrangement of tracks: choices in the URL, and scrolling to a track.

use super::stage::Stage;
use super::track_headers::text::words;
use crate::app::signals::SetChanged;
use crate::app::state::Selection;
use leptos::prelude::*;
use protocol::base::ids::ThreadId;
use protocol::topics::topic::Topic;
use std::rc::Rc;
use view::timeline::track_key::TrackKey;
use view::timeline::track_priorities::Priorities;
use view::timeline::track_tree::TrackTree;
use view::timeline::turns::Due;
use view::url::names::{link_of_thread, thread_of};
use view::url::tracks::{TrackChoice, link_of, take_on};

impl Stage {
    /// Publishes the choices about tracks to the page.
    pub fn publish_choices(&self) {
        let link = {
            let state = self.state.borrow();
            link_of(&state.choices, &self.at_first, |thread| link_of_thread(&state.threads, thread))
        };
        let order = self.state.borrow().choices.order;
        self.signals.order.set_changed(order);
        self.app.timeline.tracks.set_changed(link);
    }

    /// Applies choices about tracks from the page.
    pub fn take_on_choices(self: &Rc<Self>, link: &[TrackChoice]) {
        let threads = self.state.borrow().threads.clone();
        let mut choices = self.state.borrow().choices.clone();
        take_on(&mut choices, link, &self.at_first, |link| thread_of(&threads, link));
        let is_new = self.state.borrow().choices != choices;
        if is_new {
            self.choose_tracks(|chosen| *chosen = choices);
        }
    }

    /// Scrolls to a track.
    pub fn scroll_to(self: &Rc<Self>, key: TrackKey) {
        self.scroll_to_both(key, key);
    }

    /// Scrolls to a track, and shows another one too if both fit.
    pub fn scroll_to_both(self: &Rc<Self>, key: TrackKey, other: TrackKey) {
        let Some(elements) = self.elements() else { return };
        let top = {
            let state = self.state.borrow();
            state.layout.scroll_to(key, other, elements.scroll_top(), state.size.1)
        };
        if let Some(top) = top {
            let top = elements.section.offset_top() + top.ceil() as i32;
            // The head of the trace stays at the top, over the tracks.
            let head =
                elements.section.previous_element_sibling().filter(|head| head.class_name().contains("trace-head"));
            let covered = head.filter(|_| top < elements.scroller.scroll_top()).map_or(0, |head| head.client_height());
            elements.scroller.set_scroll_top(top - covered);
        }
        self.follow_scroll(Due::Now);
    }

    /// Returns all tracks, including hidden ones, with their groups, outermost first, and names.
    pub fn all_tracks(&self) -> Vec<(TrackKey, Vec<TrackKey>, String)> {
        let state = self.state.borrow();
        let mut tracks = Vec::new();
        for root in TrackTree::complete(&state.threads, &state.choices) {
            root.visit(&mut Vec::new(), &mut |key, above| {
                // It isn't a track of its own.
                if let TrackKey::MoreRuntime(_) = key {
                    return;
                }
                let said = words(self.signals, &state.threads, key, state.row_of(key));
                let number = if said.id.is_empty() { String::new() } else { format!(" {}", said.id) };
                // The tracks of different processes have the same names.
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

    /// Changes what makes tracks and threads important.
    pub fn prioritize(self: &Rc<Self>, change: impl FnOnce(&mut Priorities)) {
        self.choose_tracks(|choices| change(&mut choices.priorities));
        self.show_whether_named();
    }

    /// Changes what makes tracks and threads important, because of an answer.
    pub fn learn_priorities(self: &Rc<Self>, change: impl FnOnce(&mut Priorities)) {
        self.learn(|choices| change(&mut choices.priorities));
        self.show_whether_named();
    }

    fn show_whether_named(&self) {
        let has_named = !self.state.borrow().choices.priorities.named.is_empty();
        self.signals.has_named.set_changed(has_named);
    }

    /// Shows the tracks of an analysis whose tab is open, and scrolls to the first; `None` for other tabs.
    pub fn show_topic(self: &Rc<Self>, topic: Option<Topic>) {
        if self.state.borrow().choices.priorities.topic == topic {
            return;
        }
        self.prioritize(|priorities| priorities.topic = topic);
        let own = {
            let choices = &self.state.borrow().choices;
            choices.runtime.iter().map(|heights| heights.key).find(|key| choices.priorities.is_of_tab(key.kind))
        };
        if let Some(own) = own.map(TrackKey::Kind) {
            self.uncover(own);
            // The height of the timeline depends on the tab, and is known a frame later.
            let stage = Rc::downgrade(self);
            request_animation_frame(move || {
                request_animation_frame(move || {
                    if let Some(stage) = stage.upgrade() {
                        stage.scroll_to(own);
                    }
                });
            });
        }
    }

    /// Expands the groups that contain a track, unless it is visible.
    pub fn uncover(self: &Rc<Self>, key: TrackKey) {
        if self.state.borrow().layout.find(key).is_some() {
            return;
        }
        let all = self.all_tracks();
        if let Some((_, above, _)) = all.iter().find(|track| track.0 == key) {
            self.choose_tracks(|choices| choices.uncover(key, above));
        }
    }

    /// Expands the groups of threads, scrolls to the threads, and draws the evidence of a finding.
    pub fn show_threads(self: &Rc<Self>, threads: &[ThreadId]) {
        for thread in threads {
            self.uncover(TrackKey::Thread(*thread));
        }
        if let (Some(first), Some(last)) = (threads.first(), threads.last()) {
            self.scroll_to_both(TrackKey::Thread(*first), TrackKey::Thread(*last));
        }
        self.request(Due::All);
    }

    /// Goes to a track: expands it and its groups, scrolls to it, and focuses it.
    pub fn go_to_track(self: &Rc<Self>, key: TrackKey, above: &[TrackKey]) {
        self.choose_tracks(|choices| {
            choices.uncover(key, above);
            choices.expand(key);
        });
        self.scroll_to(key);
        self.signals.focused.set(key);
        super::track_headers::track_commands::focus_later(self.app.number, key);
        if let TrackKey::Thread(thread) = key {
            self.app.select(Selection::Thread(thread));
        }
    }

    /// Hides a track or a group, with a message about how to show it again.
    pub fn hide(self: &Rc<Self>, key: TrackKey) {
        self.choose_tracks(|choices| choices.hide(key));
        self.app.shell.say("Track hidden. Restore it from the track menu (⋯).".to_owned());
    }
}
