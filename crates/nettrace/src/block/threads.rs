//! Thread blocks (NetTraceFormat "ThreadBlock" and "RemoveThreadBlock").

use super::info::BlockInfo;
use crate::error::{Error, ErrorKind, Result};
use crate::listener::{Off, Trace, terms};
use crate::wire::byte_reader::ByteReader;

/// Block of threads.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct ThreadBlock<'d> {
    /// Location of the block in the file.
    pub info: BlockInfo,
    content: ByteReader<'d>,
}

/// Row of the thread table.
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadRow {
    /// Index by which events refer to the thread, until it is removed or a sequence point flushes the table.
    pub index: u64,
    /// Name.
    pub name: Option<String>,
    /// OS process ID.
    pub process_id: Option<u64>,
    /// OS thread ID.
    pub thread_id: Option<u64>,
    /// Other key/value pairs, in file order.
    pub attributes: Vec<(String, String)>,
    /// Error that made the rest of the row unreadable.
    pub partial: Option<Error>,
}

impl<'d> ThreadBlock<'d> {
    /// Creates a block with this content.
    pub(crate) fn new<T: Trace>(info: BlockInfo, content: ByteReader<'d, T>) -> Self {
        Self { info, content: content.untraced() }
    }

    /// Returns the rows of the block.
    pub fn rows(&self) -> ThreadRows<'d> {
        ThreadRows(self.traced_rows(Off))
    }

    /// Returns [`ThreadBlock::rows`] with a listener.
    pub(crate) fn traced_rows<T: Trace>(&self, trace: T) -> ThreadReader<'d, T> {
        ThreadReader { reader: self.content.clone().with_trace(trace) }
    }
}

/// Iterator over the rows of a [`ThreadBlock`]. An unreadable row doesn't affect later ones, unless its size is
/// unreadable.
#[derive(Clone, Debug)]
pub struct ThreadRows<'d>(ThreadReader<'d, Off>);

impl Iterator for ThreadRows<'_> {
    type Item = Result<ThreadRow>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

/// [`ThreadRows`] with a listener.
#[derive(Clone, Debug)]
pub(crate) struct ThreadReader<'d, T: Trace> {
    reader: ByteReader<'d, T>,
}

impl<T: Trace> Iterator for ThreadReader<'_, T> {
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
                let error = Error::new(ErrorKind::OutOfBounds("thread record"), offset);
                self.reader.give_up(&error);
                Err(error)
            }
        };
        trace.close_item(opened, self.reader.offset());
        Some(row)
    }
}

fn read_row<T: Trace>(reader: &mut ByteReader<'_, T>) -> Result<ThreadRow> {
    let index = reader.var_u64(terms::THREAD_ROW_INDEX).inspect_err(|error| reader.clone().give_up(error))?;
    let mut row = ThreadRow { index, ..ThreadRow::default() };
    row.partial = read_optional(reader, &mut row).inspect_err(|error| reader.give_up(error)).err();
    Ok(row)
}

fn read_optional<T: Trace>(reader: &mut ByteReader<'_, T>, row: &mut ThreadRow) -> Result<()> {
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

/// Block of threads whose indices are no longer used.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemovedThreads {
    /// Location of the block in the file.
    pub info: BlockInfo,
    /// Index of each thread, and the sequence number of the last event that it tried to write.
    pub threads: Vec<(u64, u32)>,
}

impl RemovedThreads {
    /// Reads the content of the block.
    pub(crate) fn read<T: Trace>(info: BlockInfo, mut content: ByteReader<'_, T>) -> Result<Self> {
        let mut threads = Vec::new();
        while !content.is_empty() {
            let opened = content.open(terms::REMOVED_THREAD);
            threads.push((content.var_u64(terms::REMOVED_INDEX)?, content.var_u32(terms::REMOVED_SEQUENCE)?));
            content.close(opened);
        }
        Ok(Self { info, threads })
    }
}
