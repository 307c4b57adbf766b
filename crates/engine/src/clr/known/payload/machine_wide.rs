//! CPU samples and context switches of machine-wide traces. Their event IDs differ between files.

use super::cursor::Cursor;

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
    use super::super::MachineMapping;
    use super::*;

    #[test]
    fn mapping_decodes_varints_and_counted_text() {
        let mut payload = vec![5, 0x80, 0x20, 0x80, 0x40, 0];
        payload.extend([7, 0]);
        payload.extend(b"libc.so");
        let mapping = MachineMapping::read(&payload).expect("complete payload");
        assert_eq!((mapping.id, mapping.start, mapping.end), (5, 0x1000, 0x2000));
        assert_eq!(mapping.file_name, "libc.so");
        assert_eq!(MachineMapping::read(&payload[..payload.len() - 1]), None);
        assert_eq!(MachineSample::read(&[0xff; 12]), None, "no number is that long");
    }
}
