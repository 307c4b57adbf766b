//! Opens a trace: reads, parses, reports progress, and yields often enough to be canceled.

use super::byte_stream::{self, Bytes, Kept};
use super::clock::{MessageYield, now_ms};
use super::fetching::Fetched;
use super::growing::Growing;
use super::port::{Port, Ticket};
use super::readers::{Place, Readers};
use super::unpacking::{Browser, Step, Unpacking};
use crate::chunks::Chunks;
use crate::wasm_memory::{check_headroom, prime_heap};
use engine::model::Store;
use engine::session::container::{Coding, Packed, Unwrapped, damaged_stream, nothing_unpacked, unwrap};
use engine::session::{FileFacts, Loader, PreviewSchedule, Progress, RowLimit, Session, Shared};
use js_sys::Uint8Array;
use protocol::base::indexed_part::Window;
use protocol::{Answer, Failure, FailureCode, Following, Reply, reply};
use std::cell::Cell;
use web_sys::{Blob, File};

/// Number of bytes parsed between checks of the clock.
const PARSE_BYTES: usize = 1 << 20;

/// Maximum time between yields to messages.
const TURN_MS: f64 = 30.0;

/// Maximum time between progress reports.
const PROGRESS_MS: f64 = 80.0;

/// Input to open.
pub(super) enum Input {
    Complete(Complete),
    /// File that may still be recorded.
    Growing(Growing),
}

/// Complete file.
pub(super) enum Complete {
    File(File),
    Url(String),
}

/// Result of opening.
pub(super) enum Opened {
    Trace(Box<Open>),
    /// Archive of several traces, one of which must be chosen.
    Choice(Vec<reply::TraceEntry>),
}

/// Open trace.
pub(super) struct Open {
    pub(super) session: Session,
    /// Decompressed bytes.
    pub(super) bytes: Bytes,
}

/// Trace from a stream.
struct Loaded {
    loader: Loader,
    bytes: Bytes,
    is_damaged: bool,
    is_worth_another_attempt: bool,
}

/// Callback for previews; `None` if the preview must be dropped.
pub(super) type OnPreview = Box<dyn Fn(Option<Open>)>;

/// Opening in progress, which the page can cancel.
pub(super) struct Opening {
    pub(super) ticket: Ticket,
    pub(super) cancelled: Cell<bool>,
    /// Part to index.
    window: Window,
    limit: Cell<RowLimit>,
    /// Events so far.
    events: Cell<u64>,
    port: Port,
    on_preview: OnPreview,
    pub(super) previews: Cell<PreviewSchedule>,
    /// State of following, if the trace is being recorded.
    pub(super) following: Cell<Option<Following>>,
    message_yield: Option<MessageYield>,
    /// Further workers that read regions.
    readers: Cell<Option<Readers>>,
    pub(super) started_ms: Cell<f64>,
    last_turn_ms: Cell<f64>,
    last_progress_ms: Cell<f64>,
    /// Offset in the compressed file, its size, and the number of decompressed bytes.
    pub(super) place: Cell<f64>,
    pub(super) total: Cell<f64>,
    unpacked: Cell<f64>,
}

impl Opening {
    pub(super) fn new(ticket: Ticket, port: Port, window: Window, on_preview: OnPreview) -> Self {
        let now = now_ms();
        Self {
            ticket,
            cancelled: Cell::new(false),
            window,
            limit: Cell::default(),
            events: Cell::new(0),
            port,
            on_preview,
            previews: Cell::default(),
            following: Cell::new(None),
            message_yield: MessageYield::new(),
            readers: Cell::new(None),
            started_ms: Cell::new(now),
            last_turn_ms: Cell::new(now),
            last_progress_ms: Cell::new(now),
            place: Cell::new(0.0),
            total: Cell::new(0.0),
            unpacked: Cell::new(0.0),
        }
    }

    /// Reads the whole trace, or returns the traces of an archive.
    pub(super) async fn run(&self, input: Input, name: String, entry: Option<String>) -> Result<Opened, Failure> {
        self.started_ms.set(now_ms());
        let file = FileFacts { name, bytes: 0, packing: String::new() };
        let input = match input {
            Input::Growing(growing) if growing.is_recorded().await? => return self.follow(growing, file).await,
            Input::Growing(growing) => growing.into_complete().await?,
            Input::Complete(input) => input,
        };
        let blob = match input {
            Complete::File(file) => file.into(),
            Complete::Url(url) => match self.fetch(&url, &file).await? {
                Fetched::Trace(loader, bytes) => {
                    return self.opened(*loader, file, bytes);
                }
                Fetched::Packed(blob) => blob,
            },
        };
        let packed = match unwrap(&Browser, blob, entry.as_deref()).await? {
            Unwrapped::One(packed) => packed,
            Unwrapped::Several(candidates) => return Ok(Opened::Choice(candidates)),
        };
        let file = FileFacts { packing: packed.packing.clone(), ..file };
        loop {
            let loaded = self.load(&packed, &file).await;
            let opened = loaded.and_then(|(loader, bytes)| self.opened(loader, file.clone(), bytes));
            if !self.may_try_again(&opened) {
                return opened;
            }
        }
    }

    /// Reads an open trace again.
    pub(super) async fn again(&self, bytes: Bytes, file: FileFacts) -> Result<Opened, Failure> {
        self.started_ms.set(now_ms());
        loop {
            let mut loader = self.loader();
            let read = self.read(&mut loader, &bytes, &file, true).await;
            let opened = read.and_then(|()| self.opened(loader, file.clone(), bytes.clone()));
            if !self.may_try_again(&opened) {
                return opened;
            }
        }
    }

    /// Returns whether to read the trace again with fewer rows, because memory ran out. Drops the preview first.
    fn may_try_again(&self, opened: &Result<Opened, Failure>) -> bool {
        let Err(failure) = opened else { return false };
        let mut limit = self.limit.get();
        let is_worth_it = limit.lower_after(failure, self.events.get());
        if is_worth_it {
            self.limit.set(limit);
            (self.on_preview)(None);
        }
        is_worth_it
    }

    pub(super) fn opened(&self, loader: Loader, file: FileFacts, bytes: Bytes) -> Result<Opened, Failure> {
        check_headroom()?;
        let mut open = open(loader.finish()?, file, bytes)?;
        // Requests need memory, too.
        check_headroom()?;
        open.session.set_load_ms(now_ms() - self.started_ms.get());
        Ok(Opened::Trace(Box::new(open)))
    }

    pub(super) fn loader(&self) -> Loader {
        Loader::of(self.window.clone(), self.limit.get().most_rows())
    }

    fn loader_of(&self, packed: &Packed<Blob>) -> Loader {
        let mut loader = self.loader();
        if let Some(checksum) = packed.checksum {
            loader.expect(checksum);
        }
        loader
    }

    async fn load(&self, packed: &Packed<Blob>, file: &FileFacts) -> Result<(Loader, Bytes), Failure> {
        let Packed { bytes, coding, declared_bytes, .. } = packed;
        // Estimate for formats that don't declare the size: traces shrink to a quarter or less.
        let unpacked = declared_bytes.map_or(bytes.size() * 4.0, |bytes| bytes as f64);
        prime_heap(if *coding == Coding::Stored { bytes.size() } else { unpacked });
        let (mut loader, bytes) = if *coding == Coding::Stored {
            let mut loader = self.loader_of(packed);
            let bytes = Bytes::Blob(bytes.clone());
            self.read(&mut loader, &bytes, file, packed.checksum.is_none()).await?;
            (loader, bytes)
        } else {
            let stream = Unpacking::start(bytes, *coding).await?;
            let mut loaded = self.load_stream(packed, file, stream).await?;
            // Browsers don't report the offset of damage, nor all data before it.
            if loaded.is_worth_another_attempt
                && let Ok(stream) = Unpacking::start_own(bytes, *coding).await
            {
                loaded = self.load_stream(packed, file, stream).await?;
            }
            if loaded.loader.received_bytes() == 0 && loaded.is_damaged {
                return Err(nothing_unpacked(*coding));
            }
            (loaded.loader, loaded.bytes)
        };
        packed.notes.iter().for_each(|note| loader.note(note));
        packed.note_restored(&mut loader);
        Ok((loader, bytes))
    }

    /// Reads an uncompressed trace; stops at its end if `until_end`.
    async fn read(&self, loader: &mut Loader, bytes: &Bytes, file: &FileFacts, until_end: bool) -> Result<(), Failure> {
        let mut chunks = Chunks::new(bytes);
        self.total.set(bytes.size());
        self.readers.set(Readers::of(bytes.size()));
        if let Bytes::Blob(blob) = bytes
            && let Some((tail, offset)) = byte_stream::tail(blob).await?
        {
            loader.look_ahead(tail.to_vec(), offset);
        }
        while let Some(chunk) = chunks.next().await? {
            if self.feed(loader, &chunk, None).await? == Progress::Ended && until_end {
                break;
            }
            if self.is_preview_due() {
                self.preview(loader, file, bytes)?;
            }
        }
        self.finish_readers(loader).await
    }

    /// Returns whether a preview should be shown now. The end of data without a known size can be near at any time.
    pub(super) fn is_preview_due(&self) -> bool {
        let share = self.place.get() / self.total.get().max(1.0);
        self.previews.get().is_due(now_ms() - self.started_ms.get(), share.min(1.0))
    }

    /// Adds the time spent on requests about a preview.
    pub(super) fn asked(&self, ms: f64) {
        let mut previews = self.previews.get();
        previews.asked(ms);
        self.previews.set(previews);
    }

    /// Passes on a preview.
    pub(super) fn preview(&self, loader: &Loader, file: &FileFacts, bytes: &Bytes) -> Result<(), Failure> {
        let begun_ms = now_ms() - self.started_ms.get();
        // If memory is too short for a preview, reading continues without it.
        if check_headroom().is_ok()
            && let Ok(Some(store)) = loader.preview()
        {
            let mut open = open(store, file.clone(), bytes.clone())?;
            open.session.set_load_ms(begun_ms);
            open.session.set_partial();
            (self.on_preview)(Some(open));
        }
        let mut previews = self.previews.get();
        previews.made(begun_ms, now_ms() - self.started_ms.get());
        self.previews.set(previews);
        Ok(())
    }

    async fn load_stream(
        &self,
        packed: &Packed<Blob>,
        file: &FileFacts,
        mut stream: Unpacking,
    ) -> Result<Loaded, Failure> {
        let mut loader = self.loader_of(packed);
        let mut kept = Kept::default();
        self.total.set(packed.bytes.size());
        self.readers.set(Readers::of(packed.declared_bytes.map_or(packed.bytes.size(), |bytes| bytes as f64)));
        let (mut is_damaged, mut is_worth_another_attempt) = (false, false);
        loop {
            match stream.next().await? {
                Step::Bytes(bytes) => {
                    kept.add_trace(&bytes).await?;
                    self.feed(&mut loader, &bytes, Some(stream.taken())).await?;
                    if self.is_preview_due() {
                        self.preview(&loader, file, &kept.so_far()?)?;
                    }
                }
                Step::End => break,
                Step::Damaged(what, offset) => {
                    loader.note(&damaged_stream(packed.coding, offset, &what));
                    (is_damaged, is_worth_another_attempt) = (true, stream.is_by_browser());
                    break;
                }
            }
        }
        self.finish_readers(&mut loader).await?;
        Ok(Loaded { loader, bytes: kept.into_bytes()?, is_damaged, is_worth_another_attempt })
    }

    /// Parses more bytes. `taken` is the offset in the compressed data.
    pub(super) async fn feed(
        &self,
        loader: &mut Loader,
        bytes: &Uint8Array,
        taken: Option<f64>,
    ) -> Result<Progress, Failure> {
        check_headroom()?;
        loader.append(bytes.length() as usize, |space| bytes.copy_to(space));
        loop {
            let progress = match self.readers.take() {
                Some(readers) if readers.are_ready() => self.share(loader, readers).await?,
                readers => {
                    self.readers.set(readers);
                    loader.advance(PARSE_BYTES)?
                }
            };
            let parsed = loader.parsed_bytes() as f64;
            self.events.set(loader.event_count());
            self.place.set(taken.unwrap_or(parsed));
            self.unpacked.set(if taken.is_some() { parsed } else { 0.0 });
            self.breathe(loader).await?;
            if progress != Progress::Paused {
                return Ok(progress);
            }
        }
    }

    /// Gives the next region to a worker, or parses what only this worker can.
    async fn share(&self, loader: &mut Loader, mut readers: Readers) -> Result<Progress, Failure> {
        loader.share_regions();
        let progress = match loader.share_region()? {
            Shared::Job(region, rest) => {
                let mut has_looked = false;
                loop {
                    self.add_finished(loader, &mut readers).await?;
                    match readers.place_for(region.len()) {
                        Place::Worker => break readers.send(&region, &rest),
                        Place::Own if has_looked => break readers.read_own(&region, &rest),
                        // A message may be waiting that says that a worker is done.
                        Place::Own => self.take_messages().await,
                        Place::Later => readers.wait().await,
                    }
                    has_looked = true;
                    self.breathe(loader).await?;
                }
                Progress::Paused
            }
            Shared::Starved => Progress::Starved,
            Shared::Own => {
                self.add_all(loader, &mut readers).await?;
                loader.advance(PARSE_BYTES)?
            }
        };
        self.readers.set(Some(readers));
        Ok(progress)
    }

    /// Adds the regions that have been read, in file order.
    async fn add_finished(&self, loader: &mut Loader, readers: &mut Readers) -> Result<(), Failure> {
        while let Some(result) = readers.take_first() {
            loader.add_region(result)?;
            self.breathe(loader).await?;
        }
        Ok(())
    }

    /// Adds all regions, in file order.
    async fn add_all(&self, loader: &mut Loader, readers: &mut Readers) -> Result<(), Failure> {
        loop {
            self.add_finished(loader, readers).await?;
            if readers.is_empty() {
                return Ok(());
            }
            readers.wait().await;
            self.breathe(loader).await?;
        }
    }

    /// Adds all regions, and ends the further workers.
    async fn finish_readers(&self, loader: &mut Loader) -> Result<(), Failure> {
        match self.readers.take() {
            Some(mut readers) => self.add_all(loader, &mut readers).await,
            None => Ok(()),
        }
    }

    /// Reports progress, handles messages, and stops if the page has canceled.
    pub(super) async fn breathe(&self, loader: &Loader) -> Result<(), Failure> {
        let now = now_ms();
        if now - self.last_progress_ms.get() >= PROGRESS_MS {
            self.last_progress_ms.set(now);
            self.report(loader, now);
        }
        if now - self.last_turn_ms.get() >= TURN_MS {
            self.take_messages().await;
        }
        if self.cancelled.get() {
            return Err(Failure::new(FailureCode::Cancelled, "Loading was canceled."));
        }
        Ok(())
    }

    /// Yields to waiting messages.
    async fn take_messages(&self) {
        if let Some(message_yield) = &self.message_yield {
            message_yield.next().await;
            self.last_turn_ms.set(now_ms());
        }
    }

    fn report(&self, loader: &Loader, now: f64) {
        let overview = loader.overview().pack();
        let bytes = self.place.get() as u64;
        let answer = Answer::Progress(reply::Progress {
            bytes,
            total_bytes: (self.total.get() as u64).max(bytes),
            unpacked_bytes: self.unpacked.get() as u64,
            events: loader.event_count(),
            elapsed_ms: now - self.started_ms.get(),
            overview: overview.directory,
        });
        self.port.send(self.ticket, Ok(Reply { answer, body: overview.body }));
    }
}

/// Creates a session for a store, with its payloads in these bytes.
fn open(store: Store, file: FileFacts, bytes: Bytes) -> Result<Open, Failure> {
    let file = FileFacts { bytes: bytes.size() as u64, ..file };
    Ok(Open { session: Session::new(store, bytes.source()?, file)?, bytes })
}
