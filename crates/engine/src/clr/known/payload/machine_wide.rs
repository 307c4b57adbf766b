//! Events of machine-wide traces: processes, mapped files, symbols, CPU samples.
//!
//! Their payloads don't contain the process, which is that of the event's thread.

use super::cursor::Cursor;

/// Payload of `ExistingProcess` and `ProcessCreate`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MachineProcess<'d> {
    /// Process ID in its own namespace, such as a container.
    pub namespace_process_id: u64,
    pub name: &'d str,
    /// Namespace, often empty.
    pub namespace: &'d str,
}

impl<'d> MachineProcess<'d> {
    pub fn read(payload: &'d [u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        let namespace_process_id = cursor.varint()?;
        Some(Self { namespace_process_id, name: cursor.counted_text()?, namespace: cursor.counted_text()? })
    }
}

/// Payload of `ProcessMapping`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MachineMapping<'d> {
    /// ID to which symbols refer. Several processes may report the same one.
    pub id: u64,
    /// First address.
    pub start: u64,
    /// Address after the last one.
    pub end: u64,
    /// Offset of the mapping in the file.
    pub file_offset: u64,
    /// Path of the file; empty for memory without one.
    pub file_name: &'d str,
    /// ID of an earlier [`MachineMappingMetadata`], or 0.
    pub metadata_id: u64,
}

impl<'d> MachineMapping<'d> {
    pub fn read(payload: &'d [u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        Some(Self {
            id: cursor.varint()?,
            start: cursor.varint()?,
            end: cursor.varint()?,
            file_offset: cursor.varint()?,
            file_name: cursor.counted_text()?,
            metadata_id: cursor.varint()?,
        })
    }
}

/// Payload of `ProcessSymbol`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MachineSymbol<'d> {
    /// ID of the symbol.
    pub id: u64,
    /// ID of the symbol's mapping.
    pub mapping_id: u64,
    /// First address.
    pub start: u64,
    /// Last address, which belongs to the symbol.
    pub last: u64,
    /// Name; for jitted code, see [`crate::clr::names::PerfMapSymbol`].
    pub name: &'d str,
}

impl<'d> MachineSymbol<'d> {
    pub fn read(payload: &'d [u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        Some(Self {
            id: cursor.varint()?,
            mapping_id: cursor.varint()?,
            start: cursor.varint()?,
            last: cursor.varint()?,
            name: cursor.counted_text()?,
        })
    }
}

/// Payload of `ProcessMappingMetadata`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MachineMappingMetadata<'d> {
    /// ID to which mappings refer.
    pub id: u64,
    /// Identity of the file's symbols, as JSON.
    pub symbols: &'d str,
    /// Version of the file, as JSON.
    pub version: &'d str,
}

impl<'d> MachineMappingMetadata<'d> {
    pub fn read(payload: &'d [u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        Some(Self { id: cursor.varint()?, symbols: cursor.counted_text()?, version: cursor.counted_text()? })
    }
}

/// Payload of `cpu` and `cswitch`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MachineSample {
    /// Weight of a CPU sample; for a context switch, how long the thread was off CPU.
    pub value: u64,
}

impl MachineSample {
    pub fn read(payload: &[u8]) -> Option<Self> {
        Some(Self { value: Cursor::new(payload, 8).varint()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mapping_decodes_varints_and_counted_text() {
        let mut payload = vec![5, 0x80, 0x20, 0x80, 0x40, 0];
        payload.extend([7, 0]);
        payload.extend(b"libc.so");
        payload.push(3);
        let mapping = MachineMapping::read(&payload).expect("complete payload");
        assert_eq!((mapping.id, mapping.start, mapping.end), (5, 0x1000, 0x2000));
        assert_eq!((mapping.file_name, mapping.metadata_id), ("libc.so", 3));
        assert_eq!(MachineMapping::read(&payload[..payload.len() - 1]), None);
        assert_eq!(MachineSample::read(&[0xff; 12]), None, "no number is that long");
    }
}
