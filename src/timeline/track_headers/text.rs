//! Texts of track headers.

use crate::app::state::App;
use crate::labels::UNKNOWN_PROCESS_LABEL;
use crate::timeline::state::Signals;
use leptos::prelude::*;
use protocol::request::UNKNOWN_PROCESS;
use protocol::tables::Threads;
use protocol::timeline::thread_state::Activity;
use protocol::timeline::track::TrackKind;
use view::format;
use view::timeline::track_choices::ThreadOrder;
use view::timeline::track_key::{RuntimeKey, TrackKey};
use view::timeline::tracks::table::{Group, LegendEntry, TrackRow};

/// Texts of a track header.
#[derive(PartialEq)]
pub struct Words {
    /// Name.
    pub name: String,
    /// ID that distinguishes tracks of the same name.
    pub id: String,
    /// Figures beside the name.
    pub right: String,
    /// Figures below the name, if they fit.
    pub below: String,
    /// Accessible name, which begins with the visible text, for voice control.
    pub spoken: String,
}

/// Returns the texts of a header; `row` is that of its thread, if it is one.
pub fn words(signals: Signals, threads: &Threads, key: TrackKey, row: Option<usize>) -> Words {
    let words = |name: &str, right: String| Words {
        spoken: if right.is_empty() { name.to_owned() } else { format!("{name} {right}") },
        name: name.to_owned(),
        id: String::new(),
        right,
        below: String::new(),
    };
    let process_threads =
        |process: u32| threads.os_process.iter().filter(|present| **present == process).count() as u64;
    match key {
        TrackKey::Runtime(process) => {
            let more = signals.layout.with(|layout| layout.more.get(&process).map(|more| more.words()));
            let spoken = format!("Runtime {}", more.unwrap_or_default()).trim_end().to_owned();
            Words { spoken, ..words("Runtime", String::new()) }
        }
        TrackKey::Kind(key) => {
            let said = signals.words.with(|known| known.get(&key).cloned()).unwrap_or_default();
            let filtered = signals.figures.with(|figures| figures.get(&key).cloned());
            words(&said.name, filtered.unwrap_or(said.figures))
        }
        TrackKey::Counters(_) => words("Counters", String::new()),
        TrackKey::Activities(_) => words("Activities", String::new()),
        TrackKey::Threads(process) => {
            let of_one = threads.os_process.iter().all(|present| Some(present) == threads.os_process.first());
            let count = if of_one { threads.thread.len() as u64 } else { process_threads(process) };
            let order = match signals.order.get() {
                ThreadOrder::Activity if signals.has_named.get() => "top finding first".to_owned(),
                order => format!("by {}", order.words()),
            };
            words("Threads", format!("{count} · {order}"))
        }
        TrackKey::Process(process) => {
            let row = threads.os_process.iter().position(|present| *present == process);
            match row {
                Some(row) => words(threads.process_label.get(row), format::counted(process_threads(process), "thread")),
                None => words(UNKNOWN_PROCESS_LABEL, String::new()),
            }
        }
        TrackKey::Quiet(_) => {
            let silent = signals.layout.with(|layout| layout.find(key).map_or(0, |track| track.children));
            words(&format::counted(silent as u64, "idle thread"), String::new())
        }
        // A button of the runtime group has its text.
        TrackKey::MoreRuntime(_) => words("", String::new()),
        TrackKey::Thread(_) => row.map_or_else(|| words("", String::new()), |row| thread_words(signals, threads, row)),
    }
}

fn thread_words(signals: Signals, threads: &Threads, row: usize) -> Words {
    let name = threads.label.get(row).to_owned();
    let events = format::counted(threads.events[row], "event");
    let times = signals.times.with(|times| times.as_ref().map(|times| times.of_thread(threads.thread[row])));
    let share = match times.unwrap_or_default() {
        times if times.known() == 0 => String::new(),
        times => {
            let running = times.activity(Activity::Running);
            format!(", {} running", format::duration(running))
        }
    };
    Words {
        spoken: format!("{name} {} {events}{share}", threads.number.get(row)),
        name,
        id: threads.number.get(row).to_owned(),
        right: String::new(),
        below: events,
    }
}

/// Returns the legend of the colors in the trace. The style sheet writes the texts, because they aren't part of the
/// track's accessible name.
pub fn legend(app: App, signals: Signals, key: TrackKey) -> impl IntoView {
    let entry = |(class, words): (&'static str, &'static str)| {
        view! { <span data-words=words><i class=format!("sw {class}")></i></span> }
    };
    let is_among = move |group: TrackKey| signals.layout.with(|layout| layout.find(group).is_some());
    let is_open =
        move || signals.layout.with(|layout| layout.find(key).is_some_and(|track| track.expanded == Some(true)));
    let entries = move || match key {
        // Without visible children, there are no colors to explain.
        _ if !is_open() => Vec::new(),
        TrackKey::Runtime(process) => runtime_legend(signals, process),
        TrackKey::Activities(process) => work_legend(signals, process),
        // Only if threads, or their heading, are directly below.
        TrackKey::Process(process) if is_among(TrackKey::Threads(process)) || process == UNKNOWN_PROCESS => Vec::new(),
        _ => threads_legend(app, signals),
    };
    // Where the header is too narrow for it, the number of threads is here.
    let count = move || {
        let is_closed = matches!(key, TrackKey::Process(_)) && !is_open();
        let said = || signals.threads.with(|threads| words(signals, threads, key, None).right);
        is_closed.then(said).filter(|said| !said.is_empty())
    };
    let has_legend =
        matches!(key, TrackKey::Runtime(_) | TrackKey::Threads(_) | TrackKey::Process(_) | TrackKey::Activities(_));
    has_legend.then(|| {
        view! {
            <div class="legend" aria-hidden="true">
                {move || entries().into_iter().map(entry).collect_view()}
                {move || count().map(|count| view! { <span class="count" data-words=count></span> })}
            </div>
        }
    })
}

/// Returns classes and names of the runtime tracks of a process: first the generations, if it has GCs.
pub fn runtime_legend(signals: Signals, process: u32) -> Vec<LegendEntry> {
    let gcs = TrackKey::Kind(RuntimeKey { process, kind: TrackKind::Gc });
    let has_gcs = signals.layout.with(|layout| layout.find(gcs).is_some());
    let mut entries = if has_gcs { signals.generations.get() } else { Vec::new() };
    entries.extend(track_legend(signals, process, Group::Runtime));
    entries
}

/// Returns the legend of the tracks of a group, from top to bottom.
fn track_legend(signals: Signals, process: u32, group: Group) -> Vec<LegendEntry> {
    let kinds = signals.layout.with(|layout| layout.visible_kinds(process).collect::<Vec<_>>());
    let rows = kinds.into_iter().map(TrackRow::of).filter(|row| row.group == group);
    let mut entries: Vec<LegendEntry> = Vec::new();
    for entry in rows.filter_map(|row| row.legend) {
        if !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    entries
}

/// Returns classes and names of the kinds of activities; requests are distinguished.
pub fn work_legend(signals: Signals, process: u32) -> Vec<LegendEntry> {
    let requests = [TrackKind::IncomingRequests, TrackKind::OutgoingRequests];
    let has_requests =
        signals.words.with(|words| requests.into_iter().any(|kind| words.contains_key(&RuntimeKey { process, kind })));
    let mut entries = track_legend(signals, process, Group::Activities);
    entries.extend(has_requests.then_some(("io", "request")));
    entries
}

/// Returns classes and names of the states and marks in threads.
pub fn threads_legend(app: App, signals: Signals) -> Vec<LegendEntry> {
    let (samples, exceptions, samples_processors) = app.trace.with(|trace| {
        trace.as_ref().map_or((0, 0, false), |one| (one.samples, one.exceptions, one.samples_processors))
    });
    let mut entries = Vec::new();
    match samples_processors {
        // Context switches show waits for a CPU.
        true => {
            entries.extend([("managed", "managed"), ("native", "native or kernel"), ("ready", "waiting for a CPU")])
        }
        false if samples > 0 => entries.extend([("managed", "managed"), ("native", "native"), ("jit", "JIT")]),
        false => {}
    }
    let has_locks = signals.words.with(|words| words.keys().any(|key| key.kind == TrackKind::Contention));
    if samples > 0 || signals.handle_waits.get() {
        entries.push(("blocked", "blocked on a task or handle"));
    }
    if samples > 0 || has_locks {
        entries.push(("lock", "waiting for a lock"));
    }
    if samples > 0 {
        entries.push(("io", "waiting for I/O"));
    }
    if samples > 0 || signals.idle_waits.get() {
        entries.push(("wait", "sleeping, idle"));
    }
    // Stacks of machine-wide traces show pauses without GC events.
    if samples_processors || signals.generations.with(|generations| !generations.is_empty()) {
        entries.push(("stopped", "paused by GC"));
    }
    entries.extend((exceptions > 0).then_some(("exc", "exception")));
    // The last entry is cut off in a narrow window, and is the most self-explanatory.
    entries.extend((samples > 0).then_some(("unknown", "not sampled")));
    entries.push(("event", "events"));
    entries
}
