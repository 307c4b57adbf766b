//! Further workers that read regions of a large trace, for the worker that opens it.
//!
//! A worker gets a job in a buffer, and returns the result in the same buffer, because new memory costs as much as reading.
//! While all workers are busy, the one that opens the trace reads regions itself. If a worker fails or takes too long, it
//! is ended, and its regions are read without it.

use crate::blob_source::give_back;
use crate::clock::{global, now_ms};
use crate::secondary_module;
use engine::session::read_region;
use js_sys::{Array, ArrayBuffer, Function, Promise, Uint8Array};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{MessageEvent, Worker};

/// Number of jobs of each worker: one that it does, and the next one.
const JOBS_EACH: usize = 2;

/// Maximum size of all regions that aren't in the store yet.
const MOST_BYTES: usize = 64 << 20;

/// Maximum size of a region that the worker that opens the trace reads meanwhile: it can't be canceled while it does.
const MOST_OWN_BYTES: usize = 4 << 20;

/// Time limit for a region, including the start of a worker.
const PATIENCE_MS: f64 = 10_000.0;

/// Maximum time between checks whether the page has canceled.
const CHECK_MS: i32 = 50;

#[wasm_bindgen]
extern "C" {
    /// Call functions of `worker_boot.js`.
    #[wasm_bindgen(catch, js_namespace = traceglass, js_name = readersFor)]
    fn readers_for(bytes: f64) -> Result<u32, JsValue>;
    #[wasm_bindgen(catch, js_namespace = traceglass)]
    fn reader() -> Result<Worker, JsValue>;
}

/// Workers, and the regions that they read.
pub(super) struct Readers {
    workers: Vec<Reader>,
    /// Maximum number of workers.
    most_workers: usize,
    /// Regions that aren't in the store yet, in file order.
    regions: VecDeque<Rc<Region>>,
    /// Buffers for further jobs.
    spare: Vec<ArrayBuffer>,
    sleeper: Rc<Sleeper>,
    /// True once the part of the program that shares regions is there.
    is_ready: Rc<Cell<bool>>,
}

/// Who should read the next region.
pub(super) enum Place {
    Worker,
    /// The worker that opens the trace.
    Own,
    /// Nobody yet.
    Later,
}

/// Region that a worker reads.
struct Region {
    bytes: usize,
    sent_ms: f64,
    /// Index of its worker.
    worker: usize,
    result: RefCell<Outcome>,
}

enum Outcome {
    Coming,
    Failed,
    /// Buffer, and length of the result in it.
    Read(ArrayBuffer, u32),
    /// Read by the worker that opens the trace.
    Own(Vec<u8>),
}

/// Worker with its regions in the order of their jobs.
struct Reader {
    worker: Worker,
    waiting: Rc<RefCell<VecDeque<Rc<Region>>>>,
    has_failed: Rc<Cell<bool>>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(JsValue)>,
}

/// Function that resolves the promise of the waiting task.
#[derive(Default)]
struct Sleeper(RefCell<Option<Function>>);

impl Sleeper {
    fn wake(&self) {
        if let Some(wake) = self.0.take() {
            // Resolving a promise can't fail.
            let _ = wake.call0(&JsValue::NULL);
        }
    }
}

impl Reader {
    /// Starts a worker; `None` if the browser doesn't.
    fn start(sleeper: &Rc<Sleeper>) -> Option<Self> {
        let worker = reader().ok()?;
        let waiting: Rc<RefCell<VecDeque<Rc<Region>>>> = Rc::default();
        let has_failed: Rc<Cell<bool>> = Rc::default();
        let fail = {
            let (waiting, has_failed) = (waiting.clone(), has_failed.clone());
            move || {
                has_failed.set(true);
                waiting.borrow_mut().drain(..).for_each(|region| *region.result.borrow_mut() = Outcome::Failed);
            }
        };
        let on_message = {
            let (waiting, sleeper, fail) = (waiting.clone(), sleeper.clone(), fail.clone());
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
                let region = waiting.borrow_mut().pop_front();
                if let Some(region) = region {
                    *region.result.borrow_mut() = result_of(&event.data()).unwrap_or(Outcome::Failed);
                }
                // A string says why the worker failed.
                if event.data().is_string() {
                    fail();
                }
                sleeper.wake();
            })
        };
        let on_error = {
            let sleeper = sleeper.clone();
            Closure::<dyn FnMut(JsValue)>::new(move |_| {
                fail();
                sleeper.wake();
            })
        };
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Some(Self { worker, waiting, has_failed, _on_message: on_message, _on_error: on_error })
    }
}

/// Returns the result in a message: a buffer and a length, or null if only the worker that opens the trace can read the
/// region.
fn result_of(message: &JsValue) -> Option<Outcome> {
    let message = message.dyn_ref::<Array>()?;
    Some(Outcome::Read(message.get(0).dyn_into().ok()?, message.get(1).as_f64()? as u32))
}

impl Readers {
    /// Returns workers for a trace of this size; `None` if it is better read by one.
    pub(super) fn of(bytes: f64) -> Option<Self> {
        let most_workers = readers_for(bytes).unwrap_or(0) as usize;
        if most_workers == 0 {
            return None;
        }
        let is_ready: Rc<Cell<bool>> = Rc::default();
        let ready = is_ready.clone();
        spawn_local(async move { ready.set(secondary_module::arrived().await.is_ok()) });
        let (workers, regions, spare) = (Vec::new(), VecDeque::new(), Vec::new());
        Some(Self { workers, most_workers, regions, spare, sleeper: Rc::default(), is_ready })
    }

    /// Returns whether regions can be shared.
    pub(super) fn are_ready(&self) -> bool {
        self.is_ready.get()
    }

    /// Returns who should read a region of this size.
    pub(super) fn place_for(&self, bytes: usize) -> Place {
        let all: usize = self.regions.iter().map(|region| region.bytes).sum();
        let jobs = self.regions.iter().filter(|region| matches!(*region.result.borrow(), Outcome::Coming)).count();
        match () {
            () if all > 0 && all + bytes > MOST_BYTES => Place::Later,
            () if self.workers.is_empty() || jobs < JOBS_EACH * self.usable().count() => Place::Worker,
            () if bytes <= MOST_OWN_BYTES || jobs == 0 => Place::Own,
            () => Place::Later,
        }
    }

    fn usable(&self) -> impl Iterator<Item = (usize, &Reader)> {
        self.workers.iter().enumerate().filter(|(_, reader)| !reader.has_failed.get())
    }

    /// Returns whether all regions are in the store.
    pub(super) fn is_empty(&self) -> bool {
        self.regions.is_empty()
    }

    /// Reads a region here. Its rows wait for their place in the store.
    pub(super) fn read_own(&mut self, region: &[u8], rest: &[u8]) {
        let own = read_region(&[region, rest].concat()).map_or(Outcome::Failed, Outcome::Own);
        self.regions.push_back(Rc::new(Region {
            bytes: region.len(),
            sent_ms: now_ms(),
            worker: usize::MAX,
            result: RefCell::new(own),
        }));
    }

    /// Gives a job to the worker with the fewest: a region, and the rest of the job.
    pub(super) fn send(&mut self, region: &[u8], rest: &[u8]) {
        while self.workers.len() < self.most_workers {
            match Reader::start(&self.sleeper) {
                Some(reader) => self.workers.push(reader),
                None => self.most_workers = self.workers.len(),
            }
        }
        let buffer = self.filled_buffer(region, rest);
        let fewest = self.usable().min_by_key(|(_, reader)| reader.waiting.borrow().len());
        let worker = fewest.map_or(0, |(worker, _)| worker);
        let bytes = region.len();
        let sent = Rc::new(Region { bytes, sent_ms: now_ms(), worker, result: RefCell::new(Outcome::Failed) });
        if let Some((_, reader)) = fewest {
            let job = Array::of2(&buffer, &((region.len() + rest.len()) as u32).into());
            if reader.worker.post_message_with_transfer(&job, &Array::of1(&buffer)).is_ok() {
                *sent.result.borrow_mut() = Outcome::Coming;
                reader.waiting.borrow_mut().push_back(sent.clone());
            }
        }
        self.regions.push_back(sent);
    }

    /// Returns a buffer with a job.
    fn filled_buffer(&mut self, region: &[u8], rest: &[u8]) -> ArrayBuffer {
        let (middle, end) = (region.len() as u32, (region.len() + rest.len()) as u32);
        let spare = self.spare.pop().filter(|spare| spare.byte_length() >= end);
        // Room for a larger region next time.
        let buffer = spare.unwrap_or_else(|| ArrayBuffer::new(end + end / 2));
        let job = Uint8Array::new(&buffer);
        job.subarray(0, middle).copy_from(region);
        job.subarray(middle, end).copy_from(rest);
        buffer
    }

    /// Removes the first region, if its worker is done. Returns what the worker read of it, if anything.
    pub(super) fn take_first(&mut self) -> Option<Option<Vec<u8>>> {
        let region = self.regions.pop_front_if(|region| !matches!(*region.result.borrow(), Outcome::Coming))?;
        Some(match region.result.replace(Outcome::Failed) {
            Outcome::Read(buffer, length) => {
                let bytes = Uint8Array::new(&buffer).subarray(0, length).to_vec();
                self.spare.push(buffer);
                Some(bytes)
            }
            Outcome::Own(bytes) => Some(bytes),
            Outcome::Coming | Outcome::Failed => None,
        })
    }

    /// Waits until a worker has read something, at most for a moment. Ends the worker of the first region if that takes
    /// too long.
    pub(super) async fn wait(&self) {
        if let Some(first) = self.regions.front().filter(|first| now_ms() - first.sent_ms > PATIENCE_MS)
            && let Some(reader) = self.workers.get(first.worker)
        {
            reader.worker.terminate();
            reader.has_failed.set(true);
            let waiting = reader.waiting.take();
            return waiting.iter().for_each(|region| *region.result.borrow_mut() = Outcome::Failed);
        }
        let promise = Promise::new(&mut |resolve, _| {
            // Without a timer, the next answer wakes this task.
            let _ = global().set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, CHECK_MS);
            *self.sleeper.0.borrow_mut() = Some(resolve);
        });
        let _ = JsFuture::from(promise).await;
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        for Reader { worker, .. } in &self.workers {
            worker.set_onmessage(None);
            worker.set_onerror(None);
            worker.terminate();
        }
        self.spare.iter().for_each(give_back);
    }
}
