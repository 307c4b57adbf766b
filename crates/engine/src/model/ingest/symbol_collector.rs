//! What the events of a trace record about code: methods, modules, and the symbols of machine-wide traces. They are put
//! together when the whole file was read, because rundowns come last.

use crate::clr::KnownEvent;
use crate::clr::known::payload::{
    IlMap, MethodCode, MethodPayload, ModulePayload, OptimizationTier, ReadyToRunEntryPoint, Utf16Text,
};
use crate::model::code::il_maps::IlMaps;
use crate::model::columns::strings::Strings;
use nettrace::Guid;
use protocol::base::hash::FastMap;
use protocol::base::ids::{ProcessId, StringId};
use std::ops::Range;

/// What an event says about the code of a method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MethodChange {
    /// It is there from now on.
    Load,
    /// It is gone from now on.
    Unload,
    /// It is there and may always have been.
    Present,
}

/// An event about the code of a method.
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

/// Where the three parts of a method's name are in the collected text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct MethodName {
    start: usize,
    namespace: u32,
    name: u32,
    signature: u32,
}

/// An event about a module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModuleEvent {
    pub process: ProcessId,
    pub module_id: u64,
    pub path: StringId,
    /// What its PDB file calls itself.
    pub pdb: Option<Guid>,
    /// Ticks of its load; none if the event only says that it is there.
    pub load_ticks: Option<i64>,
}

/// A file that is mapped into a process (machine-wide traces).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mapping {
    pub process: ProcessId,
    pub id: u64,
    pub start: u64,
    /// Behind the last byte.
    pub end: u64,
    pub path: StringId,
}

/// A symbol of a mapping (machine-wide traces).
#[derive(Clone, Copy, Debug)]
pub(crate) struct MappingSymbol {
    pub mapping_id: u64,
    pub start: u64,
    /// The last byte.
    pub last: u64,
    pub name: StringId,
}

/// Everything collected, in file order.
#[derive(Clone, Debug, Default)]
pub(crate) struct SymbolCollector {
    pub methods: Vec<MethodEvent>,
    /// Names of precompiled methods by the address of their first instruction; how long their code is isn't known.
    pub entry_points: FastMap<(ProcessId, u64), MethodName>,
    pub modules: Vec<ModuleEvent>,
    pub mappings: Vec<Mapping>,
    pub symbols: Vec<MappingSymbol>,
    /// Where the IL of methods is in their code.
    pub il_maps: IlMaps,
    /// UTF-16 as it stands in the payloads: most names are never shown.
    text: Vec<u8>,
}

impl SymbolCollector {
    /// Takes a method event with names.
    pub fn method(&mut self, known: KnownEvent, process: ProcessId, ticks: i64, payload: &[u8]) {
        let Some(method) = MethodPayload::read(payload) else { return };
        let change = match known {
            KnownEvent::MethodLoadVerbose => MethodChange::Load,
            KnownEvent::MethodUnloadVerbose => MethodChange::Unload,
            _ => MethodChange::Present,
        };
        let name = self.add_name([method.namespace, method.name, method.signature]);
        let tier = method.tier();
        let (code, code_version) = (method.code, method.code_version);
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

    /// Takes an event that names the first instruction of a precompiled method.
    pub fn entry_point(&mut self, process: ProcessId, payload: &[u8]) {
        let Some(method) = ReadyToRunEntryPoint::read(payload) else { return };
        let key = (process, method.entry_point);
        if !self.entry_points.contains_key(&key) {
            let name = self.add_name([method.namespace, method.name, method.signature]);
            self.entry_points.insert(key, name);
        }
    }

    /// Takes an event that records where the IL of a method is in its code.
    pub fn il_map(&mut self, process: ProcessId, payload: &[u8]) {
        if let Some(map) = IlMap::read(payload) {
            self.il_maps.add(process, map);
        }
    }

    /// Takes a module event.
    pub fn module(&mut self, known: KnownEvent, process: ProcessId, ticks: i64, payload: &[u8], strings: &mut Strings) {
        let Some(module) = ModulePayload::read(payload, known.is_domain_module()) else { return };
        let path = if module.il_path.is_empty() { module.native_path } else { module.il_path };
        let is_load = matches!(known, KnownEvent::ModuleLoad | KnownEvent::DomainModuleLoad);
        self.modules.push(ModuleEvent {
            process,
            module_id: module.module_id,
            path: strings.intern(&path.to_string()),
            pdb: module.pdb,
            load_ticks: is_load.then_some(ticks),
        });
    }

    /// The namespace, name and signature of a method.
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
