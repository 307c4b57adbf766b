//! Label list blocks (NetTraceFormat "LabelListBlock").

use super::info::BlockInfo;
use crate::error::{Error, ErrorKind, Result};
use crate::listener::{Off, Trace, terms};
use crate::wire::byte_reader::ByteReader;
use crate::wire::guid::Guid;
use crate::wire::varint;

/// Block of label lists. Valid for events up to the next sequence point.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct LabelBlock<'d> {
    /// Location of the block in the file.
    pub info: BlockInfo,
    /// Index of the first list; each following list has the next index. Index 0 is the empty list.
    pub first_index: u32,
    /// Declared number of lists. [`LabelBlock::lists`] doesn't rely on it.
    pub count: u32,
    content: ByteReader<'d>,
}

/// Labels of events. If a label is repeated, the last one wins.
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelList {
    /// Activity of the event.
    pub activity_id: Option<Guid>,
    /// Related activity.
    pub related_activity_id: Option<Guid>,
    /// W3C trace ID.
    pub trace_id: Option<[u8; 16]>,
    /// W3C span ID.
    pub span_id: Option<u64>,
    /// Overrides [`crate::MetadataRecord::opcode`].
    pub opcode: Option<u8>,
    /// Overrides [`crate::MetadataRecord::keywords`].
    pub keywords: Option<u64>,
    /// Overrides [`crate::MetadataRecord::level`].
    pub level: Option<u8>,
    /// Overrides [`crate::MetadataRecord::version`].
    pub version: Option<u8>,
    /// All other labels as key/value pairs, in file order.
    pub pairs: Vec<(String, LabelValue)>,
}

/// Value of a named label.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LabelValue {
    /// Text.
    Text(String),
    /// Number.
    Number {
        /// Value according to the format document: zig-zag encoded.
        by_document: i64,
        /// Value as written by the only known writer (record-trace): not zig-zag encoded.
        plain: u64,
    },
}

impl LabelList {
    /// No labels.
    pub(crate) const EMPTY: Self = Self {
        activity_id: None,
        related_activity_id: None,
        trace_id: None,
        span_id: None,
        opcode: None,
        keywords: None,
        level: None,
        version: None,
        pairs: Vec::new(),
    };
}

impl<'d> LabelBlock<'d> {
    /// Reads the block header.
    pub(crate) fn read<T: Trace>(info: BlockInfo, mut content: ByteReader<'d, T>) -> Result<Self> {
        let first_index = content.u32(terms::FIRST_LABEL_LIST)?;
        let count = content.u32(terms::LABEL_LIST_COUNT)?;
        Ok(Self { info, first_index, count, content: content.untraced() })
    }

    /// Returns the lists of the block with their indices.
    pub fn lists(&self) -> LabelLists<'d> {
        LabelLists(self.traced_lists(Off))
    }

    /// Returns [`LabelBlock::lists`] with a listener.
    pub(crate) fn traced_lists<T: Trace>(&self, trace: T) -> LabelReader<'d, T> {
        LabelReader { reader: self.content.clone().with_trace(trace), next_index: self.first_index }
    }
}

/// Iterator over the lists of a [`LabelBlock`]: the index and the list. `None` follows an error.
#[derive(Clone, Debug)]
pub struct LabelLists<'d>(LabelReader<'d, Off>);

impl Iterator for LabelLists<'_> {
    type Item = Result<(u32, LabelList)>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

/// [`LabelLists`] with a listener.
#[derive(Clone, Debug)]
pub(crate) struct LabelReader<'d, T: Trace> {
    reader: ByteReader<'d, T>,
    next_index: u32,
}

impl<T: Trace> Iterator for LabelReader<'_, T> {
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

/// Bit of a label's kind that marks the last label of a list.
const LAST_OF_LIST: u8 = 0x80;

fn read_list<T: Trace>(reader: &mut ByteReader<'_, T>) -> Result<LabelList> {
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
