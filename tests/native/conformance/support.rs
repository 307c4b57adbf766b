//! Opens generated traces as the page does, and reads them with the parser.

use engine::model::Store;
use engine::session::{FileFacts, Loader, Progress, Session};
use nettrace::testing::{Event, Format, PayloadWriter, TraceBuilder};
use nettrace::{Damage, Header, Item, MetadataRecord, Parser, Result, Step, ThreadRow};
use protocol::base::ids::{EventId, TypeId};
use protocol::queries;
use protocol::reply::{EventDetail, HeaderDetail, Summary, TypeDetail};
use protocol::request::Filter;
use protocol::tables::{EventRows, RoleTimes, Threads};
use protocol::topics::topic::Topic;

/// Open trace.
pub struct Opened(pub Session);

/// Opens a trace in pieces of 1,000 bytes.
pub fn open(trace: &[u8]) -> Opened {
    let mut loader = Loader::new();
    for piece in trace.chunks(1_000) {
        loader.append(piece.len(), |space| space.copy_from_slice(piece));
        while loader.advance(usize::MAX).expect("a trace") == Progress::Paused {}
    }
    let store = loader.finish().expect("a trace");
    let facts = FileFacts { name: "made.nettrace".to_owned(), bytes: trace.len() as u64, ..FileFacts::default() };
    Opened(Session::new(store, Box::new(trace.to_vec()), facts).expect("readable bytes"))
}

/// Returns the failure message of a trace that can't be opened.
pub fn refusal(trace: &[u8]) -> String {
    let mut loader = Loader::new();
    loader.append(trace.len(), |space| space.copy_from_slice(trace));
    let refused = loader.advance(usize::MAX).err().or_else(|| loader.finish().err());
    refused.expect("a refusal").to_string()
}

impl Opened {
    pub fn store(&self) -> &Store {
        self.0.store()
    }

    pub fn summary(&self) -> Summary {
        self.0.summary()
    }

    pub fn header(&mut self) -> HeaderDetail {
        self.0.ask(&queries::Header).expect("a header")
    }

    /// Returns the displayed header value with a name.
    pub fn header_field(&mut self, name: &str) -> String {
        let header = self.header();
        header.fact(name).unwrap_or_else(|| panic!("{name} in {:#?}", header.groups)).value.clone()
    }

    /// Returns the details of the event in a row.
    pub fn detail(&mut self, row: u32) -> EventDetail {
        self.0.ask(&queries::EventDetail { event: EventId(row) }).expect("an event")
    }

    /// Returns the details of all events, in order.
    pub fn details(&mut self) -> Vec<EventDetail> {
        (0..self.store().events.len() as u32).map(|row| self.detail(row)).collect()
    }

    /// Returns the displayed payload values of an event.
    pub fn values(&mut self, row: u32) -> Vec<String> {
        self.detail(row).fields.into_iter().map(|field| field.value).collect()
    }

    /// Returns the rows that match a filter, in order.
    pub fn rows(&mut self, filter: Filter) -> Vec<u32> {
        let query = queries::Events { filter, order: Default::default(), first: 0, count: 1000 };
        self.0.ask(&query).expect("rows").event
    }

    /// Returns the table of the first thousand events.
    pub fn table(&mut self) -> EventRows {
        let request = queries::Events { filter: Filter::default(), order: Default::default(), first: 0, count: 1000 };
        self.0.ask(&request).expect("events")
    }

    /// Returns the table of threads.
    pub fn threads(&mut self) -> Threads {
        self.0.ask(&queries::Threads { filter: Filter::default() }).expect("threads")
    }

    /// Returns the time of threads by state.
    pub fn times(&mut self) -> RoleTimes {
        self.0.ask(&queries::RoleTimes { filter: Filter::default() }).expect("times")
    }

    /// Returns the details of an event type.
    pub fn type_detail(&mut self, event_type: TypeId) -> TypeDetail {
        self.0.ask(&queries::TypeDetail { event_type }).expect("a type")
    }

    /// Returns whether the trace has events about a topic.
    pub fn has_topic(&self, topic: Topic) -> bool {
        self.0.topics().into_iter().any(|one| one.topic == topic && one.missing.is_none())
    }

    /// Returns the messages of the parse issues.
    pub fn messages(&self) -> Vec<String> {
        self.store().diagnostics.examples.iter().map(|one| one.message.clone()).collect()
    }

    /// Returns whether a parse issue contains a text.
    pub fn says(&self, words: &str) -> bool {
        self.messages().iter().any(|message| message.contains(words))
    }

    /// Returns whether there are no parse issues.
    pub fn is_clean(&self) -> bool {
        self.messages().is_empty()
    }
}

/// Returns the displayed header value of an event with a name.
pub fn fact(detail: &EventDetail, name: &str) -> String {
    let found = detail.header.iter().find(|fact| fact.name == name);
    found.unwrap_or_else(|| panic!("{name} in {:#?}", detail.header)).value.clone()
}

/// Returns whether a text contains a date and a time in any format.
pub fn is_time(shown: &str, date: &str, time: &str) -> bool {
    shown.starts_with(date) && shown.contains(time)
}

/// Passes every item of a trace to `look`.
pub fn each_item(trace: &[u8], mut look: impl FnMut(&Item<'_>)) -> Result<()> {
    let mut parser = Parser::new();
    let mut rest = trace;
    while let Step::Parsed { consumed, item } = parser.parse(rest, true)? {
        look(&item);
        rest = &rest[consumed..];
    }
    Ok(())
}

/// Returns all events, in file order.
pub fn events(trace: &[u8]) -> Vec<Event> {
    let mut found = Vec::new();
    each_item(trace, |item| {
        if let Item::Events(block) = item {
            let mut headers = block.events();
            while let Some(Ok(header)) = headers.next() {
                found.push(Event::from(header));
            }
        }
    })
    .expect("a trace");
    found
}

/// Returns all readable metadata records.
pub fn records(trace: &[u8]) -> Vec<MetadataRecord> {
    let mut found = Vec::new();
    each_item(trace, |item| {
        if let Item::Metadata(block) = item {
            found.extend(block.records().flatten());
        }
    })
    .expect("a trace");
    found
}

/// Returns all damage.
pub fn damages(trace: &[u8]) -> Vec<Damage> {
    let mut found = Vec::new();
    each_item(trace, |item| {
        if let Item::Damage(damage) = item {
            found.push(damage.clone());
        }
    })
    .expect("a trace");
    found
}

pub fn header(trace: &[u8]) -> Result<Header> {
    let mut found = None;
    each_item(trace, |item| {
        if let Item::Header(header) = item {
            found = Some(header.clone());
        }
    })?;
    Ok(found.expect("a header"))
}

/// Returns a metadata record of the provider Shop.
pub fn record(metadata_id: u32, name: &str) -> MetadataRecord {
    MetadataRecord {
        metadata_id,
        provider: "Shop".into(),
        event_id: metadata_id,
        name: name.into(),
        level: 4,
        version: 1,
        ..MetadataRecord::default()
    }
}

/// Returns an event on thread 7 with this sequence number and time.
pub fn event(metadata_id: u32, sequence: u32, timestamp: i64) -> Event {
    Event { metadata_id, sequence, timestamp, thread: 7, capture_thread: 7, ..Event::default() }
}

/// Returns a trace of a format with one record named "Order", and the content that `write` adds.
pub fn trace(format: Format, write: impl FnOnce(&mut TraceBuilder)) -> Vec<u8> {
    let mut builder = TraceBuilder::new(format);
    builder.metadata(&[record(1, "Order")]);
    write(&mut builder);
    builder.finish()
}

/// Returns an event block (version 4 or 6) with this content after its header; `flags` 1: compressed headers.
pub fn event_block(flags: u16, rows: PayloadWriter) -> Vec<u8> {
    PayloadWriter::new().u16(20).u16(flags).i64(0).i64(0).bytes(&rows.finish()).finish()
}

/// Returns a row of the thread table with only an index.
pub fn thread(index: u64) -> ThreadRow {
    ThreadRow { index, thread_id: Some(index), process_id: Some(1), ..ThreadRow::default() }
}

/// Formats with blocks, sequence numbers and separate stacks.
pub const BLOCKED: [Format; 2] = [Format::Nettrace4, Format::Nettrace6];
