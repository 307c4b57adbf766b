//! Labels of long waits on the timeline: the app's code that waits, and what for.

use super::call_site::{Code, SiteNames, Sites};
use crate::analysis::intervals::spans::index::SpanIndex;
use crate::analysis::intervals::waits::ThreadWaits;
use crate::analysis::samples::index::SampleIndex;
use crate::analysis::samples::stack_states::StackStates;
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::{ActivityId, EventId, StackId, ThreadId};
use protocol::base::time::Span;
use protocol::tables::Lanes;
use protocol::timeline::thread_state::ThreadState;

/// Minimum length of a wait with a label, as a multiple of the resolution. A pixel is less than twice the resolution,
/// so narrower labels aren't drawn anyway.
const LONG: i64 = 40;
/// Divisor of the largest difference between a state, which lasts until the next sample, and its recorded wait: 20 is 5%.
const NEAR: u64 = 20;

/// Data about waits.
#[derive(Clone, Copy)]
pub struct WaitLabels<'s> {
    /// The loaded trace.
    pub store: &'s Store,
    pub samples: &'s SampleIndex,
    /// Waits according to events.
    pub waits: &'s ThreadWaits,
    /// Requests, if only they can identify some of the app's code.
    pub requests: Option<&'s SpanIndex>,
}

/// A wait that events record.
#[derive(Clone, Copy)]
struct Recorded {
    span: Span,
    /// Its start.
    event: EventId,
}

impl Recorded {
    /// Returns its duration if it is that of the state, apart from the time to the next sample.
    fn duration_near(self, state: Span) -> i64 {
        let (recorded, shown) = (self.span.duration(), state.duration());
        if recorded.abs_diff(shown) <= shown.unsigned_abs() / NEAR { recorded } else { shown }
    }
}

impl WaitLabels<'_> {
    /// Adds the labels of long waits to states of threads.
    pub fn add_to(&self, table: &mut Lanes, threads: &[ThreadId], resolution: i64) {
        let Self { store, requests, .. } = *self;
        let names = SiteNames::new(store, requests);
        // Stacks are only examined if there is a long wait.
        let mut caches: Option<(Sites<'_>, StackStates<'_>)> = None;
        let mut positions: FastMap<String, u32> = FastMap::default();
        for row in 0..table.state.len() {
            let span = Span::new(table.state_start[row], table.state_end[row]);
            let is_long = span.duration() >= resolution.saturating_mul(LONG);
            let blocked = ThreadState::from_u8(table.state[row])
                .filter(|state| is_long && matches!(state, ThreadState::Blocked | ThreadState::Lock | ThreadState::Io));
            let thread = threads.get(table.state_lane[row] as usize);
            let (site, wait, nanos) = match blocked.zip(thread) {
                None => (String::new(), "", span.duration()),
                Some((state, thread)) => {
                    let (sites, states) =
                        caches.get_or_insert_with(|| (Sites::new(store, requests), StackStates::new(store)));
                    let recorded = self.recorded(*thread, state, span);
                    let stack = self.stack_of(*thread, recorded, span);
                    let site = match sites.code(stack) {
                        code @ Code::Method(_) => names.short(code.into()),
                        Code::Handler(_) | Code::Dynamic(_) => self.request(*thread, span),
                        _ => String::new(),
                    };
                    let nanos = recorded.map_or(span.duration(), |recorded| recorded.duration_near(span));
                    (site, states.blocked_on(stack, state).map_or("", |on| on.noun()), nanos)
                }
            };
            for (column, text) in [(&mut table.state_site, site.as_str()), (&mut table.state_wait, wait)] {
                let position = match positions.get(text) {
                    Some(known) => *known,
                    None => {
                        let position = table.names.push(text);
                        positions.insert(text.to_owned(), position);
                        position
                    }
                };
                column.push(position);
            }
            table.state_wait_nanos.push(nanos);
        }
    }

    /// Returns the route of the request that a thread served in the middle of a wait; empty if unknown.
    fn request(&self, thread: ThreadId, span: Span) -> String {
        let middle = span.start.0 + span.duration() / 2;
        let route = self.requests.and_then(|requests| {
            let route = requests.route_at(ActivityId(0), thread, middle)?;
            Some(requests.route(route))
        });
        route.unwrap_or_default().to_owned()
    }

    /// Returns the wait that events record in a state.
    fn recorded(&self, thread: ThreadId, state: ThreadState, span: Span) -> Option<Recorded> {
        let (start, end, _, event) = self.waits.of_thread(thread, span).find(|(.., of, _)| *of == state as u8)?;
        Some(Recorded { span: Span::new(start, end), event })
    }

    /// Returns the stack of a wait: that of its event, or of the sample in its middle.
    fn stack_of(&self, thread: ThreadId, recorded: Option<Recorded>, span: Span) -> StackId {
        if let Some(Recorded { event, .. }) = recorded {
            return self.store.events.row(event).stack;
        }
        let samples = self.samples.thread(thread);
        let inside = samples.inside(span);
        if inside.is_empty() { StackId(0) } else { samples.stack(inside.start + inside.len() / 2) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{What, store_of_program};
    use protocol::tables::state;

    const METHODS: [(&str, &str); 4] = [
        ("System.Threading.ThreadPoolWorkQueue", "Dispatch"),
        ("Shop.Gateway", "Call"),
        ("System.Runtime.CompilerServices.TaskAwaiter`1", "GetResult"),
        ("System.Threading.Tasks.Task", "InternalWait"),
    ];

    #[test]
    fn long_wait_has_site_and_noun() {
        let stack = || What::Sample(false, vec![1, 2, 3, 4]);
        let (store, _) = store_of_program(&METHODS, &[(0, 5, stack()), (100, 5, stack()), (200, 5, stack())]);
        let samples = SampleIndex::build(&store).expect("memory");
        let thread = store.threads.iter().find(|thread| thread.os_thread == 5).expect("the thread").id;
        let mut table = Lanes {
            state_lane: vec![0, 0, 0],
            state_start: vec![0, 200, 210],
            state_end: vec![200, 210, 400],
            state: vec![state::BLOCKED, state::BLOCKED, state::IDLE],
            ..Lanes::default()
        };
        let waits = ThreadWaits::default();
        WaitLabels { store: &store, samples: &samples, waits: &waits, requests: None }.add_to(&mut table, &[thread], 1);
        let text = |at: &u32| table.names.get(*at as usize);
        assert_eq!(table.state_site.iter().map(text).collect::<Vec<_>>(), ["Gateway.Call", "", ""]);
        assert_eq!(table.state_wait.iter().map(text).collect::<Vec<_>>(), ["task wait", "", ""]);
        assert_eq!(table.state_wait_nanos, [200, 10, 190]);
    }

    #[test]
    fn label_has_recorded_duration() {
        let recorded = |start, end| Recorded { span: Span::new(start, end), event: EventId(0) };
        assert_eq!(recorded(1, 197).duration_near(Span::new(0, 200)), 196);
        assert_eq!(recorded(1, 90).duration_near(Span::new(0, 200)), 200, "the first of several waits");
    }
}
