//! Track of lock contention.

use super::interval_look::{Item, Look, solid};
use crate::draw::palette::Token;
use crate::draw::tooltip::TooltipContext;
use protocol::base::ids::ThreadId;

/// Look of waits for locks.
pub const LOOK: Look = Look {
    title: |lock| match lock {
        "" => "Waiting for a lock".to_owned(),
        lock => format!("Waiting for lock {lock}"),
    },
    lines: |item, context| vec![("Held by", owner(item, context))],
    ..Look::new("wait", 4.0, &[solid(Token::Lock, Token::LockSoft)])
};

/// Returns the name of the thread that owned the lock; the note is its OS ID.
fn owner(item: &Item<'_>, context: &TooltipContext<'_>) -> String {
    let (note, threads) = (item.note(), context.threads);
    let row = note.parse().ok().and_then(|owner: u64| threads.os_thread.iter().position(|present| *present == owner));
    row.map_or_else(|| note.to_owned(), |row| context.thread(ThreadId(threads.thread[row])))
}
