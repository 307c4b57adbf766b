//! Tracks of one trace: headers and lanes. The timelines of several traces are below each other.

use super::interaction::pointer::Zone;
use super::interaction::{keys, pointer};
use super::overlays::{Dialogs, Floating};
use super::state::{Elements, Frame, Signals};
use super::track_headers::Heads;
use super::{Handle, create, lanes_label, listen_to_wheel, loader, read_so_far, with};
use crate::app::state::App;
use crate::widgets::resize::on_resize;
use leptos::context::Provider;
use leptos::html;
use leptos::prelude::*;
use protocol::reply::Summary;
use protocol::tables::Threads;
use std::sync::Arc;
use web_sys::PointerEvent;

/// Elements around the tracks of all traces.
#[derive(Clone, Copy, Default)]
pub struct FrameNodes {
    pub scroller: NodeRef<html::Div>,
    pub ruler_box: NodeRef<html::Div>,
    pub minimap_box: NodeRef<html::Div>,
    pub ruler: NodeRef<html::Canvas>,
    pub backdrop: NodeRef<html::Canvas>,
    pub minimap: NodeRef<html::Canvas>,
    /// Arrows between the traces.
    pub over: NodeRef<html::Canvas>,
}

/// Timeline of an added trace, whose overlays are outside the scrolling element.
#[derive(Clone, Copy)]
pub struct OpenSection {
    app: App,
    handle: Handle,
    signals: Signals,
}

/// Timelines of the added traces.
pub type OpenSections = RwSignal<Vec<OpenSection>, LocalStorage>;

/// Headers and lanes of the trace in the context.
#[component]
pub fn Section(
    /// The timeline.
    handle: Handle,
    /// Signals of the timeline.
    signals: Signals,
    /// Elements around it.
    frame: FrameNodes,
) -> impl IntoView {
    let app = expect_context::<App>();
    let is_first = app.number == 0;
    let (section, lanes, pane) =
        (NodeRef::<html::Div>::new(), NodeRef::<html::Div>::new(), NodeRef::<html::Canvas>::new());
    Effect::new(move |_| {
        let (Some(section), Some(lanes), Some(pane), Some(scroller), Some(ruler_box)) =
            (section.get(), lanes.get(), pane.get(), frame.scroller.get(), frame.ruler_box.get())
        else {
            return;
        };
        let (Some(minimap_box), Some(ruler), Some(backdrop), Some(minimap), Some(stage)) =
            (frame.minimap_box.get(), frame.ruler.get(), frame.backdrop.get(), frame.minimap.get(), handle.get())
        else {
            return;
        };
        let Some(over) = frame.over.get() else { return };
        listen_to_wheel(handle, &lanes);
        if is_first {
            listen_to_wheel(handle, &ruler_box);
            listen_to_wheel(handle, &minimap_box);
        }
        let frame = is_first.then_some(Frame { ruler, backdrop, minimap, over });
        let scroller_element = scroller.clone().into();
        stage.attach(Elements {
            scroller: scroller_element,
            section: section.into(),
            lanes: lanes.into(),
            pane,
            frame,
        });
        let resized = {
            let (ruler, scroller) = (ruler_box.clone(), scroller.clone());
            move |_, _| {
                if let Some(stage) = handle.get() {
                    stage.resize(f64::from(ruler.client_width()), f64::from(scroller.client_height()));
                }
            }
        };
        on_resize(&scroller, resized.clone());
        on_resize(&ruler_box, resized);
        let limits = stage.state.borrow().viewport.limits();
        loader::ask_once(&stage, limits);
        stage.join_view();
    });
    on_cleanup(move || {
        if let Some(stage) = handle.get() {
            stage.detach();
        }
    });
    let height = move || match app.traces.is_collapsed(app) {
        true => "0px".to_owned(),
        false => signals.layout.with(|layout| format!("{}px", layout.height)),
    };
    let spoken = lanes_label(app, signals);
    view! {
        <div class="all-tracks" class:of-several=move || app.traces.are_several()
            inert=move || app.traces.is_collapsed(app) node_ref=section style:height=height>
            <Heads handle signals/>
            <div class="lanes" role="application" aria-roledescription="trace timeline" tabindex="0"
                aria-label=spoken node_ref=lanes data-testid="lanes"
                on:keydown=move |event| with(handle, |stage| keys::down(stage, &event))
                on:keyup=move |event| with(handle, |stage| keys::up(stage, &event))
                on:blur=move |_| with(handle, keys::stop)
                on:pointerdown=move |event: PointerEvent| with(handle, |stage| pointer::down(handle, stage, &event, Zone::Lanes))
                on:pointermove=move |event| with(handle, |stage| pointer::moved(stage, &event, Zone::Lanes))
                on:pointerup=move |event| with(handle, |stage| pointer::up(stage, &event, Zone::Lanes))
                on:pointercancel=move |event| with(handle, |stage| pointer::taken(stage, &event))
                on:pointerleave=move |_| with(handle, pointer::left)
                on:contextmenu=move |event| with(handle, |stage| pointer::menu(handle, stage, &event))
                on:dblclick=move |event| with(handle, |stage| pointer::double_click(stage, &event))>
                <canvas node_ref=pane>
                    "Thread states, stacks, pauses and exceptions over time. The tabs below show the same data as tables."
                </canvas>
            </div>
        </div>
    }
}

/// Headers and lanes of an added trace, once it can be queried.
#[component]
pub fn AddedSection(
    /// Elements around it.
    frame: FrameNodes,
) -> impl IntoView {
    let app = expect_context::<App>();
    let is_open = Memo::new(move |_| read_so_far(app).is_some());
    move || {
        is_open.get();
        let (trace, threads) = untrack(|| read_so_far(app))?;
        Some(view! { <OpenAddedSection trace threads frame/> })
    }
}

#[component]
fn OpenAddedSection(trace: Arc<Summary>, threads: Arc<Threads>, frame: FrameNodes) -> impl IntoView {
    let app = expect_context::<App>();
    let (handle, signals) = create(app, &trace, threads);
    let sections = expect_context::<OpenSections>();
    sections.update(|sections| sections.push(OpenSection { app, handle, signals }));
    on_cleanup(move || {
        // The whole timeline may have been removed.
        _ = sections.try_update(|sections| sections.retain(|one| one.app.number != app.number));
    });
    view! { <Section handle signals frame/> }
}

/// Tooltips of the added traces.
#[component]
pub fn AddedFloating() -> impl IntoView {
    of_each(|handle, signals| view! { <Floating handle signals/> }.into_any())
}

/// Tables, menus and lists of the added traces.
#[component]
pub fn AddedDialogs() -> impl IntoView {
    of_each(|handle, signals| view! { <Dialogs handle signals/> }.into_any())
}

/// Returns a part for each of the added traces, with its state as the context.
fn of_each(part: fn(Handle, Signals) -> AnyView) -> impl IntoView {
    let sections = expect_context::<OpenSections>();
    move || {
        let of =
            |OpenSection { app, handle, signals }| view! { <Provider value=app>{part(handle, signals)}</Provider> };
        sections.get().into_iter().map(of).collect_view()
    }
}
