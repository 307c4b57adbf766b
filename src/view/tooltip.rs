//! What a tooltip says about the thing under the pointer.

use super::format;
use super::gc_paint::{generation_color, is_background};
use super::hit::{Scene, Target};
use super::lane_frame::{SliceRow, StateRow, slice_flag};
use super::palette::{Fill, Token};
use super::slice_paint::managed_share;
use crate::model::ids::ThreadId;
use crate::model::time::Span;
use crate::protocol::tables::{Threads, state};

/// Digits of a second in a tooltip.
const DECIMALS: usize = 6;

/// A tooltip.
#[derive(Clone, PartialEq, Debug)]
pub struct Tooltip {
    /// The colour of the thing.
    pub swatch: Fill,
    /// What it is.
    pub title: String,
    /// How long, or when.
    pub value: String,
    /// More, as name and value.
    pub lines: Vec<(&'static str, String)>,
}

impl Tooltip {
    /// One sentence for people who listen.
    pub fn sentence(&self) -> String {
        let mut text = format!("{}, {}", self.title, self.value);
        for (name, value) in &self.lines {
            text.push_str(&format!("; {name} {value}"));
        }
        text
    }
}

/// What to say about `target`; nothing about nothing.
pub fn tooltip(target: &Target, scene: &Scene<'_>, threads: &Threads) -> Option<Tooltip> {
    match *target {
        Target::Nothing => None,
        Target::Collection(row) => about_collection(scene, threads, row),
        Target::Exception(row) => about_exception(scene, threads, row),
        Target::Slice { thread, slice, .. } => Some(about_slice(scene, threads, thread, &slice)),
        Target::State { thread, state } => Some(about_state(threads, thread, &state)),
        Target::Marker { thread, marker } => {
            let noun = if marker.exception { "Exception thrown" } else { "Event" };
            let title = if marker.count == 1 { noun.to_owned() } else { format::counted(marker.count.into(), "event") };
            let color = if marker.exception { Token::Exception } else { Token::Text3 };
            Some(Tooltip {
                swatch: Fill::Solid(color),
                title,
                value: format::seconds(marker.time, DECIMALS),
                lines: vec![("Thread", thread_name(threads, thread))],
            })
        }
    }
}

/// Label and id of a thread.
pub fn thread_name(threads: &Threads, thread: ThreadId) -> String {
    match threads.thread.iter().position(|present| *present == thread.0) {
        Some(row) => format!("{} ({})", threads.label.get(row), threads.os_thread[row]),
        None => "–".to_owned(),
    }
}

fn about_collection(scene: &Scene<'_>, threads: &Threads, row: usize) -> Option<Tooltip> {
    let collections = scene.collections?;
    let generation = *collections.generation.get(row)?;
    let kind = match collections.kind[row] {
        0 => "blocking",
        1 => "background",
        _ => "during a background one",
    };
    let mut lines = vec![
        ("Kind", format!("generation {generation}, {kind}")),
        ("Why", collections.reason.get(row).to_owned()),
        ("Starts", format::seconds(collections.start[row], DECIMALS)),
        ("Suspending", format::duration(collections.suspension[row])),
    ];
    if is_background(collections, row) {
        lines.push(("Runs for", format::duration(collections.end[row] - collections.start[row])));
    }
    lines.push(("Started by", thread_name(threads, ThreadId(collections.thread[row]))));
    lines.retain(|(_, value)| !value.is_empty());
    Some(Tooltip {
        swatch: Fill::Solid(generation_color(generation)),
        title: format!("Collection #{}", collections.number[row]),
        value: format!("{} paused", format::duration(collections.pause_total[row])),
        lines,
    })
}

fn about_exception(scene: &Scene<'_>, threads: &Threads, row: usize) -> Option<Tooltip> {
    let exceptions = scene.exceptions?;
    let time = *exceptions.time.get(row)?;
    let mut lines = vec![
        ("Message", shorten(exceptions.message.get(row))),
        ("Thread", thread_name(threads, ThreadId(exceptions.thread[row]))),
    ];
    lines.retain(|(_, value)| !value.is_empty());
    Some(Tooltip {
        swatch: Fill::Solid(Token::Exception),
        title: exceptions.type_name.get(row).to_owned(),
        value: format::seconds(time, DECIMALS),
        lines,
    })
}

fn about_slice(scene: &Scene<'_>, threads: &Threads, thread: ThreadId, slice: &SliceRow) -> Tooltip {
    let frame = scene.frames.get(&thread);
    let name = frame.map_or("", |frame| frame.names.get(slice.name as usize));
    let is_framework = slice.flags & slice_flag::FRAMEWORK != 0;
    let is_external = slice.flags & slice_flag::EXTERNAL != 0;
    let swatch = match (is_framework, is_external) {
        (false, false) => Token::Managed,
        (true, true) => Token::ExternalSoft,
        _ => Token::ManagedSoft,
    };
    let mut lines = vec![("Kind", if is_framework { "framework" } else { "your code" }.to_owned())];
    if let Some(share) = frame.and_then(|frame| managed_share(frame, Span::new(slice.start, slice.end))) {
        lines.push(("Managed", format!("{} of the time", format::percent(share, 1.0))));
    }
    lines.push(("Starts", format::seconds(slice.start, DECIMALS)));
    lines.push(("Thread", thread_name(threads, thread)));
    Tooltip {
        swatch: Fill::Solid(swatch),
        title: shorten(name),
        value: format::duration(slice.end - slice.start),
        lines,
    }
}

fn about_state(threads: &Threads, thread: ThreadId, row: &StateRow) -> Tooltip {
    let (swatch, title) = match row.state {
        state::NOT_SAMPLED => (Fill::Unknown, "Not sampled".to_owned()),
        _ if row.managed == u8::MAX => (Fill::Solid(Token::Managed), "Managed code".to_owned()),
        _ if row.managed == 0 => (Fill::Waiting, "Outside managed code".to_owned()),
        _ => (
            Fill::Solid(Token::Managed),
            format!("{} managed", format::percent(f64::from(row.managed), f64::from(u8::MAX))),
        ),
    };
    let meaning = match row.state {
        state::NOT_SAMPLED => "no sample for more than five periods",
        state::EXTERNAL if row.managed == 0 => "native code or waiting",
        _ => "",
    };
    let mut lines = vec![
        ("Means", meaning.to_owned()),
        ("Starts", format::seconds(row.start, DECIMALS)),
        ("Thread", thread_name(threads, thread)),
    ];
    lines.retain(|(_, value)| !value.is_empty());
    Tooltip { swatch, title, value: format::duration(row.end - row.start), lines }
}

fn shorten(text: &str) -> String {
    const LONGEST: usize = 160;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::hit::samples::small;
    use super::*;

    fn sentence(target: Target) -> String {
        let small = small();
        tooltip(&target, &small.scene(500.0), &small.threads).unwrap().sentence()
    }

    #[test]
    fn a_tooltip_says_what_how_long_and_where() {
        let small = small();
        let scene = small.scene(500.0);
        let thread = small.layout.tracks.iter().find(|track| track.parts.is_some()).unwrap().top;
        assert_eq!(
            sentence(scene.hit(250.0, thread + 30.0)),
            "System.Threading.Monitor.Enter, 200 ns; Kind framework; Managed 0.0 % of the time; \
             Starts 0.000000 s; Thread Thread 1 (4001)"
        );
        assert_eq!(
            sentence(scene.hit(250.0, thread + 9.0)),
            "Outside managed code, 200 ns; Means native code or waiting; Starts 0.000000 s; Thread Thread 1 (4001)"
        );
    }

    #[test]
    fn collections_and_exceptions_are_told_with_their_reasons() {
        assert_eq!(
            sentence(Target::Collection(1)),
            "Collection #37, 200 ns paused; Kind generation 2, blocking; Why induced; Starts 0.000000 s; \
             Suspending 3 ns; Started by Thread 1 (4001)"
        );
        assert_eq!(
            sentence(Target::Exception(0)),
            "System.Net.Http.HttpRequestException, 0.000001 s; Message Connection refused; Thread Thread 1 (4001)"
        );
    }
}
