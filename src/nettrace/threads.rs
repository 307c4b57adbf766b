//! The thread table of version 6 (nettrace-v6.md "ThreadBlock" and "RemoveThreadBlock").

use super::block::BlockInfo;
use super::error::{Error, ErrorKind, Result};
use super::reader::Reader;

/// A block that describes threads.
#[derive(Clone, Debug)]
pub struct ThreadBlock<'d> {
    /// Where the block is.
    pub info: BlockInfo,
    content: Reader<'d>,
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

impl<'d> ThreadBlock<'d> {
    pub(crate) fn new(info: BlockInfo, content: Reader<'d>) -> Self {
        Self { info, content }
    }

    /// The threads that the block describes.
    pub fn rows(&self) -> ThreadRows<'d> {
        ThreadRows { reader: self.content.clone() }
    }
}

/// Iterates over the rows of a [`ThreadBlock`].
#[derive(Clone, Debug)]
pub struct ThreadRows<'d> {
    reader: Reader<'d>,
}

impl Iterator for ThreadRows<'_> {
    type Item = Result<ThreadRow>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.reader.is_empty() {
            return None;
        }
        let offset = self.reader.offset();
        let row = self.reader.u16().and_then(|bytes| self.reader.section(usize::from(bytes)));
        match row {
            Ok(mut row) => Some(read_row(&mut row)),
            Err(_) => {
                self.reader.skip_rest();
                Some(Err(Error::new(ErrorKind::OutOfBounds("description of a thread"), offset)))
            }
        }
    }
}

fn read_row(reader: &mut Reader<'_>) -> Result<ThreadRow> {
    let mut row = ThreadRow { index: reader.var_u64()?, ..ThreadRow::default() };
    row.partial = read_optional(reader, &mut row).err();
    Ok(row)
}

fn read_optional(reader: &mut Reader<'_>, row: &mut ThreadRow) -> Result<()> {
    while !reader.is_empty() {
        let offset = reader.offset();
        match reader.u8()? {
            1 => row.name = Some(reader.utf8_name()?),
            2 => row.process_id = Some(reader.var_u64()?),
            3 => row.thread_id = Some(reader.var_u64()?),
            4 => row.attributes.push((reader.utf8_name()?, reader.utf8_name()?)),
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
    pub(crate) fn read(info: BlockInfo, mut content: Reader<'_>) -> Result<Self> {
        let mut threads = Vec::new();
        while !content.is_empty() {
            threads.push((content.var_u64()?, content.var_u32()?));
        }
        Ok(Self { info, threads })
    }
}
