//! The report of exceptions. Rethrows of an exception follow its first event.

use super::{ExceptionFacts, HAS_INNER, IS_NESTED, IS_RETHROWN, Thrown};
use crate::analysis::intervals::exception_handlers::Handled;
use crate::analysis::topics::shared::call_site::{Code, Site, SiteNames};
use crate::analysis::topics::shared::over_time::OverTime;
use crate::analysis::topics::shared::report::Report;
use crate::analysis::topics::shared::table::{Cell, RowTarget, Table};
use crate::analysis::topics::shared::thread_names::{thread_condition, thread_name};
use crate::analysis::topics::{Known, Scope};
use crate::clr::source_names::RUNTIME;
use crate::model::Store;
use protocol::base::hash::{FastMap, FastSet};
use protocol::base::ids::{EventId, FunctionId, ThreadId};
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::format::{count, counted, duration, percent};
use protocol::topics::report::{Hue, StacksOf, Unit};
use std::cmp::Reverse;

/// Origin of an exception: the app's code, and the .NET method that threw on its behalf.
type Place = (Site, Option<FunctionId>);

/// Exceptions with a common property.
#[derive(Default)]
struct Group {
    /// Number of events, including rethrows.
    count: u64,
    /// Exceptions, by position of their first event.
    exceptions: FastSet<u32>,
    first: i64,
    last: i64,
    sites: FastSet<Place>,
    message: u32,
    first_event: Option<EventId>,
}

impl Group {
    fn add(&mut self, one: &Thrown, place: Place) {
        if self.count == 0 {
            (self.first, self.message, self.first_event) = (one.time, one.message, Some(one.event));
        }
        self.count += 1;
        self.exceptions.insert(one.first);
        self.last = one.time;
        self.sites.insert(place);
    }

    fn exceptions(&self) -> u64 {
        self.exceptions.len() as u64
    }

    fn target<'t>(&self, condition: &'t str) -> RowTarget<'t> {
        RowTarget { event: self.first_event, span: Some(Span::new(self.first, self.last + 1)), condition }
    }
}

/// Returns the report of the exceptions in `scope`.
pub fn report(facts: &ExceptionFacts, known: &Known<'_>, scope: &Scope<'_>) -> Report {
    let (store, names) = (known.store, known.site_names());
    let thrown: Vec<&Thrown> = facts.thrown.iter().filter(|one| scope.has(one.event)).collect();
    let (mut by_type, mut by_site) = (FastMap::default(), FastMap::default());
    for one in &thrown {
        let place = facts.place_of(one);
        by_type.entry(one.type_name).or_insert_with(Group::default).add(one, place);
        by_site.entry((place, one.type_name)).or_insert_with(Group::default).add(one, place);
    }
    let mut types: Vec<(u32, Group)> = by_type.into_iter().collect();
    sort_by_key(&mut types, |(name, group)| (Reverse((group.exceptions(), group.count)), *name));
    let mut sites: Vec<((Place, u32), Group)> = by_site.into_iter().collect();
    sort_by_key(&mut sites, |(of, group)| (Reverse((group.exceptions(), group.count)), *of));
    let mut report = Report::default();
    facts.judge(names, scope, &thrown, &types, &sites, &mut report);
    if !thrown.is_empty() {
        let mut times = OverTime::new(scope.span);
        thrown.iter().for_each(|one| times.add(one.time, 1.0));
        let series = vec![("exceptions", Hue::Failure, times.per_second())];
        report.charts.push(times.chart("Exception rate", Unit::PerSecond, series));
    }
    report.tables.push(facts.types_table(&types));
    report.tables.push(facts.sites_table(names, &sites));
    report.tables.push(facts.handlers_table(&thrown));
    report.tables.push(facts.threads_table(store, &thrown));
    report.tables.push(facts.thrown_table((store, names), &thrown));
    let provider = RUNTIME.to_owned();
    report.stacks.push(StacksOf {
        words: "View throw stacks".to_owned(),
        provider,
        event: "Exception/Start".to_owned(),
    });
    report
}

impl ExceptionFacts {
    fn judge(
        &self,
        names: SiteNames<'_>,
        scope: &Scope<'_>,
        thrown: &[&Thrown],
        types: &[(u32, Group)],
        sites: &[((Place, u32), Group)],
        report: &mut Report,
    ) {
        let events = thrown.len() as u64;
        let Some((name, most)) = types.first() else {
            report.verdict = "No exceptions thrown.".to_owned();
            report.figure("count", "Thrown", 0.0, Unit::Count, "");
            return;
        };
        let exceptions: u64 = types.iter().map(|(_, group)| group.exceptions()).sum();
        let of_types = counted(types.len() as u64, "type");
        let (all, lasting) = (counted(exceptions, "exception"), duration(scope.span.duration()));
        let were = if exceptions == 1 { "was" } else { "were" };
        report.verdict = match events {
            _ if events == exceptions => format!("{all} of {of_types} {were} thrown in {lasting}."),
            _ => {
                format!("{all} of {of_types} {were} thrown in {lasting}; {} throws including rethrows.", count(events))
            }
        };
        let (type_name, leading) = (self.texts.get(*name), most.exceptions());
        report.explanation = match types.len() {
            1 => format!("All are {type_name}"),
            _ => format!("{type_name} leads with {leading} ({})", percent(leading as f64, exceptions as f64)),
        };
        let is_of_app = |((place, of), _): &&((Place, u32), Group)| of == name && place.0.is_some();
        if let Some(((place, _), group)) = sites.iter().find(is_of_app) {
            let of_them = if group.exceptions() == leading { "all".to_owned() } else { count(group.exceptions()) };
            report.explanation += &format!(", {of_them} from {}", names.phrase(place.0));
        }
        report.explanation += ".";
        let again = self.rethrows(thrown);
        report.explanation += &match again {
            0 => String::new(),
            1 => " One was rethrown by the handler that caught it.".to_owned(),
            _ => format!(" {} were rethrown by the handler that caught them.", count(again)),
        };
        let seconds = scope.span.duration().max(1) as f64 / 1e9;
        report.figure("count", "Thrown", events as f64, Unit::Count, "");
        report.figure("exceptions", "Exceptions", exceptions as f64, Unit::Count, "without rethrows");
        report.figure("types", "Types", types.len() as f64, Unit::Count, "");
        report.figure("perSecond", "Rate", events as f64 / seconds, Unit::PerSecond, "");
        report.figure("thrownAgain", "Rethrown", again as f64, Unit::Count, "by the handler that caught it");
        let awaited = thrown.iter().filter(|one| one.is_again && one.flags & IS_RETHROWN == 0).count();
        if awaited > 0 {
            report.figure(
                "dispatched",
                "Rethrown by await",
                awaited as f64,
                Unit::Count,
                "ExceptionDispatchInfo.Throw",
            );
        }
        let silently: u64 = thrown.iter().map(|one| u64::from(self.handled(one).rethrows)).sum();
        if silently > 0 {
            let note = ".NET 9+ doesn't emit an event for these, so they are not counted as thrown";
            report.figure("thrownAgainSilently", "Rethrown (no event)", silently as f64, Unit::Count, note);
        }
        let of = |bit: u16| thrown.iter().filter(|one| one.flags & bit != 0).count() as f64;
        report.figure("withInner", "With inner exception", of(HAS_INNER), Unit::Count, "");
        report.figure("nested", "Nested", of(IS_NESTED), Unit::Count, "thrown while another was handled");
        if self.handlers.has_any() {
            let caught = thrown.iter().filter(|one| self.handled(one).method.is_some()).count();
            report.figure("caught", "Caught", caught as f64, Unit::Count, "within this trace");
        }
    }

    /// Returns where the event's exception was first thrown.
    fn place_of(&self, one: &Thrown) -> Place {
        let first = self.first_of(one);
        (first.site, first.framework)
    }

    /// Returns how an exception was handled.
    fn handled(&self, one: &Thrown) -> Handled {
        self.handlers.of(one.position)
    }

    /// Counts rethrows by handlers, with or without a separate event.
    fn rethrows(&self, thrown: &[&Thrown]) -> u64 {
        let of = |one: &&Thrown| u64::from(one.flags & IS_RETHROWN != 0) + u64::from(self.handled(one).rethrows);
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
                group.add(one, self.place_of(one));
                *again += u64::from(handled.rethrows);
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
        thrown.iter().for_each(|one| groups.entry(one.thread).or_default().add(one, self.place_of(one)));
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
            .bars("exceptions", "Exceptions", Unit::Count)
            .numbers("count", "Thrown", Unit::Count)
            .numbers("sites", "Call sites", Unit::Count)
            .numbers("firstNs", "First", Unit::Moment)
            .numbers("lastNs", "Last", Unit::Moment)
            .words("message", "First message");
        for (name, group) in types {
            let cells = [
                Cell::Text(self.texts.get(*name)),
                group.exceptions().into(),
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

    fn sites_table(&self, names: SiteNames<'_>, sites: &[((Place, u32), Group)]) -> Table {
        let mut table = Table::new("sites", "By call site")
            .words("site", "Method")
            .words("type", "Type")
            .bars("exceptions", "Exceptions", Unit::Count)
            .numbers("count", "Thrown", Unit::Count)
            .numbers("firstNs", "First", Unit::Moment)
            .numbers("lastNs", "Last", Unit::Moment)
            .words("thrownIn", "Thrown in (.NET)");
        for (((site, framework), name), group) in sites {
            let cells = [
                Cell::Text(&names.name(*site)),
                Cell::Text(self.texts.get(*name)),
                group.exceptions().into(),
                group.count.into(),
                group.first.into(),
                group.last.into(),
                Cell::Text(names.method(*framework)),
            ];
            let of_framework = framework.map(|framework| Site::from(Code::Framework(framework)));
            let place = site.known().or(of_framework).unwrap_or_default();
            let condition = format!("{} {}", self.type_condition(*name), names.condition(place));
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
            .words("thrownIn", "Thrown in (.NET)")
            .words("thread", "Thread")
            .words("caughtIn", "Caught in")
            .numbers("handledNs", "Time to catch", Unit::Duration)
            .numbers("thrownAgain", "Rethrown", Unit::Count)
            .numbers("firstThrownNs", "First thrown", Unit::Moment)
            .words("flags", "Notes");
        let mut further: FastMap<u32, u64> = FastMap::default();
        for one in thrown.iter().filter(|one| !std::ptr::eq(self.first_of(one), **one)) {
            *further.entry(one.first).or_default() += 1;
        }
        // Rethrows follow the exception's first event.
        let mut ordered: Vec<(u32, &Thrown)> = (0..).zip(thrown.iter().copied()).collect();
        sort_by_key(&mut ordered, |(at, one)| (one.first, *at));
        for (_, one) in ordered {
            let handled = self.handled(one);
            let first = self.first_of(one);
            let is_first = std::ptr::eq(first, one);
            let rethrown =
                u64::from(handled.rethrows) + if is_first { further.get(&one.first).copied().unwrap_or(0) } else { 0 };
            let after = handled.method.map_or(Cell::Nothing, |_| handled.time.saturating_sub(one.time).into());
            let cells = [
                one.time.into(),
                Cell::Text(self.texts.get(one.type_name)),
                Cell::Text(self.texts.get(one.message)),
                Cell::Text(&names.name(one.site)),
                Cell::Text(names.method(one.framework)),
                Cell::Text(&thread_name(store, Some(one.thread))),
                Cell::Text(handled.method.map_or("", |method| self.texts.get(method))),
                after,
                rethrown.into(),
                if is_first { Cell::Nothing } else { first.time.into() },
                Cell::Text(&notes(one)),
            ];
            let span = Some(Span::new(one.time, one.time + 1));
            table.push(&cells, RowTarget { event: Some(one.event), span, condition: "" });
        }
        table
    }

    /// Returns the filter condition for exceptions of a type.
    pub(super) fn type_condition(&self, name: u32) -> String {
        format!("payload.ExceptionType={}", protocol::filter::word(self.texts.get(name)))
    }
}

/// Returns notes about an event, such as "rethrown".
fn notes(one: &Thrown) -> String {
    let again = match (one.is_again, one.flags & IS_RETHROWN != 0) {
        (_, true) => Some("rethrown"),
        (true, false) => Some("rethrown by await"),
        (false, false) => None,
    };
    let nested = (again.is_none() && one.flags & IS_NESTED != 0).then_some("nested");
    let inner = (one.flags & HAS_INNER != 0).then_some("has inner exception");
    [again, nested, inner].into_iter().flatten().collect::<Vec<_>>().join(", ")
}
