//! Commands for recording traces, by purpose.

use crate::widgets::copy::CopyButton;
use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

struct Recipe {
    name: &'static str,
    question: &'static str,
    commands: &'static [&'static str],
    you_will_see: &'static [&'static str],
}

const RECIPES: &[Recipe] = &[
    Recipe {
        name: "CPU and waits",
        question: "What is using the CPU, and what are threads waiting for?",
        commands: &[
            "dotnet tool install --global dotnet-trace",
            "dotnet-trace ps",
            "dotnet-trace collect --process-id 4127 --duration 00:00:10",
        ],
        you_will_see: &[
            "Stacks of all managed threads about every millisecond, plus GCs, exceptions and thread pool changes.",
            "Waiting threads are sampled, too.",
        ],
    },
    Recipe {
        name: "GC",
        question: "How often, and for how long, does the GC pause my app?",
        commands: &["dotnet-trace collect --process-id 4127 --profile gc-collect"],
        you_will_see: &[
            "Every GC with generation, reason and pauses. Overhead is negligible, so it can run for hours.",
        ],
    },
    Recipe {
        name: "Allocations",
        question: "What allocates, and where?",
        commands: &["dotnet-trace collect --process-id 4127 --profile gc-verbose --duration 00:00:30"],
        you_will_see: &["One sampled allocation per 100 kB with type and stack, plus GCs."],
    },
    Recipe {
        name: "Locks",
        question: "Which locks do threads wait for?",
        commands: &[
            "dotnet-trace collect --process-id 4127 --providers Microsoft-Windows-DotNETRuntime:0x4000:4,Microsoft-DotNETCore-SampleProfiler",
        ],
        you_will_see: &["Start and stop of every contended lock wait, with the waiting stack."],
    },
    Recipe {
        name: "HTTP",
        question: "Which requests are slow?",
        commands: &[
            "dotnet-trace collect --process-id 4127 --providers System.Net.Http,System.Net.NameResolution,System.Net.Sockets,System.Net.Security,Microsoft.AspNetCore.Hosting,System.Threading.Tasks.TplEventSource:0x80:4",
        ],
        you_will_see: &["Incoming and outgoing requests, DNS lookups, connections and TLS handshakes."],
    },
    Recipe {
        name: "Counters",
        question: "How do CPU, memory and queues change over time?",
        commands: &["dotnet-trace collect --process-id 4127 --providers System.Runtime:0:4:EventCounterIntervalSec=1"],
        you_will_see: &["One event per counter per second: CPU, heap, allocation rate, queue length, exceptions."],
    },
    Recipe {
        name: "In a container",
        question: "How do I get a trace out of a container?",
        commands: &[
            "kubectl exec -it my-pod -- sh -c 'curl -L https://aka.ms/dotnet-trace/linux-x64 -o /tmp/dotnet-trace && chmod +x /tmp/dotnet-trace'",
            "kubectl exec -it my-pod -- /tmp/dotnet-trace collect --process-id 1 --duration 00:00:10 --output /tmp/app.nettrace",
            "kubectl cp my-pod:/tmp/app.nettrace app.nettrace",
        ],
        you_will_see: &[
            "The same data as outside a container. Run the tool as the same user as the app, with the same /tmp.",
        ],
    },
    Recipe {
        name: "Without a tool",
        question: "Can the app record itself?",
        commands: &[
            "export DOTNET_EnableEventPipe=1",
            "export DOTNET_EventPipeOutputPath=app-{pid}.nettrace",
            "export DOTNET_EventPipeConfig=Microsoft-DotNETCore-SampleProfiler,Microsoft-Windows-DotNETRuntime:0x4c14fccbd:5",
        ],
        you_will_see: &["Everything from process start. The process must exit normally for the file to be complete."],
    },
];

/// Section "How do I record a trace?".
#[component]
pub fn Recording() -> impl IntoView {
    let chosen = RwSignal::new(0_usize);
    let tabs = NodeRef::<html::Div>::new();
    let on_key = move |event: KeyboardEvent| {
        let last = RECIPES.len() - 1;
        let now = chosen.get_untracked();
        let next = match event.key().as_str() {
            "ArrowRight" => (now + 1).min(last),
            "ArrowLeft" => now.saturating_sub(1),
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        chosen.set(next);
        if let Some(tabs) = tabs.get_untracked() {
            crate::widgets::focus_child(&tabs, next as u32);
        }
    };
    let panel = move || {
        let recipe = RECIPES.get(chosen.get())?;
        let commands = recipe.commands.iter().map(|command| {
            view! {
                <div class="cmd">
                    <code title=*command>{*command}</code>
                    <CopyButton text=move |()| (*command).to_owned() what="Command"/>
                </div>
            }
        });
        Some(view! {
            <div>
                <h3>{recipe.question}</h3>
                {commands.collect_view()}
            </div>
            <div>
                <h3>"You will see"</h3>
                {recipe.you_will_see.iter().map(|text| view! { <p>{*text}</p> }).collect_view()}
            </div>
        })
    };
    view! {
        <section class="rec" aria-labelledby="h-recording">
            <div class="rec-h">
                <h2 id="h-recording">"How do I record a trace?"</h2>
                <div class="seg" role="tablist" aria-label="Question" node_ref=tabs on:keydown=on_key>
                    {RECIPES
                        .iter()
                        .enumerate()
                        .map(|(index, recipe)| {
                            view! {
                                <button
                                    role="tab"
                                    id=format!("recipe-{index}")
                                    aria-selected=move || (chosen.get() == index).to_string()
                                    aria-controls="recipe"
                                    tabindex=move || if chosen.get() == index { "0" } else { "-1" }
                                    on:click=move |_| chosen.set(index)
                                >
                                    {recipe.name}
                                </button>
                            }
                        })
                        .collect_view()}
                </div>
            </div>
            <div
                class="steps"
                role="tabpanel"
                id="recipe"
                data-testid="recording"
                aria-labelledby=move || format!("recipe-{}", chosen.get())
            >
                {panel}
            </div>
        </section>
    }
}
