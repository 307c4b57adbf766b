//! Blocks between two sequence points, where stack IDs and label list indices are valid.

use super::framing::Frame;
use std::collections::HashSet;

/// Block to be written.
#[derive(Clone, Debug)]
struct Block {
    frame: Frame,
    content: Vec<u8>,
    rows: Rows,
}

/// Rows of a block that events refer to.
#[derive(Clone, Copy, Debug)]
enum Rows {
    None,
    /// Stacks.
    Stacks,
    /// Label lists: first index and count.
    Labels(u32, u32),
}

/// Blocks since the last sequence point, in file order. Rows without a reference are removed.
#[derive(Clone, Debug, Default)]
pub(super) struct Region {
    blocks: Vec<Block>,
    bytes: usize,
    stacks: HashSet<u32>,
    labels: HashSet<u32>,
}

impl Region {
    /// Returns the bytes of the blocks.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Records what a selected event refers to.
    pub fn refer(&mut self, stack: u32, labels: u32) {
        if stack != 0 {
            self.stacks.insert(stack);
        }
        if labels != 0 {
            self.labels.insert(labels);
        }
    }

    /// Adds a block that stays unchanged.
    pub fn add(&mut self, frame: Frame, content: Vec<u8>) {
        self.push(frame, content, Rows::None);
    }

    /// Adds a block of stacks, all of them complete.
    pub fn add_stacks(&mut self, frame: Frame, content: Vec<u8>) {
        self.push(frame, content, Rows::Stacks);
    }

    /// Adds a block of label lists.
    pub fn add_labels(&mut self, frame: Frame, content: Vec<u8>, first: u32, count: u32) {
        self.push(frame, content, Rows::Labels(first, count));
    }

    fn push(&mut self, frame: Frame, content: Vec<u8>, rows: Rows) {
        self.bytes += content.len();
        self.blocks.push(Block { frame, content, rows });
    }

    /// Writes the blocks. `is_over` means that no later event refers to them.
    pub fn flush(&mut self, is_over: bool, mut write: impl FnMut(&Frame, &[u8])) {
        for block in std::mem::take(&mut self.blocks) {
            match block.rows {
                Rows::Stacks if is_over => {
                    if let Some(content) = used_stacks(&block.content, &self.stacks) {
                        write(&block.frame, &content);
                    }
                }
                Rows::Labels(first, count) if is_over && !self.refers_to_labels(first, count) => {}
                _ => write(&block.frame, &block.content),
            }
        }
        self.bytes = 0;
        self.stacks.clear();
        self.labels.clear();
    }

    fn refers_to_labels(&self, first: u32, count: u32) -> bool {
        self.labels.iter().any(|&list| list >= first && list - first < count)
    }
}

/// Returns the content of a stack block from the first to the last referenced stack, with empty stacks in place of
/// unreferenced ones. `None` if no stack is referenced.
fn used_stacks(content: &[u8], used: &HashSet<u32>) -> Option<Vec<u8>> {
    let (first, rest) = split_number(content)?;
    let (_, mut rest) = split_number(rest)?;
    let mut rows = Vec::new();
    let mut found = None::<(u32, u32)>;
    let mut id = first;
    while let Some((bytes, behind)) = split_number(rest) {
        let Some((addresses, behind)) = behind.split_at_checked(bytes as usize) else { break };
        rest = behind;
        if used.contains(&id) {
            let (start, last) = found.unwrap_or((id, id.wrapping_sub(1)));
            // An empty stack consists of its size, 0.
            rows.resize(rows.len() + 4 * id.wrapping_sub(last).wrapping_sub(1) as usize, 0);
            rows.extend_from_slice(&bytes.to_le_bytes());
            rows.extend_from_slice(addresses);
            found = Some((start, id));
        }
        id = id.wrapping_add(1);
    }
    let (start, last) = found?;
    let count = last.wrapping_sub(start).wrapping_add(1);
    Some([&start.to_le_bytes()[..], &count.to_le_bytes(), &rows].concat())
}

fn split_number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((u32::from_le_bytes(*number), rest))
}

#[cfg(test)]
mod tests {
    use super::used_stacks;
    use std::collections::HashSet;

    #[test]
    fn excerpt_stacks_keep_ids() {
        let block = |first: u32, stacks: &[&[u8]]| {
            let mut bytes = [first.to_le_bytes(), (stacks.len() as u32).to_le_bytes()].concat();
            for stack in stacks {
                bytes.extend_from_slice(&(stack.len() as u32).to_le_bytes());
                bytes.extend_from_slice(stack);
            }
            bytes
        };
        let all = block(10, &[&[1; 8], &[2; 8], &[3; 16], &[4; 8], &[5; 8]]);
        let used = |ids: &[u32]| used_stacks(&all, &ids.iter().copied().collect::<HashSet<_>>());
        assert_eq!(used(&[11, 13]), Some(block(11, &[&[2; 8], &[], &[4; 8]])));
        assert_eq!(used(&[10, 14]), Some(block(10, &[&[1; 8], &[], &[], &[], &[5; 8]])));
        assert_eq!(used(&[10, 11, 12, 13, 14]).as_ref(), Some(&all));
        assert_eq!(used(&[9, 15]), None);
    }
}
