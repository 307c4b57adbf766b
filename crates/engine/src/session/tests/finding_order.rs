//! Findings of recordings: in one order, by the number that each prints, and with evidence that can be followed.

use crate::analysis::tests::reference::recording;
use crate::analysis::tests::tracks::RECORDINGS;
use crate::session::{FileFacts, Session};
use protocol::filter::parse;
use protocol::request::Filter;
use protocol::topics::finding::{Finding, FindingKind, FindingTarget, MAX_THREADS};

/// A session and its findings; none if the recording isn't here, or is large.
fn findings_of(name: &str) -> Option<(Session, Vec<Finding>)> {
    let recording = recording(name)?;
    let facts = FileFacts { bytes: recording.bytes.len() as u64, ..FileFacts::default() };
    let mut session = Session::new(recording.store, Box::new(recording.bytes), facts).expect("a session");
    let findings = session.findings(&Filter::default()).expect("findings");
    Some((session, findings))
}

fn kinds(name: &str) -> Option<Vec<FindingKind>> {
    findings_of(name).map(|(_, found)| found.into_iter().map(|one| one.kind).collect())
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn costs_of_recordings_descend_and_titles_have_them() {
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
            assert!(one.threads.len() <= MAX_THREADS);
            assert!(
                one.threads.iter().all(|thread| session.store().threads().get(*thread).is_some()),
                "{name}: {one:?}"
            );
            for of in one.links.iter().filter_map(|link| link.to.narrowing()) {
                assert!(parse(&of.condition).is_ok(), "{name}: {}", of.condition);
            }
        }
        let first_others = findings.iter().position(|one| !one.comes_first).unwrap_or(findings.len());
        assert!(findings[first_others..].iter().all(|one| !one.comes_first), "{name}");
    }
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn recordings_that_lack_much_say_so_first() {
    use FindingKind::{IncompleteRecording, LostEvents, NoEvents, NoNames, OversizedEvents};
    for (name, first) in [
        ("drops-net10.nettrace", LostEvents),
        ("cut-net10.nettrace", IncompleteRecording),
        ("aborted-net31.nettrace", NoEvents),
        ("norundown-net10.nettrace", NoNames),
    ] {
        let Some(found) = kinds(name) else { continue };
        assert_eq!(found.first(), Some(&first), "{name}: {found:?}");
        // What explains it is said there, not again.
        assert!(!(first == NoEvents && found.contains(&IncompleteRecording)), "{name}: {found:?}");
    }
    // Events of 65,538 bytes; the buffers weren't full.
    let Some((_, found)) = findings_of("shapes-net10.nettrace") else { return };
    let of = |kind: FindingKind| found.iter().find(|one| one.kind == kind).map(|one| one.cost.value);
    assert_eq!((of(OversizedEvents), of(LostEvents)), (Some(7.0), None));
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn counts_of_a_trace_that_lost_events_are_minimums() {
    let Some((_, found)) = findings_of("drops-net10.nettrace") else { return };
    assert_eq!(found[0].title, "474,217 events lost (11 of 12)");
    let others = found.iter().filter(|one| !one.kind.is_about_trace());
    for one in others {
        assert!(one.cost.is_minimum && one.title.to_lowercase().contains("at least"), "{}", one.title);
    }
}

/// What links narrow to is what their finding counts.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn rows_of_requests_are_those_that_a_finding_counts() {
    for name in ["web-net8.nettrace", "web-net9.nettrace", "web-net10.nettrace"] {
        let Some((mut session, found)) = findings_of(name) else { continue };
        let slow = found.iter().find(|one| one.kind == FindingKind::SlowRequests).expect("slow requests");
        let rows = slow.links.iter().find_map(|link| match &link.to {
            FindingTarget::Rows { table, of, .. } if table == "incoming" => Some((&link.words, of)),
            _ => None,
        });
        let (words, of) = rows.expect("a link to the requests");
        let filter = Filter { query: of.condition.clone(), span: of.span, ..Filter::default() };
        let order = protocol::request::RowOrder::default();
        let topic = protocol::topics::topic::Topic::Http;
        let page = session.report_rows(topic, &filter, &order, 0, 1).expect("rows");
        let number = page.total.first().copied().unwrap_or(0);
        assert_eq!(
            *words,
            format!("View {}", protocol::format::counted(number, "request")),
            "{name}: {}",
            of.condition
        );
    }
}
