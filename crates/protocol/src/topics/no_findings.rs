//! Text for traces without findings, which lists the checks that ran.

use super::report::TopicPresence;

/// Recorded data apart from the events of analyses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Recorded {
    pub samples: bool,
    /// Sequence numbers, which show lost events.
    pub losses: bool,
}

/// Describes which checks found nothing, and which subjects couldn't be checked because they weren't recorded.
pub fn no_findings(topics: &[TopicPresence], recorded: Recorded) -> String {
    let of = |is_missing: bool| {
        let others = [(recorded.losses, "lost events"), (recorded.samples, "CPU time")];
        let others = others.into_iter().filter(move |(is_there, _)| *is_there != is_missing).map(|(_, words)| words);
        let topics = topics.iter().filter(move |one| one.missing.is_some() == is_missing);
        others.chain(topics.filter_map(|one| one.topic.checked_for()))
    };
    if topics.is_empty() {
        return "No significant issues found.".to_owned();
    }
    let (checked, unknown): (Vec<_>, Vec<_>) = (of(false).collect(), of(true).collect());
    let mut words = match checked.is_empty() {
        true => "Nothing was checked.".to_owned(),
        false => format!("No significant issues found. Checked: {}.", checked.join(", ")),
    };
    if !unknown.is_empty() {
        words += &format!(" Not recorded, so not checked: {}.", unknown.join(", "));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topics::report::NotRecorded;
    use crate::topics::topic::Topic;

    const ALL: Recorded = Recorded { samples: true, losses: true };

    #[test]
    fn trace_without_checkable_events_is_not_called_clean() {
        let words = no_findings(&[presence(Topic::Gc, false)], Recorded::default());
        assert_eq!(words, "Nothing was checked. Not recorded, so not checked: lost events, CPU time, GC pauses.");
    }

    fn presence(topic: Topic, is_recorded: bool) -> TopicPresence {
        let missing = NotRecorded { words: String::new(), command: String::new() };
        TopicPresence { topic, missing: (!is_recorded).then_some(missing), count: None }
    }

    #[test]
    fn missing_topics_are_not_called_checked() {
        let topics = [presence(Topic::Gc, true), presence(Topic::Contention, false), presence(Topic::Logs, true)];
        let words = no_findings(&topics, Recorded { samples: false, losses: true });
        assert_eq!(
            words,
            "No significant issues found. Checked: lost events, GC pauses. Not recorded, so not checked: CPU time, lock contention."
        );
    }

    #[test]
    fn complete_recording_has_no_unchecked_topics() {
        let topics = Topic::ALL.map(|topic| presence(topic, true));
        let words = no_findings(&topics, ALL);
        assert!(words.ends_with("repeated SQL queries, JIT time."), "{words}");
    }

    #[test]
    fn unknown_topics_have_no_list() {
        assert_eq!(no_findings(&[], ALL), "No significant issues found.");
    }
}
