//! Frames: code addresses that occur in stacks, with the method that occupied them.

use protocol::base::ids::{FrameId, FunctionId, ProcessId};

/// Code address with its method and function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    pub process: ProcessId,
    /// Code address in the file: for callers, the return address.
    pub address: u64,
    /// Index of the code range in [`crate::model::Methods`]; `None` if the trace doesn't record the code at the
    /// address.
    pub method: Option<u32>,
    /// Function. Each address without a method has its own.
    pub function: FunctionId,
}

/// All frames, by [`FrameId`]. An address has one frame for each method that occupied it.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    pub(crate) addresses: Vec<u64>,
    pub(crate) processes: Vec<u32>,
    pub(crate) methods: Vec<u32>,
    pub(crate) functions: Vec<u32>,
}

impl Frames {
    /// Marks frames without a method in the column of methods.
    pub(crate) const NO_METHOD: u32 = u32::MAX;

    /// Returns the number of frames.
    pub fn len(&self) -> usize {
        self.addresses.len()
    }

    pub fn is_empty(&self) -> bool {
        self.addresses.is_empty()
    }

    pub fn get(&self, frame: FrameId) -> Option<Frame> {
        let at = frame.index();
        Some(Frame {
            process: ProcessId(*self.processes.get(at)?),
            address: *self.addresses.get(at)?,
            method: self.methods.get(at).copied().filter(|&method| method != Self::NO_METHOD),
            function: FunctionId(*self.functions.get(at)?),
        })
    }

    pub fn iter(&self) -> impl Iterator<Item = Frame> + '_ {
        (0..self.len() as u32).filter_map(|frame| self.get(FrameId(frame)))
    }

    /// Returns the function of a frame; the first one for a frame of another store.
    #[inline]
    pub fn function(&self, frame: FrameId) -> FunctionId {
        FunctionId(self.functions.get(frame.index()).copied().unwrap_or(0))
    }

    /// Returns the [`FunctionId`] of every frame, by [`FrameId`].
    pub fn functions(&self) -> &[u32] {
        &self.functions
    }

    pub fn heap_bytes(&self) -> u64 {
        let ids = self.processes.capacity() + self.methods.capacity() + self.functions.capacity();
        (8 * self.addresses.capacity() + 4 * ids) as u64
    }

    pub(crate) fn push(&mut self, frame: Frame) -> FrameId {
        let id = FrameId(self.addresses.len() as u32);
        self.addresses.push(frame.address);
        self.processes.push(frame.process.0);
        self.methods.push(frame.method.unwrap_or(Self::NO_METHOD));
        self.functions.push(frame.function.0);
        id
    }
}
