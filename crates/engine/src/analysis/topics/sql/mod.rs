//! Database commands by normalized query and individually, and those that one request repeats.

mod events;
mod findings;
#[cfg(test)]
mod reference_tests;
mod shape;
mod tables;
#[cfg(test)]
mod tests;

use super::recorded_topics::{Role, Trace};
use super::shared::durations::ascending;
use super::shared::interned_texts::InternedTexts;
use super::shared::report::{Report, by_size, percentile};
use super::{Analysis, Facts, IsAbout, Known, Needs, Scope, cut_words};
use crate::analysis::intervals::spans::index::SpanIndex;
use crate::analysis::measures::Collector;
use crate::clr::source_names::DIAGNOSTIC_SOURCE;
use crate::model::{EventChunk, EventType, Store};
use events::{CLIENT, Command, CommandEventSource, CommandFact, Key, OLD_CLIENT, command_fact, may_be_command};
use nettrace::{Value, decode};
use protocol::base::hash::FastMap;
use protocol::base::ids::{ActivityId, EventId, ThreadId};
use protocol::base::sort::sort_by_key;
use protocol::compare::Subject;
use protocol::format::{count, counted, duration};
use protocol::timeline::track::TrackKind;
use protocol::topics::finding::Finding;
use protocol::topics::report::{Hue, Unit};
use shape::shape_of;

/// Maximum number of spans around a command that are examined.
const MAX_ABOVE: usize = 32;
/// Minimum number of commands with the same normalized query in one activity, for the table of repeated commands.
const REPEATED: usize = 5;

/// Commands of a trace.
#[derive(Debug, Default)]
pub struct SqlFacts {
    commands: Vec<Executed>,
    /// Commands that haven't ended, by source and key.
    open: FastMap<(CommandEventSource, Together), u32>,
    texts: InternedTexts,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Together {
    Id(String),
    Activity(ActivityId),
    Thread(ThreadId),
}

/// A command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Executed {
    event: EventId,
    thread: ThreadId,
    source: CommandEventSource,
    start: i64,
    end: Option<i64>,
    /// Positions of texts.
    text: u32,
    shape: u32,
    database: u32,
    /// Empty if it didn't fail.
    failure: u32,
    /// The activity that contains it, by start event.
    work: Option<EventId>,
    /// Name of this activity, position of a text.
    work_name: u32,
}

impl Executed {
    fn duration(&self) -> Option<i64> {
        Some(self.end?.saturating_sub(self.start))
    }
}

impl SqlFacts {
    fn begin(
        &mut self,
        source: CommandEventSource,
        event: EventId,
        thread: ThreadId,
        time: i64,
        command: &Command,
    ) -> u32 {
        let [text, database, none] = [&command.text, &command.database, ""].map(|text: &str| self.texts.position(text));
        let shape = self.texts.position(&shape_of(&command.text));
        self.commands.push(Executed {
            event,
            thread,
            source,
            start: time,
            end: None,
            text,
            shape,
            database,
            failure: none,
            work: None,
            work_name: none,
        });
        self.commands.len() as u32 - 1
    }
}

/// Returns whether an event of DiagnosticSource is about a command.
fn is_of_command(event_type: &EventType, values: Vec<Value>) -> bool {
    may_be_command(event_type) && command_fact(event_type, values).is_some()
}

impl Analysis for SqlFacts {
    const HAS_FINDINGS: bool = true;
    const NEEDS: Needs = Needs { spans: true, ..Needs::NONE };
    const IS_ABOUT: Option<IsAbout> = Some(is_of_command);

    fn role(event_type: &EventType, _trace: &Trace) -> Option<Role> {
        use Role::{Counted, Related};
        match (event_type.provider.as_str(), event_type.display_name.as_str()) {
            (CLIENT | OLD_CLIENT, "BeginExecute") => Some(Counted),
            // Libraries also report commands through activities; their payloads decide when they are read.
            (CLIENT | OLD_CLIENT, _) | (DIAGNOSTIC_SOURCE, "ActivityStop") => Some(Related),
            _ => None,
        }
    }
}

impl Facts for SqlFacts {
    fn wants(&self, event_type: &EventType) -> bool {
        may_be_command(event_type)
    }

    fn read(&mut self, store: &Store, chunk: &EventChunk, row: usize, payload: &[u8]) {
        let Some(event_type) = store.types.get(chunk.event_type(row)) else { return };
        let values = decode(&event_type.schema.fields, payload, store.header.pointer_size);
        let Some((source, command_fact)) = command_fact(event_type, values) else { return };
        let (event, thread, activity) = (chunk.event_id(row), chunk.thread(row), chunk.activity(row));
        let time = store.clock.nanos(chunk.ticks(row)).0;
        let together = |key: Key| match key {
            Key::Id(id) => Some(Together::Id(id)),
            Key::Around if activity.0 != 0 => Some(Together::Activity(activity)),
            Key::Around => Some(Together::Thread(thread)),
            Key::Alone => None,
        };
        match command_fact {
            CommandFact::Begins(command) => {
                let at = self.begin(source, event, thread, time, &command);
                if let Some(together) = together(command.key) {
                    self.open.insert((source, together), at);
                }
            }
            CommandFact::Ends { key, failure, took, command } => {
                let begun = together(key).and_then(|together| self.open.remove(&(source, together)));
                let at = match (begun, &command) {
                    (Some(at), _) => at,
                    (None, Some(command)) => {
                        self.begin(source, event, thread, time.saturating_sub(took.unwrap_or(0)), command)
                    }
                    (None, None) => return,
                };
                let failure = failure.map(|failure| self.texts.position(&failure));
                // A text that is recorded only at the end.
                let late = command.filter(|command| !command.text.is_empty());
                let late = late
                    .map(|command| (self.texts.position(&command.text), self.texts.position(&shape_of(&command.text))));
                let empty = self.texts.position("");
                if let Some(one) = self.commands.get_mut(at as usize) {
                    one.end = (begun.is_some() || took.is_some()).then_some(time);
                    one.failure = failure.unwrap_or(one.failure);
                    if let Some((text, shape)) = late.filter(|_| one.text == empty) {
                        (one.text, one.shape) = (text, shape);
                    }
                }
            }
        }
    }

    fn finish(&mut self, known: &Known<'_>) {
        self.open = FastMap::default();
        // Several sources may report the same commands.
        let first = self.commands.iter().map(|one| one.source).min();
        self.commands.retain(|one| Some(one.source) == first);
        let Some(spans) = known.spans else { return };
        for one in &mut self.commands {
            let row = known.store.events.row(one.event);
            let at = known.store.clock.nanos(row.ticks).0;
            if let Some((event, name)) = work_around(spans, row.activity, at) {
                one.work = Some(event);
                one.work_name = self.texts.position(name);
            }
        }
        sort_by_key(&mut self.commands, |one| (one.start, one.event));
    }

    fn report(&self, known: &Known<'_>, scope: &Scope<'_>) -> Report {
        let commands = self.counted(scope);
        let cut = commands.iter().filter(|one| scope.cuts(one.start, one.end.unwrap_or(one.start))).count();
        let mut report = Report::default();
        self.judge(&commands, cut, &mut report);
        let sizes: Vec<(f64, usize)> = commands.iter().filter_map(|one| Some((one.duration()? as f64, 0))).collect();
        report.charts.extend(by_size("Query duration", Unit::Duration, &[("Queries", Hue::Io)], &sizes));
        report.tables.push(self.shapes_table(&commands));
        report.tables.push(self.repeated_table(&commands));
        report.tables.push(self.commands_table(known.store, &commands));
        report
    }

    fn findings(&self, _known: &Known<'_>, scope: &Scope<'_>) -> Vec<Finding> {
        let commands = self.counted(scope);
        self.repeated_finding(&commands).into_iter().collect()
    }

    /// Adds the durations of queries, in total and by query without literals.
    fn measures(&self, _known: &Known<'_>, scope: &Scope<'_>, into: &mut Collector) {
        into.record(Subject::SqlCommands);
        for command in self.commands.iter().filter(|command| scope.has(command.event)) {
            let Some(nanos) = command.duration() else { continue };
            into.add(Subject::SqlCommands, "", command.start, nanos as f64);
            into.add(Subject::SqlCommands, self.texts.get(command.shape), command.start, nanos as f64);
        }
    }

    fn bytes(&self) -> usize {
        self.commands.len() * size_of::<Executed>() + self.open.len() * 64 + self.texts.bytes()
    }
}

impl SqlFacts {
    /// Returns the commands in scope.
    fn counted(&self, scope: &Scope<'_>) -> Vec<&Executed> {
        let counts = |one: &&Executed| scope.covers(one.event, one.start, one.end.unwrap_or(one.start));
        self.commands.iter().filter(counts).collect()
    }

    fn judge(&self, commands: &[&Executed], cut: usize, report: &mut Report) {
        let durations = ascending(commands.iter().filter_map(|one| one.duration()));
        let total: i64 = durations.iter().sum();
        let failed = commands.iter().filter(|one| !self.texts.get(one.failure).is_empty()).count();
        let mut shapes: Vec<u32> = commands.iter().map(|one| one.shape).collect();
        shapes.sort_unstable();
        shapes.dedup();
        let number = format!("{} ({} distinct)", counted(commands.len() as u64, "query"), count(shapes.len() as u64));
        report.verdict = match (percentile(&durations, 0.5), percentile(&durations, 0.99)) {
            _ if commands.is_empty() => "No database commands recorded.".to_owned(),
            (Some(half), Some(most)) => {
                format!("{number}: {} in total, p50 {}, p99 {}.", duration(total), duration(half), duration(most))
            }
            _ => format!("{number}."),
        };
        let repeated = self.repeated(commands);
        if let Some(worst) = repeated.first() {
            report.explanation = format!(
                "{} ran the same query {} times.",
                self.texts.get(worst.commands[0].work_name),
                worst.commands.len()
            );
        }
        report.figure("commands", "Queries", commands.len() as f64, Unit::Count, cut_words(cut));
        report.figure(
            "shapes",
            "Normalized queries",
            shapes.len() as f64,
            Unit::Count,
            "grouped by query text, ignoring parameter values",
        );
        if commands.is_empty() {
            return;
        }
        let at = |share: f64| percentile(&durations, share).map_or(f64::NAN, |nanos| nanos as f64);
        report.figure("totalNs", "Total", total as f64, Unit::Duration, "");
        report.figure("p50Ns", "p50", at(0.5), Unit::Duration, "");
        report.figure("p95Ns", "p95", at(0.95), Unit::Duration, "");
        report.figure("p99Ns", "p99", at(0.99), Unit::Duration, "");
        report.figure("maxNs", "Max", at(1.0), Unit::Duration, "");
        report.figure("failed", "Failed", failed as f64, Unit::Count, "");
        let note = format!("same query {REPEATED}+ times in one activity");
        report.figure("repeated", "Repeated (N+1)", repeated.len() as f64, Unit::Count, note);
    }

    /// Returns repeated commands with the same normalized query and activity, by count in descending order.
    fn repeated<'c>(&self, commands: &[&'c Executed]) -> Vec<Repeated<'c>> {
        let mut alike: FastMap<(EventId, u32), Vec<&Executed>> = FastMap::default();
        for one in commands {
            if let Some(work) = one.work {
                alike.entry((work, one.shape)).or_default().push(one);
            }
        }
        let many = alike.into_iter().filter(|(_, commands)| commands.len() >= REPEATED);
        let mut repeated: Vec<Repeated<'c>> =
            many.map(|((work, shape), commands)| Repeated { work, shape, commands }).collect();
        sort_by_key(&mut repeated, |one| (std::cmp::Reverse(one.commands.len()), one.work, one.shape));
        repeated
    }
}

/// Commands that one activity repeats.
struct Repeated<'c> {
    /// Start event of the activity.
    work: EventId,
    /// The normalized query, position of a text.
    shape: u32,
    /// By start; at least one.
    commands: Vec<&'c Executed>,
}

/// Returns the start event and name of the unit of work around a time in an activity: the incoming request, or else the
/// outermost span.
fn work_around(spans: &SpanIndex, activity: ActivityId, at: i64) -> Option<(EventId, &str)> {
    let span = spans.begun_in_activity(activity, at).next()?;
    let mut around = std::iter::once(span).chain(spans.above(span).take(MAX_ABOVE));
    let is_request =
        |at: &u32| spans.spans().get(*at as usize).is_some_and(|one| one.track == Some(TrackKind::IncomingRequests));
    let is_connection =
        |at: &u32| spans.spans().get(*at as usize).is_some_and(|one| one.track == Some(TrackKind::Network));
    let outermost = || spans.above(span).take(MAX_ABOVE).filter(|at| !is_connection(at)).last();
    let work = around.find(is_request).or_else(outermost)?;
    let interval = spans.spans().get(work as usize)?.interval;
    Some((interval.event, spans.text(interval.name)))
}
