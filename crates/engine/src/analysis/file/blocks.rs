//! Sections of the file, and the purposes of its bytes.

use super::block_runs::{Problems, is_wanted};
use super::event_types::replaced_types;
use crate::model::{BlockHead, FileSection, FileSectionKind, Store};
use nettrace::BlockKind;
use protocol::base::ids::thread_number;
use protocol::base::sort::sort_by;
use protocol::file::section_columns::{SECTION_COLUMNS, SectionOrder};
use protocol::reply::BlockKindCount;
use protocol::request::SectionFilter;
use protocol::tables::{Costs, NO_NUMBER, NO_TIME, Sections, compression, cost, section_kind};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Maximum number of sections in an answer.
pub const MAX_SECTIONS: u32 = 4096;

/// Returns the kind of a section as tables send it.
pub fn section_kind(kind: FileSectionKind) -> u8 {
    match kind {
        FileSectionKind::Header => section_kind::HEADER,
        FileSectionKind::Damage => section_kind::DAMAGE,
        FileSectionKind::BehindEnd => section_kind::BEHIND_END,
        FileSectionKind::Unread => section_kind::UNREAD,
        FileSectionKind::Block(kind) => match kind {
            BlockKind::Events => section_kind::EVENTS,
            BlockKind::Metadata => section_kind::METADATA,
            BlockKind::Stacks => section_kind::STACKS,
            BlockKind::SequencePoint => section_kind::SEQUENCE_POINT,
            BlockKind::Threads => section_kind::THREADS,
            BlockKind::RemovedThreads => section_kind::REMOVED_THREADS,
            BlockKind::Labels => section_kind::LABELS,
            BlockKind::EndOfStream => section_kind::END_OF_STREAM,
            _ => section_kind::UNKNOWN,
        },
    }
}

/// Returns a page of the filtered sections of a file with this many bytes, in the order of these positions; `None` is
/// the order in the file.
pub fn sections(
    store: &Store,
    file_bytes: u64,
    of: SectionFilter,
    positions: Option<&[u32]>,
    (first, count): (u64, u32),
) -> Sections {
    let mut table = Sections { file_bytes: vec![file_bytes], ..Sections::default() };
    let wanted = first..first.saturating_add(count.into());
    let problems = Problems::new(store);
    let mut total = 0;
    // By position, if they are sorted.
    let mut all = Vec::new();
    for one in store.blocks.sections(file_bytes).filter(|one| is_wanted(of, one, &problems)) {
        if positions.is_some() {
            all.push(one);
        } else if wanted.contains(&total) {
            add_section(&mut table, store, &one, &problems);
        }
        total += 1;
    }
    for at in positions.into_iter().flatten().skip(usize::try_from(first).unwrap_or(usize::MAX)).take(count as usize) {
        all.get(*at as usize).into_iter().for_each(|one| add_section(&mut table, store, one, &problems));
    }
    table.total.push(total);
    table
}

/// Returns the positions of the filtered sections in an order; `None` for the order in the file.
pub fn sorted_sections(store: &Store, file_bytes: u64, of: SectionFilter, order: SectionOrder) -> Option<Vec<u32>> {
    let column = SECTION_COLUMNS.get(usize::from(order.column?))?;
    let table = sections(store, file_bytes, of, None, (0, u32::MAX));
    let mut positions: Vec<u32> = (0..table.offset.len() as u32).collect();
    column.sort(&table, &mut positions, order.descending);
    Some(positions)
}

fn add_section(table: &mut Sections, store: &Store, one: &FileSection<'_>, problems: &Problems<'_>) {
    let time = |ticks: i64| if ticks == i64::MAX { NO_TIME } else { store.clock.nanos(ticks).0 };
    let directory = &store.blocks;
    table.offset.push(one.offset);
    table.bytes.push(one.bytes);
    table.kind.push(section_kind(one.kind));
    table.items.push(one.block.map_or(0, |block| block.items));
    let head = one.block.map_or(BlockHead::Silent, |block| block.head);
    let (kind, declared) = match head {
        BlockHead::Events { is_compressed, declared_ticks } => {
            let kind = if is_compressed { compression::COMPRESSED } else { compression::FIXED };
            (kind, declared_ticks.map(|ticks| ticks.map(time)))
        }
        BlockHead::Point { ticks, .. } => (compression::NONE, Some([time(ticks), NO_TIME])),
        BlockHead::Silent | BlockHead::First(_) => (compression::NONE, None),
    };
    table.compression.push(kind);
    let [declared_first, declared_last] = declared.unwrap_or([NO_TIME; 2]);
    table.declared_first.push(declared_first);
    table.declared_last.push(declared_last);
    let with_events = one.block.filter(|block| block.kind == BlockKind::Events && block.items > 0);
    table.first.push(with_events.map_or(NO_TIME, |block| time(block.min_ticks)));
    table.last.push(with_events.map_or(NO_TIME, |block| time(block.max_ticks)));
    table.threads.push(one.block.map_or(0, |block| directory.threads_of(block).len() as u32));
    table.types.push(one.block.map_or(0, |block| directory.types_of(block).len() as u32));
    table.first_number.push(if let BlockHead::First(number) = head { number } else { NO_NUMBER });
    table.flags.push(if let BlockHead::Point { flags, .. } = head { flags } else { 0 });
    table.problem.push(&problems.of(one));
}

/// A row of costs under construction.
#[derive(Clone, Debug, Default)]
struct Cost {
    of: u8,
    name: String,
    event: String,
    event_type: Option<u32>,
    count: u64,
    header_bytes: u64,
    payload_bytes: u64,
    description_bytes: u64,
    padding_bytes: u64,
    /// Bytes for any other purpose.
    other_bytes: u64,
}

impl Cost {
    fn bytes(&self) -> u64 {
        self.header_bytes + self.payload_bytes + self.description_bytes + self.padding_bytes + self.other_bytes
    }

    fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.header_bytes += other.header_bytes;
        self.payload_bytes += other.payload_bytes;
        self.description_bytes += other.description_bytes;
        self.padding_bytes += other.padding_bytes;
    }
}

/// Returns the bytes of the file by kind of section, by provider, by event type and by thread. Each adds up to the
/// file.
pub fn costs(store: &Store, file_bytes: u64) -> Costs {
    let by_kind = costs_of_kinds(store, file_bytes);
    let types = costs_of_types(store);
    let mut by_provider: BTreeMap<&str, Cost> = BTreeMap::new();
    let mut all = Cost::default();
    for one in &types {
        let none = || Cost { of: cost::PROVIDER, name: one.name.clone(), ..Cost::default() };
        by_provider.entry(&one.name).or_insert_with(none).add(one);
        all.add(one);
    }
    let rest = rest_of(store, &by_kind, &all);
    let mut rows: Vec<Cost> = by_kind.into_values().chain(by_provider.into_values()).chain(rest).collect();
    rows.extend(types);
    rows.extend(costs_of_threads(store));
    sort_by(&mut rows, |a, b| {
        let key = |row: &Cost| (row.of, Reverse(row.bytes()));
        key(a).cmp(&key(b)).then_with(|| (&a.name, &a.event).cmp(&(&b.name, &b.event)))
    });
    let (events_by_header, full_header_bytes) =
        (events_by_header(store).to_vec(), vec![store.header.full_event_header_bytes()]);
    Costs { file_bytes: vec![file_bytes], events_by_header, full_header_bytes, ..table_of(&rows) }
}

/// Returns the number of sections of each kind with their bytes; the sections are all bytes of the file.
pub fn kinds_of_sections(store: &Store, file_bytes: u64) -> Vec<BlockKindCount> {
    let kinds = costs_of_kinds(store, file_bytes).into_values();
    kinds.map(|sum| BlockKindCount { bytes: sum.bytes(), kind: sum.name, count: sum.count }).collect()
}

/// Returns the costs of each kind of section in the file.
fn costs_of_kinds(store: &Store, file_bytes: u64) -> BTreeMap<u8, Cost> {
    let mut by_kind: BTreeMap<u8, Cost> = BTreeMap::new();
    for one in store.blocks.sections(file_bytes) {
        let kind = section_kind(one.kind);
        let sum = by_kind
            .entry(kind)
            .or_insert_with(|| Cost { name: section_kind::name(kind).to_owned(), ..Cost::default() });
        let padding = one.block.map_or(0, |block| u64::from(block.padding_bytes).min(one.bytes));
        sum.count += 1;
        sum.padding_bytes += padding;
        sum.other_bytes += one.bytes - padding;
    }
    by_kind
}

/// Returns the number of events with compressed headers, and with full ones.
fn events_by_header(store: &Store) -> [u64; 2] {
    let mut events = [0; 2];
    for block in &store.blocks.blocks {
        if let BlockHead::Events { is_compressed, .. } = block.head {
            events[usize::from(!is_compressed)] += u64::from(block.items);
        }
    }
    events
}

/// Returns the costs of each type with events or metadata, without variants of the same record.
fn costs_of_types(store: &Store) -> Vec<Cost> {
    let directory = &store.blocks;
    let replaced = replaced_types(store);
    let mut of_base: BTreeMap<u32, Cost> = BTreeMap::new();
    for one in &store.types {
        let event_bytes = directory.event_bytes_of(one.id);
        let base = replaced.get(&one.base).copied().unwrap_or(one.base);
        let sum = of_base.entry(base.0).or_insert_with(|| Cost {
            of: cost::EVENT_TYPE,
            name: one.provider.clone(),
            event: one.display_name.clone(),
            event_type: Some(base.0),
            ..Cost::default()
        });
        sum.count += one.count;
        sum.payload_bytes += one.payload_bytes;
        sum.header_bytes += event_bytes.saturating_sub(one.payload_bytes);
        sum.description_bytes += directory.description_bytes_of(one.id);
        sum.padding_bytes += directory.padding_bytes_of(one.id).iter().sum::<u64>();
    }
    of_base.into_values().filter(|one| one.bytes() > 0).collect()
}

/// Returns the costs of each thread with events.
fn costs_of_threads(store: &Store) -> Vec<Cost> {
    let threads = store.threads.iter().map(|one| {
        let [count, other_bytes] = store.blocks.thread_sums_of(one.id);
        Cost { of: cost::THREAD, name: thread_number(one.os_thread), count, other_bytes, ..Cost::default() }
    });
    threads.filter(|one| one.other_bytes > 0).collect()
}

/// Returns the bytes that are neither events nor metadata, by kind of section. In netperf files, metadata is in event
/// blocks.
fn rest_of(store: &Store, by_kind: &BTreeMap<u8, Cost>, all: &Cost) -> Vec<Cost> {
    let behind_descriptions = store.types.iter().map(|one| store.blocks.padding_bytes_of(one.id)[1]).sum::<u64>();
    let behind_events = all.padding_bytes.saturating_sub(behind_descriptions);
    let mut spent = BTreeMap::from([(section_kind::EVENTS, all.header_bytes + all.payload_bytes + behind_events)]);
    let descriptions =
        if by_kind.contains_key(&section_kind::METADATA) { section_kind::METADATA } else { section_kind::EVENTS };
    *spent.entry(descriptions).or_default() += all.description_bytes + behind_descriptions;
    let rest = by_kind.iter().map(|(kind, sum)| {
        let other_bytes = sum.other_bytes.saturating_sub(spent.get(kind).copied().unwrap_or(0));
        let (name, padding_bytes) = (sum.name.clone(), sum.padding_bytes);
        Cost { of: cost::REST, name, count: sum.count, padding_bytes, other_bytes, ..Cost::default() }
    });
    rest.filter(|one| one.bytes() > 0).collect()
}

fn table_of(rows: &[Cost]) -> Costs {
    let mut table = Costs::default();
    for row in rows {
        table.of.push(row.of);
        table.name.push(&row.name);
        table.event.push(&row.event);
        table.event_type.push(row.event_type.unwrap_or(NO_NUMBER));
        table.count.push(row.count);
        table.header_bytes.push(row.header_bytes);
        table.payload_bytes.push(row.payload_bytes);
        table.description_bytes.push(row.description_bytes);
        table.padding_bytes.push(row.padding_bytes);
        table.bytes.push(row.bytes());
    }
    table
}
