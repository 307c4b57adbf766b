//! Sequence points: source lines of instructions.

use super::blob_reader::BlobReader;

/// Source line of the instructions that start at an offset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SequencePoint {
    pub il_offset: u32,
    /// Row of the document, from 1.
    pub document: u32,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
}

/// Line number that compilers use for instructions without a source line.
const NO_LINE: u32 = 0x00fe_efee;

/// Reads the sequence points of a method that have lines, by offset. `document` is 0 if the method has several.
pub(super) fn sequence_points(blob: &[u8], document: u32) -> Option<Vec<SequencePoint>> {
    let mut bytes = BlobReader::new(blob);
    let _local_signature = bytes.compressed()?;
    let mut document = if document == 0 { bytes.compressed()? } else { document };
    let mut points = Vec::new();
    let mut il_offset = 0u32;
    // Line and column of the last point that has them.
    let mut last: Option<(u32, u32)> = None;
    let mut is_first = true;
    while !bytes.is_empty() {
        let distance = bytes.compressed()?;
        if distance == 0 && !is_first {
            document = bytes.compressed()?;
            continue;
        }
        il_offset = il_offset.checked_add(distance)?;
        is_first = false;
        let lines = bytes.compressed()?;
        let columns = if lines == 0 { i64::from(bytes.compressed()?) } else { bytes.compressed_signed()?.into() };
        if lines == 0 && columns == 0 {
            continue;
        }
        let (start_line, start_column) = match last {
            None => (bytes.compressed()?, bytes.compressed()?),
            Some((line, column)) => (
                line.checked_add_signed(bytes.compressed_signed()?)?,
                column.checked_add_signed(bytes.compressed_signed()?)?,
            ),
        };
        last = Some((start_line, start_column));
        if start_line != NO_LINE && start_line > 0 {
            points.push(SequencePoint { il_offset, document, start_line, end_line: start_line.checked_add(lines)? });
        }
    }
    Some(points)
}
