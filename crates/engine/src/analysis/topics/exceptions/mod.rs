//! Exceptions thrown: by type, by place, by who caught them, by thread, one by one.

pub(crate) mod findings;

use super::shared::call_site::{Site, SiteNames};
use super::shared::over_time::OverTime;
use super::shared::report::Report;
use super::shared::table::{Cell, RowTarget, Table};
use super::shared::thread_names::{thread_condition, thread_name};
use super::{Facts, Known, Needs, Scope};
use crate::analysis::intervals::exception_handlers::{Handled, Handlers};
use crate::analysis::intervals::interval_set::Texts;
use crate::analysis::topics::exceptions::findings::{One, storm};
use crate::clr::KnownEvent;
use crate::clr::known::payload::{ExceptionCatchBegin, ExceptionThrown};
use crate::clr::names::readable;
use crate::clr::source_names::RUNTIME;
use crate::model::{EventChunk, EventType, Store};
use protocol::base::hash::{FastMap, FastSet};
use protocol::base::ids::{EventId, ThreadId};
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::format::{counted, duration, percent};
use protocol::topics::finding::Finding;
use protocol::topics::report::{Hue, StacksOf, Unit};
use std::cmp::Reverse;

/// The exceptions of a trace.
#[derive(Debug, Default)]
pub struct ExceptionFacts {
    pointer_size: u8,
    thrown: Vec<Thrown>,
    /// What became of each, by its position.
    handlers: Handlers,
    texts: Texts,
}

#[derive(Debug)]
struct Thrown {
    event: EventId,
    time: i64,
    thread: ThreadId,
    /// Positions of texts.
    type_name: u32,
    message: u32,
    /// Known when all is read.
    site: Site,
    flags: u16,
    /// Its position among all.
    position: u32,
}

/// Bits of the flags of an exception.
const HAS_INNER: u16 = 1;
const IS_NESTED: u16 = 2;
const IS_THROWN_AGAIN: u16 = 4;

/// Exceptions that have something in common.
#[derive(Default)]
struct Group {
    count: u64,
    first: i64,
    last: i64,
    sites: FastSet<Site>,
    message: u32,
    first_event: Option<EventId>,
}

impl Group {
    fn add(&mut self, one: &Thrown) {
        if self.count == 0 {
            (self.first, self.message, self.first_event) = (one.time, one.message, Some(one.event));
        }
        self.count += 1;
        self.last = one.time;
        self.sites.insert(one.site);
    }

    fn target<'t>(&self, condition: &'t str) -> RowTarget<'t> {
        RowTarget { event: self.first_event, span: Some(Span::new(self.first, self.last + 1)), condition }
    }
}

impl ExceptionFacts {
    /// Nothing read yet.
    pub fn new(store: &Store) -> Self {
        Self { pointer_size: store.header().pointer_size, ..Self::default() }
    }
}

impl Facts for ExceptionFacts {
    fn wants(&self, event_type: &EventType) -> bool {
        use KnownEvent as E;
        matches!(
            event_type.known,
            E::ExceptionThrown
                | E::ExceptionCatchBegin
                | E::ExceptionCatchEnd
                | E::ExceptionFilterBegin
                | E::ExceptionFilterEnd
        )
    }

    fn read(&mut self, store: &Store, chunk: &EventChunk, row: usize, payload: &[u8]) {
        let known = store.types().get(chunk.event_type(row)).map_or(KnownEvent::Other, |one| one.known);
        let (event, thread) = (chunk.event_id(row), chunk.thread(row));
        let time = store.clock().nanos(chunk.ticks(row)).0;
        match known {
            KnownEvent::ExceptionThrown => {}
            KnownEvent::ExceptionCatchBegin => {
                let method = ExceptionCatchBegin::read(payload).map(|one| method_name(&one.method_name.to_string()));
                let method = self.texts.position(&method.unwrap_or_default());
                return self.handlers.caught(thread, time, method);
            }
            KnownEvent::ExceptionCatchEnd => return self.handlers.catch_ended(thread),
            KnownEvent::ExceptionFilterBegin => return self.handlers.filter_begins(thread),
            _ => return self.handlers.filter_ended(thread),
        }
        let thrown = ExceptionThrown::read(payload, self.pointer_size);
        let [type_name, message] = match thrown {
            Some(thrown) => [thrown.type_name, thrown.message].map(|text| self.texts.position(&text.to_string())),
            None => [self.texts.position(""); 2],
        };
        let (site, flags) = (Site::default(), thrown.map_or(0, |thrown| thrown.flags));
        let position = self.handlers.thrown(thread, flags & IS_THROWN_AGAIN != 0);
        self.thrown.push(Thrown { event, time, thread, type_name, message, site, flags, position });
    }

    fn finish(&mut self, known: &Known<'_>) {
        let mut sites = known.sites();
        for one in &mut self.thrown {
            one.site = sites.of_event(one.event);
        }
    }

    fn needs(&self) -> Needs {
        Needs { requests: true, ..Needs::default() }
    }

    fn report(&self, known: &Known<'_>, scope: &Scope<'_>) -> Report {
        let (store, names) = (known.store, known.site_names());
        let thrown: Vec<&Thrown> = self.thrown.iter().filter(|one| scope.has(one.event)).collect();
        let (mut by_type, mut by_site) = (FastMap::default(), FastMap::default());
        for one in &thrown {
            by_type.entry(one.type_name).or_insert_with(Group::default).add(one);
            by_site.entry((one.site, one.type_name)).or_insert_with(Group::default).add(one);
        }
        let mut types: Vec<(u32, Group)> = by_type.into_iter().collect();
        sort_by_key(&mut types, |(name, group)| (Reverse(group.count), *name));
        let mut sites: Vec<((Site, u32), Group)> = by_site.into_iter().collect();
        sort_by_key(&mut sites, |(of, group)| (Reverse(group.count), *of));
        let mut report = Report::default();
        self.judge(names, scope, &thrown, &types, &sites, &mut report);
        if !thrown.is_empty() {
            let mut times = OverTime::new(scope.span);
            thrown.iter().for_each(|one| times.add(one.time, 1.0));
            let series = vec![("exceptions", Hue::Failure, times.per_second())];
            report.charts.push(times.chart("Exception rate", Unit::PerSecond, series));
        }
        report.tables.push(self.types_table(&types));
        report.tables.push(self.sites_table(names, &sites));
        report.tables.push(self.handlers_table(&thrown));
        report.tables.push(self.threads_table(store, &thrown));
        report.tables.push(self.thrown_table((store, names), &thrown));
        let provider = RUNTIME.to_owned();
        report.stacks.push(StacksOf {
            words: "View throw stacks".to_owned(),
            provider,
            event: "Exception/Start".to_owned(),
        });
        report
    }

    fn findings(&self, known: &Known<'_>, scope: &Scope<'_>) -> Vec<Finding> {
        let one = |it: &Thrown| {
            let type_name = self.texts.get(it.type_name);
            let of_event = One { event: it.event, time: it.time, type_name, site: it.site, thread: it.thread };
            scope.has(it.event).then_some(of_event)
        };
        let thrown: Vec<One<'_>> = self.thrown.iter().filter_map(one).collect();
        storm(known.site_names(), &thrown).into_iter().collect()
    }

    fn bytes(&self) -> usize {
        self.thrown.len() * size_of::<Thrown>() + self.handlers.bytes() + self.texts.bytes()
    }
}

impl ExceptionFacts {
    fn judge(
        &self,
        names: SiteNames<'_>,
        scope: &Scope<'_>,
        thrown: &[&Thrown],
        types: &[(u32, Group)],
        sites: &[((Site, u32), Group)],
        report: &mut Report,
    ) {
        let count = thrown.len() as u64;
        let Some((name, most)) = types.first() else {
            report.verdict = "No exceptions thrown.".to_owned();
            report.figure("count", "Thrown", 0.0, Unit::Count, "");
            return;
        };
        let of_types = counted(types.len() as u64, "type");
        report.verdict =
            format!("{} of {of_types} thrown in {}.", counted(count, "exception"), duration(scope.span.duration()));
        let (type_name, leading) = (self.texts.get(*name), most.count);
        report.explanation = match types.len() {
            1 => format!("All are {type_name}"),
            _ => format!("{type_name} leads with {leading} ({})", percent(leading as f64, count as f64)),
        };
        if let Some(((site, _), group)) =
            sites.iter().find(|((_, of), _)| of == name).filter(|((site, _), _)| site.is_some())
        {
            let of_them = if group.count == leading { "all".to_owned() } else { group.count.to_string() };
            report.explanation += &format!(", {of_them} from {}", names.phrase(*site));
        }
        report.explanation += ".";
        let again = self.thrown_again(thrown);
        report.explanation += &match again {
            0 => String::new(),
            1 => " One was rethrown by the handler that caught it.".to_owned(),
            _ => format!(" {} were rethrown by the handler that caught them.", protocol::format::count(again)),
        };
        let seconds = scope.span.duration().max(1) as f64 / 1e9;
        report.figure("count", "Thrown", count as f64, Unit::Count, "");
        report.figure("types", "Types", types.len() as f64, Unit::Count, "");
        report.figure("perSecond", "Rate", count as f64 / seconds, Unit::PerSecond, "");
        report.figure("thrownAgain", "Rethrown", again as f64, Unit::Count, "by the handler that caught it");
        let silently: u64 = thrown.iter().map(|one| u64::from(self.handled(one).thrown_again)).sum();
        if silently > 0 {
            let note = ".NET 9+ doesn't emit an event for these, so they are not counted as thrown";
            report.figure("thrownAgainSilently", "Rethrown (no event)", silently as f64, Unit::Count, note);
        }
        let of = |bit: u16| thrown.iter().filter(|one| one.flags & bit != 0).count() as f64;
        report.figure("withInner", "Wrapping another", of(HAS_INNER), Unit::Count, "");
        report.figure("nested", "Nested", of(IS_NESTED), Unit::Count, "thrown while another was handled");
        if self.handlers.has_any() {
            let caught = thrown.iter().filter(|one| self.handled(one).method.is_some()).count();
            report.figure("caught", "Caught", caught as f64, Unit::Count, "within this trace");
        }
    }

    /// What became of an exception.
    fn handled(&self, one: &Thrown) -> Handled {
        self.handlers.of(one.position)
    }

    /// How often exceptions were thrown again: with an event of its own, or without.
    fn thrown_again(&self, thrown: &[&Thrown]) -> u64 {
        let of =
            |one: &&Thrown| u64::from(one.flags & IS_THROWN_AGAIN != 0) + u64::from(self.handled(one).thrown_again);
        thrown.iter().map(of).sum()
    }

    fn handlers_table(&self, thrown: &[&Thrown]) -> Table {
        let mut table = Table::new("handlers", "By handler")
            .words("caughtIn", "Caught in")
            .words("type", "Type")
            .bars("count", "Caught", Unit::Count)
            .numbers("thrownAgain", "Rethrown", Unit::Count);
        let mut groups: FastMap<(u32, u32), (Group, u64)> = FastMap::default();
        for one in thrown {
            let handled = self.handled(one);
            if let Some(method) = handled.method {
                let (group, again) = groups.entry((method, one.type_name)).or_default();
                group.add(one);
                *again += u64::from(handled.thrown_again);
            }
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        sort_by_key(&mut groups, |(of, (group, _))| (Reverse(group.count), *of));
        for ((method, name), (group, again)) in groups {
            let [method, type_name] = [method, name].map(|text| Cell::Text(self.texts.get(text)));
            let cells = [method, type_name, group.count.into(), again.into()];
            table.push(&cells, group.target(&self.type_condition(name)));
        }
        table
    }

    fn threads_table(&self, store: &Store, thrown: &[&Thrown]) -> Table {
        let mut table = Table::new("threads", "By thread")
            .words("thread", "Thread")
            .bars("count", "Thrown", Unit::Count)
            .numbers("firstNs", "First", Unit::Moment)
            .numbers("lastNs", "Last", Unit::Moment);
        let mut groups: FastMap<ThreadId, Group> = FastMap::default();
        thrown.iter().for_each(|one| groups.entry(one.thread).or_default().add(one));
        let mut groups: Vec<_> = groups.into_iter().collect();
        sort_by_key(&mut groups, |(thread, group)| (Reverse(group.count), *thread));
        for (thread, group) in groups {
            let name = thread_name(store, Some(thread));
            let cells = [Cell::Text(&name), group.count.into(), group.first.into(), group.last.into()];
            table.push(&cells, group.target(&thread_condition(store, thread)));
        }
        table
    }

    fn types_table(&self, types: &[(u32, Group)]) -> Table {
        let mut table = Table::new("types", "By type")
            .words("type", "Type")
            .bars("count", "Thrown", Unit::Count)
            .numbers("sites", "Call sites", Unit::Count)
            .numbers("firstNs", "First", Unit::Moment)
            .numbers("lastNs", "Last", Unit::Moment)
            .words("message", "First message");
        for (name, group) in types {
            let cells = [
                Cell::Text(self.texts.get(*name)),
                group.count.into(),
                (group.sites.len() as u64).into(),
                group.first.into(),
                group.last.into(),
                Cell::Text(self.texts.get(group.message)),
            ];
            table.push(&cells, group.target(&self.type_condition(*name)));
        }
        table
    }

    fn sites_table(&self, names: SiteNames<'_>, sites: &[((Site, u32), Group)]) -> Table {
        let mut table = Table::new("sites", "By call site")
            .words("site", "Method")
            .words("type", "Type")
            .bars("count", "Thrown", Unit::Count)
            .numbers("firstNs", "First", Unit::Moment)
            .numbers("lastNs", "Last", Unit::Moment);
        for ((site, name), group) in sites {
            let cells = [
                Cell::Text(&names.name(*site)),
                Cell::Text(self.texts.get(*name)),
                group.count.into(),
                group.first.into(),
                group.last.into(),
            ];
            let condition = format!("{} {}", self.type_condition(*name), names.condition(*site));
            table.push(&cells, group.target(condition.trim_end()));
        }
        table
    }

    fn thrown_table(&self, (store, names): (&Store, SiteNames<'_>), thrown: &[&Thrown]) -> Table {
        let mut table = Table::new("exceptions", "All exceptions")
            .numbers("timeNs", "Time", Unit::Moment)
            .words("type", "Type")
            .words("message", "Message")
            .words("site", "Method")
            .words("thread", "Thread")
            .words("caughtIn", "Caught in")
            .numbers("handledNs", "Time to catch", Unit::Duration)
            .numbers("thrownAgain", "Rethrown", Unit::Count)
            .words("flags", "Notes");
        for one in thrown {
            let handled = self.handled(one);
            let after = handled.method.map_or(Cell::Nothing, |_| handled.time.saturating_sub(one.time).into());
            let cells = [
                one.time.into(),
                Cell::Text(self.texts.get(one.type_name)),
                Cell::Text(self.texts.get(one.message)),
                Cell::Text(&names.name(one.site)),
                Cell::Text(&thread_name(store, Some(one.thread))),
                Cell::Text(handled.method.map_or("", |method| self.texts.get(method))),
                after,
                u64::from(handled.thrown_again).into(),
                Cell::Text(flag_words(one.flags)),
            ];
            let span = Some(Span::new(one.time, one.time + 1));
            table.push(&cells, RowTarget { event: Some(one.event), span, condition: "" });
        }
        table
    }

    fn type_condition(&self, name: u32) -> String {
        format!("payload.ExceptionType={}", protocol::filter::word(self.texts.get(name)))
    }
}

/// What the flags of an exception say.
fn flag_words(flags: u16) -> &'static str {
    match (flags & IS_THROWN_AGAIN != 0, flags & IS_NESTED != 0, flags & HAS_INNER != 0) {
        (true, _, true) => "rethrown, has inner exception",
        (true, _, false) => "rethrown",
        (false, true, true) => "nested, has inner exception",
        (false, true, false) => "nested",
        (false, false, true) => "has inner exception",
        (false, false, false) => "",
    }
}

/// The name for people of a method that the runtime names with its signature:
/// "instance void [shop] Shop.Endpoints+<CheckoutAsync>d__2::MoveNext()".
fn method_name(signature: &str) -> String {
    let (head, parameters) = signature.split_at(signature.find('(').unwrap_or(signature.len()));
    let Some((of_type, method)) = head.rsplit_once("::") else { return signature.to_owned() };
    let (returned, type_name) = of_type.rsplit_once("] ").unwrap_or(("", of_type));
    let returned = returned.rsplit_once('[').map_or("", |(returned, _)| returned);
    readable(type_name, method, &[returned, parameters].concat()).full
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{What, store_of_program};
    use crate::analysis::topics::tests::reports::{column, figure, report, table};
    use protocol::topics::topic::Topic;

    #[test]
    fn names_of_handlers_are_readable() {
        let signature = "instance void [shop] Shop.Endpoints+<CheckoutAsync>d__2::MoveNext()";
        assert_eq!(method_name(signature), "Shop.Endpoints.CheckoutAsync (async)");
        let signature = "string [shop] Shop.Failures::Nested(int32)";
        assert_eq!(method_name(signature), "Shop.Failures.Nested(int)");
        assert_eq!(method_name("whatever"), "whatever");
    }

    #[test]
    fn exceptions_are_grouped_by_type_place_and_handler() {
        let methods = [("Shop.Program", "Main"), ("Shop.Bank", "Pay"), ("System.Number", "Parse")];
        let catch = What::Catch("void [shop] Shop.Program::Main()");
        let (store, bytes) = store_of_program(
            &methods,
            &[
                (10, 5, What::ThrowAt("Shop.Declined", 0x10, vec![1, 2])),
                (12, 5, What::Catch("void [shop] Shop.Bank::Pay()")),
                (13, 5, catch.clone()),
                (14, 5, What::CaughtEnd),
                (20, 5, What::ThrowAt("Shop.Declined", 0x11, vec![1, 2])),
                (25, 5, catch.clone()),
                (26, 5, What::CaughtEnd),
                (30, 6, What::ThrowAt("System.FormatException", 0x14, vec![1, 3])),
                (40, 6, What::Order("last", 1)),
            ],
        );
        let all = report(Topic::Exceptions, &store, &bytes, "");
        assert_eq!(
            ["count", "types", "thrownAgain", "withInner", "caught"].map(|key| figure(&all, key)),
            [3.0, 2.0, 2.0, 1.0, 2.0]
        );
        assert_eq!(column(table(&all, "types"), "type"), ["Shop.Declined", "System.FormatException"]);
        assert_eq!(column(table(&all, "sites"), "site"), ["Shop.Bank.Pay()", "Shop.Program.Main()"]);
        let handlers = table(&all, "handlers");
        assert_eq!(
            (column(handlers, "caughtIn"), column(handlers, "count")),
            (vec!["Shop.Program.Main()".to_owned()], vec!["2".to_owned()])
        );
        assert_eq!(column(table(&all, "exceptions"), "handledNs"), ["2", "5", ""]);
        assert_eq!(column(table(&all, "threads"), "count"), ["2", "1"]);
        let some = report(Topic::Exceptions, &store, &bytes, "payload.ExceptionType=Shop.Declined");
        assert_eq!(figure(&some, "count"), 2.0);
    }
}
