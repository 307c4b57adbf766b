//! Transforms of stacks: shortcuts, menu, undo.

use super::StackMenu;
use super::target::Target;
use crate::app::state::{App, StackView};
use crate::commands::shortcuts::title;
use crate::pictures;
use crate::widgets::copy::copy_text;
use crate::widgets::icon::{Icon, RIGHT};
use crate::widgets::menu::{MenuEntry, OpenMenu};
use leptos::prelude::*;
use protocol::stacks::shape::Transform;
use protocol::tables::frame_flag::GROUP;
use view::keys::keymap::{Command, Scope};

/// Commands of a frame, with test IDs.
const OFFERS: [(Command, &str); 15] = [
    (Command::FocusFunction, "do-focus"),
    (Command::FocusNode, "do-focus-node"),
    (Command::KeepFunction, "do-keep"),
    (Command::DropFunction, "do-drop"),
    (Command::MergeFunction, "do-merge"),
    (Command::MergeNode, "do-merge-node"),
    (Command::CollapseFunction, "do-collapse"),
    (Command::CollapseModule, "do-module"),
    (Command::CollapseRecursion, "do-recursion"),
    (Command::ShowFamily, "do-show"),
    (Command::NarrowToFunction, "do-narrow"),
    (Command::WithoutFunction, "do-without"),
    (Command::CopyName, "do-copy"),
    (Command::Pivot, "do-pivot"),
    (Command::InvertStacks, "do-invert"),
];

/// Reason for a command that needs a single call path.
const NO_SINGLE_CALL: &str = "only in the flame graph and trees";
/// Reason for a command that needs a filter condition.
const NO_WORDS: &str = "only for functions, classes, namespaces and modules";

/// Returns the transform of a command for a frame; `None` if it has none.
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

/// Runs a command; returns whether it is a command of this module.
pub fn act(app: App, command: Command, target: Option<Target>) -> bool {
    match (command, target) {
        (Command::UndoTransform, _) => undo(app),
        (Command::ResetSteps, _) => reset(app),
        (Command::JustMyCode, _) => app.stacks.update(|look| look.shape.just_my_code ^= true),
        (Command::InvertStacks, _) => return invert(app),
        (Command::ShowFamily, Some(target)) if !target.family.is_empty() => target.show_family(app),
        (Command::Pivot, Some(target)) => app.stacks.update(|look| {
            look.view = StackView::Sandwich;
            look.pivot = Some(target.frame());
        }),
        (Command::NarrowToFunction, Some(target)) => return target.narrow(app),
        (Command::WithoutFunction, Some(target)) => return target.exclude(app),
        (Command::CopyName, Some(target)) => copy_text(app.shell, target.name, "Name"),
        (command, Some(target)) => {
            let Some(transform) = transform(command, &target) else { return false };
            app.stacks.update(|look| look.shape.transforms.push(transform));
        }
        _ => return false,
    }
    true
}

/// Inverts stacks, if the view supports it; returns whether it does.
fn invert(app: App) -> bool {
    let can_invert = can_invert(app);
    if can_invert {
        app.stacks.update(|look| match look.view {
            StackView::Tree => look.view = StackView::BottomUp,
            StackView::BottomUp => look.view = StackView::Tree,
            _ => look.shape.inverted ^= true,
        });
    }
    can_invert
}

fn can_invert(app: App) -> bool {
    let view = app.stacks.with_untracked(|look| look.view);
    matches!(view, StackView::Flame | StackView::Tree | StackView::BottomUp)
}

/// Resets transforms.
fn reset(app: App) {
    app.stacks.update(|look| look.shape.transforms.clear());
}

/// Undoes the last transform.
fn undo(app: App) {
    app.stacks.update(|look| {
        if look.shape.transforms.pop().is_none() {
            look.shape.shown.pop();
        }
    });
}

/// Returns the reason why a command can't run on a frame, although it can on others.
fn refused(app: App, command: Command, target: &Target) -> Option<&'static str> {
    match command {
        Command::FocusNode | Command::MergeNode => target.path.is_none().then_some(NO_SINGLE_CALL),
        Command::NarrowToFunction | Command::WithoutFunction if target.flags & GROUP != 0 => {
            (!target.can_narrow(app)).then_some(NO_WORDS)
        }
        _ => None,
    }
}

/// Returns whether a command can run now, on this frame if there is one.
pub fn can(app: App, command: Command, target: Option<&Target>) -> bool {
    match (command, target) {
        (Command::JustMyCode, _) => true,
        (Command::InvertStacks, _) => can_invert(app),
        (Command::UndoTransform | Command::ResetSteps, _) => is_changed(app),
        (Command::ShowFamily, Some(target)) => !target.family.is_empty(),
        (Command::NarrowToFunction | Command::WithoutFunction, Some(target)) => target.can_narrow(app),
        (Command::Pivot | Command::CopyName, Some(_)) => true,
        (command, Some(target)) => transform(command, target).is_some(),
        (_, None) => false,
    }
}

/// Opens the menu of a frame.
pub fn open_menu(app: App, menu: StackMenu, at: (f64, f64), target: Option<Target>) {
    let Some(target) = target else { return };
    let is_offered = |command: Command| can(app, command, Some(&target)) || refused(app, command, &target).is_some();
    let offers = OFFERS.into_iter().filter(|(command, _)| is_offered(*command));
    let entries = offers.map(|(command, testid)| {
        let of = target.clone();
        let act = move || _ = act(app, command, Some(of.clone()));
        let entry = MenuEntry::of(Scope::Stacks, command, testid, act).refused(refused(app, command, &target));
        match command {
            Command::ShowFamily => entry.called(format!("Expand {}", target.family)),
            Command::CollapseModule => entry.called(format!("Collapse {}", target.module)),
            Command::NarrowToFunction if target.is_root() => entry.called(format!("Filter to {}", target.name)),
            Command::WithoutFunction if target.is_root() => entry.called(format!("Exclude {}", target.name)),
            Command::NarrowToFunction if target.is_group() => {
                entry.called(format!("Filter to stacks with {}", target.name))
            }
            Command::WithoutFunction if target.is_group() => {
                entry.called(format!("Exclude stacks with {}", target.name))
            }
            _ => entry,
        }
    });
    let pictures = pictures::entries(app, Scope::Stacks).filter(|_| app.actions.can(Scope::Stacks, Command::SaveSvg));
    menu.0.set(Some(OpenMenu { at, label: target.name.clone(), entries: entries.chain(pictures).collect() }));
}

/// Returns whether there are transforms to undo.
fn is_changed(app: App) -> bool {
    app.stacks.with(|look| !look.shape.transforms.is_empty() || !look.shape.shown.is_empty())
}

/// Transforms in order, each with a button that undoes it and the following ones.
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
                let (words, family) = (format!("{family} expanded"), family.clone());
                let hide = move |_| app.stacks.update(|look| look.shape.shown.retain(|shown| *shown != family));
                view! { <button class="chip" title="Fold again" on:click=hide data-testid="shown-family">{words} " ×"</button> }
            });
            (transforms.collect_view(), shown.collect_view())
        })
    };
    let is_changed = Memo::new(move |_| is_changed(app));
    view! {
        <Show when=move || is_changed.get()>
            <nav class="trail stack-steps" aria-label="Transforms" data-testid="steps">
                <button on:click=move |_| reset(app) data-testid="all-steps-back" data-command=Command::ResetSteps.id()>"Reset transforms"</button>
                {steps}
                <button class="sp" on:click=move |_| undo(app) title=title(Scope::Stacks, Command::UndoTransform) data-testid="undo-step" data-command=Command::UndoTransform.id()>"Undo" <kbd aria-hidden="true">"U"</kbd></button>
            </nav>
        </Show>
    }
}

/// Describes a transform and its subject.
fn words(transform: &Transform) -> (&'static str, String) {
    match transform {
        Transform::FocusFunction(frame) => ("focus", frame.name.clone()),
        Transform::FocusNode(node) => ("focus on call", node.name.clone()),
        Transform::MergeFunction(frame) => ("merged", frame.name.clone()),
        Transform::MergeNode(node) => ("merged call", node.name.clone()),
        Transform::CollapseFunction(frame) => ("collapsed", frame.name.clone()),
        Transform::CollapseRecursion(frame) => ("collapsed recursion", frame.name.clone()),
        Transform::CollapseModule(module) => ("collapsed module", module.clone()),
        Transform::Drop(frame) => ("dropped", frame.name.clone()),
        Transform::Keep(frame) => ("kept", frame.name.clone()),
    }
}
