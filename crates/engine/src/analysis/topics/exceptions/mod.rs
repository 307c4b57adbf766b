//! Exceptions by type, call site, handler and thread, and individually.

pub(crate) mod advice;
pub(crate) mod findings;
mod report;
mod rethrows;
mod throw_site;

use super::recorded_topics::{Role, Trace};
use super::shared::call_site::Site;
use super::shared::report::Report;
use super::{Analysis, Facts, Known, Needs, Scope};
use crate::analysis::intervals::exception_handlers::Handlers;
use crate::analysis::intervals::interval_set::Texts;
use crate::analysis::measures::{Collector, comparable_name};
use crate::analysis::names::items::{item, most_frequent};
use crate::analysis::topics::exceptions::findings::{One, storm};
use crate::analysis::topics::shared::running_part::{RunningCode, RunningPart};
use crate::clr::KnownEvent;
use crate::clr::known::payload::{ExceptionCatchBegin, ExceptionThrown};
use crate::clr::names::readable;
use crate::clr::names::readable_type;
use crate::model::{EventChunk, EventType, Store};
use protocol::base::ids::{EventId, FunctionId, ThreadId};
use protocol::base::time::Span;
use protocol::compare::Subject;
use protocol::names::FoundName;
use protocol::topics::finding::Finding;
use protocol::topics::topic::Topic;
use rethrows::{Rethrows, ThrowEvent};
use throw_site::ThrowSites;

/// Exceptions of a trace.
#[derive(Debug, Default)]
pub struct ExceptionFacts {
    thrown: Vec<Thrown>,
    /// Handlers of the exceptions, by position.
    handlers: Handlers,
    texts: Texts,
    /// Dropped once all events are read.
    throw_sites: ThrowSites,
    rethrows: Rethrows,
}

/// An exception event, for a new or a rethrown exception.
#[derive(Debug)]
struct Thrown {
    event: EventId,
    time: i64,
    thread: ThreadId,
    /// Positions of texts.
    type_name: u32,
    message: u32,
    /// The app code that threw it, resolved once all events are read. For an exception's first event: if .NET threw it,
    /// the first app code that awaited it.
    site: Site,
    /// The app method that rethrows it.
    again_in: Option<FunctionId>,
    /// The .NET method that threw on behalf of the app's code.
    framework: Option<FunctionId>,
    flags: u16,
    /// Position of the exception's first event; of itself for a new exception.
    first: u32,
    /// True if the event is a rethrow, by `throw;` or `await`, of an exception with an earlier event. An exception whose
    /// first event is a rethrow counts as new: `await` is the first to throw the exception of `Task.FromException`.
    is_again: bool,
    /// True if the stack or the event's flags show a rethrow.
    is_passed_on: bool,
    /// Position among the exceptions with known handlers.
    position: u32,
}

/// Bits of the exception flags.
const HAS_INNER: u16 = 1;
const IS_NESTED: u16 = 2;
const IS_RETHROWN: u16 = 4;

impl ExceptionFacts {
    /// Returns the first event of the same exception.
    fn first_of<'f>(&'f self, thrown: &'f Thrown) -> &'f Thrown {
        self.thrown.get(thrown.first as usize).unwrap_or(thrown)
    }
}

impl Analysis for ExceptionFacts {
    const HAS_FINDINGS: bool = true;
    const NEEDS: Needs = Needs { requests: true, ..Needs::NONE };

    fn role(event_type: &EventType, _trace: &Trace) -> Option<Role> {
        (event_type.known == KnownEvent::ExceptionThrown).then_some(Role::Counted)
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
        let known = store.types.get(chunk.event_type(row)).map_or(KnownEvent::Other, |one| one.known);
        let (event, thread) = (chunk.event_id(row), chunk.thread(row));
        let time = store.clock.nanos(chunk.ticks(row)).0;
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
        let thrown = ExceptionThrown::read(payload, store.header.pointer_size);
        let [type_name, message] = match thrown {
            Some(thrown) => [thrown.type_name, thrown.message].map(|text| self.texts.position(&text.to_string())),
            None => [self.texts.position(""); 2],
        };
        let (flags, hresult) = thrown.map_or((0, 0), |thrown| (thrown.flags, thrown.hresult));
        let is_flagged = flags & IS_RETHROWN != 0;
        let site = self.throw_sites.of(store, chunk.stack(row), is_flagged);
        let position = self.handlers.thrown(thread, is_flagged);
        let identity = (type_name, message, hresult);
        let event_of_it = ThrowEvent { identity, time, thread, activity: chunk.activity(row), site };
        let at = self.thrown.len() as u32;
        let first = self.rethrows.add(at, &event_of_it);
        let again_in = site.user.filter(|_| site.is_again);
        self.thrown.push(Thrown {
            event,
            time,
            thread,
            type_name,
            message,
            site: Site::default(),
            again_in,
            framework: site.framework,
            flags,
            first,
            is_again: first != at,
            is_passed_on: site.is_again,
            position,
        });
    }

    fn finish(&mut self, known: &Known<'_>) {
        (self.throw_sites, self.rethrows) = (ThrowSites::default(), Rethrows::default());
        let mut sites = known.sites();
        for at in 0..self.thrown.len() {
            let one = &self.thrown[at];
            let site = match one.is_passed_on {
                true => one.again_in.map(Site::method).unwrap_or_default(),
                false => Some(sites.of_event(one.event)).filter(Site::is_own).unwrap_or_default(),
            };
            let first = one.first as usize;
            self.thrown[at].site = site;
            if let Some(first) = self.thrown.get_mut(first).filter(|first| first.site.is_none()) {
                first.site = site;
            }
        }
    }

    fn report(&self, known: &Known<'_>, scope: &Scope<'_>) -> Report {
        report::report(self, known, scope)
    }

    fn findings(&self, known: &Known<'_>, scope: &Scope<'_>) -> Vec<Finding> {
        let one = |it: &Thrown| {
            let first = self.first_of(it);
            let type_name = self.texts.get(it.type_name);
            let (site, framework) = (first.site, first.framework);
            let one = One {
                event: it.event,
                time: it.time,
                type_name,
                site,
                framework,
                is_again: it.is_again,
                thread: it.thread,
            };
            scope.has(it.event).then_some(one)
        };
        let thrown: Vec<One<'_>> = self.thrown.iter().filter_map(one).collect();
        let throwing = || RunningPart::of(known.store, scope, RunningCode::Throwing);
        storm(known.site_names(), &thrown, throwing).into_iter().collect()
    }

    fn caught(&self, event: EventId) -> Option<(String, Span)> {
        let at = self.thrown.binary_search_by_key(&event, |thrown| thrown.event).ok()?;
        let thrown = self.thrown.get(at)?;
        let handled = self.handlers.of(thrown.position);
        let method = self.texts.get(handled.method?).to_owned();
        Some((method, Span::new(thrown.time, handled.time.max(thrown.time))))
    }

    fn items(&self) -> Vec<FoundName> {
        let of_type = |(name, count): (u32, u64)| {
            item(Topic::Exceptions, self.texts.get(name).to_owned(), (count, "exception"), self.type_condition(name))
        };
        let named = most_frequent(self.thrown.iter().map(|one| one.type_name)).into_iter();
        named.filter(|(name, _)| !self.texts.get(*name).is_empty()).map(of_type).collect()
    }

    /// Adds the number of exceptions, in total, by type and by method. Rethrows don't count.
    fn measures(&self, known: &Known<'_>, scope: &Scope<'_>, into: &mut Collector) {
        let names = known.site_names();
        into.record(Subject::Exceptions);
        for one in self.thrown.iter().filter(|one| !one.is_again && scope.has(one.event)) {
            into.add(Subject::Exceptions, "", one.time, 1.0);
            into.add(Subject::ExceptionType, &readable_type(self.texts.get(one.type_name)), one.time, 1.0);
            if let Some(site) = one.site.known() {
                into.add(Subject::ThrowSite, &comparable_name(&names.short(site)), one.time, 1.0);
            }
        }
    }

    fn bytes(&self) -> usize {
        self.thrown.len() * size_of::<Thrown>() + self.handlers.bytes() + self.texts.bytes() + self.throw_sites.bytes()
    }
}

/// Returns the readable name of a method that the runtime names with its signature: "instance void [shop]
/// Shop.Endpoints+<CheckoutAsync>d__2::MoveNext()".
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
    use crate::analysis::topics::tests::reports::{column, figure, report, report_within, rows, table};
    use protocol::request::Filter;

    #[test]
    fn names_of_handlers_are_readable() {
        let signature = "instance void [shop] Shop.Endpoints+<CheckoutAsync>d__2::MoveNext()";
        assert_eq!(method_name(signature), "Shop.Endpoints.CheckoutAsync (async)");
        let signature = "string [shop] Shop.Failures::Nested(int32)";
        assert_eq!(method_name(signature), "Shop.Failures.Nested(int)");
        assert_eq!(method_name("whatever"), "whatever");
    }

    #[test]
    fn exceptions_are_grouped_by_type_site_and_handler() {
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
                (30, 6, What::ThrowAt("System.FormatException", 0x14, vec![1])),
                (40, 6, What::Order("last", 1)),
            ],
        );
        let all = report(Topic::Exceptions, &store, &bytes, "");
        assert_eq!(
            ["count", "types", "thrownAgain", "withInner", "caught"].map(|key| figure(&all, key)),
            [3.0, 2.0, 0.0, 1.0, 2.0]
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

    #[test]
    fn rethrown_exception_counts_once_at_its_origin() {
        let methods = [
            ("Shop.Program", "Main"),
            ("Shop.Client", "Get"),
            ("System.Net.Http.HttpClient", "SendAsync"),
            ("System.Runtime.CompilerServices.TaskAwaiter", "ThrowForNonSuccess"),
            ("System.Runtime.ExceptionServices.ExceptionDispatchInfo", "Throw"),
        ];
        let (store, bytes) = store_of_program(
            &methods,
            &[
                (10, 5, What::ThrowAt("Shop.Refused", 0x10, vec![3])),
                (20, 5, What::ThrowAt("Shop.Refused", 0x10, vec![3, 4, 5])),
                (30, 5, What::ThrowAt("Shop.Refused", 0x10, vec![1, 2, 4, 5])),
                (40, 5, What::ThrowAt("Shop.Refused", 0x14, vec![1])),
                (50, 5, What::ThrowAt("Shop.Late", 0x10, vec![1, 2])),
                (60, 6, What::Order("last", 1)),
            ],
        );
        let all = report(Topic::Exceptions, &store, &bytes, "");
        assert!(all.verdict.starts_with("2 exceptions of 2 types were thrown in"), "{}", all.verdict);
        assert!(all.verdict.ends_with("5 throws including rethrows."), "{}", all.verdict);
        assert!(all.explanation.starts_with("Each type has 1 exception. "), "{}", all.explanation);
        assert_eq!(
            ["count", "exceptions", "dispatched", "thrownAgain"].map(|key| figure(&all, key)),
            [5.0, 2.0, 2.0, 1.0]
        );
        let sites = rows(table(&all, "sites"), &["site", "type", "exceptions", "count", "thrownIn"]);
        let get = "Shop.Client.Get()";
        let expected = [
            [get, "Shop.Refused", "1", "4", "System.Net.Http.HttpClient.SendAsync()"],
            [get, "Shop.Late", "1", "1", ""],
        ];
        assert_eq!(sites, expected, "the first of the app's code that awaited it");
        assert_eq!(column(table(&all, "exceptions"), "firstThrownNs"), ["", "10", "10", "10", ""]);
        assert_eq!(column(table(&all, "exceptions"), "thrownAgain"), ["3", "0", "0", "0", "0"]);
    }

    #[test]
    fn exceptions_and_rethrows_add_up_to_throws() {
        let methods = [
            ("Shop.Program", "Main"),
            ("Shop.Client", "Get"),
            ("System.Runtime.CompilerServices.TaskAwaiter", "ThrowForNonSuccess"),
            ("System.Runtime.ExceptionServices.ExceptionDispatchInfo", "Throw"),
        ];
        // Nobody threw the exception of Task.FromException before.
        let (store, bytes) = store_of_program(
            &methods,
            &[
                (10, 5, What::ThrowAt("Shop.Canceled", 0x10, vec![2, 3, 4])),
                (20, 5, What::ThrowAt("Shop.Canceled", 0x10, vec![1, 3, 4])),
                (30, 5, What::ThrowAt("Shop.Canceled", 0x14, vec![1])),
                (40, 6, What::Order("last", 1)),
            ],
        );
        let all = report(Topic::Exceptions, &store, &bytes, "");
        let keys = ["count", "exceptions", "dispatched", "thrownAgain"];
        assert_eq!(keys.map(|key| figure(&all, key)), [3.0, 1.0, 1.0, 1.0]);
        assert_eq!(column(table(&all, "exceptions"), "flags"), ["", "rethrown by await", "rethrown"]);
        let part = |range: Span| {
            report_within(Topic::Exceptions, &store, &bytes, &Filter { span: Some(range), ..Filter::default() })
        };
        let later = part(Span::new(15, 40));
        assert_eq!(["count", "exceptions", "thrownAgain"].map(|key| figure(&later, key)), [2.0, 1.0, 1.0]);
    }
}
