//! What is said about a thing: beside the pointer, and when it is selected.

use super::stage::Stage;
use super::state::{Drag, State, selection_of};
use leptos::prelude::*;
use std::rc::Rc;
use view::draw::palette::Fill;
use view::draw::tooltip::{Telling, Tooltip, tooltip};
use view::draw::units::CssPx;
use view::timeline::clock::ClockFace;
use view::timeline::hit::Target;

/// A tooltip further right than this share of the pane stands to the left of the pointer.
const TURNING_POINT: f64 = 0.6;
/// Distance from the pointer.
const DISTANCE: f64 = 14.0;

/// Says what is under the pointer.
#[component]
pub fn Tip(
    /// What is under it, and where the pointer is in the pane.
    #[prop(into)]
    about: Signal<Option<(Tooltip, CssPx, CssPx)>>,
    /// Width and height of the pane.
    size: impl Fn() -> (f64, f64) + Send + Sync + Copy + 'static,
) -> impl IntoView {
    move || {
        about.get().map(|(tooltip, x, y)| {
            let (width, height) = size();
            let is_right = x > width * TURNING_POINT;
            let is_low = y > height * TURNING_POINT;
            let pixels = |value: f64| format!("{value:.0}px");
            let lines: Vec<_> =
                tooltip.lines.into_iter().map(|(name, value)| view! { <dt>{name}</dt><dd>{value}</dd> }).collect();
            view! {
                <div class="tip" role="tooltip" data-testid="tooltip"
                    style:left=if is_right { "auto".to_owned() } else { pixels(x + DISTANCE) }
                    style:right=if is_right { pixels(width - x + DISTANCE) } else { "auto".to_owned() }
                    style:top=if is_low { "auto".to_owned() } else { pixels(y + DISTANCE) }
                    style:bottom=if is_low { pixels(height - y + DISTANCE) } else { "auto".to_owned() }>
                    <div class="tip-head">
                        <i class=format!("sw {}", swatch_class(tooltip.swatch))></i>
                        <span class="what">{tooltip.title}</span>
                        <span class="num">{tooltip.value}</span>
                    </div>
                    <dl>{lines}</dl>
                </div>
            }
        })
    }
}

fn swatch_class(fill: Fill) -> &'static str {
    use view::draw::palette::Token;
    match fill {
        Fill::Solid(Token::Jit | Token::JitSoft) | Fill::Shade(Token::Jit, _) => "jit",
        Fill::Solid(Token::Managed) | Fill::Shade(..) => "managed",
        Fill::Solid(Token::ManagedSoft) => "managed-soft",
        Fill::Solid(Token::ExternalSoft) => "external-soft",
        Fill::Solid(Token::Gen0) => "gc0",
        Fill::Solid(Token::Gen1) => "gc1",
        Fill::Solid(Token::Gen2) => "gc2",
        Fill::Solid(Token::Exception) => "exc",
        Fill::Solid(Token::Warning) => "warning",
        Fill::Solid(Token::Danger) => "danger",
        Fill::Solid(Token::External) => "external",
        Fill::Solid(Token::Lock) => "lock",
        Fill::Solid(Token::Io) => "io",
        Fill::Solid(Token::Span) => "span",
        Fill::Solid(Token::Lost) | Fill::Lost => "lost",
        Fill::Solid(_) => "event",
        Fill::Waiting => "wait",
        Fill::Unknown => "unknown",
        Fill::BackgroundCollection => "gcbg",
    }
}

impl Stage {
    /// Finds what is under the pointer, and says what it is.
    pub fn update_hover(&self) {
        let found = {
            let mut state = self.state.borrow_mut();
            let position = match (state.drag, state.pointer) {
                (Drag::None | Drag::Pressed { .. }, Some((x, Some(y)))) => Some((x, y)),
                _ => None,
            };
            let hovered = position.map_or(Target::Nothing, |(x, y)| state.scene().hit(x, state.below_top(y)));
            state.hovered = hovered;
            position.and_then(|(x, y)| Some((self.about(&hovered, &state)?, x, y)))
        };
        if self.signals.tooltip.with_untracked(|shown| *shown != found) {
            self.signals.tooltip.set(found);
        }
    }

    /// How moments are written now.
    pub fn face(&self) -> ClockFace {
        untrack(|| self.app.face())
    }

    /// What there is to say about a target.
    pub fn about(&self, target: &Target, state: &State) -> Option<Tooltip> {
        tooltip(target, &state.scene(), &Telling { threads: &state.threads, face: self.face() })
    }

    /// Selects what was found, and says what it is.
    pub fn select(self: &Rc<Self>, target: Target) {
        let (selection, sentence) = {
            let mut state = self.state.borrow_mut();
            let sentence = self.about(&target, &state).map(|tooltip| tooltip.sentence());
            let selection = selection_of(&target, &state);
            state.selected = Some(target);
            (selection, sentence)
        };
        if self.app.selection.get_untracked() != selection {
            self.app.selection.set(selection);
        }
        if let Some(sentence) = sentence {
            self.app.shell.announce.set(sentence);
        }
        self.request_frame();
    }
}
