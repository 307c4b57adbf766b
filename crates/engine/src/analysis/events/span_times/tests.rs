use super::phases::nested;
use super::*;

fn phase(name: &str, kind: TimeKind, start: i64, end: i64) -> Phase {
    Phase { name: name.to_owned(), kind, start, end, depth: 0, event: EventId(0) }
}

#[test]
fn phases_are_nested_and_those_of_two_providers_are_merged() {
    let phases = vec![
        phase("inner", TimeKind::Request, 200, 600),
        phase("Checkout", TimeKind::Span, 1, 1000),
        phase("checkout", TimeKind::Span, 0, 1001),
        phase("later", TimeKind::Request, 700, 900),
        phase("mark", TimeKind::Span, 950, 950),
    ];
    let (phases, omitted) = nested(phases);
    let shown: Vec<_> = phases.iter().map(|phase| (phase.name.as_str(), phase.depth)).collect();
    assert_eq!((shown, omitted), (vec![("checkout", 0), ("inner", 1), ("later", 1)], 0));
    let many = (0..40).map(|at| phase("part", TimeKind::Span, at * 100, at * 100 + 10 + at)).collect();
    let (phases, omitted) = nested(many);
    assert_eq!((phases.len(), omitted, phases[0].start), (24, 16, 1600), "the longest");
}

#[test]
fn outgoing_request_is_split_by_its_innermost_phases() {
    let phases = [
        phase("Queued", TimeKind::Queued, 10, 60),
        phase("Connect", TimeKind::Network, 20, 50),
        phase("Waiting", TimeKind::Network, 70, 100),
    ];
    let parts = by_phase(&phases, Span::new(0, 100));
    let shown: Vec<_> = parts.iter().map(|part| (part.name.as_str(), part.nanos)).collect();
    assert_eq!(shown, [("Queued", 20), ("Connect", 30), ("Waiting", 30), ("Other", 20)]);
}

#[test]
fn time_on_no_thread_is_network_or_awaiting() {
    let thread = ThreadId(1);
    let run = |start, end, state: ThreadState| StateRun { start, end, state: state as u8 };
    let runs = [run(0, 10, ThreadState::Managed), run(10, 30, ThreadState::Idle), run(30, 40, ThreadState::Lock)];
    let segments = [Segment { thread, start: 0, end: 20 }, Segment { thread, start: 32, end: 50 }];
    let phases = [phase("GET /", TimeKind::Request, 12, 25)];
    let parts = by_state(&segments, |_| &runs, &phases, Span::new(0, 100));
    let shown: Vec<_> = parts.iter().map(|part| (part.kind.slug(), part.nanos)).collect();
    assert_eq!(shown, [("managed", 10), ("lock", 8), ("io", 13), ("not-sampled", 10), ("awaiting", 59)]);
    assert_eq!(parts.iter().map(|part| part.nanos).sum::<i64>(), 100);
}
