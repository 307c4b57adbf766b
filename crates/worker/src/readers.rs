//! Further workers that read regions of a large trace, for the worker that opens it.
//!
//! A worker gets a job as one buffer, and returns one. If it fails or takes too long, it is ended, and the worker that
//! opens the trace reads its regions.

use crate::blob_source::give_back;
use crate::clock::{global, now_ms};
use js_sys::{Array, ArrayBuffer, Function, Promise, Uint8Array};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{MessageEvent, Worker};

/// Number of regions of each worker that aren't in the store yet: one that it reads, and the next one.
const REGIONS_EACH: usize = 2;

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
    sleeper: Rc<Sleeper>,
}

/// Region that a worker reads.
struct Region {
    sent_ms: f64,
    /// Index of its worker.
    worker: usize,
    result: RefCell<Outcome>,
}

enum Outcome {
    Coming,
    Failed,
    Read(ArrayBuffer),
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
                match (region, event.data().dyn_into::<ArrayBuffer>()) {
                    (Some(region), Ok(buffer)) => *region.result.borrow_mut() = Outcome::Read(buffer),
                    // The worker leaves the region to this one; a string says that it failed.
                    (region, Err(message)) => {
                        region.inspect(|region| *region.result.borrow_mut() = Outcome::Failed);
                        if message.is_string() {
                            fail();
                        }
                    }
                    (None, Ok(_)) => {}
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

impl Readers {
    /// Returns workers for a trace of this size; `None` if it is better read by one.
    pub(super) fn of(bytes: f64) -> Option<Self> {
        let most_workers = readers_for(bytes).unwrap_or(0) as usize;
        let none = Self { workers: Vec::new(), most_workers, regions: VecDeque::new(), sleeper: Rc::default() };
        (most_workers > 0).then_some(none)
    }

    /// Returns the number of regions that should wait for their place in the store.
    pub(super) fn most_regions(&self) -> usize {
        REGIONS_EACH * self.most_workers
    }

    /// Returns the number of regions that aren't in the store yet.
    pub(super) fn regions(&self) -> usize {
        self.regions.len()
    }

    /// Gives a job to the worker with the fewest.
    pub(super) fn send(&mut self, job: &[u8]) {
        while self.workers.len() < self.most_workers {
            match Reader::start(&self.sleeper) {
                Some(reader) => self.workers.push(reader),
                None => self.most_workers = self.workers.len(),
            }
        }
        let usable = self.workers.iter().enumerate().filter(|(_, reader)| !reader.has_failed.get());
        let fewest = usable.min_by_key(|(_, reader)| reader.waiting.borrow().len());
        let worker = fewest.map_or(0, |(worker, _)| worker);
        let region = Rc::new(Region { sent_ms: now_ms(), worker, result: RefCell::new(Outcome::Failed) });
        if let Some((_, reader)) = fewest {
            let buffer = Uint8Array::from(job).buffer();
            if reader.worker.post_message_with_transfer(&buffer, &Array::of1(&buffer)).is_ok() {
                *region.result.borrow_mut() = Outcome::Coming;
                reader.waiting.borrow_mut().push_back(region.clone());
            }
        }
        self.regions.push_back(region);
    }

    /// Removes the first region, if its worker is done. Returns what the worker read of it, if anything.
    pub(super) fn take_first(&mut self) -> Option<Option<Vec<u8>>> {
        let region = self.regions.pop_front_if(|region| !matches!(*region.result.borrow(), Outcome::Coming))?;
        Some(match region.result.replace(Outcome::Failed) {
            Outcome::Read(buffer) => {
                let bytes = Uint8Array::new(&buffer).to_vec();
                give_back(&buffer);
                Some(bytes)
            }
            _ => None,
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
    }
}
