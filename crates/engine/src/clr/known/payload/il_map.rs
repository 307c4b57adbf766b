//! IL maps of methods.

use super::cursor::Cursor;

/// Payload of `MethodILToNativeMap`, all versions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IlMap<'d> {
    /// The runtime's ID of the method.
    pub method_id: u64,
    /// Code version, as in the event about the code.
    pub code_version: u64,
    /// IL offsets, 4 bytes each.
    il: &'d [u8],
    /// Code offsets, 4 bytes each.
    native: &'d [u8],
}

impl<'d> IlMap<'d> {
    pub fn read(payload: &'d [u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        let (method_id, code_version) = (cursor.u64()?, cursor.u64()?);
        // The next byte was intended for split code, and is always 0.
        cursor.u8()?;
        let bytes = 4 * usize::from(cursor.u16()?);
        Some(Self { method_id, code_version, il: cursor.bytes(bytes)?, native: cursor.bytes(bytes)? })
    }

    /// Returns the number of mappings.
    pub fn len(&self) -> usize {
        self.native.len() / 4
    }

    /// Returns whether there are no mappings.
    pub fn is_empty(&self) -> bool {
        self.native.is_empty()
    }

    /// Returns the code offset and the IL offset of each mapping, unordered; `None` for code that the compiler added
    /// (the runtime writes -1, and -2 and -3 for prolog and epilog).
    pub fn pieces(self) -> impl Iterator<Item = (u32, Option<u32>)> + 'd {
        const ADDED: u32 = u32::MAX - 2;
        let numbers =
            |bytes: &'d [u8]| bytes.chunks_exact(4).map(|number| number.try_into().map_or(0, u32::from_le_bytes));
        numbers(self.native).zip(numbers(self.il).map(|offset| (offset < ADDED).then_some(offset)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload(offsets: &[(u32, u32)]) -> Vec<u8> {
        let mut bytes = [7_u64.to_le_bytes(), 2_u64.to_le_bytes()].concat();
        bytes.push(0);
        bytes.extend((offsets.len() as u16).to_le_bytes());
        bytes.extend(offsets.iter().flat_map(|(il, _)| il.to_le_bytes()));
        bytes.extend(offsets.iter().flat_map(|(_, native)| native.to_le_bytes()));
        bytes
    }

    #[test]
    fn compiler_added_code_has_no_il_offset() {
        let bytes = payload(&[(u32::MAX - 1, 0), (0, 28), (8, 142), (u32::MAX - 2, 148), (u32::MAX, 150)]);
        let map = IlMap::read(&bytes).expect("complete payload");
        assert_eq!((map.method_id, map.code_version, map.len()), (7, 2, 5));
        let pieces: Vec<_> = map.pieces().collect();
        assert_eq!(pieces, [(0, None), (28, Some(0)), (142, Some(8)), (148, None), (150, None)]);
    }

    #[test]
    fn truncated_payload_is_rejected() {
        let bytes = payload(&[(0, 0), (8, 4)]);
        assert!((0..bytes.len()).all(|length| IlMap::read(&bytes[..length]).is_none()));
        assert!(IlMap::read(&payload(&[])).is_some_and(|map| map.is_empty()));
    }
}
