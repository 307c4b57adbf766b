//! Exceptions thrown: by type, by place, one by one.

use super::report::Report;
use super::site::{site, site_condition, site_name};
use super::table::{Cell, RowTarget, Table};
use super::{Facts, Known, Scope};
use crate::analysis::marks::Texts;
use crate::clr::KnownEvent;
use crate::clr::known::payload::ExceptionThrown;
use crate::model::ids::{EventId, FunctionId};
use crate::model::sort::sort_by_key;
use crate::model::time::Span;
use crate::model::{EventChunk, EventType, Store};
use crate::protocol::format::{counted, duration};
use crate::protocol::report::{StacksOf, Unit};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

/// The exceptions of a trace.
#[derive(Debug, Default)]
pub struct ExceptionFacts {
    pointer_size: u8,
    thrown: Vec<Thrown>,
    texts: Texts,
}

#[derive(Debug)]
struct Thrown {
    event: EventId,
    time: i64,
    /// Positions of texts.
    type_name: u32,
    message: u32,
    site: Option<FunctionId>,
}

/// Exceptions that have something in common.
#[derive(Default)]
struct Group {
    count: u64,
    first: i64,
    last: i64,
    sites: FxHashSet<Option<FunctionId>>,
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
        event_type.known == KnownEvent::ExceptionThrown
    }

    fn read(&mut self, store: &Store, chunk: &EventChunk, row: usize, payload: &[u8]) {
        let event = chunk.event_id(row);
        let thrown = ExceptionThrown::read(payload, self.pointer_size);
        let [type_name, message] = match thrown {
            Some(thrown) => [thrown.type_name, thrown.message].map(|text| self.texts.position(&text.to_string())),
            None => [self.texts.position(""); 2],
        };
        let time = store.clock().nanos(chunk.ticks(row)).0;
        let site = site(store, chunk.row(row).stack);
        self.thrown.push(Thrown { event, time, type_name, message, site });
    }

    fn report(&self, known: &Known<'_>, scope: &Scope<'_>) -> Report {
        let store = known.store;
        let thrown: Vec<&Thrown> = self.thrown.iter().filter(|one| scope.has(one.event)).collect();
        let (mut by_type, mut by_site) = (FxHashMap::default(), FxHashMap::default());
        for one in &thrown {
            by_type.entry(one.type_name).or_insert_with(Group::default).add(one);
            by_site.entry((one.site, one.type_name)).or_insert_with(Group::default).add(one);
        }
        let mut types: Vec<(u32, Group)> = by_type.into_iter().collect();
        sort_by_key(&mut types, |(name, group)| (Reverse(group.count), *name));
        let mut sites: Vec<((Option<FunctionId>, u32), Group)> = by_site.into_iter().collect();
        sort_by_key(&mut sites, |(of, group)| (Reverse(group.count), *of));
        let mut report = Report::default();
        self.judge(store, scope, &thrown, &types, &sites, &mut report);
        report.tables.push(self.types_table(&types));
        report.tables.push(self.sites_table(store, &sites));
        report.tables.push(self.thrown_table(store, &thrown));
        let provider = "Microsoft-Windows-DotNETRuntime".to_owned();
        report.stacks.push(StacksOf {
            words: "Where they are thrown".to_owned(),
            provider,
            event: "Exception/Start".to_owned(),
        });
        report
    }

    fn bytes(&self) -> usize {
        self.thrown.len() * size_of::<Thrown>() + self.texts.bytes()
    }
}

impl ExceptionFacts {
    fn judge(
        &self,
        store: &Store,
        scope: &Scope<'_>,
        thrown: &[&Thrown],
        types: &[(u32, Group)],
        sites: &[((Option<FunctionId>, u32), Group)],
        report: &mut Report,
    ) {
        let count = thrown.len() as u64;
        let Some((name, most)) = types.first() else {
            report.verdict = "No exception was thrown.".to_owned();
            report.figure("count", "Thrown", 0.0, Unit::Count, "");
            return;
        };
        let of_types = counted(types.len() as u64, "type");
        report.verdict =
            format!("{} of {of_types} thrown in {}.", counted(count, "exception"), duration(scope.span.duration()));
        let (type_name, leading) = (self.texts.get(*name), most.count);
        report.explanation = match types.len() {
            1 => format!("All are {type_name}"),
            _ => format!("{leading} are {type_name}"),
        };
        if let Some(((site, _), group)) =
            sites.iter().find(|((_, of), _)| of == name).filter(|((site, _), _)| site.is_some())
        {
            report.explanation += &format!(", {} of them thrown in {}", group.count, site_name(store, *site));
        }
        report.explanation += ".";
        let seconds = scope.span.duration().max(1) as f64 / 1e9;
        report.figure("count", "Thrown", count as f64, Unit::Count, "");
        report.figure("types", "Types", types.len() as f64, Unit::Count, "");
        report.figure("perSecond", "Rate", count as f64 / seconds, Unit::PerSecond, "");
    }

    fn types_table(&self, types: &[(u32, Group)]) -> Table {
        let mut table = Table::new("types", "By type")
            .words("type", "Type")
            .bars("count", "Thrown", Unit::Count)
            .numbers("sites", "Places", Unit::Count)
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

    fn sites_table(&self, store: &Store, sites: &[((Option<FunctionId>, u32), Group)]) -> Table {
        let mut table = Table::new("sites", "By place")
            .words("site", "Thrown in")
            .words("type", "Type")
            .bars("count", "Thrown", Unit::Count)
            .numbers("firstNs", "First", Unit::Moment)
            .numbers("lastNs", "Last", Unit::Moment);
        for ((site, name), group) in sites {
            let cells = [
                Cell::Text(site_name(store, *site)),
                Cell::Text(self.texts.get(*name)),
                group.count.into(),
                group.first.into(),
                group.last.into(),
            ];
            let condition = format!("{} {}", self.type_condition(*name), site_condition(store, *site));
            table.push(&cells, group.target(condition.trim_end()));
        }
        table
    }

    fn thrown_table(&self, store: &Store, thrown: &[&Thrown]) -> Table {
        let mut table = Table::new("exceptions", "One by one")
            .numbers("timeNs", "Time", Unit::Moment)
            .words("type", "Type")
            .words("message", "Message")
            .words("site", "Thrown in")
            .words("thread", "Thread");
        for one in thrown {
            let thread = store.threads().get(store.events().row(one.event).thread);
            let cells = [
                one.time.into(),
                Cell::Text(self.texts.get(one.type_name)),
                Cell::Text(self.texts.get(one.message)),
                Cell::Text(site_name(store, one.site)),
                Cell::Text(&thread.map_or_else(String::new, |thread| thread.numbered_label())),
            ];
            let span = Some(Span::new(one.time, one.time + 1));
            table.push(&cells, RowTarget { event: Some(one.event), span, condition: "" });
        }
        table
    }

    fn type_condition(&self, name: u32) -> String {
        format!("payload.ExceptionType={}", crate::protocol::query::word(self.texts.get(name)))
    }
}
