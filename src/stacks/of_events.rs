//! Navigation from events to their stacks.

use crate::app::state::{App, Tab};
use crate::trace::join::join;
use leptos::prelude::*;
use protocol::request::SampleChoice;
use protocol::tables::StackSources;
use protocol::{Failure, queries};
use view::stacks::of_events::stacks_of;
use wasm_bindgen_futures::spawn_local;

/// Shows the stacks of the matching events of these types (`Provider/Name`), or a message if they have none. If the page is
/// about all traces, those of the first trace that has some decide about the source.
pub fn show_stacks_of(app: App, names: Vec<String>) {
    spawn_local(async move {
        if let Err(failure) = show(app, &names).await {
            app.shell.say(failure.to_string());
        }
    });
}

async fn show(app: App, names: &[String]) -> Result<(), Failure> {
    let traces = untrack(|| app.traces.beside(app));
    let sources = join(traces.iter().map(|trace| trace.ask(queries::StackSources))).await?;
    let of_trace = |(trace, sources): (&App, &StackSources)| {
        trace.types.with_untracked(|types| stacks_of(names, sources, types.as_ref()?))
    };
    let Some((source, weight)) = traces.iter().zip(&sources).find_map(of_trace) else {
        app.shell.say("None of these events has a stack.".to_owned());
        return Ok(());
    };
    app.stacks.update(|look| {
        look.source = source;
        look.weight = weight;
        look.samples = SampleChoice::Running;
    });
    app.tab.set(Tab::Stacks);
    Ok(())
}
