//! Just my code, and the dialog for root frames, grouping and folding.

use super::fold_fields::FoldFields;
use super::offer_dialog;
use crate::app::state::App;
use crate::commands::shortcuts::title;
use crate::widgets::dialog::Dialog;
use crate::widgets::switch::Switch;
use leptos::prelude::*;
use protocol::stacks::shape::{FramePatterns, Grouping, Roots};
use view::keys::keymap::{Command, Scope};

/// Switch of Just my code.
#[component]
pub fn MyCodeSwitch() -> impl IntoView {
    let app = expect_context::<App>();
    let mine = Memo::new(move |_| app.stacks.with(|look| look.shape.just_my_code));
    view! {
        <Switch
            on=mine
            turn=Callback::new(move |()| app.stacks.update(|look| look.shape.just_my_code ^= true))
            testid="just-my-code"
            title="Hide framework frames except those your code calls (J)"
            words="Just my code"
            short="My code"
        />
    }
}

/// Button that opens the other options.
#[component]
pub fn FoldButton() -> impl IntoView {
    let app = expect_context::<App>();
    let open = RwSignal::new(false);
    offer_dialog(app, Command::FoldOptions, open);
    // Number of active options, to explain why stacks look different.
    let set = Memo::new(move |_| {
        app.stacks.with(|look| {
            let shape = &look.shape;
            let is_set = [
                shape.roots != Roots::None,
                shape.stitched,
                !shape.awaits,
                !shape.unresolved,
                shape.grouping != Grouping::Functions,
                shape.patterns != FramePatterns::default(),
                !shape.framework.is_empty(),
                shape.without_recursion,
            ];
            is_set.into_iter().filter(|is_set| *is_set).count()
        })
    });
    view! {
        <button class="btn" class:on=move || set.get() != 0 aria-haspopup="dialog" data-testid="fold" data-command=Command::FoldOptions.id()
            title=title(Scope::Stacks, Command::FoldOptions) on:click=move |_| open.set(true)>
            "Fold"
            {move || if set.get() == 0 { "…".to_owned() } else { format!(" ({})…", set.get()) }}
        </button>
        <Dialog open title="Group and fold stacks" testid="fold-dialog"><FoldFields/></Dialog>
    }
}
