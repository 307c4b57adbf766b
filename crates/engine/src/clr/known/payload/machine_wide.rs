//! Events of machine-wide traces: processes, mapped files, symbols, CPU samples.
//!
//! Which process an event belongs to is not in the payload: it is the process of the event's thread.

use super::cursor::Cursor;

/// The payload of `ExistingProcess` and `ProcessCreate`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MachineProcess<'d> {
    /// The process's id in its own namespace, such as a container.
    pub namespace_process_id: u64,
    /// The name of the program.
    pub name: &'d str,
    /// The namespace, often empty.
    pub namespace: &'d str,
}

impl<'d> MachineProcess<'d> {
    /// Reads the event.
    pub fn read(payload: &'d [u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        let namespace_process_id = cursor.varint()?;
        Some(Self { namespace_process_id, name: cursor.counted_text()?, namespace: cursor.counted_text()? })
    }
}

/// The payload of `ProcessMapping`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MachineMapping<'d> {
    /// The id that symbols refer to. Several processes may report the same.
    pub id: u64,
    /// The first address.
    pub start: u64,
    /// The address behind the last one.
    pub end: u64,
    /// Where in the file the mapping begins.
    pub file_offset: u64,
    /// The path of the file; empty for memory without one.
    pub file_name: &'d str,
    /// The id of a [`MachineMappingMetadata`] before this event, or 0.
    pub metadata_id: u64,
}

impl<'d> MachineMapping<'d> {
    /// Reads the event.
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

/// The payload of `ProcessSymbol`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MachineSymbol<'d> {
    /// The id of the symbol.
    pub id: u64,
    /// The mapping the symbol is in.
    pub mapping_id: u64,
    /// The first address.
    pub start: u64,
    /// The last address, which belongs to the symbol.
    pub last: u64,
    /// The name; for jitted code see [`crate::clr::names::PerfMapSymbol`].
    pub name: &'d str,
}

impl<'d> MachineSymbol<'d> {
    /// Reads the event.
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

/// The payload of `ProcessMappingMetadata`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MachineMappingMetadata<'d> {
    /// The id that mappings refer to.
    pub id: u64,
    /// What identifies the file's symbols, as JSON.
    pub symbols: &'d str,
    /// The file's version, as JSON.
    pub version: &'d str,
}

impl<'d> MachineMappingMetadata<'d> {
    /// Reads the event.
    pub fn read(payload: &'d [u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        Some(Self { id: cursor.varint()?, symbols: cursor.counted_text()?, version: cursor.counted_text()? })
    }
}

/// The payload of `cpu` and `cswitch`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MachineSample {
    /// Of a CPU sample its weight; of a context switch how long the thread was off the CPU.
    pub value: u64,
}

impl MachineSample {
    /// Reads the event.
    pub fn read(payload: &[u8]) -> Option<Self> {
        Some(Self { value: Cursor::new(payload, 8).varint()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_has_variable_length_numbers_and_counted_text() {
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
