//! The checksum of gzip and ZIP.

use std::sync::LazyLock;

/// CRC-32 as in RFC 1952, section 8, eight bytes a step.
#[derive(Clone, Copy, Debug)]
pub struct Crc32(u32);

/// `TABLES[0]` advances by a byte, `TABLES[n]` by a byte and n zeros after it. Made when first needed: 8 KB of noise are
/// not worth fetching.
static TABLES: LazyLock<[[u32; 256]; 8]> = LazyLock::new(|| {
    let mut tables = [[0_u32; 256]; 8];
    for (value, byte) in tables[0].iter_mut().zip(0_u32..) {
        *value = (0..8).fold(byte, |value, _| if value & 1 == 1 { 0xedb8_8320 ^ (value >> 1) } else { value >> 1 });
    }
    for table in 1..8 {
        for byte in 0..256 {
            let before = tables[table - 1][byte];
            tables[table][byte] = (before >> 8) ^ tables[0][(before & 0xff) as usize];
        }
    }
    tables
});

impl Default for Crc32 {
    fn default() -> Self {
        Self(u32::MAX)
    }
}

impl Crc32 {
    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        let tables = &*TABLES;
        let mut crc = self.0;
        let (steps, rest) = bytes.as_chunks::<8>();
        for step in steps {
            let low = u32::from_le_bytes([step[0], step[1], step[2], step[3]]) ^ crc;
            let index = |shift: u32| ((low >> shift) & 0xff) as usize;
            crc = tables[7][index(0)]
                ^ tables[6][index(8)]
                ^ tables[5][index(16)]
                ^ tables[4][index(24)]
                ^ tables[3][usize::from(step[4])]
                ^ tables[2][usize::from(step[5])]
                ^ tables[1][usize::from(step[6])]
                ^ tables[0][usize::from(step[7])];
        }
        for byte in rest {
            crc = (crc >> 8) ^ tables[0][((crc ^ u32::from(*byte)) & 0xff) as usize];
        }
        self.0 = crc;
    }

    /// The sum of everything added.
    pub fn value(self) -> u32 {
        !self.0
    }
}

/// What an archive says of a file's content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checksum {
    /// Its size in bytes.
    pub bytes: u64,
    /// Its CRC-32.
    pub crc32: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_agree_with_the_known_one_in_pieces_of_any_size() {
        // The check value of CRC-32/ISO-HDLC.
        for cut in 0..9 {
            let (head, tail) = b"123456789".split_at(cut);
            let mut crc = Crc32::default();
            crc.add(head);
            crc.add(tail);
            assert_eq!(crc.value(), 0xcbf4_3926);
        }
        let bytes: Vec<u8> = (0..1000u32).map(|at| (at * 7) as u8).collect();
        let mut expected = flate2::Crc::new();
        expected.update(&bytes);
        let mut crc = Crc32::default();
        crc.add(&bytes);
        assert_eq!(crc.value(), expected.sum());
    }
}
