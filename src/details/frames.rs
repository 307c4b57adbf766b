//! Stack of an event. The frames that write the event are folded.

use crate::app::state::{App, Selection};
use leptos::prelude::*;
use protocol::base::ids::FunctionId;
use protocol::reply::FrameLine;
use protocol::tables::frame_flag::FRAMEWORK;
use view::details::writing_frames::writing_frames;
use view::format;
use view::stacks::code_place::file_and_line;
use view::stacks::function_name::split_name;

/// Returns the stack; `None` without frames.
pub fn stack_view(app: App, frames: &[FrameLine]) -> Option<impl IntoView + use<>> {
    if frames.is_empty() {
        return None;
    }
    let (writing, others) = frames.split_at(writing_frames(frames));
    let line = |frame: &FrameLine| frame_view(app, frame);
    let folded = (!writing.is_empty()).then(|| {
        view! {
            <details class="folded" data-testid="writing-frames">
                <summary>{format!("Event tracing · {}", format::counted(writing.len() as u64, "frame"))}</summary>
                <ol class="frames">{writing.iter().map(line).collect_view()}</ol>
            </details>
        }
    });
    Some(view! {
        <section>
            <h3>"Stack"<span class="sp">{format!("{}, leaf first", format::counted(frames.len() as u64, "frame"))}</span></h3>
            {folded}
            <ol class="frames" data-testid="stack">{others.iter().map(line).collect_view()}</ol>
        </section>
    })
}

fn frame_view(app: App, frame: &FrameLine) -> impl IntoView + use<> {
    let function = FunctionId(frame.function);
    let il = frame.il_offset.map_or_else(String::new, |offset| format!(" · IL offset {offset:#x}"));
    let lines = [
        frame.name.as_str(),
        frame.raw_name.as_str(),
        &format!("{:#x}{il}", frame.address),
        frame.tier.as_str(),
        frame.module.as_str(),
        frame.source.as_str(),
    ];
    let title = lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    let place = match frame.source.as_str() {
        "" => view! { <span class="module">{frame.module.clone()}</span> }.into_any(),
        source => view! { <span class="source" data-testid="frame-source">{file_and_line(source).to_owned()}</span> }
            .into_any(),
    };
    view! {
        <li class:framework=frame.flags & FRAMEWORK != 0 title=title data-testid="stack-frame">
            <button on:click=move |_| app.select(Selection::Function(function))>{split_name(&frame.name).1.to_owned()}</button>
            {place}
        </li>
    }
}
