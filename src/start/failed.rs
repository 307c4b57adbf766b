//! Failure screen: problem and possible actions.

use super::PlainHeader;
use super::drop_zone::Picker;
use super::policy::PrivacyFooter;
use crate::app::boot::BUILD;
use crate::app::state::App;
use crate::widgets::copy::copy_text;
use crate::widgets::icon::{COPY, Icon, WARNING};
use leptos::prelude::*;
use protocol::{Failure, FailureCode};

/// Title and actions for a kind of failure.
struct Advice {
    title: &'static str,
    what_to_do: &'static [&'static str],
    retry: Option<&'static str>,
    reload: bool,
}

fn advice(code: FailureCode) -> Advice {
    let (title, what_to_do, retry, reload): (_, &[&str], _, _) = match code {
        FailureCode::EmptyFile => (
            "The file is empty",
            &[
                "Record again, and check that dotnet-trace has permission to write to the folder.",
                "If the file is still being recorded, wait until recording finishes, then try again.",
                "If the file was moved, choose it again from its new location.",
            ],
            Some("Try again"),
            false,
        ),
        FailureCode::NotATrace => (
            "This isn't a .NET trace",
            &[
                "Choose the file that dotnet-trace collect wrote. Its default name is PROCESS_DATE_TIME.nettrace.",
                "Use other tools for .etl, .gcdump and speedscope files; Traceglass opens .nettrace and .netperf.",
            ],
            None,
            false,
        ),
        FailureCode::UnsupportedVersion => (
            "This trace format is newer than Traceglass",
            &["Reload to get the latest version.", "Record with an older version of the tool."],
            None,
            true,
        ),
        FailureCode::DamagedHeader => (
            "The file header is damaged",
            &[
                "Copy the file again from the machine that recorded it. Without its header, the file can't be decoded.",
                "Use binary mode for transfers, and turn off Git line-ending conversion for traces.",
            ],
            Some("Try again"),
            false,
        ),
        FailureCode::Archive => (
            "Can't extract this archive",
            &["Extract it with another tool, then drop the .nettrace or .netperf file."],
            Some("Try again"),
            false,
        ),
        FailureCode::TooLarge => (
            "Too large to decompress in the browser",
            &["Decompress or download it first, then drop the file. Files on disk are read in place, at any size."],
            None,
            false,
        ),
        FailureCode::Unreadable => (
            "Can't read this file",
            &[
                "If the file was changed, moved or deleted, choose it again.",
                "If the browser isn't allowed to read the file, copy it to another folder.",
            ],
            Some("Try again"),
            false,
        ),
        FailureCode::OutOfMemory => (
            "Not enough memory for this trace",
            &["Close other tabs and try again.", "Record a shorter time (--duration) or fewer providers."],
            Some("Try again"),
            false,
        ),
        FailureCode::Fetch => (
            "Can't load this URL",
            &[
                "Ask the host's owner to send the Access-Control-Allow-Origin header.",
                "Download the file and drop it here.",
            ],
            Some("Try again"),
            false,
        ),
        FailureCode::VersionSkew => {
            ("Traceglass was updated", &["Reload to finish updating, then choose your file again."], None, true)
        }
        FailureCode::Crashed => (
            "Something went wrong while reading the trace",
            &[
                "This is a bug in Traceglass, not a problem with your trace. The page still works.",
                "Reload the trace. If it fails again, file a bug with the report below.",
            ],
            Some("Reload trace"),
            false,
        ),
        FailureCode::Silent => (
            "Traceglass isn't responding",
            &[
                "Reload the trace; your view is restored. If you chose symbol files or a part to index, choose them again.",
                "Try a shorter time range or a narrower filter.",
            ],
            Some("Reload trace"),
            false,
        ),
        _ => ("Can't open this trace", &["Try again, or choose another file."], Some("Try again"), false),
    };
    Advice { title, what_to_do, retry, reload }
}

/// Returns a report for developers, without file names and content.
fn report(app: App, failure: &Failure) -> String {
    let progress = app.opening.progress.get_untracked();
    let agent = window().navigator().user_agent().unwrap_or_default();
    let mut lines = vec![
        format!("Traceglass {} ({BUILD})", env!("CARGO_PKG_VERSION")),
        agent,
        format!("Failure: {:?}", failure.code),
        format!("Read: {} of {} bytes, {} events", progress.bytes, progress.total_bytes, progress.events),
    ];
    if let Some(offset) = failure.offset {
        lines.push(format!("Offset: {offset}"));
    }
    if failure.code == FailureCode::Crashed {
        lines.push(format!("Detail: {}", failure.detail));
    }
    lines.join("\n")
}

/// Failure screen.
#[component]
pub fn Failed(failure: Failure) -> impl IntoView {
    let app = expect_context::<App>();
    let picker = expect_context::<Picker>();
    let advice = advice(failure.code);
    let text = report(app, &failure);
    let message = if failure.offset == Some(0) { failure.message.clone() } else { failure.to_string() };
    let detail = (!failure.detail.is_empty()).then(|| {
        view! {
            <div>
                <h2>"Details"</h2>
                <pre data-testid="failure-detail">{failure.detail.clone()}</pre>
            </div>
        }
    });
    let retry = advice.retry.filter(|_| app.can_retry()).map(|words| {
        view! { <button class="btn line lg" data-testid="retry" on:click=move |_| app.retry()>{words}</button> }
    });
    let reload = advice.reload.then(|| {
        // If the browser doesn't reload, the user can.
        let reload = move |_| drop(window().location().reload());
        view! { <button class="btn line lg" data-testid="reload" on:click=reload>"Reload"</button> }
    });
    // In a frame, the page around it opens traces.
    let is_alone = app.embedding.is_none();
    let what_to_do = is_alone.then(|| {
        let lines = advice.what_to_do.iter().map(|line| view! { <li>{*line}</li> });
        view! {
            <div>
                <h2>"What you can do"</h2>
                <ul class="dot">{lines.collect_view()}</ul>
            </div>
        }
    });
    let choose = is_alone.then(|| {
        view! {
            <button class="btn primary lg" data-testid="choose-file" on:click=move |_| picker.open()>
                "Choose another file…"
            </button>
        }
    });
    let name = untrack(|| app.trace_name());
    view! {
        <div class="plain" data-testid="failed" data-code=format!("{:?}", failure.code)>
            <PlainHeader/>
            <main class="errs">
                <div class="err" role="alert">
                    <header>
                        <Icon shape=WARNING/>
                        <div>
                            <h1>{advice.title}</h1>
                            <p class="muted">{name}</p>
                            <p data-testid="failure-message">{message}</p>
                        </div>
                    </header>
                    {detail}
                    {what_to_do}
                    <div class="do">
                        {choose}
                        {retry}
                        {reload}
                        <button
                            class="btn line lg"
                            data-testid="copy-report"
                            on:click=move |_| copy_text(app.shell, text.clone(), "Report")
                        >
                            <Icon shape=COPY class="s"/>
                            "Copy report"
                        </button>
                        <span class="muted">"The report contains no file names and no trace content."</span>
                    </div>
                </div>
            </main>
            <PrivacyFooter/>
        </div>
    }
}
