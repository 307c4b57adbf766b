//! Events about modules and assemblies.

use super::cursor::{Cursor, Utf16Text};
use nettrace::Guid;

/// Payload of `ModuleLoad`, `ModuleUnload`, `ModuleDCStart`, `ModuleDCEnd` and, with an application domain, of
/// `DomainModuleLoad`, `DomainModuleDCStart`, `DomainModuleDCEnd`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ModulePayload<'d> {
    /// The runtime's ID of the module.
    pub module_id: u64,
    /// The runtime's ID of the module's assembly.
    pub assembly_id: u64,
    /// Application domain, in events that have one.
    pub app_domain_id: Option<u64>,
    /// Flags: 1 domain neutral, 2 native, 4 dynamic, 8 manifest, 0x10 IBC optimized, 0x20 ReadyToRun, 0x40 partially
    /// ReadyToRun.
    pub flags: u32,
    /// Path of the assembly, or its name if it was generated.
    pub il_path: Utf16Text<'d>,
    /// Path of the native image, usually empty.
    pub native_path: Utf16Text<'d>,
    /// ID of its PDB file, from version 2 on, if there is one.
    pub pdb: Option<Guid>,
}

impl<'d> ModulePayload<'d> {
    /// Reads the payload; `has_app_domain` for the `DomainModule` events.
    pub fn read(payload: &'d [u8], has_app_domain: bool) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        let module_id = cursor.u64()?;
        let assembly_id = cursor.u64()?;
        let app_domain_id = if has_app_domain { Some(cursor.u64()?) } else { None };
        let flags = cursor.u32()?;
        let _reserved = cursor.u32()?;
        let (il_path, native_path) = (cursor.text()?, cursor.text()?);
        let pdb = if has_app_domain { None } else { pdb_of(&mut cursor) };
        Some(Self { module_id, assembly_id, app_domain_id, flags, il_path, native_path, pdb })
    }
}

/// Reads the ID of the managed PDB, which is after the paths and the ID of the runtime instance.
fn pdb_of(cursor: &mut Cursor<'_>) -> Option<Guid> {
    cursor.u16()?;
    let halves = [cursor.u64()?, cursor.u64()?];
    let bytes = halves.map(u64::to_le_bytes).concat();
    Some(Guid(bytes.try_into().ok()?)).filter(|guid| !guid.is_zero())
}

/// Payload of `AssemblyLoad`, `AssemblyDCStart` and `AssemblyDCEnd` from version 1 on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AssemblyPayload<'d> {
    /// The runtime's ID of the assembly.
    pub assembly_id: u64,
    /// Flags: 1 domain neutral, 2 dynamic, 4 native, 8 collectible, 0x10 ReadyToRun.
    pub flags: u32,
    /// Name, version, culture and public key token.
    pub full_name: Utf16Text<'d>,
}

impl<'d> AssemblyPayload<'d> {
    /// Reads the payload. `version` is that of the event: version 0 has no binding ID.
    pub fn read(payload: &'d [u8], version: u32) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        let assembly_id = cursor.u64()?;
        let _app_domain_id = cursor.u64()?;
        if version > 0 {
            let _binding_id = cursor.u64()?;
        }
        Some(Self { assembly_id, flags: cursor.u32()?, full_name: cursor.text()? })
    }
}

#[cfg(test)]
mod tests {
    use super::super::cursor::testing::utf16;
    use super::*;

    #[test]
    fn domain_module_has_app_domain_id() {
        let mut bytes = Vec::new();
        bytes.extend([1_u64, 2, 3].into_iter().flat_map(u64::to_le_bytes));
        bytes.extend([0x20_u32, 0].into_iter().flat_map(u32::to_le_bytes));
        bytes.extend(utf16("/app/Orders.dll"));
        bytes.extend(utf16(""));
        let module = ModulePayload::read(&bytes, true).expect("complete payload");
        assert_eq!((module.module_id, module.app_domain_id, module.flags), (1, Some(3), 0x20));
        assert_eq!(module.il_path.to_string(), "/app/Orders.dll");
        assert!(module.native_path.is_empty());
    }
}
