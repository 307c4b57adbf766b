//! The timeline: minimap, ruler, runtime tracks, threads.

mod arrange;
pub(crate) mod choices;
pub(crate) mod drawing;
mod interaction;
mod loader;
mod minimap;
mod notes;
mod overlays;
mod section;
mod shared_view;
pub(crate) mod stage;
pub(crate) mod state;
mod tools;
pub(crate) mod track_headers;

use crate::app::root::offer_everywhere;
use crate::app::state::{App, Tab};
use crate::commands::actions::Place;
use crate::pictures;
use crate::trace::live_query::follow;
use crate::traces::state::{follow_selection, share_times};
use crate::traces::{GroupHead, follow_requests};
use crate::widgets::canvas::colors_changed;
use drawing::matches::follow_matches;
use drawing::track_matches::follow_track_matches;
use gloo::events::{EventListener, EventListenerOptions};
use interaction::pointer::Zone;
use interaction::{follow_link, keys, navigation, pointer};
use leptos::context::Provider;
use leptos::html;
use leptos::prelude::*;
use minimap::brushes::Brushes;
use overlays::{Dialogs, Floating};
use protocol::queries;
use protocol::reply::Summary;
use protocol::request::Filter;
use protocol::tables::Threads;
use section::{AddedDialogs, AddedFloating, AddedSection, FrameNodes, OpenSections, Section};
use stage::Stage;
use state::Signals;
use std::rc::Rc;
use std::sync::Arc;
use tools::Tools;
use view::format;
use view::keys::keymap::Scope;
use view::keys::palette::LineKind;
use view::notes::Note;
use view::timeline::track_key::TrackKey;
use view::timeline::turns::Due;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent, WheelEvent};

/// Copyable handle to the timeline for callbacks.
#[derive(Clone, Copy)]
pub struct Handle(StoredValue<Rc<Stage>, LocalStorage>);

impl Handle {
    /// Returns the timeline, while it exists.
    fn get(self) -> Option<Rc<Stage>> {
        self.0.try_get_value()
    }
}

/// Timeline of the open trace.
#[component]
pub fn Timeline() -> impl IntoView {
    let app = expect_context::<App>();
    let is_open = Memo::new(move |_| read_so_far(app).is_some());
    move || {
        is_open.get();
        // Later data updates the existing timeline.
        let (trace, threads) = untrack(|| read_so_far(app))?;
        Some(view! { <OpenTimeline trace threads/> })
    }
}

/// Returns the part of the open trace that has been read.
fn read_so_far(app: App) -> Option<(Arc<Summary>, Arc<Threads>)> {
    Some((app.trace.get()?, app.threads.get()?))
}

/// Creates the timeline of a trace, which follows the page.
fn create(app: App, trace: &Summary, threads: Arc<Threads>) -> (Handle, Signals) {
    let stage = Stage::new(app, threads, untrack(|| app.traces.whole_in(app, trace.user_span)));
    app.traces.register(&stage);
    let signals = stage.signals;
    let whole = queries::RoleTimes { filter: Filter::default() };
    let times = follow(app, move || Some(whole.clone())).value;
    let handle = Handle(StoredValue::new_local(stage));
    Effect::new(move |_| {
        let times = times.get();
        signals.times.set(times.clone());
        if let Some(times) = times {
            with(handle, |stage| stage.learn_priorities(|priorities| priorities.set_times(&times)));
        }
    });
    let findings = follow(app, || Some(queries::Findings { filter: Filter::default() })).value;
    Effect::new(move |_| {
        if let Some(findings) = findings.get() {
            with(handle, |stage| stage.learn_priorities(|priorities| priorities.set_findings(&findings)));
        }
    });
    follow_page(app, handle);
    follow_selection(app);
    share_times(app);
    follow_requests(app);
    follow_matches(app, handle);
    follow_track_matches(app, handle, signals);
    follow_theme(handle);
    offer_actions(app, handle, signals);
    if app.number > 0 {
        offer_everywhere(app);
    }
    (handle, signals)
}

#[component]
fn OpenTimeline(trace: Arc<Summary>, threads: Arc<Threads>) -> impl IntoView {
    let app = expect_context::<App>();
    let (handle, signals) = create(app, &trace, threads);
    provide_context(OpenSections::new_local(Vec::new()));
    let frame = FrameNodes::default();
    let FrameNodes { scroller, ruler_box, minimap_box, ruler, backdrop, minimap, over } = frame;
    let scrolled = move |_| app.traces.stages().iter().for_each(|stage| stage.follow_scroll(Due::Now));
    let shown = move || app.visible.get();
    let whole = move || {
        let trace = app.trace.get()?;
        let span = app.traces.whole_in(app, trace.user_span);
        let range = app.face().range(span.start.0, span.end.0);
        let hidden = (trace.rundown_events > 0).then(|| view! { " "<span>"· rundown hidden"</span> });
        Some(view! { <span>{range}</span>{hidden} })
    };
    let whole_words = move || match app.traces.are_several() {
        true => format!("{} traces", app.traces.all().len()),
        false => "Whole trace".to_owned(),
    };
    let added = move || app.traces.added.get();
    view! {
        <section class="timeline-panel" aria-label="Timeline" data-testid="timeline"
            data-start=move || shown().start.0.to_string() data-end=move || shown().end.0.to_string()>
            <div class="overview">
                <div class="lab"><b>{whole_words}</b><span class="parts">{whole}</span></div>
                <Minimap handle signals node=minimap_box backdrop canvas=minimap/>
                <div class="gut"></div>
                <div class="ruler-lab">
                    <span class="shown"><span class="k">"Visible"</span>" "{move || format::duration(shown().duration())}</span>
                    <Tools handle signals/>
                </div>
                <div class="ruler" aria-hidden="true" node_ref=ruler_box data-testid="ruler"
                    on:pointerdown=move |event| with(handle, |stage| pointer::down(handle, stage, &event, Zone::Ruler))
                    on:pointermove=move |event| with(handle, |stage| pointer::moved(stage, &event, Zone::Ruler))
                    on:pointerup=move |event| with(handle, |stage| pointer::up(stage, &event, Zone::Ruler))
                    on:pointercancel=move |event| with(handle, |stage| pointer::taken(stage, &event))
                    on:pointerleave=move |_| with(handle, pointer::left)>
                    <canvas node_ref=ruler></canvas>
                </div>
                <div class="gut"></div>
            </div>
            <div class="timeline">
                <div class="tracks" node_ref=scroller on:scroll=scrolled>
                    <Show when=move || app.traces.are_several()><GroupHead/></Show>
                    <Section handle signals frame/>
                    <For each=added key=|one| one.app.number let:one>
                        <Provider value=one.app>
                            <GroupHead/>
                            <AddedSection frame/>
                        </Provider>
                    </For>
                </div>
                <canvas class="crossings" aria-hidden="true" hidden=move || !app.traces.are_several() node_ref=over></canvas>
                <Floating handle signals/>
                <AddedFloating/>
            </div>
            <Dialogs handle signals/>
            <AddedDialogs/>
        </section>
    }
}

/// Offers the commands and targets of the timeline and its tracks.
fn offer_actions(app: App, handle: Handle, signals: Signals) {
    app.actions.offer(
        Scope::Timeline,
        move |command| handle.get().is_some_and(|stage| keys::can(&stage, command)),
        move |command| handle.get().is_some_and(|stage| keys::carry_out(&stage, command)),
    );
    let picture = move || handle.get().and_then(|stage| pictures::timeline::draw(&stage));
    pictures::offer_pictures(app, Scope::Timeline, "timeline", || true, picture);
    app.actions.offer(
        Scope::Tracks,
        move |command| track_headers::track_commands::can(handle, signals, command),
        move |command| track_headers::track_commands::act(handle, signals, command),
    );
    app.actions.guide(move || {
        let Some(stage) = handle.get() else { return Vec::new() };
        let place = |(key, above, name): (TrackKey, Vec<TrackKey>, String)| {
            let go = Rc::new(move || with(handle, |stage| stage.go_to_track(key, &above)));
            let of = if matches!(key, TrackKey::Thread(_)) { "Thread" } else { "Track" };
            Place { name, kind: LineKind::Track, of, go }
        };
        let mut places: Vec<Place> = stage.all_tracks().into_iter().map(place).collect();
        let note = |(index, note): (usize, &Note)| {
            let go = Rc::new(move || with(handle, |stage| notes::show(stage, index)));
            Place { name: note.text.clone(), kind: LineKind::Note, of: "Note", go }
        };
        app.notes.notes.with_untracked(|notes| places.extend(notes.iter().enumerate().map(note)));
        places
    });
}

/// Calls a function with the timeline, if it still exists.
fn with(handle: Handle, act: impl FnOnce(&Rc<Stage>)) {
    if let Some(stage) = handle.get() {
        act(&stage);
    }
}

fn signals_size(handle: Handle) -> (f64, f64) {
    handle.get().map_or((0.0, 0.0), |stage| stage.state.borrow().size)
}

#[component]
fn Minimap(
    handle: Handle,
    signals: Signals,
    node: NodeRef<html::Div>,
    backdrop: NodeRef<html::Canvas>,
    canvas: NodeRef<html::Canvas>,
) -> impl IntoView {
    let drag = StoredValue::new(None);
    view! {
        <div class="minimap" role="application" aria-roledescription="trace overview" tabindex="0" node_ref=node
            aria-label="Event density and GC pauses of the whole trace. Arrow keys move, plus and minus zoom the timeline."
            data-testid="minimap"
            on:keydown=move |event: KeyboardEvent| with(handle, |stage| keys::down(stage, &event))
            on:keyup=move |event| with(handle, |stage| keys::up(stage, &event))
            on:blur=move |_| with(handle, keys::stop)
            on:pointerdown=move |event| with(handle, |stage| minimap::down(stage, &event, drag))
            on:pointermove=move |event| with(handle, |stage| minimap::moved(stage, &event, drag))
            on:pointerup=move |event| with(handle, |stage| minimap::up(stage, &event, drag))
            on:pointercancel=move |_| drag.set_value(None)
            on:dblclick=move |_| with(handle, Stage::fit)>
            <canvas node_ref=backdrop></canvas>
            <canvas class="over" node_ref=canvas></canvas>
            <Brushes handle signals/>
        </div>
    }
}

fn lanes_label(app: App, signals: Signals) -> impl Fn() -> String {
    move || {
        let shown = app.visible.get();
        let facts = app.trace.with(|trace| {
            trace.as_ref().map_or_else(String::new, |summary| {
                let gcs = format::counted(summary.gcs.into(), "GC");
                format!("{gcs}, {}", format::counted(summary.exceptions, "exception"))
            })
        });
        format!(
            "Timeline from {}: {}, {facts}. W and S zoom, A and D move, period and comma step through pauses and \
             exceptions, question mark lists shortcuts.",
            app.face().range(shown.start.0, shown.end.0),
            format::counted(signals.threads.with(|threads| threads.thread.len()) as u64, "thread"),
        )
    }
}

/// Redraws when shared state changes, and applies requests of the page.
fn follow_page(app: App, handle: Handle) {
    Effect::new(move |before: Option<u32>| {
        let (count, later) = app.timeline.walk.get();
        if before.is_some_and(|before| before != count) {
            with(handle, |stage| navigation::step_match(stage, later));
        }
        count
    });
    Effect::new(move |_| {
        if let Some(along) = app.timeline.along.get() {
            with(handle, |stage| follow_link::follow_link_to_end(stage, &along, 1));
        }
    });
    Effect::new(move |_| {
        let topic = match app.tab.get() {
            Tab::Topic(topic) => Some(topic),
            _ => None,
        };
        with(handle, |stage| stage.show_topic(topic));
    });
    Effect::new(move |_| {
        let evidence = app.timeline.evidence.get();
        with(handle, |stage| stage.show_threads(&evidence.threads));
    });
    Effect::new(move |_| {
        app.filter.track();
        app.timeline.place.set(None);
    });
    Effect::new(move |_| {
        with(handle, |stage| {
            let placed = notes::placed(stage);
            if stage.signals.notes.with_untracked(|shown| **shown != placed) {
                stage.signals.notes.set(Arc::new(placed));
                stage.request_frame();
            }
        });
    });
    Effect::new(move |_| {
        app.filter.track();
        app.selection.track();
        app.details.connections.track();
        app.filtering.matches.track();
        app.timeline.clock.track();
        app.timeline.saved_ranges.track();
        with(handle, |stage| stage.request(Due::All));
    });
    Effect::new(move |before: Option<()>| {
        app.timeline.crosshair.track();
        if before.is_some() {
            with(handle, Stage::request_frame);
        }
    });
    Effect::new(move |_| {
        app.filter.track();
        app.filtering.item_counts.track();
        with(handle, |stage| stage.follow_filter());
    });
    Effect::new(move |_| {
        let (read, wish) = (read_so_far(app), app.visible.get());
        with(handle, |stage| {
            if let Some((trace, threads)) = read {
                stage.grow(threads, app.traces.whole_in(app, trace.user_span));
            }
            stage.show_requested_range(wish);
        });
    });
    // The tracks of an added trace move with its offset.
    Effect::new(move |before: Option<i64>| {
        let nanos = app.traces.offset(app).nanos;
        if before.is_some_and(|before| before != nanos) {
            with(handle, |stage| {
                stage.join_view();
                stage.draw_minimap();
            });
        }
        nanos
    });
    Effect::new(move |_| {
        app.traces.added.track();
        with(handle, |stage| {
            stage.signals.layout.track();
            stage.snap();
        });
    });
    Effect::new(move |_| {
        let wish = app.timeline.tracks.get();
        with(handle, |stage| stage.take_on_choices(&wish));
    });
    let global = window_event_listener(leptos::ev::keydown, move |event| {
        // Keys without a focused element apply to the timeline.
        let nobody = document().active_element().is_none_or(|element| element.tag_name() == "BODY");
        if nobody && !event.default_prevented() && untrack(|| app.traces.is_shown(app)) {
            with(handle, |stage| keys::down(stage, &event));
        }
    });
    let global_up =
        window_event_listener(leptos::ev::keyup, move |event| with(handle, |stage| keys::up(stage, &event)));
    on_cleanup(move || {
        global.remove();
        global_up.remove();
    });
}

/// Reads the colors again when the theme of the page or the system changes.
fn follow_theme(handle: Handle) {
    let changed = colors_changed(expect_context::<App>().shell);
    Effect::new(move |_| {
        changed.track();
        with(handle, Stage::forget_colors);
    });
}

/// Adds a non-passive listener, which can prevent the page from zooming.
fn listen_to_wheel(handle: Handle, element: &HtmlElement) {
    let options = EventListenerOptions::enable_prevent_default();
    let listener = EventListener::new_with_options(element, "wheel", options, move |event| {
        if let Some(event) = event.dyn_ref::<WheelEvent>() {
            with(handle, |stage| pointer::wheel(stage, event));
        }
    });
    let kept = StoredValue::new_local(listener);
    on_cleanup(move || kept.dispose());
}
