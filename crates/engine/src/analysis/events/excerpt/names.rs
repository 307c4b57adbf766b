//! Events that name what an excerpt refers to: methods on its stacks, their modules and assemblies, threads and types.
//!
//! A rundown names all code of a process, usually tens of thousands of methods. An excerpt needs only those on its own
//! stacks.

use crate::analysis::scan::payload_batches::Step;
use crate::analysis::scan::payload_scan::PayloadScan;
use crate::analysis::scan::rows::TypeSet;
use crate::clr::KnownEvent;
use crate::clr::known::payload;
use crate::model::{EventType, Store, code_space};
use nettrace::{ByteSource, Field, FieldType, SourceError, Value, decode_field};
use protocol::base::hash::{FastMap, FastSet};
use protocol::base::ids::{FrameId, ProcessId, StackId, TypeId};
use std::ops::RangeInclusive;

/// An ID of the runtime, which is unique within a process.
type Id = (ProcessId, u64);

/// Event that names something.
struct Naming {
    /// File offset of the payload, and the type.
    event: (u64, TypeId),
    process: ProcessId,
    named: Named,
}

/// What an event names.
enum Named {
    /// Something that every excerpt needs, such as the process.
    Anything,
    /// Code of a method: first address and size in bytes.
    Method {
        method: u64,
        module: u64,
        start: u64,
        size: u32,
    },
    /// First instruction of a precompiled method.
    EntryPoint(u64),
    IlMap {
        method: u64,
    },
    /// Anything that belongs to a module, such as the ranges of its file that are loaded.
    PartOfModule(u64),
    Module {
        module: u64,
        assembly: u64,
    },
    Assembly(u64),
    /// OS thread ID.
    Thread(u64),
    Types,
    /// File mapped into a process (machine-wide traces).
    Mapping {
        mapping: u64,
        metadata: u64,
        addresses: RangeInclusive<u64>,
    },
    MappingMetadata(u64),
    /// Symbol of a mapping (machine-wide traces).
    Symbol {
        mapping: u64,
        addresses: RangeInclusive<u64>,
    },
}

impl Named {
    fn read(known: KnownEvent, bytes: &[u8]) -> Option<Self> {
        use KnownEvent::*;
        Some(match known {
            MethodLoad | MethodUnload | MethodDcStart | MethodDcEnd | MethodLoadVerbose | MethodUnloadVerbose
            | MethodDcStartVerbose | MethodDcEndVerbose => {
                let code = payload::MethodRange::read(bytes)?;
                let (method, module) = (code.method_id, code.module_id);
                Self::Method { method, module, start: code.start_address, size: code.size }
            }
            ReadyToRunEntryPoint => Self::EntryPoint(payload::ReadyToRunEntryPoint::read(bytes)?.entry_point),
            MethodIlToNativeMap => Self::IlMap { method: payload::IlMap::read(bytes)?.method_id },
            DomainModuleLoad | DomainModuleDc => {
                let module = payload::DomainModulePayload::read(bytes)?;
                Self::Module { module: module.module_id, assembly: module.assembly_id }
            }
            ModuleLoad | ModuleUnload | ModuleDc => {
                let module = payload::ModulePayload::read(bytes)?;
                Self::Module { module: module.module_id, assembly: module.assembly_id }
            }
            AssemblyLoad | AssemblyDc => Self::Assembly(payload::AssemblyPayload::read(bytes)?.assembly_id),
            ThreadCreated | ThreadDc => Self::Thread(payload::ThreadCreated::read(bytes)?.os_thread.into()),
            BulkType => Self::Types,
            MachineMapping => {
                let mapping = payload::MachineMapping::read(bytes)?;
                // The end is the address after the last byte.
                let addresses = mapping.start..=mapping.end.saturating_sub(1);
                Self::Mapping { mapping: mapping.id, metadata: mapping.metadata_id, addresses }
            }
            MachineMappingMetadata => Self::MappingMetadata(payload::MachineMappingMetadata::read(bytes)?.id),
            MachineSymbol => {
                let symbol = payload::MachineSymbol::read(bytes)?;
                Self::Symbol { mapping: symbol.mapping_id, addresses: symbol.start..=symbol.last }
            }
            _ => Self::Anything,
        })
    }
}

/// Fields with IDs of the runtime.
const METHOD_ID: &str = "MethodID";
const MODULE_ID: &str = "ModuleID";
const ASSEMBLY_ID: &str = "AssemblyID";
const TYPE_ID: &str = "TypeID";

/// What the events of an excerpt refer to.
#[derive(Default)]
struct References {
    /// Code addresses, in ascending order.
    addresses: Vec<(ProcessId, u64)>,
    methods: FastSet<Id>,
    modules: FastSet<Id>,
    assemblies: FastSet<Id>,
    /// OS thread IDs.
    threads: FastSet<Id>,
    /// Metadata of mapped files.
    mapping_metadata: FastSet<u64>,
    has_type_ids: bool,
    /// Stacks of async methods consist of method IDs in packed buffers, so all methods are needed.
    has_async_stacks: bool,
}

impl References {
    fn has_address(&self, process: ProcessId, addresses: &RangeInclusive<u64>) -> bool {
        let (first, last) = (*addresses.start(), *addresses.end());
        let space = code_space(process, first, true);
        let from = self.addresses.partition_point(|at| *at < (space, first));
        self.addresses.get(from).is_some_and(|at| *at <= (space, last))
    }

    fn add_code(&mut self, store: &Store, stacks: &[bool]) {
        let mut is_used = vec![false; store.frames.len()];
        for (&frame, _) in store.stacks.frames.iter().zip(stacks).filter(|(_, is_used)| **is_used) {
            if let Some(used) = is_used.get_mut(frame as usize) {
                *used = true;
            }
        }
        let used = (0..).zip(is_used).filter(|(_, is_used)| *is_used);
        let frames = used.filter_map(|(frame, _)| store.frames.get(FrameId(frame)));
        self.addresses = frames.map(|frame| (code_space(frame.process, frame.address, true), frame.address)).collect();
        self.addresses.sort_unstable();
        self.addresses.dedup();
    }

    fn add_ids(&mut self, process: ProcessId, event_type: &EventType, payload: &[u8], pointer_size: u8) {
        let fields = &event_type.schema.fields;
        for (name, ids) in
            [(METHOD_ID, &mut self.methods), (MODULE_ID, &mut self.modules), (ASSEMBLY_ID, &mut self.assemblies)]
        {
            ids.extend(id_in(fields, name, payload, pointer_size).map(|id| (process, id)));
        }
    }
}

/// Returns the ID in a field, if the event has the field.
fn id_in(fields: &[Field], name: &str, payload: &[u8], pointer_size: u8) -> Option<u64> {
    let index = fields.iter().position(|field| field.name == name)?;
    match decode_field(fields, payload, pointer_size, index) {
        Value::UInt(id, _) | Value::Pointer(id) => Some(id),
        Value::Int(id, _) => Some(id as u64),
        _ => None,
    }
}

fn has_field(fields: &[Field], names: &[&str]) -> bool {
    fields.iter().any(|field| names.contains(&field.name.as_str()))
}

/// Returns whether a field with this name is anywhere among the fields, also in elements and structures.
fn has_nested_field(fields: &[Field], name: &str) -> bool {
    fn is_inside(field_type: &FieldType, name: &str) -> bool {
        match field_type {
            FieldType::Object(fields) => has_nested_field(fields, name),
            other => other.element().is_some_and(|element| is_inside(element, name)),
        }
    }
    fields.iter().any(|field| field.name == name || is_inside(&field.field_type, name))
}

/// Returns whether an event type names something for others.
pub(super) fn is_naming(event_type: &EventType) -> bool {
    event_type.is_rundown || event_type.known.explains_others()
}

/// Returns the file offsets of the payloads, with the types, of all events that name what the events of an excerpt refer to.
/// `is_included` tells which rows the excerpt has anyway.
///
/// # Errors
/// If a payload can't be read from the file.
pub(super) fn needed_names(
    store: &Store,
    source: &dyn ByteSource,
    is_included: impl Fn(usize) -> bool,
) -> Result<Vec<(u64, TypeId)>, SourceError> {
    let mut references = References::default();
    let mut stacks = vec![false; store.stacks.len()];
    let mut types = vec![false; store.types.len()];
    let mut threads = vec![false; store.threads.len()];
    for chunk in store.events.chunks() {
        for row in (0..chunk.len()).filter(|row| is_included(chunk.first_row + row)) {
            mark(&mut types, chunk.event_type(row).0);
            mark(&mut threads, chunk.thread(row).0);
            let mut stack = chunk.stack(row);
            // The callers of a marked stack are marked, too.
            while stack != StackId(0) && mark(&mut stacks, stack.0) {
                stack = store.stacks.parent(stack);
            }
        }
    }
    references.add_code(store, &stacks);
    let included = (0..).zip(types).filter(|(_, is_included)| *is_included);
    let included: Vec<&EventType> = included.filter_map(|(at, _)| store.types.get(TypeId(at))).collect();
    references.has_type_ids =
        included.iter().any(|one| !is_naming(one) && has_nested_field(&one.schema.fields, TYPE_ID));
    for (thread, _) in store.threads.iter().zip(threads).filter(|(_, is_included)| *is_included) {
        references.threads.extend(thread.os_id().map(|id| (thread.process, id)));
    }
    references.has_async_stacks = store.types.iter().any(|one| one.known == KnownEvent::AsyncEvents && one.count > 0);
    let namings = read_namings(store, source, &mut references, &is_included)?;
    Ok(choose(&namings, references))
}

/// Marks a position, and returns whether it wasn't marked before.
fn mark(marks: &mut [bool], at: u32) -> bool {
    marks.get_mut(at as usize).is_some_and(|marked| !std::mem::replace(marked, true))
}

/// Returns all events that name something, and adds the IDs in the payloads of included events.
fn read_namings(
    store: &Store,
    source: &dyn ByteSource,
    references: &mut References,
    is_included: impl Fn(usize) -> bool,
) -> Result<Vec<Naming>, SourceError> {
    let pointer_size = store.header.pointer_size;
    let with_ids = |one: &EventType| has_field(&one.schema.fields, &[METHOD_ID, MODULE_ID, ASSEMBLY_ID]);
    let types = TypeSet::new(store, |one| is_naming(one) || with_ids(one));
    let mut scan = PayloadScan::new(store, types, |_| true);
    let mut namings = Vec::new();
    while scan.step(store, source, false, |chunk, row, payload| {
        let Some(event_type) = store.types.get(chunk.event_type(row)) else { return };
        let thread = store.threads.get(chunk.thread(row));
        let process = thread.map(|thread| thread.process).unwrap_or_default();
        if is_included(chunk.first_row + row) {
            return references.add_ids(process, event_type, payload, pointer_size);
        }
        if !is_naming(event_type) {
            return;
        }
        let named = match event_type.known {
            KnownEvent::Other => {
                id_in(&event_type.schema.fields, MODULE_ID, payload, pointer_size).map(Named::PartOfModule)
            }
            known => Named::read(known, payload),
        };
        let event = (chunk.payload_offset(row), chunk.event_type(row));
        namings.push(Naming { event, process, named: named.unwrap_or(Named::Anything) });
    })? != Step::Done
    {}
    Ok(namings)
}

/// Returns the needed events. Methods are chosen by their code, and then what belongs to them.
fn choose(namings: &[Naming], mut references: References) -> Vec<(u64, TypeId)> {
    let mut mappings: FastMap<u64, ProcessId> = FastMap::default();
    for Naming { process, named, .. } in namings {
        match named {
            Named::Method { method, start, size, .. } => {
                let code = *start..=start.saturating_add(u64::from(*size).saturating_sub(1));
                if references.has_async_stacks || references.has_address(*process, &code) {
                    references.methods.insert((*process, *method));
                }
            }
            Named::Mapping { mapping, metadata, addresses } => {
                mappings.insert(*mapping, *process);
                if references.has_address(*process, addresses) {
                    references.mapping_metadata.insert(*metadata);
                }
            }
            _ => {}
        }
    }
    for Naming { process, named, .. } in namings {
        if let Named::Method { method, module, .. } = named
            && references.methods.contains(&(*process, *method))
        {
            references.modules.insert((*process, *module));
        }
    }
    for Naming { process, named, .. } in namings {
        if let Named::Module { module, assembly } = named
            && references.modules.contains(&(*process, *module))
        {
            references.assemblies.insert((*process, *assembly));
        }
    }
    let is_needed = |naming: &&Naming| {
        let process = naming.process;
        let has = |ids: &FastSet<Id>, id: u64| ids.contains(&(process, id));
        match &naming.named {
            Named::Anything => true,
            Named::Method { method, .. } | Named::IlMap { method } => has(&references.methods, *method),
            Named::EntryPoint(address) => references.has_address(process, &(*address..=*address)),
            Named::PartOfModule(module) | Named::Module { module, .. } => has(&references.modules, *module),
            Named::Assembly(assembly) => has(&references.assemblies, *assembly),
            Named::Thread(thread) => has(&references.threads, *thread),
            Named::Types => references.has_type_ids,
            Named::Mapping { addresses, .. } => references.has_address(process, addresses),
            Named::MappingMetadata(id) => references.mapping_metadata.contains(id),
            Named::Symbol { mapping, addresses } => {
                let process = mappings.get(mapping).copied().unwrap_or(process);
                references.has_address(process, addresses)
            }
        }
    };
    namings.iter().filter(is_needed).map(|naming| naming.event).collect()
}
