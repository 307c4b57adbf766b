//! Stack blocks (NetTraceFormat_v5 and NetTraceFormat, "StackBlock Object").

use super::info::BlockInfo;
use crate::error::{Error, ErrorKind, Result};
use crate::listener::{Off, Trace, terms};
use crate::wire::byte_reader::ByteReader;

/// Block of call stacks. Valid for events up to the next sequence point.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct StackBlock<'d> {
    /// Location of the block in the file.
    pub info: BlockInfo,
    /// ID of the first stack; each following stack has the next ID.
    pub first_id: u32,
    /// Declared number of stacks. [`StackBlock::stacks`] doesn't rely on it.
    pub count: u32,
    content: ByteReader<'d>,
    cut: bool,
}

impl<'d> StackBlock<'d> {
    /// Reads the block header. `cut` means that the end of the block is missing.
    pub(crate) fn read<T: Trace>(info: BlockInfo, mut content: ByteReader<'d, T>, cut: bool) -> Result<Self> {
        let first_id = content.u32(terms::FIRST_STACK_ID)?;
        let count = content.u32(terms::STACK_COUNT)?;
        Ok(Self { info, first_id, count, content: content.untraced(), cut })
    }

    /// Returns the stacks of the block, up to its end.
    pub fn stacks(&self) -> Stacks<'d> {
        Stacks(self.traced_stacks(Off))
    }

    /// Returns [`StackBlock::stacks`] with a listener.
    pub(crate) fn traced_stacks<T: Trace>(&self, trace: T) -> StackReader<'d, T> {
        StackReader { reader: self.content.clone().with_trace(trace), next_id: self.first_id, cut: self.cut }
    }

    /// Returns the absolute offset after the last complete stack.
    pub(crate) fn end_of_complete_stacks(&self) -> u64 {
        let mut stacks = self.traced_stacks(Off);
        let mut end = stacks.reader.offset();
        while let Some(Ok(_)) = stacks.next() {
            end = stacks.reader.offset();
        }
        end
    }
}

/// Iterator over the stacks of a [`StackBlock`]: the ID and the addresses, leaf first, each of the header's pointer
/// size. `None` follows an error.
#[derive(Clone, Debug)]
pub struct Stacks<'d>(StackReader<'d, Off>);

impl<'d> Iterator for Stacks<'d> {
    type Item = Result<(u32, &'d [u8])>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

/// [`Stacks`] with a listener.
#[derive(Clone, Debug)]
pub(crate) struct StackReader<'d, T: Trace> {
    reader: ByteReader<'d, T>,
    next_id: u32,
    cut: bool,
}

impl<'d, T: Trace> Iterator for StackReader<'d, T> {
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
