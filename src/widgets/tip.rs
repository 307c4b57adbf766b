//! Tooltip beside the pointer of a canvas.

use crate::widgets::wrapping_name::breakable;
use leptos::prelude::*;
use view::draw::palette::Fill;
use view::draw::tooltip::Tooltip;
use view::draw::units::CssPx;

/// Share of the pane's width beyond which the tooltip is on the left of the pointer.
const TURNING_POINT: f64 = 0.6;
/// Distance from the pointer.
const DISTANCE: f64 = 14.0;

/// Tooltip for the item under the pointer.
#[component]
pub fn Tip(
    /// Tooltip, and the position of the pointer in the pane.
    #[prop(into)]
    about: Signal<Option<(Tooltip, CssPx, CssPx)>>,
    /// Returns width and height of the pane.
    size: impl Fn() -> (f64, f64) + Send + Sync + Copy + 'static,
) -> impl IntoView {
    move || {
        about.get().map(|(tooltip, x, y)| {
            let (width, height) = size();
            let is_right = x > width * TURNING_POINT;
            let is_low = y > height * TURNING_POINT;
            let pixels = |value: f64| format!("{value:.0}px");
            let lines: Vec<_> = tooltip
                .lines
                .into_iter()
                .map(|(name, value)| view! { <dt>{name.into_owned()}</dt><dd>{breakable(&value)}</dd> })
                .collect();
            view! {
                <div class="tip" role="tooltip" data-testid="tooltip"
                    style:left=if is_right { "auto".to_owned() } else { pixels(x + DISTANCE) }
                    style:right=if is_right { pixels(width - x + DISTANCE) } else { "auto".to_owned() }
                    style:top=if is_low { "auto".to_owned() } else { pixels(y + DISTANCE) }
                    style:bottom=if is_low { pixels(height - y + DISTANCE) } else { "auto".to_owned() }>
                    <div class="tip-head">
                        <i class=format!("sw {}", swatch_class(tooltip.swatch))></i>
                        <span class="what">{breakable(&tooltip.title)}</span>
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
        Fill::Shade(Token::Gen1, _) | Fill::Share(..) => "stopped",
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
        Fill::Solid(Token::Lock) | Fill::LockWait => "lock",
        Fill::Blocked => "blocked",
        Fill::Solid(Token::Outgoing) => "out",
        Fill::Solid(Token::Io) => "io",
        Fill::Solid(Token::Span) => "span",
        Fill::Solid(Token::Lost) | Fill::Lost => "lost",
        Fill::Solid(_) => "event",
        Fill::Waiting => "wait",
        Fill::Unknown => "unknown",
        Fill::BackgroundGc => "gcbg",
    }
}
