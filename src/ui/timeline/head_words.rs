//! What the heads of tracks say.

use super::state::Signals;
use crate::protocol::tables::Threads;
use crate::ui::state::App;
use crate::view::format;
use crate::view::track_layout::TrackKey;
use leptos::prelude::*;

/// What the head of a track says.
#[derive(PartialEq)]
pub struct Words {
    /// What it is called.
    pub name: String,
    /// A number that tells it from others of the same name.
    pub id: String,
    /// Figures beside the name.
    pub right: String,
    /// Figures below the name, where there is room.
    pub below: String,
    /// Begins with what is seen, word by word: people say it to their computer.
    pub spoken: String,
}

/// What the head of a track says; `row` is that of its thread, if it is one.
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
        TrackKey::Runtime => words("Runtime", String::new()),
        TrackKey::Kind(kind) => {
            let said = signals.words.with(|known| known.get(&kind).cloned()).unwrap_or_default();
            words(&said.name, said.figures)
        }
        TrackKey::Counters => words("Counters", String::new()),
        TrackKey::Threads => words("Threads", format!("{}, by activity", threads.thread.len())),
        TrackKey::Process(process) => {
            let row = threads.os_process.iter().position(|present| *present == process);
            let name = row.map_or("", |row| threads.process_label.get(row));
            words(name, format::counted(process_threads(process), "thread"))
        }
        TrackKey::Quiet(_) => {
            let silent = signals.layout.with(|layout| layout.find(key).map_or(0, |track| track.children));
            words(&format!("{} silent threads", format::count(silent as u64)), String::new())
        }
        TrackKey::MoreRuntime => {
            let more = signals.layout.with(|layout| layout.find(key).map_or(0, |track| track.children));
            words(&format!("{} more tracks", format::count(more as u64)), String::new())
        }
        TrackKey::Thread(_) => row.map_or_else(|| words("", String::new()), |row| thread_words(threads, row)),
    }
}

fn thread_words(threads: &Threads, row: usize) -> Words {
    let name = threads.label.get(row).to_owned();
    let events = format::counted(threads.events[row], "event");
    let (managed, external) = (threads.managed_nanos[row], threads.external_nanos[row]);
    let share = match managed + external {
        0 => String::new(),
        known => format!(", {} managed", format::percent(managed as f64, known as f64)),
    };
    Words {
        spoken: format!("{name} {} {events}{share}", threads.number.get(row)),
        name,
        id: threads.number.get(row).to_owned(),
        right: String::new(),
        below: events,
    }
}

/// What the colours mean, as far as the trace has them. The style sheet writes the words: they are no part of the
/// track's name, which is what its text is taken for.
pub fn legend(app: App, key: TrackKey) -> impl IntoView {
    let (samples, exceptions, samples_processors) = app.trace.with_untracked(|trace| {
        trace.as_ref().map_or((0, 0, false), |one| (one.samples, one.exceptions, one.samples_processors))
    });
    let runtime = [
        ("gc0", "gen 0"),
        ("gc1", "gen 1"),
        ("gc2", "gen 2"),
        ("gcbg", "background GC"),
        ("jit", "JIT"),
        ("lock", "lock"),
        ("io", "HTTP, I/O"),
        ("span", "span"),
    ];
    let sampled = [
        ("managed", "managed"),
        ("wait", "native or waiting"),
        ("lock", "waiting for a lock"),
        ("stopped", "stopped for a GC"),
        ("unknown", "not sampled"),
    ];
    let on_processors = [
        ("managed", "managed"),
        ("native", "native, kernel"),
        ("wait", "off the processor"),
        ("unknown", "not sampled"),
    ];
    let mut entries: Vec<(&'static str, &'static str)> = Vec::new();
    match key {
        TrackKey::Runtime => entries.extend(runtime),
        TrackKey::Threads | TrackKey::Process(_) => {
            match samples_processors {
                true => entries.extend(on_processors),
                false => entries.extend(sampled.into_iter().filter(|_| samples > 0)),
            }
            entries.push(("event", "events"));
            entries.extend((exceptions > 0).then_some(("exc", "exception")));
        }
        _ => {}
    }
    let entry = |(class, words): (&'static str, &'static str)| {
        view! { <span data-words=words><i class=format!("sw {class}")></i></span> }
    };
    (!entries.is_empty())
        .then(|| view! { <div class="legend" aria-hidden="true">{entries.into_iter().map(entry).collect_view()}</div> })
}
