//! Collects events about code: methods, modules, and the symbols of machine-wide traces. They are combined after the
//! whole file has been read, because rundowns are at the end.

use crate::clr::KnownEvent;
use crate::clr::known::payload::{
    DomainModulePayload, IlMap, MethodCode, MethodPayload, ModulePayload, OptimizationTier, ReadyToRunEntryPoint,
    Utf16Text,
};
use crate::model::code::il_maps::IlMaps;
use crate::model::columns::strings::Strings;
use nettrace::Guid;
use protocol::base::hash::FastMap;
use protocol::base::ids::{ProcessId, StringId};
use std::ops::Range;

/// Change of a method's code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MethodChange {
    /// Loaded at this time.
    Load,
    /// Unloaded at this time.
    Unload,
    /// Present in a rundown, possibly loaded since the start.
    Present,
}

/// Event about the code of a method.
#[derive(Clone, Debug)]
pub(crate) struct MethodEvent {
    pub ticks: i64,
    pub process: ProcessId,
    pub change: MethodChange,
    pub code: MethodCode,
    pub code_version: u64,
    pub tier: OptimizationTier,
    pub name: MethodName,
}

/// Ranges of the three parts of a method's name in the collected text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct MethodName {
    start: usize,
    namespace: u32,
    name: u32,
    signature: u32,
}

/// Event about a module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModuleEvent {
    pub process: ProcessId,
    pub module_id: u64,
    pub path: StringId,
    /// ID of its PDB file.
    pub pdb: Option<Guid>,
    /// Ticks of the load; `None` if the event only records its existence.
    pub load_ticks: Option<i64>,
}

/// File that is mapped into a process (machine-wide traces).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mapping {
    pub process: ProcessId,
    pub id: u64,
    pub start: u64,
    /// Address after the last byte.
    pub end: u64,
    pub path: StringId,
}

/// Symbol of a mapping (machine-wide traces).
#[derive(Clone, Copy, Debug)]
pub(crate) struct MappingSymbol {
    pub mapping_id: u64,
    pub start: u64,
    /// Address of the last byte.
    pub last: u64,
    pub name: StringId,
}

/// Collected events, in file order.
#[derive(Clone, Debug, Default)]
pub(crate) struct SymbolCollector {
    pub methods: Vec<MethodEvent>,
    /// Names of precompiled methods by the address of their first instruction; the length of their code is unknown.
    pub entry_points: FastMap<(ProcessId, u64), MethodName>,
    pub modules: Vec<ModuleEvent>,
    pub mappings: Vec<Mapping>,
    pub symbols: Vec<MappingSymbol>,
    pub il_maps: IlMaps,
    /// UTF-16 text as in the payloads. Most names are never displayed, so they aren't decoded.
    text: Vec<u8>,
}

impl SymbolCollector {
    /// Adds a method event with names.
    pub fn method(&mut self, known: KnownEvent, process: ProcessId, ticks: i64, payload: &[u8]) {
        let Some(method) = MethodPayload::read(payload) else { return };
        let change = match known {
            KnownEvent::MethodLoadVerbose => MethodChange::Load,
            KnownEvent::MethodUnloadVerbose => MethodChange::Unload,
            _ => MethodChange::Present,
        };
        let name = self.add_name([method.namespace, method.name, method.signature]);
        let tier = method.tier();
        let (code, code_version) = (method.code(), method.code_version);
        self.methods.push(MethodEvent { ticks, process, change, code, code_version, tier, name });
    }

    fn add_name(&mut self, [namespace, name, signature]: [Utf16Text<'_>; 3]) -> MethodName {
        let start = self.text.len();
        let mut add = |text: Utf16Text<'_>| {
            self.text.extend_from_slice(text.bytes());
            text.bytes().len() as u32
        };
        MethodName { start, namespace: add(namespace), name: add(name), signature: add(signature) }
    }

    /// Adds an event that names the first instruction of a precompiled method.
    pub fn entry_point(&mut self, process: ProcessId, payload: &[u8]) {
        let Some(method) = ReadyToRunEntryPoint::read(payload) else { return };
        let key = (process, method.entry_point);
        if !self.entry_points.contains_key(&key) {
            let name = self.add_name([method.namespace, method.name, method.signature]);
            self.entry_points.insert(key, name);
        }
    }

    /// Adds an event with an IL map.
    pub fn il_map(&mut self, process: ProcessId, payload: &[u8]) {
        if let Some(map) = IlMap::read(payload) {
            self.il_maps.add(process, map);
        }
    }

    /// Adds a module event.
    pub fn module(&mut self, known: KnownEvent, process: ProcessId, ticks: i64, payload: &[u8], strings: &mut Strings) {
        let found = match known.is_domain_module() {
            true => DomainModulePayload::read(payload).map(|one| (one.module_id, one.il_path, one.native_path, None)),
            false => ModulePayload::read(payload).map(|one| (one.module_id, one.il_path, one.native_path, one.pdb)),
        };
        let Some((module_id, il_path, native_path, pdb)) = found else { return };
        let path = if il_path.is_empty() { native_path } else { il_path };
        let is_load = matches!(known, KnownEvent::ModuleLoad | KnownEvent::DomainModuleLoad);
        self.modules.push(ModuleEvent {
            process,
            module_id,
            path: strings.intern(&path.to_string()),
            pdb: pdb.filter(|guid| !guid.is_zero()),
            load_ticks: is_load.then_some(ticks),
        });
    }

    /// Returns the namespace, name and signature of a method.
    pub fn name_parts(&self, name: MethodName) -> [String; 3] {
        let namespace = name.start..name.start + name.namespace as usize;
        let method = namespace.end..namespace.end + name.name as usize;
        let signature = method.end..method.end + name.signature as usize;
        [namespace, method, signature].map(|range| self.text_at(range))
    }

    fn text_at(&self, range: Range<usize>) -> String {
        let bytes = self.text.get(range).unwrap_or_default();
        let units = bytes.chunks_exact(2).map(|unit| match *unit {
            [low, high] => u16::from_le_bytes([low, high]),
            _ => 0,
        });
        char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    }
}
