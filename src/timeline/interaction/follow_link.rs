//! Navigation along the links of the selected event.

use super::navigation::{go_to, report};
use crate::app::state::Selection;
use crate::timeline::stage::Stage;
use leptos::prelude::*;
use protocol::base::ids::EventId;
use protocol::base::time::Nanos;
use protocol::events::connections::{Connections, Link};
use protocol::{Failure, queries};
use std::rc::Rc;
use std::sync::Arc;
use view::draw::tooltip::moment_words;
use view::timeline::track_key::TrackKey;
use wasm_bindgen_futures::spawn_local;

/// Follows a link from the selected event if `outgoing`, otherwise a link to it.
pub fn follow(stage: &Rc<Stage>, outgoing: bool) {
    match stage.app.selection.get_untracked() {
        Selection::Event(event) => {
            spawn_local(report(stage.clone(), follow_from(stage.clone(), event, outgoing)));
        }
        _ => stage.app.shell.say("Select an event first.".to_owned()),
    }
}

/// Returns the connections of an event. The cached connections may belong to the previous selection.
async fn connections_of(stage: &Stage, event: EventId) -> Result<Arc<Connections>, Failure> {
    let known = stage.app.details.connections.get_untracked().filter(|known| known.event == event);
    if let Some(known) = known {
        return Ok(known);
    }
    stage.app.ask(queries::Connections { event }).await.map(Arc::new)
}

async fn follow_from(stage: Rc<Stage>, event: EventId, outgoing: bool) -> Result<(), Failure> {
    let back = stage.state.borrow().followed.get(&event).filter(|link| link.outgoing != outgoing).map(Link::reversed);
    if let Some(back) = back {
        follow_link_to_end(&stage, &back, 1);
        return Ok(());
    }
    let connections = connections_of(&stage, event).await?;
    let Some((link, ways)) = connections.followed(outgoing) else {
        let words = if outgoing { "No outgoing flow." } else { "No incoming flow." };
        stage.app.shell.say(words.to_owned());
        return Ok(());
    };
    if let Some(reached) = link.other().event {
        stage.state.borrow_mut().followed.insert(reached, link.clone());
    }
    follow_link_to_end(&stage, link, ways);
    Ok(())
}

/// Goes to the other end of a link, one of `ways` candidates. Shows both ends if they fit.
pub fn follow_link_to_end(stage: &Rc<Stage>, link: &Link, ways: usize) {
    let to = link.other();
    let mut words = format!("{}: {}", link.words(), moment_words(to, &stage.face()));
    if ways > 1 {
        words.push_str(&format!(", 1 of {ways}"));
    }
    let track = TrackKey::Thread(to.thread);
    stage.uncover(track);
    stage.scroll_to_both(track, TrackKey::Thread(link.own().thread));
    // Keys apply to this track from now on.
    stage.signals.focused.set(track);
    stage.state.borrow_mut().viewport.reveal_both(Nanos(link.own().time), Nanos(to.time));
    match to.event {
        Some(reached) => {
            go_to(stage, reached, to.time, words);
            stage.state.borrow_mut().moment = Some((reached, to.time, to.time));
        }
        None => {
            stage.app.select(Selection::Thread(to.thread));
            stage.app.shell.announce.set(words);
            stage.request_frame();
        }
    }
}
