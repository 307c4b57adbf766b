//! Track headers: a tree of real elements, of which only the visible ones exist.

pub(crate) mod drag;
pub(crate) mod menu;
pub(crate) mod text;
pub(crate) mod track_commands;

use super::interaction::filtering::FilterTarget;
use super::state::Signals;
use super::{Handle, with};
use crate::app::staged_render::{StagedRender, gradually};
use crate::app::state::{App, Selection};
use crate::commands::shortcuts::{name, title};
use crate::timeline::track_headers::drag as drag_head;
use crate::timeline::track_headers::menu::open_menu_of;
use crate::timeline::track_headers::text::{Words, legend, words};
use crate::timeline::track_headers::track_commands::on_key;
use crate::widgets::icon::{FILTER, FLAG, Icon, PIN, RIGHT, TABLE, WARNING};
use leptos::attr::custom::custom_attribute;
use leptos::prelude::*;
use protocol::base::ids::ThreadId;
use protocol::tables::Threads;
use protocol::timeline::thread_state::{Activity, ThreadState};
use std::sync::Arc;
use view::draw::units::CssPx;
use view::format;
use view::keys::keymap::{Command, Scope};
use view::notes::placed::PlacedNote;
use view::timeline::track_key::TrackKey;
use view::timeline::track_layout::{TRACK_HEIGHT, Track};
use view::timeline::tracks::table::slug;
use view::timeline::turns::Turns;
use web_sys::KeyboardEvent;

/// Margin above and below the visible part in which elements exist.
const OVERSCAN: CssPx = 200.0;
/// Maximum number of headers created per task: with their layout and painting, these take about ten milliseconds.
const HEADS_AT_ONCE: usize = 6;
/// Maximum length of a name that fits into every head: 18 letters, or fewer that are wider.
const SURELY_FITTING_BYTES: usize = 18;
/// Icon for all levels of the stack: rows of different lengths.
const LEVELS: &str = r#"<path d="M2.5 3.5h11M2.5 6.5h8M2.5 9.5h6M2.5 12.5h3"/>"#;

#[component]
pub fn Heads(
    /// The timeline.
    handle: Handle,
    /// Signals of the timeline.
    signals: Signals,
) -> impl IntoView {
    let focused = signals.focused;
    // Not in the frame that measures and draws the timeline for the first time.
    let stages = StagedRender::start(1);
    let app = expect_context::<App>();
    let near = Memo::new(move |_| {
        // Headers of an added trace could be out of view again after the first answers.
        if !stages.reached(1) || (app.number > 0 && !signals.is_arranged.get()) {
            return Vec::new();
        }
        let (top, height) = signals.window.get();
        signals.layout.with(|layout| {
            let (pinned, others) = layout.tracks.split_at(layout.pinned);
            let near = layout.between(top - OVERSCAN, top + height + OVERSCAN).iter();
            let near = near.filter(|track| others.first().is_some_and(|first| track.top >= first.top));
            let pinned = pinned.iter().map(|track| (track.key, true));
            pinned.chain(near.map(|track| (track.key, false))).collect::<Vec<_>>()
        })
    });
    let shown = gradually(near, HEADS_AT_ONCE);
    Effect::new(move |_| {
        shown.with(|_| ());
        app.traces.turns.update_value(Turns::leave_to_document);
    });
    let stay = move || signals.layout.with(|layout| layout.pinned_height(signals.window.get().1) > 0.0);
    let part = move |pinned: bool| {
        let of_part = move |&(key, is_pinned): &(TrackKey, bool)| (is_pinned == pinned).then_some(key);
        move || shown.with(|shown| shown.iter().filter_map(of_part).collect::<Vec<_>>())
    };
    // Tab reaches the focused track, or the first existing one.
    let tab_stop = Memo::new(move |_| {
        let focused = focused.get();
        shown.with(|shown| shown.iter().find(|(key, _)| *key == focused).or(shown.first()).map(|(key, _)| *key))
    });
    let on_keydown = move |event: KeyboardEvent| on_key(handle, signals, &event);
    view! {
        <div class="heads" role="tree" aria-label="Tracks" data-testid="tracks" on:keydown=on_keydown>
            <div class="pinned" class:stay=stay role="presentation">
                <For each=part(true) key=|key| *key let:key>
                    <Head handle signals key focused tab_stop/>
                </For>
            </div>
            <For each=part(false) key=|key| *key let:key>
                <Head handle signals key focused tab_stop/>
            </For>
        </div>
    }
}

/// Returns the element ID of a track of a trace.
pub fn element_id(trace: u32, key: TrackKey) -> String {
    match trace {
        0 => name_of(key),
        number => format!("trace{number}-{}", name_of(key)),
    }
}

/// Returns the name of a track in element IDs and test IDs.
fn name_of(key: TrackKey) -> String {
    let named = |name: &str, process: u32| match process {
        0 => format!("group-{name}"),
        process => format!("group-{name}-{process}"),
    };
    match key {
        TrackKey::Thread(thread) => format!("track-{}", thread.0),
        TrackKey::Process(process) => format!("process-{process}"),
        TrackKey::Quiet(process) => format!("quiet-{process}"),
        TrackKey::Kind(key) => named(&slug(key.kind), key.process),
        TrackKey::Runtime(process) => named("runtime", process),
        TrackKey::MoreRuntime(process) => named("moreruntime", process),
        TrackKey::Counters(process) => named("counters", process),
        TrackKey::Threads(process) => named("threads", process),
        TrackKey::Activities(process) => named("work", process),
    }
}

#[component]
fn Head(
    handle: Handle,
    signals: Signals,
    key: TrackKey,
    focused: RwSignal<TrackKey>,
    tab_stop: Memo<Option<TrackKey>>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let track = Memo::new(move |_| signals.layout.with(|layout| layout.find(key).cloned()));
    let number = move |of: fn(&Track) -> f64| track.with(|track| track.as_ref().map_or(0.0, of));
    let top = move || format!("{}px", number(|track| track.top));
    let height = move || format!("{}px", number(|track| track.height));
    let expanded = move || track.with(|track| track.as_ref().and_then(|track| track.expanded));
    let is_tall = move || expanded() == Some(true) && number(|track| track.height) >= 40.0;
    let is_low = move || number(|track| track.height) <= TRACK_HEIGHT;
    // Groups of a process appear and disappear with its data.
    let level = Memo::new(move |before: Option<&u8>| {
        track.with(|track| track.as_ref().map_or(before.copied().unwrap_or(1), |track| track.level))
    });
    let is_level = move |wanted: u8| move || level.get() == wanted;
    let position = move || number(|track| track.position as f64).to_string();
    let siblings = move || number(|track| track.siblings as f64).to_string();
    let thread = match key {
        TrackKey::Thread(thread) => Some(thread),
        _ => None,
    };
    let row = Memo::new(move |_| {
        signals.threads.with(|threads| threads.thread.iter().position(|present| Some(ThreadId(*present)) == thread))
    });
    let facts = move || {
        let row = row.get()?;
        let texts =
            signals.threads.with(|threads| [threads.reason.get(row), threads.facts.get(row)].map(str::to_owned));
        let texts: Vec<String> = texts.into_iter().filter(|text| !text.is_empty()).collect();
        (!texts.is_empty()).then(|| texts.join(" · "))
    };
    let lost = move || row.get().map(|row| signals.threads.with(|threads| threads.lost[row])).filter(|lost| *lost > 0);
    let is_selected = move || thread.is_some_and(|thread| app.selection.get() == Selection::Thread(thread));
    let narrowing = FilterTarget::of(key);
    let is_filtered = move || narrowing.is_some_and(|narrowing| narrowing.is_on(app));
    let words = Memo::new(move |_| signals.threads.with(|threads| Arc::new(words(signals, threads, key, row.get()))));
    let noted = Memo::new(move |_| signals.notes.with(|notes| PlacedNote::of_track(notes, key)));
    let spoken = move || {
        let spoken = words.with(|words| words.spoken.clone());
        noted.with(|noted| noted.as_ref().map_or(spoken.clone(), |text| format!("{spoken}, note: {text}")))
    };
    let testid = signals.threads.with_untracked(|threads| test_id(threads, key, row.get_untracked()));
    let is_long = move || words.with(|words| words.name.len() > SURELY_FITTING_BYTES);
    let say = move |of: fn(&Words) -> &String| move || words.with(|words| of(words).clone());
    let toggle = move |event: leptos::ev::MouseEvent| {
        event.stop_propagation();
        with(handle, |stage| stage.choose_tracks(|choices| choices.toggle(key)));
    };
    let drag = StoredValue::new(None);
    let on_click = move |_| {
        focused.set(key);
        // The end of a drag isn't a click.
        if signals.dragged_head.try_update(Option::take).flatten().is_some() {
            return;
        }
        match thread {
            Some(thread) => app.selection.set(Selection::Thread(thread)),
            None => {
                if let Some(stage) = handle.get().filter(|_| expanded().is_some()) {
                    stage.choose_tracks(|choices| choices.toggle(key));
                }
            }
        }
    };
    view! {
        <div
            class="track" class:group=key.is_group() class:lvl2=is_level(2) class:lvl3=is_level(3) class:lvl4=is_level(4) class:filtered=is_filtered
            role="treeitem" id=element_id(app.number, key) data-testid=testid
            tabindex=move || if tab_stop.get() == Some(key) { "0" } else { "-1" }
            {..custom_attribute("aria-level", move || level.get().to_string())} aria-posinset=position aria-setsize=siblings
            aria-expanded=move || expanded().map(|expanded| expanded.to_string())
            aria-selected=move || is_selected().to_string()
            aria-label=spoken
            style:top=top style:height=height
            on:focus=move |_| focused.set(key)
            class:drop-here=move || signals.dragged_head.get().is_some_and(|(from, to)| to == key && from != key)
            on:click=on_click
            on:contextmenu=move |event| {
                event.prevent_default();
                focused.set(key);
                open_menu_of(handle, key, Some((f64::from(event.client_x()), f64::from(event.client_y()))));
            }
            on:pointerdown=move |event| drag_head::down(&event, key, drag)
            on:pointermove=move |event| drag_head::moved(handle, signals, &event, drag)
            on:pointerup=move |_| drag_head::up(handle, signals, drag)
            on:pointercancel=move |_| drag_head::cancel(signals, drag)
        >
            <div class="head" class:top=is_tall class:low=is_low>
                <span class="twist" aria-hidden="true" class:none=move || expanded().is_none() on:click=toggle>
                    <Icon shape=RIGHT/>
                </span>
                <div class="col">
                    <div class="row1">
                        // Spaces separate the words for screen readers.
                        <span class="nm" class:long=is_long title=facts>{say(|words| &words.name)}</span> " "
                        <span class="id">{say(|words| &words.id)}</span> " "
                        {move || lost().map(|lost| view! {
                            <span class="lost" title=lost_words(lost)><Icon shape=WARNING class="xs"/></span>
                        })}
                        {move || noted.get().map(|text| view! {
                            <span class="noted" title=text><Icon shape=FLAG class="xs"/></span>
                        })}
                        <span class="r">
                            {move || words.with(|words| figures(&words.right))}
                            {move || row.get().map(|row| signals.threads.with(|threads| share_bar(signals, threads, row)))}
                        </span>
                        {runtime_of(key).map(|process| view! { <MoreButton handle signals process/> })}
                        {(!key.is_heading()).then(|| view! { <TrackActions handle signals key/> })}
                        {thread.map(|thread| view! { <LevelsAction handle thread expanded=Signal::derive(expanded)/> })}
                        {narrowing.map(|narrowing| view! { <NarrowAction app narrowing/> })}
                    </div> " "
                    <Show when=is_tall>
                        <div class="sub">{say(|words| &words.below)}</div>
                    </Show>
                </div>
            </div>
            {legend(app, signals, key)}
        </div>
    }
}

/// Returns figures, of which the last ones are hidden if they don't fit, each as a whole, because half of a number
/// would be another one.
fn figures(text: &str) -> impl IntoView + use<> {
    let part = |(index, part): (usize, &str)| {
        let part = if index == 0 { part.to_owned() } else { format!("· {part}") };
        view! { <span class="part">{part}</span>" " }
    };
    text.split(" · ").enumerate().map(part).collect_view()
}

/// Returns the process of the heading of runtime tracks.
fn runtime_of(key: TrackKey) -> Option<u32> {
    match key {
        TrackKey::Runtime(process) => Some(process),
        _ => None,
    }
}

/// Button that shows the less important tracks and the counters of a process.
#[component]
fn MoreButton(handle: Handle, signals: Signals, process: u32) -> impl IntoView {
    let more = Memo::new(move |_| {
        let more = signals.layout.with(|layout| layout.more.get(&process).copied());
        more.filter(|more| more.tracks + more.counters > 0)
    });
    let toggle = move |event: leptos::ev::MouseEvent| {
        event.stop_propagation();
        with(handle, |stage| stage.choose_tracks(|choices| choices.toggle(TrackKey::MoreRuntime(process))));
    };
    move || {
        more.get().map(|more| {
            view! {
                <button class="link more" tabindex="-1" title=more.title() aria-label=more.spoken() data-testid="more-tracks"
                    data-command=Command::MoreTracks.id() aria-expanded=more.is_open.to_string() on:click=toggle>
                    {figures(&more.words())}
                </button>
            }
        })
    }
}

/// Buttons of a thread, visible under the pointer; the keys of the tree do the same.
#[component]
fn LevelsAction(handle: Handle, thread: ThreadId, expanded: Signal<Option<bool>>) -> impl IntoView {
    let levels = move |event: leptos::ev::MouseEvent| {
        event.stop_propagation();
        with(handle, |stage| stage.choose_tracks(|choices| choices.toggle_full(thread)));
    };
    view! {
        <span class="acts">
            <Show when=move || expanded.get().is_some()>
                <button class="btn icon" tabindex="-1" title="Toggle all stack levels (E)"
                    aria-label="Toggle all stack levels" on:click=levels>
                    <Icon shape=LEVELS class="s"/>
                </button>
            </Show>
        </span>
    }
}

/// Button that filters to a thread or process.
#[component]
fn NarrowAction(app: App, narrowing: FilterTarget) -> impl IntoView {
    let filter = move |event: leptos::ev::MouseEvent| {
        event.stop_propagation();
        narrowing.toggle(app);
    };
    let label = move || format!("{} (T)", narrowing.words(app));
    view! {
        <span class="acts">
            <button class="btn icon" tabindex="-1" title=label aria-label=label
                aria-pressed=move || narrowing.is_on(app).to_string() on:click=filter>
                <Icon shape=FILTER class="s"/>
            </button>
        </span>
    }
}

/// Buttons of a track with content.
#[component]
fn TrackActions(handle: Handle, signals: Signals, key: TrackKey) -> impl IntoView {
    let is_pinned =
        move || signals.layout.with(|layout| layout.tracks[..layout.pinned].iter().any(|one| one.key == key));
    let pin = move |event: leptos::ev::MouseEvent| {
        event.stop_propagation();
        with(handle, |stage| stage.choose_tracks(|choices| choices.toggle_pinned(key)));
    };
    let table = move |event: leptos::ev::MouseEvent| {
        event.stop_propagation();
        signals.table.set(Some(key));
    };
    view! {
        <span class="acts">
            <button class="btn icon" tabindex="-1" title=title(Scope::Tracks, Command::PinTrack) aria-label=name(Scope::Tracks, Command::PinTrack)
                aria-pressed=move || is_pinned().to_string() data-testid="pin" on:click=pin>
                <Icon shape=PIN class="s"/>
            </button>
            <button class="btn icon" tabindex="-1" title=title(Scope::Tracks, Command::ShowTable) aria-label=name(Scope::Tracks, Command::ShowTable)
                data-testid="as-table" on:click=table>
                <Icon shape=TABLE class="s"/>
            </button>
        </span>
    }
}

fn test_id(threads: &Threads, key: TrackKey, row: Option<usize>) -> String {
    match row {
        Some(row) => format!("thread-{}", threads.os_thread[row]),
        None => name_of(key),
    }
}

fn lost_words(lost: u64) -> String {
    format!("{} lost on this thread", format::counted(lost, "event"))
}

/// Parts of the bar of a thread's time, in order, with their classes. Sleep and idle time is the rest.
const SHARES: [(ThreadState, &str); 6] = [
    (ThreadState::Managed, "managed"),
    (ThreadState::Native, "native"),
    (ThreadState::Jit, "jit"),
    (ThreadState::Blocked, "blocked"),
    (ThreadState::Lock, "lock"),
    (ThreadState::Io, "io"),
];

/// Returns a bar with a thread's time by state, as shares of the time of the thread with the most: a thread with two
/// samples isn't as busy as one that ran all the time.
fn share_bar(signals: Signals, threads: &Threads, row: usize) -> impl IntoView + use<> {
    let thread = threads.thread[row];
    let times =
        signals.times.with(|times| times.as_ref().map(|times| (times.of_thread(thread), times.longest_known())));
    let (times, longest) = times.unwrap_or_default();
    (times.known() > 0).then(|| {
        let of = |activity| times.activity(activity);
        let (running, blocked) = (of(Activity::Running), of(Activity::Blocked));
        let part = |(state, class): (ThreadState, &'static str)| {
            let share = times.of(state) as f64 / longest as f64 * 100.0;
            (share > 0.0).then(|| view! { <i class=class style:width=format!("{share:.1}%")></i> })
        };
        let title = format!("{} running, {} blocked", format::duration(running), format::duration(blocked));
        view! {
            <span class="share" title=title>
                {SHARES.into_iter().filter_map(part).collect_view()}
            </span>
        }
    })
}
