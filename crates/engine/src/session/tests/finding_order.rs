//! Order of the findings of recordings: by the cost in their titles, with links that parse.

use crate::analysis::tests::reference::recording;
use crate::analysis::tests::tracks::RECORDINGS;
use crate::session::{FileFacts, Session};
use protocol::filter::parse;
use protocol::format::counted;
use protocol::queries;
use protocol::request::Filter;
use protocol::topics::finding::{Finding, FindingKind, FindingTarget, MAX_THREADS};

/// Maximum characters of a title, and of evidence and fix, which the page shows on one line.
const MAX_TITLE: usize = 68;
const MAX_LINE: usize = 118;
/// Maximum characters of evidence and fix on one line beside the summary's other parts at 1440 pixels, and the number of
/// findings that fit there if none has a second line.
const ONE_LINE: usize = 104;
const FIRST_FINDINGS: usize = 6;

/// Opens a recording and returns its session and findings; `None` if the recording is missing or large.
fn findings_of(name: &str) -> Option<(Session, Vec<Finding>)> {
    let recording = recording(name)?;
    let facts = FileFacts { bytes: recording.bytes.len() as u64, ..FileFacts::default() };
    let mut session = Session::new(recording.store, Box::new(recording.bytes), facts).expect("a session");
    let findings = session.ask(&queries::Findings { filter: Filter::default() }).expect("findings");
    Some((session, findings))
}

fn kinds(name: &str) -> Option<Vec<FindingKind>> {
    findings_of(name).map(|(_, found)| found.into_iter().map(|one| one.kind).collect())
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn findings_are_sorted_by_cost_in_title_and_gc_findings_have_one_unit() {
    use FindingKind::{InducedGcs, LargeObjectChurn, LongPause, PauseShare, SlowSuspension};
    for name in RECORDINGS {
        let Some((session, findings)) = findings_of(name) else { continue };
        let timed: Vec<(FindingKind, f64)> = findings
            .iter()
            .filter(|one| !one.kind.is_about_trace())
            .filter_map(|one| Some((one.kind, one.cost.nanos()?)))
            .collect();
        assert!(timed.is_sorted_by(|one, next| one.1 >= next.1), "{name}: {timed:?}");
        for one in &findings {
            println!("{name}: {} | {} {} | {}", one.title, one.cost.size(), one.cost.words, one.sentence);
            let is_counted = one.kind == FindingKind::SlowRequests && one.cost.nanos().is_none();
            let has_no_size = [FindingKind::NoEvents, FindingKind::IncompleteRecording].contains(&one.kind);
            if !has_no_size && !is_counted {
                let title = one.title.to_lowercase();
                assert!(
                    title.contains(&one.cost.size().to_lowercase()),
                    "{name}: {} for {}",
                    one.title,
                    one.cost.size()
                );
            }
            assert!(!one.advice.is_empty() && !one.sentence.is_empty(), "{name}: {one:?}");
            let (title, line) = (one.title.chars().count(), format!("{} {}", one.sentence, one.advice));
            assert!(title <= MAX_TITLE && line.chars().count() <= MAX_LINE, "{name}: {} | {line}", one.title);
            assert!(one.threads.len() <= MAX_THREADS);
            assert!(one.threads.iter().all(|thread| session.store().threads.get(*thread).is_some()), "{name}: {one:?}");
            for of in one.links.iter().filter_map(|link| link.to.narrowing()) {
                assert!(parse(&of.condition).is_ok(), "{name}: {}", of.condition);
            }
        }
        let first_others = findings.iter().position(|one| !one.comes_first).unwrap_or(findings.len());
        assert!(findings[first_others..].iter().all(|one| !one.comes_first), "{name}");
        let of_gcs = [InducedGcs, LargeObjectChurn, LongPause, PauseShare, SlowSuspension];
        let mut units: Vec<&str> =
            findings.iter().filter(|one| of_gcs.contains(&one.kind)).map(|one| one.cost.words.as_str()).collect();
        units.dedup();
        assert!(units.len() <= 1, "{name}: {units:?}");
    }
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn first_findings_of_web_recordings_have_one_line() {
    for name in ["web-net8.nettrace", "web-net9.nettrace", "web-net10.nettrace"] {
        let Some((_, found)) = findings_of(name) else { continue };
        for one in found.iter().take(FIRST_FINDINGS) {
            let line = format!("{} {}", one.sentence, one.advice);
            assert!(line.chars().count() <= ONE_LINE, "{name}: {line}");
        }
    }
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn incomplete_recording_lists_its_defect_first() {
    use FindingKind::{IncompleteRecording, LostEvents, NoEvents, NoNames, OversizedEvents};
    for (name, first) in [
        ("drops-net10.nettrace", LostEvents),
        ("cut-net10.nettrace", IncompleteRecording),
        ("aborted-net31.nettrace", NoEvents),
        ("norundown-net10.nettrace", NoNames),
    ] {
        let Some(found) = kinds(name) else { continue };
        assert_eq!(found.first(), Some(&first), "{name}: {found:?}");
        // The first finding already explains the missing end.
        assert!(!(first == NoEvents && found.contains(&IncompleteRecording)), "{name}: {found:?}");
    }
    // Events of 65,538 bytes; the buffers weren't full.
    let Some((_, found)) = findings_of("shapes-net10.nettrace") else { return };
    let of = |kind: FindingKind| found.iter().find(|one| one.kind == kind).map(|one| one.cost.value);
    assert_eq!((of(OversizedEvents), of(LostEvents)), (Some(7.0), None));
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn exceptions_of_lossy_trace_have_the_time_of_throwing() {
    let Some((_, found)) = findings_of("drops-net10.nettrace") else { return };
    let title = |kind: FindingKind| found.iter().find(|one| one.kind == kind).map(|one| one.title.as_str());
    assert_eq!(title(FindingKind::ExceptionStorm), Some("1,670 exceptions; throwing took at least 5.69 s"));
    assert_eq!(title(FindingKind::CpuHotSpot), Some("Program.Work used 37% of running time (at least 3.50 s)"));
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn findings_of_lossy_trace_are_minimums() {
    let Some((_, found)) = findings_of("drops-net10.nettrace") else { return };
    assert_eq!(found[0].title, "474,217 events lost (91%)");
    let others = found.iter().filter(|one| !one.kind.is_about_trace());
    for one in others {
        assert!(one.cost.is_minimum && one.title.to_lowercase().contains("at least"), "{}", one.title);
    }
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn request_link_shows_number_of_rows_in_its_text() {
    for name in ["web-net8.nettrace", "web-net9.nettrace", "web-net10.nettrace"] {
        let Some((mut session, found)) = findings_of(name) else { continue };
        let of_requests = |one: &&Finding| [FindingKind::SlowRequests, FindingKind::FailedRequests].contains(&one.kind);
        assert!(found.iter().any(|one| one.kind == FindingKind::SlowRequests), "{name}");
        for one in found.iter().filter(of_requests) {
            let links: Vec<_> = one
                .links
                .iter()
                .filter_map(|link| match &link.to {
                    FindingTarget::Rows { topic, table, column, of } => Some((&link.words, *topic, table, column, of)),
                    _ => None,
                })
                .collect();
            let (words, ..) = links.first().expect("a link to the requests");
            for (said, topic, table, column, of) in &links {
                let filter = Filter { query: of.condition.clone(), span: of.span, ..Filter::default() };
                let head = session.ask(&queries::Report { topic: *topic, filter }).expect("a report");
                let named = |key: &str| head.tables.iter().position(|one| one.key == key);
                let shown = named(table).unwrap_or_else(|| panic!("no table {table}"));
                assert!(head.tables[shown].columns.iter().any(|one| one.key == **column), "{column}");
                // Phases of one request, else the requests that the title counts.
                let rows_of = |key: &str| named(key).map_or(0, |at| head.tables[at].rows);
                let requests = rows_of("incoming") + rows_of("outgoing");
                match said == words {
                    true => {
                        let number = counted(requests, "request");
                        assert_eq!(**words, format!("View {number}"), "{name}: {}", of.condition);
                        assert!(one.title.contains(&number), "{name}: {}", one.title);
                    }
                    false => assert_eq!((requests, head.tables[shown].rows > 0), (1, true), "{name}: {}", of.condition),
                }
            }
        }
    }
}
