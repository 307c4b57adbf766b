//! Several threads, or workers without shared memory, read the same store as one thread: from recordings, and from
//! damaged traces.

use super::fuzz_crate::mutation::{Random, mutate};
use super::fuzz_crate::reading::read;
use super::fuzz_crate::traces::{VERSIONS, trace};
use crate::common::recordings::{is_full, traces, unpacked_name};
use crate::common::root;
use engine::model::Store;
use engine::session::container::native::{Native, Part, block_on, load};
use engine::session::container::{Unwrapped, unwrap};
use engine::session::{Loader, Progress, Shared, read_region};
use nettrace::testing::{Event, Format, PayloadWriter, TraceBuilder};
use nettrace::{LabelList, MetadataRecord, SequencePoint, ThreadRow};
use protocol::base::indexed_part::{MAX_ROWS, Window};
use protocol::base::time::Span;
use std::collections::{HashSet, VecDeque};
use std::fmt::Write;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Number of mutations of each kind; the second one with TRACEGLASS_FULL.
const MUTATIONS: usize = 150;
const MANY_MUTATIONS: usize = 10_000;
/// Number of threads, more than most machines have cores in tests.
const THREADS: usize = 3;
/// Maximum size of a recording that is always read; larger ones only in a full run.
const SMALL_BYTES: u64 = 4 << 20;

/// Digest of everything in a store.
struct Digest(DefaultHasher);

impl Write for Digest {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

fn digest(store: &Store) -> u64 {
    let mut digest = Digest(DefaultHasher::new());
    write!(digest, "{store:?}").expect("a digest");
    digest.0.finish()
}

/// Loads a trace that arrives in pieces of this size; `None` if it can't be read.
fn store(mut loader: Loader, trace: &[u8], piece: usize) -> Option<Store> {
    for piece in trace.chunks(piece.max(1)) {
        loader.append(piece.len(), |space| space.copy_from_slice(piece));
        while loader.advance(usize::MAX).ok()? == Progress::Paused {}
    }
    loader.finish().ok()
}

/// Loads a trace whose regions are read by workers that share no memory. Results come late, and some workers fail.
/// Returns also the number of regions that they read.
fn worker_store(mut loader: Loader, trace: &[u8], piece: usize) -> Option<(Store, usize)> {
    let (mut results, mut jobs, mut read) = (VecDeque::new(), 0, 0);
    loader.share_regions();
    for piece in trace.chunks(piece.max(1)) {
        loader.append(piece.len(), |space| space.copy_from_slice(piece));
        loop {
            match loader.share_region().ok()? {
                Shared::Job(region, rest) => {
                    let job = [&region, rest.as_slice()].concat();
                    jobs += 1;
                    let result = if jobs % 5 == 0 { None } else { read_region(&job) };
                    read += usize::from(result.is_some());
                    results.push_back(result);
                    while results.len() > jobs % 4 {
                        loader.add_region(results.pop_front()?).ok()?;
                    }
                }
                Shared::Starved => break,
                Shared::Own => {
                    results.drain(..).try_for_each(|result| loader.add_region(result)).ok()?;
                    if loader.advance(usize::MAX).ok()? != Progress::Paused {
                        break;
                    }
                }
            }
        }
    }
    // The loader reads the regions without results.
    Some((loader.finish().ok()?, read))
}

/// Compares ways of loading a trace. Returns the number of regions that workers read.
fn check(trace: &[u8], piece: usize, window: &Window, most_rows: u64, name: &str) -> usize {
    let loader = || Loader::of(window.clone(), most_rows);
    let one = store(loader(), trace, piece);
    let threads = store(loader().with_threads(THREADS), trace, piece);
    let (workers, read) = worker_store(loader(), trace, piece).unzip();
    for (several, who) in [(threads, "threads"), (workers, "workers")] {
        let (one, several) = (one.as_ref(), several.as_ref());
        if one.map(digest) != several.map(digest) {
            let texts = [one, several].map(|store| format!("{store:?}"));
            let differs = texts[0].bytes().zip(texts[1].bytes()).position(|(one, other)| one != other).unwrap_or(0);
            let [one, several] =
                texts.map(|text| text[differs.saturating_sub(300)..].chars().take(600).collect::<String>());
            panic!("{name}: {who} read another store:\n{one}\n{several}");
        }
    }
    read.unwrap_or(0)
}

fn check_all(trace: &[u8], piece: usize, name: &str) -> usize {
    check(trace, piece, &Window::default(), MAX_ROWS, name)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let found = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    let has_trace = |path: &PathBuf| {
        let name = path.to_string_lossy();
        [".nettrace", ".netperf", ".gz", ".zst"].iter().any(|end| name.ends_with(end))
            && path.metadata().is_ok_and(|file| is_full() || file.len() < SMALL_BYTES)
    };
    found.filter(has_trace).collect()
}

/// Returns the decompressed bytes of a file.
fn bytes(path: &Path) -> Option<Vec<u8>> {
    let file = Arc::new(std::fs::File::open(path).ok()?);
    let Ok(Unwrapped::One(packed)) = block_on(unwrap(&Native, Part::whole(file), None)) else { return None };
    let (_, source) = load(Loader::new(), packed).ok()?;
    let mut bytes = vec![0; usize::try_from(source.len()).ok()?];
    source.read_at(0, &mut bytes).ok()?;
    (is_full() || bytes.len() < 5 * SMALL_BYTES as usize).then_some(bytes)
}

#[test]
fn recordings_are_read_the_same() {
    let fixtures = root().join("tests/fixtures");
    let shared = traces().unwrap_or_default();
    let folders = [fixtures.clone(), fixtures.join("cases"), shared.clone(), shared.join("cases")];
    let (mut read, mut regions) = (HashSet::new(), 0);
    for path in folders.iter().flat_map(|folder| files(folder)) {
        // Fixtures are compressed copies of some recordings.
        let Some(trace) = read.insert(unpacked_name(&path)).then(|| bytes(&path)).flatten() else { continue };
        for piece in [trace.len(), 1 << 20, 300_007] {
            regions += check_all(&trace, piece, &path.display().to_string());
        }
    }
    assert!(regions > 30, "workers read only {regions} regions");
}

#[test]
fn windows_and_limits_are_read_the_same() {
    let path = root().join("tests/fixtures/orders-net31.nettrace.gz");
    let trace = bytes(&path).expect("a fixture");
    let span = Window { span: Some(Span::new(1_000_000_000, 3_000_000_000)), ..Window::default() };
    let runtime = Window { providers: vec!["Microsoft-Windows-DotNETRuntime".to_owned()], ..Window::default() };
    for window in [span, runtime] {
        check(&trace, trace.len(), &window, MAX_ROWS, "a window");
    }
    for most_rows in [1, 5_000, 20_000] {
        check(&trace, trace.len(), &Window::default(), most_rows, "a limit");
    }
}

#[test]
fn damaged_traces_are_read_the_same() {
    let count = if is_full() { MANY_MUTATIONS } else { MUTATIONS };
    for version in VERSIONS {
        for compressed in [true, false] {
            let whole = trace(version, compressed, 12);
            for piece in [whole.len(), 1000] {
                let read = check_all(&whole, piece, &format!("version {version}"));
                assert!(version < 4 || read > 0, "workers read no region of version {version}");
            }
            let parts = read(&whole).expect("an undamaged trace");
            let blocks: Vec<u64> = parts.iter().map(|part| part.offset).chain([whole.len() as u64]).collect();
            let mut random = Random::new(77 + u64::from(version) * 2 + u64::from(compressed));
            for number in 0..count {
                let mutated = mutate(&whole, &blocks, &mut random);
                let piece = 1 + random.below(2 * mutated.len().max(1));
                check_all(
                    &mutated,
                    piece,
                    &format!("mutation {number} of version {version}, compressed: {compressed}"),
                );
            }
        }
    }
}

#[test]
fn damaged_recording_is_read_the_same() {
    let trace = bytes(&root().join("tests/fixtures/dropped-net31.nettrace.gz")).expect("a fixture");
    let parts = read(&trace).expect("a recording");
    let blocks: Vec<u64> = parts.iter().map(|part| part.offset).collect();
    let mut random = Random::new(31);
    for number in 0..if is_full() { 500 } else { 20 } {
        let mutated = mutate(&trace, &blocks, &mut random);
        let piece = 1 + random.below(2 * mutated.len().max(1));
        check_all(&mutated, piece, &format!("mutation {number}"));
    }
}

/// Returns a trace of a machine, whose regions are unusual in one of several ways.
fn machine_trace() -> Vec<u8> {
    let start = MetadataRecord {
        metadata_id: 2,
        provider: "Microsoft-Windows-DotNETRuntime".into(),
        event_id: 1,
        ..MetadataRecord::default()
    };
    let order =
        MetadataRecord { metadata_id: 1, provider: "Shop".into(), name: "Order".into(), ..MetadataRecord::default() };
    // The payload of a later version than the declared one.
    let start_of_gc = PayloadWriter::new().u32(1).u32(2).u32(1).u32(0).u16(0).u64(0).finish();
    let row = |index, process, thread| ThreadRow {
        index,
        process_id: Some(process),
        thread_id: Some(thread),
        ..ThreadRow::default()
    };
    let mut builder = TraceBuilder::new(Format::Nettrace6);
    for round in 0..36_u32 {
        let is = |kind| round % 6 == kind;
        let ticks = 1_000_000 + 100 * i64::from(round);
        // After a gap, numbers are higher.
        let missing = u32::from(is(4));
        let event = |number: u32, thread| Event {
            metadata_id: 1,
            sequence: number + missing,
            capture_thread: 1,
            thread,
            stack_id: 1 + number % 2,
            label_list: number % 2,
            timestamp: ticks + i64::from(number),
            ..Event::default()
        };
        if is(0) {
            builder.metadata(&[order.clone(), start.clone()]);
        }
        builder.threads(&[row(1, 5, 500), row(2, 6, 600)]);
        if is(1) {
            // Another index of the same thread.
            builder.threads(&[row(3, 5, 500)]);
        }
        builder.labels(1, &[LabelList { span_id: Some(u64::from(round % 9)), ..LabelList::default() }]);
        builder.stacks(1, &[&[0x10, 0x20], &[0x30]]);
        let third = if is(1) { 3 } else { 2 };
        builder.events(&[event(1, 1), event(2, 2), event(3, third), event(4, 1)]);
        if is(2) {
            builder.threads(&[row(2, 5, 501)]);
        }
        let last = Event { metadata_id: 2, payload: start_of_gc.clone(), ..event(6, 1) };
        builder.events(&[event(5, if is(3) { 99 } else { 2 }), last]);
        let flags = SequencePoint::FLUSH_THREADS | if is(5) { SequencePoint::FLUSH_METADATA } else { 0 };
        builder.sequence_point(ticks + 50, flags, &[]);
    }
    builder.finish()
}

#[test]
fn unusual_regions_of_machines_are_read_the_same() {
    let trace = machine_trace();
    for piece in [trace.len(), 1500] {
        let read = check_all(&trace, piece, "a machine");
        assert!(read > 10, "workers read only {read} regions");
    }
}
