//! Recorded analyses, and missing ones with commands that record them.

use super::cards::Line;
use crate::app::state::{App, Tab};
use crate::widgets::copy::copy_text;
use crate::widgets::icon::{COPY, Icon};
use leptos::prelude::*;
use protocol::topics::report::{NotRecorded, TopicPresence};
use protocol::topics::topic::Topic;
use view::format;
use view::keys::keymap::Command;

/// Two columns: analyses with data and missing ones.
#[component]
pub fn Recorded() -> impl IntoView {
    view! {
        <div class="recorded">
            <Present/>
            <Missing/>
        </div>
    }
}

/// Sorts items about analyses like their tabs.
fn in_tab_order<T>(mut items: Vec<T>, topic_of: impl Fn(&T) -> Topic) -> Vec<T> {
    let tabs = Tab::all(items.iter().map(&topic_of));
    protocol::base::sort::sort_by_key(&mut items, |item| {
        tabs.iter().position(|tab| *tab == Tab::Topic(topic_of(item)))
    });
    items
}

/// Analyses with data: the same as on the tabs, with the same counts.
#[component]
fn Present() -> impl IntoView {
    let app = expect_context::<App>();
    let topics = Memo::new(move |_| {
        app.topics.with(|topics| {
            let present = |one: &&TopicPresence| one.missing.is_none();
            in_tab_order(topics.iter().filter(present).cloned().collect(), |one| one.topic)
        })
    });
    let line = move |TopicPresence { topic, count, .. }: TopicPresence| {
        let counted = count.map(|count| topic.counted(count)).unwrap_or_default();
        let (value, noun) = counted.split_once(' ').unwrap_or((&counted, ""));
        view! {
            <Line
                name=topic.title()
                value
                noun
                does=format!("{}\n{}", topic.summary(), topic.opened_by())
                testid="summary-topic"
                run=move |()| app.tab.set(Tab::Topic(topic))
            />
        }
    };
    let note = move || topics.with(|topics| format::counted(topics.len() as u64, "tab"));
    let nothing = move || app.topics.with(|all| !all.is_empty()) && topics.with(Vec::is_empty);
    view! {
        <section aria-labelledby="h-topics" class="in-trace" data-testid="in-this-trace">
            <h2 id="h-topics">
                "In this trace"<span class="n">{note}</span>
                <button class="link" data-command=Command::ShowMetadata.id() on:click=move |_| app.tab.set(Tab::Metadata)>
                    "Metadata"
                </button>
            </h2>
            <ul class="items">{move || topics.get().into_iter().map(line).collect_view()}</ul>
            <p class="none" hidden=move || !nothing()>"No events with a dedicated tab. See Events."</p>
        </section>
    }
}

/// Analyses without data, each with a command.
#[component]
fn Missing() -> impl IntoView {
    let app = expect_context::<App>();
    let missing = Memo::new(move |_| {
        let one = |one: &TopicPresence| Some((one.topic, one.missing.clone()?));
        app.topics.with(|topics| in_tab_order(topics.iter().filter_map(one).collect(), |(topic, _)| *topic))
    });
    let line = move |(topic, NotRecorded { words, command }): (Topic, NotRecorded)| {
        // Startup is recorded by starting the app, so its command has no PID.
        let placeholder = if command.contains("PID") { "PID" } else { "app.dll" };
        let label = format!("Copy recording command for {}", topic.title());
        let (title, copied) = (format!("{words}\n{}", topic.opened_by()), command.clone());
        view! {
            <li data-testid="summary-missing">
                <button class="link" title=title on:click=move |_| app.tab.set(Tab::Topic(topic))>{topic.title()}</button>
                <button class="btn icon" aria-label=label title=format!("{command}\nCopy; replace {placeholder}") data-testid=format!("copy-record-{}", topic.slug())
                    on:click=move |_| copy_text(app.shell, copied.clone(), "Command")><Icon shape=COPY class="s"/></button>
            </li>
        }
    };
    let note = move || missing.with(|missing| (!missing.is_empty()).then_some("copy the command"));
    let nothing = move || app.topics.with(|all| !all.is_empty()) && missing.with(Vec::is_empty);
    view! {
        <section aria-labelledby="h-missing" class="missing" data-testid="not-in-this-trace">
            <h2 id="h-missing">"Not recorded"<span class="n">{note}</span></h2>
            <ul class="commands">{move || missing.get().into_iter().map(line).collect_view()}</ul>
            <p class="none" hidden=move || !nothing()>"Everything was recorded."</p>
        </section>
    }
}
