//! What can be done to stacks: by a letter, by a menu, and undone.

use super::StackMenu;
use super::target::Target;
use crate::protocol::stack_shape::Transform;
use crate::ui::state::{App, StackView};
use crate::ui::widgets::copy::copy_text;
use crate::ui::widgets::icon::{Icon, RIGHT};
use crate::ui::widgets::menu::{MenuEntry, OpenMenu};
use crate::view::keymap::Command;
use leptos::prelude::*;

/// What a frame can be asked for: the command, its words, its letter, a stable name for tests.
const OFFERS: [(Command, &str, &str, &str); 14] = [
    (Command::FocusFunction, "Focus on the function", "F", "do-focus"),
    (Command::FocusNode, "Focus on this call", "Shift F", "do-focus-node"),
    (Command::KeepFunction, "Only stacks with the function", "K", "do-keep"),
    (Command::DropFunction, "Without stacks with the function", "D", "do-drop"),
    (Command::MergeFunction, "Merge the function into its callers", "M", "do-merge"),
    (Command::MergeNode, "Merge this call into its caller", "Shift M", "do-merge-node"),
    (Command::CollapseFunction, "Collapse what the function calls", "C", "do-collapse"),
    (Command::CollapseModule, "Collapse its module", "Shift C", "do-module"),
    (Command::CollapseRecursion, "Collapse its recursion", "R", "do-recursion"),
    (Command::ShowFamily, "Show the frames that it stands for", "E", "do-show"),
    (Command::NarrowToFunction, "Narrow everything to stacks with it", "X", "do-narrow"),
    (Command::CopyText, "Copy the name", "", "do-copy"),
    (Command::Pivot, "Callers and callees", "S", "do-pivot"),
    (Command::InvertStacks, "Turn stacks round", "I", "do-invert"),
];

/// Lists of functions and boxes of time stand for many calls.
const NO_SINGLE_CALL: &str = "in the flame graph and the trees, where calls are told apart";

/// What a command does to a frame; none if it is no such command, or not for this frame.
fn transform(command: Command, target: &Target) -> Option<Transform> {
    Some(match command {
        Command::FocusFunction => Transform::FocusFunction(target.frame()),
        Command::FocusNode => Transform::FocusNode(target.node()?),
        Command::MergeFunction => Transform::MergeFunction(target.frame()),
        Command::MergeNode => Transform::MergeNode(target.node()?),
        Command::CollapseFunction => Transform::CollapseFunction(target.frame()),
        Command::CollapseModule if !target.module.is_empty() => Transform::CollapseModule(target.module.clone()),
        Command::CollapseRecursion => Transform::CollapseRecursion(target.frame()),
        Command::DropFunction => Transform::Drop(target.frame()),
        Command::KeepFunction => Transform::Keep(target.frame()),
        _ => return None,
    })
}

/// Carries out a command; whether it was one of these.
pub fn act(app: App, command: Command, target: Option<Target>) -> bool {
    match (command, target) {
        (Command::UndoTransform, _) => undo(app),
        (Command::JustMyCode, _) => app.stacks.update(|look| look.shape.just_my_code ^= true),
        (Command::InvertStacks, _) => return turn_round(app),
        (Command::ShowFamily, Some(target)) if !target.family.is_empty() => target.show_family(app),
        (Command::Pivot, Some(target)) => app.stacks.update(|look| {
            look.view = StackView::Sandwich;
            look.pivot = Some(target.frame());
        }),
        (Command::NarrowToFunction, Some(target)) if !target.is_group() => app.toggle_frame(&target.frame()),
        (Command::CopyText, Some(target)) => copy_text(app.shell, target.name, "The name"),
        (command, Some(target)) => {
            let Some(transform) = transform(command, &target) else { return false };
            app.stacks.update(|look| look.shape.transforms.push(transform));
        }
        _ => return false,
    }
    true
}

/// Turns stacks round, where the view has two ways round; whether it has.
fn turn_round(app: App) -> bool {
    let can_turn = can_turn_round(app);
    if can_turn {
        app.stacks.update(|look| match look.view {
            StackView::Tree => look.view = StackView::BottomUp,
            StackView::BottomUp => look.view = StackView::Tree,
            _ => look.shape.inverted ^= true,
        });
    }
    can_turn
}

fn can_turn_round(app: App) -> bool {
    let view = app.stacks.with_untracked(|look| look.view);
    matches!(view, StackView::Flame | StackView::Tree | StackView::BottomUp)
}

/// Takes back what was done last.
fn undo(app: App) {
    app.stacks.update(|look| {
        if look.shape.transforms.pop().is_none() {
            look.shape.shown.pop();
        }
    });
}

/// Opens the menu of a frame.
pub fn open_menu(app: App, menu: StackMenu, at: (f64, f64), target: Option<Target>) {
    let Some(target) = target else { return };
    let refused = |command: Command| match command {
        Command::FocusNode | Command::MergeNode if target.path.is_none() => Some(NO_SINGLE_CALL),
        _ => None,
    };
    let is_offered = |command: Command| match command {
        Command::ShowFamily => !target.family.is_empty(),
        Command::NarrowToFunction => !target.is_group(),
        Command::InvertStacks => can_turn_round(app),
        Command::Pivot | Command::CopyText => true,
        command => refused(command).is_some() || transform(command, &target).is_some(),
    };
    let offers = OFFERS.into_iter().filter(|(command, ..)| is_offered(*command));
    let entries = offers.map(|(command, words, keys, testid)| {
        let target = target.clone();
        let words = match command {
            Command::ShowFamily => format!("Show all of {}", target.family),
            Command::CollapseModule => format!("Collapse {}", target.module),
            _ => words.to_owned(),
        };
        let act = Callback::new(move |()| {
            act(app, command, Some(target.clone()));
        });
        MenuEntry { words, keys, chosen: None, refused: refused(command), testid, act }
    });
    menu.0.set(Some(OpenMenu { at, label: target.name.clone(), entries: entries.collect() }));
}

/// What was done to stacks, first to last; each step leads back to before the next.
#[component]
pub fn Steps() -> impl IntoView {
    let app = expect_context::<App>();
    let steps = move || {
        app.stacks.with(|look| {
            let transforms = &look.shape.transforms;
            let transforms = transforms.iter().enumerate().map(|(index, transform)| {
                let (words, name) = words(transform);
                let back = move |_| app.stacks.update(|look| look.shape.transforms.truncate(index + 1));
                view! {
                    <Icon shape=RIGHT/>
                    <button title=name.clone() on:click=back data-testid="step">{words} " " {name.clone()}</button>
                }
            });
            let shown = look.shape.shown.iter().map(|family| {
                let (words, family) = (format!("{family} shown"), family.clone());
                let hide = move |_| app.stacks.update(|look| look.shape.shown.retain(|shown| *shown != family));
                view! { <button class="chip" title="Fold it again" on:click=hide data-testid="shown-family">{words} " ×"</button> }
            });
            (transforms.collect_view(), shown.collect_view())
        })
    };
    let is_changed =
        Memo::new(move |_| app.stacks.with(|look| !look.shape.transforms.is_empty() || !look.shape.shown.is_empty()));
    let reset = move |_| app.stacks.update(|look| look.shape.transforms.clear());
    view! {
        <Show when=move || is_changed.get()>
            <nav class="trail stack-steps" aria-label="What was done to stacks" data-testid="steps">
                <button on:click=reset data-testid="all-steps-back">"Stacks as they are"</button>
                {steps}
                <button class="sp" on:click=move |_| undo(app) data-testid="undo-step">"Undo" <kbd aria-hidden="true">"U"</kbd></button>
            </nav>
        </Show>
    }
}

/// A transform in words, and what it is about.
fn words(transform: &Transform) -> (&'static str, String) {
    match transform {
        Transform::FocusFunction(frame) => ("focus", frame.name.clone()),
        Transform::FocusNode(node) => ("focus on call", node.name.clone()),
        Transform::MergeFunction(frame) => ("merged", frame.name.clone()),
        Transform::MergeNode(node) => ("merged call", node.name.clone()),
        Transform::CollapseFunction(frame) => ("collapsed", frame.name.clone()),
        Transform::CollapseRecursion(frame) => ("no recursion of", frame.name.clone()),
        Transform::CollapseModule(module) => ("collapsed module", module.clone()),
        Transform::Drop(frame) => ("without", frame.name.clone()),
        Transform::Keep(frame) => ("only with", frame.name.clone()),
    }
}
