//! Names of code addresses.

use crate::clr;
use crate::payload::Text;
use crate::reader::Event;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

/// Maximum number of mappings and code ranges to check before an address. One can be mapped over the middle of another.
const MAX_NESTED: usize = 16;

/// Maximum number of processes that share a symbol's mapping. Real traces have one or two.
const MAX_SHARED: usize = 16;

/// Pseudo-process for kernel addresses, which are the same in all processes.
const KERNEL: Option<u64> = Some(u64::MAX);

/// Collects the methods of a trace to name code addresses.
///
/// The runtime records methods when they are loaded, and all methods when the session ends (the rundown). So collect
/// the addresses first, pass every event to [`Symbols::add`], and resolve the addresses after the last event. Traces
/// without rundown contain only methods that were compiled during the recording.
///
/// ```no_run
/// use nettrace::{Symbols, TraceReader};
///
/// let mut reader = TraceReader::new(std::fs::File::open("app.nettrace")?)?;
/// let (mut symbols, mut leaves) = (Symbols::new(), Vec::new());
/// while let Some(event) = reader.next_event()? {
/// symbols.add(&event);
/// leaves.extend(event.stack().next().map(|address| (event.process_id(), address)));
/// }
/// for (process, address) in leaves {
/// println!("{}", symbols.name(process, address));
/// }
/// # Ok::<(), nettrace::ReadError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    /// Code by process and start address, in time order.
    code: BTreeMap<(Option<u64>, u64), Vec<Code>>,
    /// Mapped files by process and start address.
    mappings: BTreeMap<(Option<u64>, u64), Mapping>,
    /// Processes and start addresses of mappings by ID (machine-wide traces).
    mapping_ids: HashMap<u64, Vec<(Option<u64>, u64)>>,
    /// Paths of modules.
    modules: HashMap<(Option<u64>, u64), String>,
}

/// Code of a method or native function.
#[derive(Clone, Debug)]
struct Code {
    bytes: u64,
    method_id: u64,
    module_id: u64,
    /// Module, if the name has one.
    module: String,
    name: String,
    /// Timestamps of load and unload in ticks; the extremes if unknown.
    loaded: i64,
    unloaded: i64,
}

/// File mapped into a process.
#[derive(Clone, Debug)]
struct Mapping {
    end: u64,
    path: String,
}

/// Code of a method or function that [`Symbols`] found.
///
/// `Display` writes `module!Namespace.Type.Method(parameters)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol<'s> {
    module: Option<&'s str>,
    name: &'s str,
    start: u64,
    bytes: u64,
}

impl<'s> Symbol<'s> {
    /// Returns the file name of the module without extension, if known.
    pub fn module(&self) -> Option<&'s str> {
        self.module
    }

    /// Returns the name: namespace, type, method and parameters.
    pub fn name(&self) -> &'s str {
        self.name
    }

    /// Returns the address of the first byte, which differs for each compilation of a method.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Returns the size of the code in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl fmt::Display for Symbol<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.module {
            Some(module) => write!(f, "{module}!{}", self.name),
            None => f.write_str(self.name),
        }
    }
}

impl Symbols {
    /// Creates an empty collection.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the methods, modules and mappings of an event. Returns whether the event describes code; other events are ignored.
    pub fn add(&mut self, event: &Event<'_>) -> bool {
        match (event.provider(), event.event_id()) {
            // 139 and 140 are the rundown events of old runtimes.
            (clr::RUNTIME, 139 | 140) | (clr::RUNDOWN, 143 | 144) => self.add_method(event, Change::Present),
            (clr::RUNTIME, 143) => self.add_method(event, Change::Load),
            (clr::RUNTIME, 144) => self.add_method(event, Change::Unload),
            (clr::RUNTIME, 149 | 150 | 152) | (clr::RUNDOWN, 153 | 154) => self.add_module(event, false),
            (clr::RUNTIME, 151) | (clr::RUNDOWN, 151 | 152) => self.add_module(event, true),
            (clr::UNIVERSAL_SYSTEM, 3) => self.add_mapping(event),
            (clr::UNIVERSAL_SYSTEM, 4) => self.add_mapping_symbol(event),
            _ => return false,
        }
        true
    }

    /// Returns the code that was last at an address. `process` is that of [`Event::process_id`].
    pub fn resolve(&self, process: Option<u64>, address: u64) -> Option<Symbol<'_>> {
        let last = self.at(process, address).max_by_key(|(start, code)| (code.unloaded, code.loaded, *start));
        last.map(|found| self.symbol(process, address, found))
    }

    /// Returns the code that was at an address at a time, in ticks of [`Event::timestamp`]. Differs from
    /// [`Symbols::resolve`] where memory for code was reused, such as that of dynamic methods.
    pub fn resolve_at(&self, process: Option<u64>, address: u64, timestamp: i64) -> Option<Symbol<'_>> {
        let is_there = |code: &Code| code.loaded <= timestamp && timestamp < code.unloaded;
        let current = self.at(process, address).filter(|(_, code)| is_there(code));
        // A load may be recorded after the method has started to run.
        let next = self.at(process, address).filter(|(_, code)| code.loaded > timestamp);
        let found = current.max_by_key(|(start, code)| (code.loaded, *start));
        found.or_else(|| next.min_by_key(|(_, code)| code.loaded)).map(|found| self.symbol(process, address, found))
    }

    /// Returns the name of an address: the method as `Display` writes it, or the offset in the mapped file, or the
    /// address.
    pub fn name(&self, process: Option<u64>, address: u64) -> String {
        if let Some(symbol) = self.resolve(process, address) {
            return symbol.to_string();
        }
        match self.mapping(process, address) {
            Some((start, mapping)) => format!("{}!{:#x}", module_name(&mapping.path), address - start),
            None => format!("{address:#x}"),
        }
    }

    /// Returns the number of code ranges.
    pub fn len(&self) -> usize {
        self.code.values().map(Vec::len).sum()
    }

    /// Returns whether no event has described code.
    pub fn is_empty(&self) -> bool {
        self.code.is_empty()
    }

    /// Returns the code that was at an address at any time, with its start.
    fn at(&self, process: Option<u64>, address: u64) -> impl Iterator<Item = (u64, &Code)> {
        let process = code_space(process, address);
        let before = self.code.range((process, 0)..=(process, address)).rev().take(MAX_NESTED);
        let with_start = before.flat_map(|(&(_, start), code)| code.iter().map(move |code| (start, code)));
        with_start.filter(move |(start, code)| address - start < code.bytes)
    }

    fn symbol<'s>(&'s self, process: Option<u64>, address: u64, (start, code): (u64, &'s Code)) -> Symbol<'s> {
        let process = code_space(process, address);
        let module = match code.module.as_str() {
            "" => self.modules.get(&(process, code.module_id)).map(|path| module_name(path)),
            module => Some(module),
        };
        Symbol { module, name: &code.name, start, bytes: code.bytes }
    }

    fn mapping(&self, process: Option<u64>, address: u64) -> Option<(u64, &Mapping)> {
        let process = code_space(process, address);
        let mut before = self.mappings.range((process, 0)..=(process, address)).rev().take(MAX_NESTED);
        before.find(|(_, mapping)| address < mapping.end).map(|(&(_, start), mapping)| (start, mapping))
    }

    fn add_method(&mut self, event: &Event<'_>, change: Change) {
        let Some(method) = Method::read(event) else { return };
        let key = (code_space(event.process_id(), method.start), method.start);
        let there = self.code.entry(key).or_default();
        let known = there.iter_mut().rev().find(|code| code.method_id == method.id && code.unloaded == i64::MAX);
        match (change, known) {
            (Change::Unload, Some(known)) => known.unloaded = event.timestamp(),
            (_, Some(_)) => {}
            (_, None) => there.push(Code {
                bytes: method.bytes,
                method_id: method.id,
                module_id: method.module_id,
                module: String::new(),
                name: method.name(),
                loaded: if change == Change::Load { event.timestamp() } else { i64::MIN },
                unloaded: if change == Change::Unload { event.timestamp() } else { i64::MAX },
            }),
        }
    }

    fn add_module(&mut self, event: &Event<'_>, has_domain: bool) {
        // Module ID, assembly ID, the domain's ID, flags, reserved, path of the assembly, path of the native image.
        let path = if has_domain { 5 } else { 4 };
        let payload = event.payload();
        let Some(id) = payload.get(0).as_u64() else { return };
        let path = [path, path + 1].map(|index| payload.get(index).as_text());
        if let Some(path) = path.into_iter().flatten().find(|path| !path.is_empty()) {
            self.modules.insert((event.process_id(), id), path.to_string());
        }
    }

    fn add_mapping(&mut self, event: &Event<'_>) {
        let payload = event.payload();
        let [id, start, end] = [0, 1, 2].map(|index| payload.get(index).as_u64());
        let (Some(id), Some(start), Some(end), Some(path)) = (id, start, end, payload.get(4).as_text()) else { return };
        let key = (code_space(event.process_id(), start), start);
        self.mappings.insert(key, Mapping { end, path: path.to_string() });
        let shared = self.mapping_ids.entry(id).or_default();
        if shared.len() < MAX_SHARED && !shared.contains(&key) {
            shared.push(key);
        }
    }

    fn add_mapping_symbol(&mut self, event: &Event<'_>) {
        let payload = event.payload();
        let [mapping, start, last] = [1, 2, 3].map(|index| payload.get(index).as_u64());
        let (Some(mapping), Some(start), Some(last), Some(name)) = (mapping, start, last, payload.get(4).as_text())
        else {
            return;
        };
        // The last byte belongs to the symbol. If it precedes the first byte, the symbol is empty.
        let Some(bytes) = last.checked_sub(start).and_then(|bytes| bytes.checked_add(1)) else { return };
        let name = name.to_str();
        let (module, name) = split_jitted(&name);
        let processes = self.mapping_ids.get(&mapping).cloned().unwrap_or_default();
        for (process, mapping_start) in processes {
            let path = self.mappings.get(&(process, mapping_start)).map(|mapping| module_name(&mapping.path));
            let module = module.or(path).unwrap_or_default().to_owned();
            let (name, loaded, unloaded) = (name.to_owned(), i64::MIN, i64::MAX);
            let code = Code { bytes, method_id: 0, module_id: 0, module, name, loaded, unloaded };
            let there = self.code.entry((process, start)).or_default();
            if there.is_empty() {
                there.push(code);
            }
        }
    }
}

/// Change of a method's code that an event records.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    /// The code was loaded.
    Load,
    /// The code was unloaded.
    Unload,
    /// The code is present, possibly since before the trace.
    Present,
}

/// Verbose method event, all versions.
struct Method<'a> {
    id: u64,
    module_id: u64,
    start: u64,
    bytes: u64,
    namespace: Text<'a>,
    method: Text<'a>,
    signature: Text<'a>,
}

impl<'a> Method<'a> {
    fn read(event: &Event<'a>) -> Option<Self> {
        let mut values = event.payload().iter().map(|(_, value)| value);
        let mut number = || values.next()?.as_u64();
        let (id, module_id, start, bytes) = (number()?, number()?, number()?, number()?);
        let (_token, _flags) = (number()?, number()?);
        let mut text = || values.next()?.as_text();
        Some(Self { id, module_id, start, bytes, namespace: text()?, method: text()?, signature: text()? })
            .filter(|method| method.bytes > 0)
    }

    /// Returns namespace, type, method and parameters. The signature begins with the return type.
    fn name(&self) -> String {
        let mut name = self.namespace.to_string();
        if !name.is_empty() {
            name.push('.');
        }
        name.extend(self.method.chars());
        name.extend(self.signature.chars().skip_while(|character| *character != '('));
        name
    }
}

/// Returns the process that code at an address belongs to; [`KERNEL`] for kernel addresses.
fn code_space(process: Option<u64>, address: u64) -> Option<u64> {
    if address >> 63 != 0 { KERNEL } else { process }
}

/// Returns the file name of a path without the extension of an assembly.
fn module_name(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let stem = name.strip_suffix(".dll").or_else(|| name.strip_suffix(".exe")).unwrap_or(name);
    stem.strip_suffix(".ni").or_else(|| stem.strip_suffix(".il")).unwrap_or(stem)
}

/// Returns the module and name of a symbol. Jitted methods are `RETURN-TYPE [MODULE] TYPE::METHOD(PARAMETERS)[TIER]`.
fn split_jitted(symbol: &str) -> (Option<&str>, &str) {
    // Other brackets contain the modules of types; no space follows those.
    let jitted = symbol.match_indices(" [").find_map(|(start, _)| {
        let (module, name) = symbol.get(start + 2..)?.split_once("] ")?;
        (!module.contains('[') && name.contains("::")).then_some((module, name))
    });
    let Some((module, name)) = jitted else { return (None, symbol) };
    let without_tier = name.strip_suffix(']').and_then(|name| name.rsplit_once('[')).map(|(name, _)| name);
    (Some(module), without_tier.filter(|name| name.ends_with(')')).unwrap_or(name))
}

#[cfg(test)]
mod tests;
