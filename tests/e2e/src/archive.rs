//! Archives for tests.

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use std::io::Write;

/// Returns a ZIP archive of these files, deflated.
///
/// # Panics
/// Panics if memory runs out.
pub fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let mut deflate = DeflateEncoder::new(Vec::new(), Compression::fast());
        deflate.write_all(content).expect("memory");
        let packed = deflate.finish().expect("memory");
        let mut crc = Crc::new();
        crc.update(content);
        // Version, flags, method, time, date; checksum, sizes, lengths of the name and the extra field.
        let mut common = [20u16, 0, 8, 0, 0].map(u16::to_le_bytes).concat();
        for number in [crc.sum(), packed.len() as u32, content.len() as u32] {
            common.extend(number.to_le_bytes());
        }
        common.extend((name.len() as u32).to_le_bytes());
        let offset = archive.len() as u32;
        archive.extend([b"PK\x03\x04", common.as_slice(), name.as_bytes(), &packed].concat());
        directory.extend([b"PK\x01\x02\x14\0", common.as_slice(), &[0; 10]].concat());
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (count, offset) = (files.len() as u16, archive.len() as u32);
    let end = [[0; 4], [count.to_le_bytes(), count.to_le_bytes()].concat().try_into().expect("four bytes")].concat();
    archive.extend(&directory);
    archive.extend([b"PK\x05\x06", end.as_slice()].concat());
    archive.extend((directory.len() as u32).to_le_bytes());
    archive.extend(offset.to_le_bytes());
    archive.extend([0; 2]);
    archive
}
