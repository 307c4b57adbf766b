//! Blocks of call stacks (nettrace-v5.md and nettrace-v6.md, "StackBlock Object").

use crate::block::BlockInfo;
use crate::error::{Error, ErrorKind, Result};
use crate::trace::terms;
use crate::trace::{Off, Trace};
use crate::wire::byte_reader::Reader;

/// A block of call stacks. Valid for events up to the next sequence point.
#[derive(Clone, Debug)]
pub struct StackBlock<'d, T: Trace = Off> {
    /// Where the block is.
    pub info: BlockInfo,
    /// The id of the first stack; each following one has the next id.
    pub first_id: u32,
    /// How many stacks the block says it has. Only what [`StackBlock::stacks`] gives is real.
    pub count: u32,
    content: Reader<'d, T>,
    cut: bool,
}

impl<'d, T: Trace> StackBlock<'d, T> {
    /// Reads the block header. `cut` says that the end of the block is missing.
    pub(crate) fn read(info: BlockInfo, mut content: Reader<'d, T>, cut: bool) -> Result<Self> {
        let first_id = content.u32(terms::FIRST_STACK_ID)?;
        let count = content.u32(terms::STACK_COUNT)?;
        Ok(Self { info, first_id, count, content, cut })
    }

    /// The stacks of the block, up to its end, whatever [`StackBlock::count`] says.
    pub fn stacks(&self) -> Stacks<'d, T> {
        Stacks { reader: self.content.clone(), next_id: self.first_id, cut: self.cut }
    }

    /// Absolute offset after the last stack that is complete.
    pub(crate) fn end_of_whole_stacks(&self) -> u64 {
        let mut stacks = self.stacks();
        let mut end = stacks.reader.offset();
        self.content.trace().silently(|| {
            while let Some(Ok(_)) = stacks.next() {
                end = stacks.reader.offset();
            }
        });
        end
    }
}

/// Iterates over the stacks of a block: the id, and the addresses, leaf first, each pointer size wide.
#[derive(Clone, Debug)]
pub struct Stacks<'d, T: Trace = Off> {
    reader: Reader<'d, T>,
    next_id: u32,
    cut: bool,
}

impl<'d, T: Trace> Iterator for Stacks<'d, T> {
    type Item = Result<(u32, &'d [u8])>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.reader.is_empty() {
            return None;
        }
        let offset = self.reader.offset();
        let trace = self.reader.trace();
        let opened = trace.open_item(terms::STACK, offset);
        let bytes = self.reader.u32(terms::STACK_SIZE);
        let stack = bytes.and_then(|bytes| self.reader.raw(terms::ADDRESSES, bytes as usize));
        let stack = stack.map_err(|_| Error::new(ErrorKind::OutOfBounds("stack"), offset));
        if let Err(error) = &stack {
            self.reader.give_up(error);
        }
        trace.close_item(opened, self.reader.offset());
        match stack {
            Ok(addresses) => {
                let id = self.next_id;
                self.next_id = id.wrapping_add(1);
                Some(Ok((id, addresses)))
            }
            Err(error) => (!self.cut).then_some(Err(error)),
        }
    }
}
