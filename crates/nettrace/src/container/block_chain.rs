//! Recognizes blocks of nettrace 6 by their headers, plausible content, and chains of blocks.

use crate::framing::NotFound;

/// Size of a block header.
pub(crate) const HEADER_BYTES: usize = 4;

pub(super) const END_OF_STREAM: u8 = 0;
/// The kind of the first block.
pub(super) const TRACE: u8 = 1;
pub(super) const EVENTS: u8 = 2;
pub(super) const METADATA: u8 = 3;
pub(super) const SEQUENCE_POINT: u8 = 4;
pub(super) const STACKS: u8 = 5;
pub(super) const THREADS: u8 = 6;
pub(super) const REMOVED_THREADS: u8 = 7;
pub(super) const LABELS: u8 = 8;

/// Number of content bytes that [`is_plausible`] examines.
pub(super) const PLAUSIBILITY_BYTES: usize = 20;

/// Reads the header of the block at a position: its kind, and the range of its content.
pub(crate) fn read_header(data: &[u8], position: usize) -> Option<(u8, usize, usize)> {
    let [size0, size1, size2, kind] = *data.get(position..)?.first_chunk::<HEADER_BYTES>()?;
    let content = position + HEADER_BYTES;
    Some((kind, content, content + u32::from_le_bytes([size0, size1, size2, 0]) as usize))
}

/// Returns whether content is plausible for a block of this kind and size. Examines only its first bytes.
pub(super) fn is_plausible(kind: u8, size: usize, content: &[u8]) -> bool {
    let number = |at: usize, bytes: usize| -> usize {
        let field = content.get(at..at + bytes).unwrap_or_default();
        field.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte))
    };
    match kind {
        // Only the first block of a file has this kind.
        TRACE => false,
        EVENTS => (20..=size.min(512)).contains(&number(0, 2)) && number(2, 2) < 16,
        METADATA => {
            let (header, rows) = (number(0, 2), 2 + number(0, 2));
            header < 512 && size >= 2 && (size == rows || size >= rows + 2)
        }
        SEQUENCE_POINT => {
            let (flags, count) = (number(8, 4), number(12, 4));
            size >= 16 && flags < 256 && (size - 16) / 15 <= count && count <= (size - 16) / 2
        }
        STACKS => {
            let count = number(4, 4);
            size >= 8 && count <= (size - 8) / 4 && (count == 0 || number(8, 4) <= size - 12)
        }
        THREADS => size == 0 || (size >= 3 && (1..=size - 2).contains(&number(0, 2))),
        REMOVED_THREADS => size != 1,
        LABELS => size >= 8 && number(4, 4) <= size - 8,
        _ => false,
    }
}

/// Kinds of block chains, from the strongest evidence to the weakest. Single headers aren't enough evidence, because
/// block content often looks like one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Chain {
    /// Three blocks.
    Long,
    /// At least one block, then the end-of-stream marker at the end of the data.
    Complete,
    /// At least one block up to the end of the data, as the last resort.
    UpToTheEnd,
}

/// Finds the next position between `from` and `limit` where a chain of blocks begins. Stronger chains take precedence
/// over earlier ones; `weakest` is the weakest acceptable kind. Before the end of the data is known, only long chains
/// count.
pub(crate) fn find_block(
    data: &[u8],
    from: usize,
    limit: usize,
    eof: bool,
    weakest: Chain,
) -> std::result::Result<usize, NotFound> {
    let mut found = find_chain(data, from, limit, eof, Chain::Long);
    for chain in [Chain::Complete, Chain::UpToTheEnd] {
        if found.is_err() && eof && chain <= weakest {
            found = find_chain(data, from, limit, eof, chain);
        }
    }
    found
}

pub(super) fn find_chain(
    data: &[u8],
    from: usize,
    limit: usize,
    eof: bool,
    chain: Chain,
) -> std::result::Result<usize, NotFound> {
    for position in from..limit.min(data.len()) {
        match chains(data, position, eof, chain) {
            Ok(true) => return Ok(position),
            Ok(false) => {}
            Err(wanted) => return Err(NotFound { searched: position, wanted }),
        }
    }
    let searched = limit.min(data.len()).max(from);
    Err(NotFound { searched, wanted: searched + 1 })
}

/// Returns whether a chain of blocks begins here; `Err` contains the length of data needed to decide.
pub(super) fn chains(data: &[u8], start: usize, eof: bool, chain: Chain) -> std::result::Result<bool, usize> {
    const BLOCKS: usize = 3;
    let available = data.len();
    let mut position = start;
    for block in 0..BLOCKS {
        let up_to_the_end = chain == Chain::UpToTheEnd && block > 0;
        let Some((kind, content, end)) = read_header(data, position) else {
            let ends = position == available || (block > 1 && position > available);
            return if eof { Ok(up_to_the_end && ends) } else { Err(position + HEADER_BYTES) };
        };
        if kind == END_OF_STREAM {
            let may_end = block > 0 && end == content && content == available;
            return if may_end && !eof { Err(available + 1) } else { Ok(may_end && chain >= Chain::Complete) };
        }
        if kind == TRACE || kind > LABELS {
            return Ok(false);
        }
        let searched = end.min(content + PLAUSIBILITY_BYTES);
        if available < searched {
            return if eof { Ok(up_to_the_end) } else { Err(searched) };
        }
        if !is_plausible(kind, end - content, data.get(content..).unwrap_or_default()) {
            return Ok(false);
        }
        position = end;
    }
    Ok(true)
}
