//! Answers about what ran on a thread in a time range.

use super::Run;
use crate::analysis::samples::index::is_sample;
use crate::analysis::topics::role_times::times_of;
use crate::session::db::interrupt::Answered;
use crate::session::db::state::Session;
use protocol::base::hash::FastMap;
use protocol::base::ids::{EventId, TypeId};
use protocol::base::sort::sort_by_key;
use protocol::queries::{Functions, RanOnThread, ThreadRan};
use protocol::request::{Filter, FunctionOrder, SampleChoice, TreeQuery};
use protocol::tables::state;
use std::cmp::Reverse;

impl Run for RanOnThread {
    fn run(&self, session: &mut Session) -> Answered<ThreadRan> {
        let Self { thread, span, limit } = *self;
        let filter = Filter { span: Some(span), threads: vec![thread], ..Filter::default() };
        let selection = session.selection(&filter)?;
        let states = session.thread_states()?;
        let query = TreeQuery { filter, samples: SampleChoice::NotIdle, ..TreeQuery::default() };
        let functions = Functions { query, order: FunctionOrder::Exclusive, limit }.run(session)?;
        let Session { store, source, tracks, .. } = session;
        let mut table = ThreadRan {
            thread: vec![thread.0],
            bounds: vec![span.start.0, span.end.0],
            state_nanos: times_of(states.of(thread), span).to_vec(),
            ..ThreadRan::default()
        };
        for row in (0..functions.function.len()).filter(|row| functions.exclusive[*row] > 0.0) {
            table.function.push(functions.function[row]);
            table.function_name.push(functions.name.get(row));
            table.function_nanos.push(functions.exclusive[row]);
        }
        let limit = limit as usize;
        let waits = tracks.waits(store, source)?.of_thread(thread, span);
        let mut waits: Vec<_> = waits.filter(|(.., of, _)| *of != state::IDLE).collect();
        table.waits.push(waits.len() as u64);
        sort_by_key(&mut waits, |(start, end, ..)| Reverse(end.saturating_sub(*start)));
        for (start, end, state, event) in waits.into_iter().take(limit) {
            table.wait_start.push(start);
            table.wait_end.push(end);
            table.wait_state.push(state);
            table.wait_event.push(event.0);
        }
        let mut counts: FastMap<TypeId, (u64, EventId)> = FastMap::default();
        for row in selection.iter() {
            let event = EventId(row as u32);
            counts.entry(store.events.row(event).event_type).or_insert((0, event)).0 += 1;
        }
        let is_shown = |of: &TypeId| store.types.get(*of).is_some_and(|event_type| !is_sample(event_type));
        let mut counts: Vec<_> = counts.into_iter().filter(|(of, _)| is_shown(of)).collect();
        table.events.push(counts.iter().map(|(_, (count, _))| count).sum());
        sort_by_key(&mut counts, |(of, (count, _))| (Reverse(*count), *of));
        for (of, (count, first)) in counts.into_iter().take(limit) {
            let name = store.types.get(of).map(|one| format!("{}/{}", one.provider, one.display_name));
            table.event_name.push(&name.unwrap_or_default());
            table.event_count.push(count);
            table.event_first.push(first.0);
        }
        Ok(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::tests::reference::recording;
    use crate::session::{FileFacts, Interrupt};
    use protocol::base::time::Span;
    use protocol::timeline::thread_state::ThreadState;
    use protocol::{Query, queries};

    /// Answers a query in turns, as the worker does.
    fn in_turns(session: &mut Session, query: &RanOnThread) -> ThreadRan {
        let request = query.clone().into();
        loop {
            match session.turn(&request) {
                Ok(reply) => return RanOnThread::output(reply).expect("its output"),
                Err(Interrupt::Failed(failure)) => panic!("{failure}"),
                Err(Interrupt::More | Interrupt::Waiting) => {}
            }
        }
    }

    #[test]
    #[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
    fn parts_of_span_agree_with_other_queries() {
        for name in ["web-net9.nettrace", "web-net10.nettrace"] {
            let Some(recording) = recording(name) else { continue };
            let facts = FileFacts { bytes: recording.bytes.len() as u64, ..FileFacts::default() };
            let mut session = Session::new(recording.store, Box::new(recording.bytes), facts).expect("a session");
            let spans = session.complete(Session::spans).expect("spans");
            let on_thread = spans.spans().iter().map(|one| &one.interval).filter(|one| one.thread == one.last_thread);
            let mut on_thread: Vec<_> = on_thread.filter(|one| one.last_event.0 != u32::MAX).collect();
            sort_by_key(&mut on_thread, |one| Reverse(one.end - one.start));
            let (mut functions, mut events) = (0, 0);
            for one in on_thread.into_iter().take(12) {
                let (thread, span) = (one.thread, Span::new(one.start, one.end));
                let query = RanOnThread { thread, span, limit: 5 };
                let ran = session.ask(&query).expect("an answer");
                assert_eq!(in_turns(&mut session, &query), ran, "{name}");
                let filter = Filter { span: Some(span), threads: vec![thread], ..Filter::default() };
                let times = session.ask(&queries::RoleTimes { filter: filter.clone() }).expect("times");
                assert_eq!(ran.times(), times.of_thread(thread.0), "{name}: the same time by state");
                let rows = session.ask(&queries::Threads { filter }).expect("threads");
                let row = rows.thread.iter().position(|of| *of == thread.0).expect("the thread");
                assert_eq!(ran.events[0], rows.events[row] - rows.samples[row], "{name}: all but samples");
                let not_idle = ran.times().sum(|state| state != ThreadState::Idle && state != ThreadState::NotSampled);
                assert!(ran.function_nanos.iter().sum::<f64>() <= not_idle as f64 + 1.0, "{name}: {ran:?}");
                assert!(ran.function_nanos.is_sorted_by(|one, next| one >= next), "{name}");
                assert!(
                    ran.function_name.iter().all(|name| !name.is_empty() && !name.contains('`')),
                    "{name}: {ran:?}"
                );
                assert!(ran.wait_start.len() <= 5 && ran.wait_start.len() as u64 <= ran.waits[0], "{name}");
                let touches = |row: usize| ran.wait_start[row] < span.end.0 && ran.wait_end[row] > span.start.0;
                assert!((0..ran.wait_start.len()).all(touches), "{name}: {ran:?}");
                functions += ran.function.len();
                events += ran.event_name.len();
            }
            assert!(functions > 5 && events > 5, "{name}: {functions} functions, {events} event types");
        }
    }
}
