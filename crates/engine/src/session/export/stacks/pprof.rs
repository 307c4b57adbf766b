//! Distinct stacks with their weights for pprof: `profile.proto` of github.com/google/pprof, uncompressed (pprof
//! accepts both). A function is one location, its module a mapping; the thread is a label of the sample.

use super::StackExport;
use super::numbered::Numbered;
use super::protobuf::Message;
use crate::analysis::stacks::sample_choice::ChosenSamples;
use protocol::base::hash::FastMap;
use protocol::base::ids::{CallNodeId, FunctionId};
use protocol::request::{StackSource, Weight};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Fields of the messages, with their original names.
mod field {
    pub const PROFILE_SAMPLE_TYPE: u64 = 1;
    pub const PROFILE_SAMPLE: u64 = 2;
    pub const PROFILE_MAPPING: u64 = 3;
    pub const PROFILE_LOCATION: u64 = 4;
    pub const PROFILE_FUNCTION: u64 = 5;
    pub const PROFILE_STRING_TABLE: u64 = 6;
    pub const PROFILE_TIME_NANOS: u64 = 9;
    pub const PROFILE_DURATION_NANOS: u64 = 10;
    pub const VALUE_TYPE_TYPE: u64 = 1;
    pub const VALUE_TYPE_UNIT: u64 = 2;
    pub const SAMPLE_LOCATION_ID: u64 = 1;
    pub const SAMPLE_VALUE: u64 = 2;
    pub const SAMPLE_LABEL: u64 = 3;
    pub const LABEL_KEY: u64 = 1;
    pub const LABEL_STR: u64 = 2;
    pub const MAPPING_ID: u64 = 1;
    pub const MAPPING_FILENAME: u64 = 5;
    pub const MAPPING_HAS_FUNCTIONS: u64 = 7;
    pub const LOCATION_ID: u64 = 1;
    pub const LOCATION_MAPPING_ID: u64 = 2;
    pub const LOCATION_LINE: u64 = 4;
    pub const LINE_FUNCTION_ID: u64 = 1;
    pub const FUNCTION_ID: u64 = 1;
    pub const FUNCTION_NAME: u64 = 2;
    pub const FUNCTION_SYSTEM_NAME: u64 = 3;
}

pub(super) fn write(export: &StackExport, output: &mut dyn Write) -> io::Result<()> {
    let mut profile = Writer { export, output, strings: Numbered::default(), message: Message::default() };
    // Text 0 must be empty.
    profile.text("");
    profile.facts()?;
    let functions = profile.samples()?;
    profile.functions(functions)?;
    profile.strings()
}

impl StackExport<'_> {
    /// Returns the types of a stack's values: count and weight. Counted samples also have a time; other events don't.
    fn pprof_values(&self) -> Vec<(&str, &str)> {
        match (&self.query.source, &self.query.weight) {
            (StackSource::Samples, Weight::Count | Weight::Time) => vec![("samples", "count"), ("wall", "nanoseconds")],
            (StackSource::Samples, Weight::Field(name)) => vec![("samples", "count"), (name, self.unit_words())],
            (_, Weight::Count) => vec![("events", "count")],
            (_, Weight::Time) => vec![("events", "count"), ("duration", "nanoseconds")],
            (_, Weight::Field(name)) => vec![("events", "count"), (name, self.unit_words())],
        }
    }
}

struct Writer<'w> {
    export: &'w StackExport<'w>,
    output: &'w mut dyn Write,
    strings: Numbered<String>,
    message: Message,
}

impl Writer<'_> {
    /// Writes the sample types, the start and the duration.
    fn facts(&mut self) -> io::Result<()> {
        for (kind, unit) in self.export.pprof_values() {
            let (kind, unit) = (self.text(kind), self.text(unit));
            self.message.message(field::PROFILE_SAMPLE_TYPE, |value| {
                value.number(field::VALUE_TYPE_TYPE, kind);
                value.number(field::VALUE_TYPE_UNIT, unit);
            });
        }
        let store = self.export.session.store();
        let span = store.full_span;
        let start = store.header.sync_time_utc.unix_ms().saturating_mul(1_000_000).saturating_add(span.start.0);
        self.message.number(field::PROFILE_TIME_NANOS, start as u64);
        self.message.number(field::PROFILE_DURATION_NANOS, span.end.0.saturating_sub(span.start.0) as u64);
        self.flush()
    }

    /// Writes every distinct stack of a thread, and returns for each function whether it occurs.
    fn samples(&mut self) -> io::Result<Vec<bool>> {
        let export = self.export;
        let mut occurs = vec![false; export.frames.len()];
        let chosen = export.chosen();
        let measured = match export.query.weight {
            Weight::Count => ChosenSamples { weight: &Weight::Time, ..chosen },
            _ => chosen,
        };
        let label = self.text("thread");
        let (kinds, per_one) = (export.pprof_values().len(), export.stacks.fraction.per_one());
        for (thread, samples) in export.threads() {
            let mut stacks: BTreeMap<CallNodeId, [u64; 2]> = BTreeMap::new();
            // Events record time in gaps between samples, which also counts.
            for index in 0..samples.len() {
                let (is_counted, is_measured) = (chosen.has(samples, index), measured.has(samples, index));
                if is_counted || is_measured {
                    let sum = stacks.entry(export.nodes.of_stack(samples.stack(index))).or_default();
                    sum[0] += u64::from(is_counted && !samples.is_recorded(index));
                    let value = if is_measured { measured.weight(samples, index) } else { 0 };
                    sum[1] = sum[1].saturating_add(value);
                }
            }
            let name = self.text(&export.thread_name(thread));
            for (leaf, [count, measured]) in stacks {
                let values = [count, measured / per_one];
                let functions = || export.functions(leaf);
                functions().for_each(|function| occurs[function.index()] = true);
                self.message.message(field::PROFILE_SAMPLE, |sample| {
                    sample.numbers(field::SAMPLE_LOCATION_ID, functions().map(number_of));
                    sample.numbers(field::SAMPLE_VALUE, values.into_iter().take(kinds));
                    sample.message(field::SAMPLE_LABEL, |pair| {
                        pair.number(field::LABEL_KEY, label);
                        pair.number(field::LABEL_STR, name);
                    });
                });
            }
            self.flush()?;
        }
        Ok(occurs)
    }

    /// Writes the functions that occur, each with its location, and their modules.
    fn functions(&mut self, occurs: Vec<bool>) -> io::Result<()> {
        let mut mappings: FastMap<u64, u64> = FastMap::default();
        for function in (0..).zip(occurs).filter(|(_, occurs)| *occurs).map(|(id, _)| FunctionId(id)) {
            let name = self.text(self.export.function_name(Some(function)));
            let raw_name = self.text(self.export.raw_name(Some(function)));
            let module = self.text(self.export.module(function));
            let next = mappings.len() as u64 + 1;
            let mapping = *mappings.entry(module).or_insert(next);
            if mapping == next {
                self.message.message(field::PROFILE_MAPPING, |message| {
                    message.number(field::MAPPING_ID, mapping);
                    message.number(field::MAPPING_FILENAME, module);
                    message.number(field::MAPPING_HAS_FUNCTIONS, 1);
                });
            }
            self.message.message(field::PROFILE_FUNCTION, |message| {
                message.number(field::FUNCTION_ID, number_of(function));
                message.number(field::FUNCTION_NAME, name);
                message.number(field::FUNCTION_SYSTEM_NAME, raw_name);
            });
            self.message.message(field::PROFILE_LOCATION, |message| {
                message.number(field::LOCATION_ID, number_of(function));
                message.number(field::LOCATION_MAPPING_ID, mapping);
                message.message(field::LOCATION_LINE, |line| line.number(field::LINE_FUNCTION_ID, number_of(function)));
            });
        }
        self.flush()
    }

    fn strings(&mut self) -> io::Result<()> {
        let texts = self.strings.items.iter();
        texts.for_each(|text| self.message.text(field::PROFILE_STRING_TABLE, text));
        self.flush()
    }

    fn text(&mut self, text: &str) -> u64 {
        self.strings.number(text).into()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.write_all(self.message.as_bytes())?;
        self.message.clear();
        Ok(())
    }
}

/// Returns the number of a function and of its location; both begin with 1.
fn number_of(function: FunctionId) -> u64 {
    u64::from(function.0) + 1
}
