//! The report of exceptions. Rethrows of an exception follow its first event.

use super::{ExceptionFacts, HAS_INNER, IS_NESTED, IS_RETHROWN, Thrown};
use crate::analysis::intervals::exception_handlers::Handled;
use crate::analysis::topics::shared::call_site::{Code, Site, SiteNames};
use crate::analysis::topics::shared::groups::ranked;
use crate::analysis::topics::shared::over_time::OverTime;
use crate::analysis::topics::shared::report::Report;
use crate::analysis::topics::shared::table::{RowTarget, Table};
use crate::analysis::topics::shared::thread_names::thread_condition;
use crate::analysis::topics::{Known, Scope};
use crate::clr::source_names::RUNTIME;
use crate::model::Store;
use protocol::base::hash::{FastMap, FastSet};
use protocol::base::ids::{EventId, FunctionId, ThreadId};
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::format::{count, counted, duration, percent};
use protocol::topics::report::{Hue, Unit};

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

    fn target(&self) -> RowTarget {
        RowTarget::of(self.first_event).over(Span::new(self.first, self.last + 1))
    }
}

pub fn report(facts: &ExceptionFacts, known: &Known<'_>, scope: &Scope<'_>) -> Report {
    let (store, names) = (known.store, known.site_names());
    let thrown: Vec<&Thrown> = facts.thrown.iter().filter(|one| scope.has(one.event)).collect();
    let (mut by_type, mut by_site) = (FastMap::default(), FastMap::default());
    for one in &thrown {
        let place = facts.place_of(one);
        by_type.entry(one.type_name).or_insert_with(Group::default).add(one, place);
        by_site.entry((place, one.type_name)).or_insert_with(Group::default).add(one, place);
    }
    let types = ranked(by_type, |group| (group.exceptions(), group.count));
    let sites = ranked(by_site, |group| (group.exceptions(), group.count));
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
    report.view_stacks("View throw stacks", RUNTIME, "Exception/Start");
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
        let share = percent(leading as f64, exceptions as f64);
        let tied = types.iter().take_while(|(_, group)| group.exceptions() == leading).count();
        report.explanation = match (types.len(), tied) {
            (1, _) => format!("All are {type_name}"),
            (_, 1) => format!("{type_name} leads with {leading} ({share})"),
            (all, _) if all == tied => format!("Each type has {}", counted(leading, "exception")),
            _ => format!("{tied} types lead with {leading} ({share}) each"),
        };
        let is_of_app = |((place, of), _): &&((Place, u32), Group)| of == name && place.0.is_some();
        if let Some(((place, _), group)) = sites.iter().find(is_of_app).filter(|_| tied == 1) {
            let of_them = if group.exceptions() == leading { "all".to_owned() } else { count(group.exceptions()) };
            report.explanation += &format!(", {of_them} from {}", names.phrase(place.0));
        }
        report.explanation += ".";
        // In a time range, an exception's first event may be outside.
        let mut seen = FastSet::default();
        let (mut by_await, mut by_handlers) = (0u64, 0u64);
        for one in thrown.iter().filter(|one| !seen.insert(one.first)) {
            *(if one.flags & IS_RETHROWN != 0 { &mut by_handlers } else { &mut by_await }) += 1;
        }
        let silently: u64 = thrown.iter().map(|one| u64::from(self.handled(one).rethrows)).sum();
        let again = match by_handlers + silently {
            0 => String::new(),
            1 => " One was rethrown by the handler that caught it".to_owned(),
            again => format!(" {} were rethrown by the handler that caught them", count(again)),
        };
        report.explanation += &match (by_handlers, silently) {
            (0, 0) => String::new(),
            (_, 0) => again + ".",
            (0, 1) => again + ", without an event, and so isn't counted as a throw.",
            (0, _) => again + ", without an event, and so aren't counted as throws.",
            _ => format!("{again}, {} of them without an event and so not counted as throws.", count(silently)),
        };
        let seconds = scope.span.duration().max(1) as f64 / 1e9;
        report.figure("count", "Thrown", events as f64, Unit::Count, "including rethrows with an event");
        report.figure("exceptions", "Exceptions", exceptions as f64, Unit::Count, "without rethrows");
        report.figure("types", "Types", types.len() as f64, Unit::Count, "");
        report.figure("perSecond", "Rate", events as f64 / seconds, Unit::PerSecond, "");
        let note = "by the handler that caught it";
        report.figure("thrownAgain", "Rethrown", by_handlers as f64, Unit::Count, note);
        if by_await > 0 {
            let note = "ExceptionDispatchInfo.Throw";
            report.figure("dispatched", "Rethrown by await", by_await as f64, Unit::Count, note);
        }
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

    fn handlers_table(&self, thrown: &[&Thrown]) -> Table {
        let mut groups: FastMap<(u32, u32), (Group, u64)> = FastMap::default();
        for one in thrown {
            let handled = self.handled(one);
            if let Some(method) = handled.method {
                let (group, again) = groups.entry((method, one.type_name)).or_default();
                group.add(one, self.place_of(one));
                *again += u64::from(handled.rethrows);
            }
        }
        Table::of("handlers", "By handler", &ranked(groups, |(group, _)| group.count))
            .words("caughtIn", "Caught in", |((method, _), _)| self.texts.get(*method))
            .words("type", "Type", |((_, name), _)| self.texts.get(*name))
            .bars("count", "Caught", Unit::Count, |(_, (group, _))| group.count)
            .numbers("thrownAgain", "Rethrown", Unit::Count, |(_, (_, again))| *again)
            .target(|((_, name), (group, _))| group.target().filtered(self.type_condition(*name)))
    }

    fn threads_table(&self, store: &Store, thrown: &[&Thrown]) -> Table {
        let mut groups: FastMap<ThreadId, Group> = FastMap::default();
        thrown.iter().for_each(|one| groups.entry(one.thread).or_default().add(one, self.place_of(one)));
        Table::of("threads", "By thread", &ranked(groups, |group| group.count))
            .threads("thread", "Thread", store, |(thread, _)| *thread)
            .bars("count", "Thrown", Unit::Count, |(_, group)| group.count)
            .numbers("firstNs", "First", Unit::Moment, |(_, group)| group.first)
            .numbers("lastNs", "Last", Unit::Moment, |(_, group)| group.last)
            .target(|(thread, group)| group.target().filtered(thread_condition(store, *thread)))
    }

    fn types_table(&self, types: &[(u32, Group)]) -> Table {
        Table::of("types", "By type", types)
            .words("type", "Type", |(name, _)| self.texts.get(*name))
            .bars("exceptions", "Exceptions", Unit::Count, |(_, group)| group.exceptions())
            .numbers("count", "Thrown", Unit::Count, |(_, group)| group.count)
            .numbers("sites", "Call sites", Unit::Count, |(_, group)| group.sites.len())
            .numbers("firstNs", "First", Unit::Moment, |(_, group)| group.first)
            .numbers("lastNs", "Last", Unit::Moment, |(_, group)| group.last)
            .words("message", "First message", |(_, group)| self.texts.get(group.message))
            .target(|(name, group)| group.target().filtered(self.type_condition(*name)))
    }

    fn sites_table(&self, names: SiteNames<'_>, sites: &[((Place, u32), Group)]) -> Table {
        Table::of("sites", "By call site", sites)
            .words("site", "Method", |(((site, _), _), _)| names.name(*site))
            .words("type", "Type", |((_, name), _)| self.texts.get(*name))
            .bars("exceptions", "Exceptions", Unit::Count, |(_, group)| group.exceptions())
            .numbers("count", "Thrown", Unit::Count, |(_, group)| group.count)
            .numbers("firstNs", "First", Unit::Moment, |(_, group)| group.first)
            .numbers("lastNs", "Last", Unit::Moment, |(_, group)| group.last)
            .words("thrownIn", "Thrown in (.NET)", |(((_, framework), _), _)| names.method(*framework))
            .target(|(((site, framework), name), group)| {
                let of_framework = framework.map(|framework| Site::from(Code::Framework(framework)));
                let place = site.known().or(of_framework).unwrap_or_default();
                let condition = format!("{} {}", self.type_condition(*name), names.condition(place));
                group.target().filtered(condition.trim_end())
            })
    }

    fn thrown_table(&self, (store, names): (&Store, SiteNames<'_>), thrown: &[&Thrown]) -> Table {
        let is_first = |one: &Thrown| std::ptr::eq(self.first_of(one), one);
        let mut further: FastMap<u32, u64> = FastMap::default();
        for one in thrown.iter().filter(|one| !is_first(one)) {
            *further.entry(one.first).or_default() += 1;
        }
        let rethrown = |one: &Thrown| {
            let again = further.get(&one.first).filter(|_| is_first(one)).copied().unwrap_or(0);
            u64::from(self.handled(one).rethrows) + again
        };
        // Rethrows follow the exception's first event.
        let mut ordered: Vec<(u32, &Thrown)> = (0..).zip(thrown.iter().copied()).collect();
        sort_by_key(&mut ordered, |(at, one)| (one.first, *at));
        Table::of("exceptions", "All exceptions", &ordered)
            .numbers("timeNs", "Time", Unit::Moment, |(_, one)| one.time)
            .words("type", "Type", |(_, one)| self.texts.get(one.type_name))
            .words("message", "Message", |(_, one)| self.texts.get(one.message))
            .words("site", "Method", |(_, one)| names.name(one.site))
            .words("thrownIn", "Thrown in (.NET)", |(_, one)| names.method(one.framework))
            .threads("thread", "Thread", store, |(_, one)| one.thread)
            .words("caughtIn", "Caught in", |(_, one)| {
                self.handled(one).method.map_or("", |method| self.texts.get(method))
            })
            .numbers("handledNs", "Time to catch", Unit::Duration, |(_, one)| {
                let handled = self.handled(one);
                handled.method.map(|_| handled.time.saturating_sub(one.time))
            })
            .numbers("thrownAgain", "Rethrown", Unit::Count, |(_, one)| rethrown(one))
            .numbers("firstThrownNs", "First thrown", Unit::Moment, |(_, one)| {
                Some(self.first_of(one)).filter(|_| !is_first(one)).map(|first| first.time)
            })
            .words("flags", "Notes", |(_, one)| notes(one))
            .target(|(_, one)| RowTarget::of(one.event).over(Span::new(one.time, one.time + 1)))
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
