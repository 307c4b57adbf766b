//! Start page for choosing a trace.

use super::PlainHeader;
use super::drop_zone::Picker;
use super::policy::PrivacyFooter;
use super::questions::Questions;
use super::recording::Recording;
use crate::app::boot::is_saved;
use crate::app::shell::{Chosen, Shell};
use crate::widgets::icon::{DROP, Icon};
use leptos::prelude::*;
use view::page::bundled_traces::{SAMPLES, VIEW_BOX};

/// Start page.
#[component]
pub fn Landing(
    /// Content above the drop target.
    #[prop(optional, into)]
    above: ViewFn,
    /// Content below the bundled traces.
    #[prop(optional, into)]
    below_samples: ViewFn,
) -> impl IntoView {
    let shell = expect_context::<Shell>();
    let picker = expect_context::<Picker>();
    // A saved page has no host, so it can't download anything.
    let open_url = (!is_saved()).then(|| {
        view! {
            <button class="btn line lg" data-testid="open-url-button" on:click=move |_| shell.ask_url.set(true)>
                "Open URL…"
            </button>
        }
    });
    let samples = (!is_saved()).then(|| view! { <Samples/> });
    view! {
        <div class="plain" data-testid="landing">
            <PlainHeader/>
            <main class="land">
                <section aria-labelledby="h-open">
                    <h1 id="h-open">"See what your .NET app did"</h1>
                    <p class="lead">"Drop an EventPipe trace. The file is read in this tab: nothing is installed or uploaded."</p>
                    {above.run()}
                    <div class="dropz" role="group" aria-label="Open trace">
                        <Icon shape=DROP/>
                        <strong>"Drop a .nettrace or .netperf file"</strong>
                        <span>"anywhere in this window, or paste it"</span>
                        <div class="do">
                            <button class="btn primary lg" data-testid="choose-file" on:click=move |_| picker.open()>
                                "Choose a file…"
                            </button>
                            {open_url}
                            <button class="btn line lg" data-testid="choose-two" on:click=move |_| picker.open()>
                                "Compare two…"
                            </button>
                        </div>
                        <small>"nettrace 4–6 and netperf 1–3, also inside .gz, .zst and .zip (up to 4 GiB uncompressed)"</small>
                    </div>
                </section>
                <div>
                    {samples}
                    {below_samples.run()}
                </div>
                <Questions/>
                <Recording/>
            </main>
            <PrivacyFooter/>
        </div>
    }
}

#[component]
fn Samples() -> impl IntoView {
    let shell = expect_context::<Shell>();
    view! {
        <section aria-labelledby="h-samples">
            <h2 id="h-samples">"Sample traces"</h2>
            <ul class="list">
                {SAMPLES.map(|sample| view! {
                    <li>
                        <button
                            class="it"
                            data-testid=format!("sample-{}", sample.name)
                            on:click=move |_| shell.open(Chosen::Sample(sample.name.to_owned()))
                        >
                            <span><b>{sample.title}</b><span class="d">{sample.line}</span></span>
                            <svg class="sketch" viewBox=VIEW_BOX preserveAspectRatio="none" aria-hidden="true">
                                <path d=sample.outline/>
                            </svg>
                        </button>
                    </li>
                }).into_iter().collect_view()}
            </ul>
        </section>
    }
}
