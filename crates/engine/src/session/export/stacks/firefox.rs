//! Samples of each thread for the Firefox Profiler: its processed format, version 48
//! (`docs-developer/CHANGELOG-formats.md` and `src/types/profile` of github.com/firefox-devtools/profiler), which its
//! later versions upgrade when they read it. Times are milliseconds since the sync point.

use super::StackExport;
use super::numbered::Numbered;
use crate::analysis::samples::thread_samples::ThreadSamples;
use protocol::base::ids::{CallNodeId, FunctionId, ThreadId};
use protocol::export::Json;
use protocol::request::Weight;
use protocol::stacks::query::Unit;
use std::io::{self, Write};

/// Version of the processed format.
const PROCESSED: u32 = 48;
/// Version of the source format, which the processed format must name.
const GECKO: u32 = 29;
/// Type of a resource that is a library.
const LIBRARY: u32 = 1;

/// Categories by number: managed code and other code.
const CATEGORIES: [(&str, &str); 2] = [("Managed", "blue"), ("Native", "grey")];

pub(super) fn write(export: &StackExport, output: &mut dyn Write) -> io::Result<()> {
    let mut modules = Numbered::default();
    let mut json = Json::default();
    output.write_all(b"{\"meta\":")?;
    meta(export, &mut json);
    json.drain_into(output)?;
    output.write_all(b",\"pages\":[],\"threads\":[")?;
    let mut threads = Json::default();
    for (thread, samples) in export.threads() {
        Tables::of(export, samples, &mut modules).write(export, thread, samples, &mut threads);
        threads.drain_into(output)?;
    }
    output.write_all(b"],\"libs\":")?;
    json.clear();
    json.array(|libs| modules.items.iter().for_each(|module| lib(libs, module)));
    json.drain_into(output)?;
    output.write_all(b"}\n")
}

fn meta(export: &StackExport, json: &mut Json) {
    let store = export.session.store();
    let period = export.threads().map(|(_, samples)| samples.period).filter(|&period| period > 0).min();
    json.object(|meta| {
        meta.key("version").integer(GECKO);
        meta.key("preprocessedProfileVersion").integer(PROCESSED);
        meta.key("startTime").integer(store.header.sync_time_utc.unix_ms());
        meta.key("interval").float(milliseconds(period.unwrap_or(1_000_000)));
        meta.key("processType").integer(0);
        meta.key("product").markup_safe(&export.session.file().name);
        meta.key("importedFrom").string("Traceglass");
        meta.key("stackwalk").integer(1);
        meta.key("debug").boolean(false);
        meta.key("symbolicated").boolean(true);
        meta.key("usesOnlyOneStackType").boolean(true);
        meta.key("sourceCodeIsNotOnSearchfox").boolean(true);
        meta.key("markerSchema").array(|_| {});
        meta.key("extensions").object(|extensions| {
            extensions.key("length").integer(0);
            for column in ["baseURL", "id", "name"] {
                extensions.key(column).array(|_| {});
            }
        });
        meta.key("categories").array(|categories| {
            for (name, color) in CATEGORIES {
                categories.object(|category| {
                    category.key("name").string(name);
                    category.key("color").string(color);
                    category.key("subcategories").array(|names| names.string("Other"));
                });
            }
        });
    });
}

fn lib(libs: &mut Json, name: &str) {
    libs.object(|lib| {
        for key in ["name", "path", "debugName", "debugPath"] {
            lib.key(key).markup_safe(name);
        }
        lib.key("breakpadId").string("");
        lib.key("arch").string("");
        lib.key("codeId").null();
    });
}

/// Tables of one thread. Each frame is a function, so both have the same number.
#[derive(Default)]
struct Tables {
    /// Call nodes, callers before callees.
    stacks: Numbered<CallNodeId>,
    functions: Numbered<FunctionId>,
    strings: Numbered<String>,
    /// Numbers of the modules in the file.
    resources: Numbered<u32>,
    /// By function: index of its name.
    names: Vec<u32>,
    /// By function: index of its resource, -1 for none.
    resource_of: Vec<i64>,
    /// By resource: index of its name.
    resource_names: Vec<u32>,
    is_managed: Vec<bool>,
}

impl Tables {
    fn of(export: &StackExport, samples: &ThreadSamples, modules: &mut Numbered<String>) -> Self {
        let mut tables = Self::default();
        let nodes = &export.nodes;
        for index in export.chosen().of(samples) {
            let leaf = nodes.of_stack(samples.stack(index));
            let new = nodes.path(leaf).take_while(|node| tables.stacks.known(node).is_none());
            let mut path: Vec<CallNodeId> = new.collect();
            path.reverse();
            for node in path {
                tables.stacks.number(&node);
                if let Some(function) = nodes.function(node) {
                    tables.add_function(export, function, modules);
                }
            }
        }
        tables
    }

    fn add_function(&mut self, export: &StackExport, function: FunctionId, modules: &mut Numbered<String>) {
        if self.functions.number(&function) as usize != self.names.len() {
            return;
        }
        self.names.push(self.strings.number(export.function_name(Some(function))));
        let known = export.session.store().functions.get(function);
        self.is_managed.push(known.is_some_and(|function| function.is_managed));
        let module = export.module(function);
        if module.is_empty() {
            return self.resource_of.push(-1);
        }
        let resource = self.resources.number(&modules.number(module));
        if resource as usize == self.resource_names.len() {
            self.resource_names.push(self.strings.number(module));
        }
        self.resource_of.push(resource.into());
    }

    fn write(&self, export: &StackExport, thread: ThreadId, samples: &ThreadSamples, threads: &mut Json) {
        let process = export.process(thread);
        let first = export.chosen().of(samples).next().map_or(0, |index| samples.time(index));
        threads.object(|json| {
            json.key("processType").string("default");
            json.key("processName").markup_safe(process.map_or("", |process| &process.name));
            json.key("processStartupTime").integer(0);
            json.key("processShutdownTime").null();
            json.key("registerTime").float(milliseconds(first));
            json.key("unregisterTime").null();
            json.key("pausedRanges").array(|_| {});
            json.key("name").markup_safe(&export.thread_name(thread));
            json.key("isMainThread").boolean(false);
            json.key("pid").plain(process.map_or(0, |process| process.os_process));
            json.key("tid").integer(export.os_thread(thread));
            json.key("samples").object(|table| self.write_samples(export, samples, table));
            json.key("markers").object(|table| {
                empty(table, &["data", "name", "startTime", "endTime", "phase", "category"]);
            });
            json.key("stackTable").object(|table| self.write_stacks(export, table));
            json.key("frameTable").object(|table| self.write_frames(table));
            json.key("funcTable").object(|table| self.write_functions(table));
            json.key("resourceTable").object(|table| self.write_resources(table));
            json.key("nativeSymbols").object(|table| {
                empty(table, &["libIndex", "address", "name", "functionSize"]);
            });
            json.key("stringArray")
                .array(|strings| self.strings.items.iter().for_each(|text| strings.markup_safe(text)));
        });
    }

    fn write_samples(&self, export: &StackExport, samples: &ThreadSamples, table: &mut Json) {
        let chosen = export.chosen();
        let nodes = &export.nodes;
        table.key("length").integer(chosen.of(samples).count() as u64);
        table.key("stack").array(|column| {
            for index in chosen.of(samples) {
                match self.stacks.known(&nodes.of_stack(samples.stack(index))) {
                    Some(stack) => column.integer(stack),
                    None => column.null(),
                }
            }
        });
        table.key("time").array(|column| {
            chosen.of(samples).for_each(|index| column.float(milliseconds(samples.time(index))));
        });
        let (kind, a_unit) = match export.unit() {
            Unit::Count => ("samples", 1.0),
            Unit::Bytes => ("bytes", 1.0),
            Unit::Millis => ("tracing-ms", 1.0),
            Unit::Nanos => ("tracing-ms", 1e6),
        };
        table.key("weightType").string(kind);
        if *chosen.weight == Weight::Count {
            return table.key("weight").null();
        }
        table.key("weight").array(|column| {
            let weight = |index: usize| export.value(chosen.weight(samples, index)) / a_unit;
            chosen.of(samples).for_each(|index| column.float(weight(index)));
        });
    }

    fn write_stacks(&self, export: &StackExport, table: &mut Json) {
        let nodes = &export.nodes;
        let function = |node: &CallNodeId| nodes.function(*node).and_then(|function| self.functions.known(&function));
        let prefix = |json: &mut Json, node: &CallNodeId| match self.stacks.known(&nodes.parent(*node)) {
            Some(caller) => json.integer(caller),
            None => json.null(),
        };
        table.key("length").integer(self.stacks.items.len() as u64);
        column(table, "frame", &self.stacks.items, |json, node| json.integer(function(node).unwrap_or(0)));
        column(table, "prefix", &self.stacks.items, prefix);
        column(table, "category", &self.stacks.items, |json, node| {
            json.integer(function(node).map_or(1, |function| self.category(function)));
        });
        column(table, "subcategory", &self.stacks.items, |json, _| json.integer(0));
    }

    fn write_frames(&self, table: &mut Json) {
        let frames: Vec<u32> = (0..self.functions.items.len() as u32).collect();
        table.key("length").integer(frames.len() as u64);
        column(table, "func", &frames, |json, function| json.integer(*function));
        column(table, "category", &frames, |json, function| json.integer(self.category(*function)));
        column(table, "address", &frames, |json, _| json.integer(-1));
        for name in ["inlineDepth", "subcategory", "innerWindowID"] {
            column(table, name, &frames, |json, _| json.integer(0));
        }
        for name in ["nativeSymbol", "implementation", "line", "column"] {
            column(table, name, &frames, |json, _| json.null());
        }
    }

    fn write_functions(&self, table: &mut Json) {
        table.key("length").integer(self.names.len() as u64);
        column(table, "name", &self.names, |json, name| json.integer(*name));
        column(table, "resource", &self.resource_of, |json, resource| json.integer(*resource));
        for name in ["isJS", "relevantForJS"] {
            column(table, name, &self.names, |json, _| json.boolean(false));
        }
        for name in ["fileName", "lineNumber", "columnNumber"] {
            column(table, name, &self.names, |json, _| json.null());
        }
    }

    fn write_resources(&self, table: &mut Json) {
        table.key("length").integer(self.resource_names.len() as u64);
        column(table, "name", &self.resource_names, |json, name| json.integer(*name));
        column(table, "lib", &self.resources.items, |json, module| json.integer(*module));
        column(table, "type", &self.resource_names, |json, _| json.integer(LIBRARY));
        column(table, "host", &self.resource_names, |json, _| json.null());
    }

    fn category(&self, function: u32) -> u32 {
        u32::from(!self.is_managed.get(function as usize).copied().unwrap_or(false))
    }
}

fn column<T>(table: &mut Json, name: &str, items: &[T], write: impl Fn(&mut Json, &T)) {
    table.key(name).array(|column| items.iter().for_each(|item| write(column, item)));
}

/// Writes a table without rows.
fn empty(table: &mut Json, columns: &[&str]) {
    table.key("length").integer(0);
    columns.iter().for_each(|name| table.key(name).array(|_| {}));
}

fn milliseconds(nanos: i64) -> f64 {
    nanos as f64 / 1e6
}
