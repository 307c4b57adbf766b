//! Loading screen.

use super::PlainHeader;
use super::heat::Heat;
use crate::app::state::App;
use crate::widgets::progress::ProgressBar;
use leptos::prelude::*;
use view::format;

/// Minimum time in milliseconds before the remaining time is estimated.
const JUDGE_AFTER_MS: f64 = 400.0;

/// Loading screen.
#[component]
pub fn Loading() -> impl IntoView {
    let app = expect_context::<App>();
    let bytes_a_second = move || {
        let progress = app.opening.progress.get();
        let bytes = progress.bytes.max(progress.unpacked_bytes);
        (progress.elapsed_ms > 0.0).then(|| (bytes as f64 * 1e3 / progress.elapsed_ms) as u64)
    };
    let events_a_second = move || {
        let progress = app.opening.progress.get();
        (progress.elapsed_ms > JUDGE_AFTER_MS).then(|| (progress.events as f64 * 1e3 / progress.elapsed_ms) as u64)
    };
    let unpacked = move || {
        let bytes = app.opening.progress.get().unpacked_bytes;
        (bytes > 0)
            .then(|| view! { <span><b data-testid="loading-unpacked">{format::bytes(bytes)}</b>" decompressed"</span> })
    };
    let left = move || {
        let progress = app.opening.progress.get();
        let known = progress.elapsed_ms > JUDGE_AFTER_MS && progress.bytes > 0 && progress.total_bytes > progress.bytes;
        known.then(|| {
            let a_byte = progress.elapsed_ms / progress.bytes as f64;
            let seconds = a_byte * (progress.total_bytes - progress.bytes) as f64 / 1e3;
            view! { <span><b>{format!("{seconds:.1} s")}</b>" left"</span> }
        })
    };
    let size = move || {
        let total = app.opening.progress.get().total_bytes;
        (total > 0).then(|| format::bytes(total))
    };
    view! {
        <div class="loading-screen" data-testid="loading">
            <PlainHeader/>
            <main>
            <section class="loadbar" aria-label="Loading">
                <h1>
                    <span data-testid="loading-file">{move || app.trace_name()}</span>
                    <span class="muted">{size}</span>
                </h1>
                <button class="btn line lg" data-testid="cancel" on:click=move |_| app.cancel()>
                    "Cancel"
                    <kbd>"Esc"</kbd>
                </button>
                <ProgressBar/>
                <p class="nums">
                    <span>
                        <b data-testid="loading-bytes">{move || format::bytes(app.opening.progress.get().bytes)}</b>
                        {move || size().map(|size| format!(" of {size}"))}
                    </span>
                    {unpacked}
                    <span><b data-testid="loading-events">{move || format::count(app.opening.progress.get().events)}</b>" events"</span>
                    {move || events_a_second().map(|rate| view! { <span><b>{format::count(rate)}</b>" events/s"</span> })}
                    {move || bytes_a_second().map(|rate| view! { <span><b>{format::bytes(rate)}"/s"</b></span> })}
                    {left}
                </p>
            </section>
            <Heat/>
            </main>
            <footer class="status"><span>"Drop another file to open it instead."</span></footer>
        </div>
    }
}
