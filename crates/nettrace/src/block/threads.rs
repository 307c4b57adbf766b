//! The thread table of version 6 (nettrace-v6.md "ThreadBlock" and "RemoveThreadBlock").

use crate::block::BlockInfo;
use crate::error::{Error, ErrorKind, Result};
use crate::trace::terms;
use crate::trace::{Off, Trace};
use crate::wire::byte_reader::Reader;

/// A block that describes threads.
#[derive(Clone, Debug)]
pub struct ThreadBlock<'d, T: Trace = Off> {
    /// Where the block is.
    pub info: BlockInfo,
    content: Reader<'d, T>,
}

/// A thread, as later events refer to it by index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadRow {
    /// What events call the thread, until it is removed or a sequence point flushes the table.
    pub index: u64,
    /// Its name.
    pub name: Option<String>,
    /// The operating system's number of its process.
    pub process_id: Option<u64>,
    /// The operating system's number of the thread.
    pub thread_id: Option<u64>,
    /// Further facts as key and value, in file order.
    pub attributes: Vec<(String, String)>,
    /// Why the rest of the row could not be read.
    pub partial: Option<Error>,
}

impl<'d, T: Trace> ThreadBlock<'d, T> {
    pub(crate) fn new(info: BlockInfo, content: Reader<'d, T>) -> Self {
        Self { info, content }
    }

    /// The threads that the block describes.
    pub fn rows(&self) -> ThreadRows<'d, T> {
        ThreadRows { reader: self.content.clone() }
    }
}

/// Iterates over the rows of a [`ThreadBlock`].
#[derive(Clone, Debug)]
pub struct ThreadRows<'d, T: Trace = Off> {
    reader: Reader<'d, T>,
}

impl<T: Trace> Iterator for ThreadRows<'_, T> {
    type Item = Result<ThreadRow>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.reader.is_empty() {
            return None;
        }
        let offset = self.reader.offset();
        let trace = self.reader.trace();
        let opened = trace.open_item(terms::THREAD, offset);
        let bytes = self.reader.u16(terms::THREAD_SIZE);
        let row = match bytes.and_then(|bytes| self.reader.section(usize::from(bytes))) {
            Ok(mut row) => read_row(&mut row),
            Err(_) => {
                let error = Error::new(ErrorKind::OutOfBounds("description of a thread"), offset);
                self.reader.give_up(&error);
                Err(error)
            }
        };
        trace.close_item(opened, self.reader.offset());
        Some(row)
    }
}

fn read_row<T: Trace>(reader: &mut Reader<'_, T>) -> Result<ThreadRow> {
    let index = reader.var_u64(terms::THREAD_ROW_INDEX).inspect_err(|error| reader.clone().give_up(error))?;
    let mut row = ThreadRow { index, ..ThreadRow::default() };
    row.partial = read_optional(reader, &mut row).inspect_err(|error| reader.give_up(error)).err();
    Ok(row)
}

fn read_optional<T: Trace>(reader: &mut Reader<'_, T>, row: &mut ThreadRow) -> Result<()> {
    while !reader.is_empty() {
        let offset = reader.offset();
        match reader.u8(terms::THREAD_KIND)? {
            1 => row.name = Some(reader.utf8_name(terms::THREAD_NAME)?),
            2 => row.process_id = Some(reader.var_u64(terms::THREAD_PROCESS)?),
            3 => row.thread_id = Some(reader.var_u64(terms::THREAD_OS_ID)?),
            4 => {
                let key = reader.utf8_name(terms::THREAD_KEY)?;
                row.attributes.push((key, reader.utf8_name(terms::THREAD_VALUE)?));
            }
            kind => return Err(Error::new(ErrorKind::UnknownOptionalKind(kind), offset)),
        }
    }
    Ok(())
}

/// Threads whose indices are no longer used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemovedThreads {
    /// Where the block is.
    pub info: BlockInfo,
    /// The index of each thread, and the number of the last event it tried to write.
    pub threads: Vec<(u64, u32)>,
}

impl RemovedThreads {
    pub(crate) fn read<T: Trace>(info: BlockInfo, mut content: Reader<'_, T>) -> Result<Self> {
        let mut threads = Vec::new();
        while !content.is_empty() {
            let opened = content.open(terms::REMOVED_THREAD);
            threads.push((content.var_u64(terms::REMOVED_INDEX)?, content.var_u32(terms::REMOVED_SEQUENCE)?));
            content.close(opened);
        }
        Ok(Self { info, threads })
    }
}
