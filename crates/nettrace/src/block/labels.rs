//! The label lists of version 6 (nettrace-v6.md "LabelListBlock").

use crate::block::BlockInfo;
use crate::error::{Error, ErrorKind, Result};
use crate::trace::terms;
use crate::trace::{Off, Trace};
use crate::wire::byte_reader::Reader;
use crate::wire::guid::Guid;
use crate::wire::varint;

/// A block of label lists. Valid for events up to the next sequence point.
#[derive(Clone, Debug)]
pub struct LabelBlock<'d, T: Trace = Off> {
    /// Where the block is.
    pub info: BlockInfo,
    /// The index of the first list; each following one has the next index. 0 stands for an empty list.
    pub first_index: u32,
    /// How many lists the block says it has. Only what [`LabelBlock::lists`] gives is real.
    pub count: u32,
    content: Reader<'d, T>,
}

/// What is attached to events besides their payload. Of a repeated label the last counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelList {
    /// The activity the event belongs to.
    pub activity_id: Option<Guid>,
    /// The activity it refers to.
    pub related_activity_id: Option<Guid>,
    /// The W3C trace id.
    pub trace_id: Option<[u8; 16]>,
    /// The W3C span id.
    pub span_id: Option<u64>,
    /// Replaces [`crate::MetadataRecord::opcode`].
    pub opcode: Option<u8>,
    /// Replaces [`crate::MetadataRecord::keywords`].
    pub keywords: Option<u64>,
    /// Replaces [`crate::MetadataRecord::level`].
    pub level: Option<u8>,
    /// Replaces [`crate::MetadataRecord::version`].
    pub version: Option<u8>,
    /// All other labels, in file order.
    pub pairs: Vec<(String, LabelValue)>,
}

/// The value of a label with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LabelValue {
    /// Text.
    Text(String),
    /// A number.
    Number {
        /// The value by the format document, which says the number is zig-zag coded.
        by_document: i64,
        /// The value as the one real writer (record-trace) means it: not zig-zag coded.
        plain: u64,
    },
}

impl<'d, T: Trace> LabelBlock<'d, T> {
    pub(crate) fn read(info: BlockInfo, mut content: Reader<'d, T>) -> Result<Self> {
        let first_index = content.u32(terms::FIRST_LABEL_LIST)?;
        let count = content.u32(terms::LABEL_LIST_COUNT)?;
        Ok(Self { info, first_index, count, content })
    }

    /// The lists of the block with their indices.
    pub fn lists(&self) -> LabelLists<'d, T> {
        LabelLists { reader: self.content.clone(), next_index: self.first_index }
    }
}

/// Iterates over the lists of a [`LabelBlock`]: the index and the list. `None` follows an error.
#[derive(Clone, Debug)]
pub struct LabelLists<'d, T: Trace = Off> {
    reader: Reader<'d, T>,
    next_index: u32,
}

impl<T: Trace> Iterator for LabelLists<'_, T> {
    type Item = Result<(u32, LabelList)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.reader.is_empty() {
            return None;
        }
        let index = self.next_index;
        self.next_index = index.wrapping_add(1);
        let trace = self.reader.trace();
        let opened = trace.open_item(terms::LABEL_LIST, self.reader.offset());
        let list = read_list(&mut self.reader).inspect_err(|error| self.reader.give_up(error));
        trace.close_item(opened, self.reader.offset());
        Some(list.map(|list| (index, list)))
    }
}

/// The high bit of a label's kind says that it is the last of its list.
const LAST_OF_LIST: u8 = 0x80;

fn read_list<T: Trace>(reader: &mut Reader<'_, T>) -> Result<LabelList> {
    let mut list = LabelList::default();
    loop {
        let offset = reader.offset();
        let kind = reader.u8(terms::LABEL_KIND)?;
        match kind & !LAST_OF_LIST {
            1 => list.activity_id = Some(reader.guid(terms::LABEL_ACTIVITY)?),
            2 => list.related_activity_id = Some(reader.guid(terms::LABEL_RELATED)?),
            3 => list.trace_id = Some(reader.guid(terms::LABEL_TRACE)?.0),
            4 => list.span_id = Some(reader.u64(terms::LABEL_SPAN)?),
            5 => {
                let key = reader.utf8_name(terms::LABEL_KEY)?;
                list.pairs.push((key, LabelValue::Text(reader.utf8_name(terms::LABEL_TEXT)?)));
            }
            6 => {
                let key = reader.utf8_name(terms::LABEL_KEY)?;
                let plain = reader.var_u64(terms::LABEL_NUMBER)?;
                list.pairs.push((key, LabelValue::Number { by_document: varint::zig_zag(plain), plain }));
            }
            7 => list.opcode = Some(reader.u8(terms::LABEL_OPCODE)?),
            8 => list.keywords = Some(reader.u64(terms::LABEL_KEYWORDS)?),
            9 => list.level = Some(reader.u8(terms::LABEL_LEVEL)?),
            10 => list.version = Some(reader.u8(terms::LABEL_VERSION)?),
            unknown => return Err(Error::new(ErrorKind::UnknownOptionalKind(unknown), offset)),
        }
        if kind & LAST_OF_LIST != 0 {
            return Ok(list);
        }
    }
}
