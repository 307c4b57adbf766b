//! Analysis without data: how to record it.

use crate::app::state::App;
use crate::commands::shortcuts::name;
use crate::widgets::copy::copy_text;
use crate::widgets::icon::{COPY, Icon};
use leptos::prelude::*;
use protocol::topics::report::NotRecorded;
use protocol::topics::topic::Topic;
use view::keys::keymap::{Command, Scope};

/// Explanation of what records an analysis, with a command to copy.
#[component]
pub fn HowToRecord(topic: Topic, missing: NotRecorded) -> impl IntoView {
    let app = expect_context::<App>();
    let NotRecorded { words, command } = missing;
    let copied = command.clone();
    let copy = Callback::new(move |()| copy_text(app.shell, copied.clone(), "Command"));
    app.actions.on(Scope::Topics, Command::CopyCommand, move || copy.run(()));
    let name = name(Scope::Topics, Command::CopyCommand);
    view! {
        <div class="blank not-recorded" data-testid="not-recorded">
            <h2>{format!("{} not recorded", topic.title())}</h2>
            <p data-testid="not-recorded-words">{words}</p>
            <p>"To record this:"</p>
            <div class="cmd">
                <code title=command.clone() data-testid="not-recorded-command">{command.clone()}</code>
                <button class="btn icon" aria-label=name title=name data-testid="copy-command"
                    data-command=Command::CopyCommand.id() on:click=move |_| copy.run(())>
                    <Icon shape=COPY class="s"/>
                </button>
            </div>
        </div>
    }
}
