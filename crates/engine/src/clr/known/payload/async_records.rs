//! Records of the async profiler of .NET 11. docs/format/runtime-events.md describes their IDs and layouts.

use super::cursor::Cursor;

/// A record of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AsyncStep<'d> {
    /// Time in ticks of the trace's clock.
    pub ticks: u64,
    /// Content of the record.
    pub what: AsyncStepKind<'d>,
}

/// Content of a record: a change of the chain of async methods on the thread of its buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AsyncStepKind<'d> {
    /// A chain begins to wait for the first time.
    Create {
        /// ID of the chain that was running; 0 for none.
        parent: u64,
        /// ID of the new chain.
        chain: u64,
    },
    /// The thread begins to run a chain.
    Resume {
        /// ID of the chain.
        chain: u64,
    },
    /// The chain that runs on the thread begins to wait.
    Suspend,
    /// The chain that runs on the thread is complete.
    Complete,
    /// An exception ended the innermost methods of the chain that runs on the thread.
    Unwind { methods: u64 },
    /// The methods of a chain that begins to wait for the first time.
    CreatedStack(AsyncStack<'d>),
    /// The methods of the chain that the thread begins to run.
    ResumedStack(AsyncStack<'d>),
    /// The methods of the chain that begins to wait.
    SuspendedStack(AsyncStack<'d>),
    /// Further callers of the running chain, which began to await it after it was resumed.
    MoreCallers(AsyncStack<'d>),
    /// The numbering of the frames through which methods are called restarts at 0.
    NumbersRestart,
    /// The chain that was running on the thread is no longer known.
    Reset,
    /// Any other record.
    Other,
}

/// The methods of a chain: the one that runs next, then the one that awaits it, and so on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AsyncStack<'d> {
    /// ID of the chain.
    pub chain: u64,
    /// Number of the wrapper frame that calls the first method, below [`AsyncManifest::wrappers`].
    pub first_wrapper: u8,
    /// True if the compiler made the methods state machines, false if the runtime runs them itself.
    pub is_state_machines: bool,
    /// Number of methods. 0 refers to an earlier stack.
    pub methods: u8,
    /// Addresses, and for state machines also their states. Validated when the stack was read.
    bytes: &'d [u8],
}

impl<'d> AsyncStack<'d> {
    fn read(mut payload: Cursor<'d>, kind: RecordKind, is_state_machines: bool) -> Option<Self> {
        let (_reserved, first_wrapper, methods) = (payload.u8()?, payload.u8()?, payload.u8()?);
        if kind == RecordKind::CreatedStack {
            let _parent = payload.varint()?;
        }
        let chain = payload.varint()?;
        let bytes = payload.bytes(payload.remaining())?;
        let stack = Self { chain, first_wrapper, is_state_machines, methods, bytes };
        (stack.addresses().count() == usize::from(methods)).then_some(stack)
    }

    /// Returns an address in the code of each method: the continuation, or (for state machines) the start of the code.
    pub fn addresses(&self) -> impl Iterator<Item = u64> + use<'d> {
        let (mut cursor, is_state_machines) = (Cursor::new(self.bytes, 8), self.is_state_machines);
        let mut last = None;
        (0..self.methods).map_while(move |_| {
            let number = cursor.varint()?;
            let address = match last {
                None => number,
                Some(last) => zigzag(number).wrapping_add(last),
            };
            if is_state_machines {
                let _state = cursor.varint()?;
            }
            last = Some(address);
            Some(address)
        })
    }
}

/// Converts a zigzag-encoded signed number to the bits to add.
fn zigzag(number: u64) -> u64 {
    (number >> 1) ^ (number & 1).wrapping_neg()
}

/// Facts about the records that a process writes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AsyncManifest {
    /// By record ID: size of the length prefix in bytes; 0 for records without a payload.
    widths: [u8; 256],
    /// Number of wrapper frames that the runtime uses in turn.
    pub wrappers: u8,
    /// The build that the process's buffers have shown.
    pub(super) build: Option<Build>,
}

/// Width of an unknown record.
const UNKNOWN: u8 = u8::MAX;
/// Number of wrappers in all public builds.
const WRAPPERS: u8 = 32;

impl Default for AsyncManifest {
    fn default() -> Self {
        const KNOWN: [u8; 24] = [1, 1, 0, 0, 1, 2, 2, 2, 0, 0, 1, 1, 0, 0, 1, 2, 0, 0, 2, 0, 0, 2, 1, 1];
        let mut widths = [UNKNOWN; 256];
        for (width, known) in widths.iter_mut().skip(1).zip(KNOWN) {
            *width = known;
        }
        Self { widths, wrappers: WRAPPERS, build: None }
    }
}

impl AsyncManifest {
    /// Returns the manifest of builds whose record IDs are the bit numbers of their keywords.
    pub(super) fn by_keyword() -> Self {
        let mut widths = [UNKNOWN; 256];
        for (id, width) in widths.iter_mut().enumerate().take(17) {
            // Call stacks are longer.
            *width = if matches!(id, 5..=7 | 14) { 2 } else { 1 };
        }
        Self { widths, wrappers: WRAPPERS, build: None }
    }

    /// Reads the length of a record's payload; `None` if unknown.
    pub(super) fn length(&self, id: u8, cursor: &mut Cursor<'_>) -> Option<usize> {
        match self.widths.get(usize::from(id)).copied()? {
            0 => Some(0),
            1 => cursor.u8().map(usize::from),
            2 => cursor.u16().map(usize::from),
            _ => None,
        }
    }

    /// Reads the record that describes all others; `None` if it contains an unknown width, which makes further records
    /// unreadable.
    fn take(&mut self, mut payload: Cursor<'_>) -> Option<()> {
        let (_frequency, _sync_ticks, _sync_time) = (payload.varint()?, payload.varint()?, payload.varint()?);
        let (_buffer_bytes, wrappers, count) = (payload.varint()?, payload.u8()?, payload.u8()?);
        for _ in 0..count {
            let (id, _version, width) = (payload.u8()?, payload.u8()?, payload.u8()?);
            if let Some(known) = self.widths.get_mut(usize::from(id)) {
                *known = width;
            }
        }
        if wrappers > 0 {
            self.wrappers = wrappers;
        }
        Some(())
    }
}

/// Build of the runtime, which determines the meaning of record IDs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Build {
    /// Released builds, in which records have separate IDs.
    Release,
    /// Earlier builds, in which the ID of a record is the bit number of its keyword. State machines don't report that
    /// they wait, and the layout of call stacks is undocumented.
    ByKeyword,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum RecordKind {
    Create,
    Resume,
    Suspend,
    Complete,
    Unwind,
    CreatedStack,
    ResumedStack,
    SuspendedStack,
    MoreCallers,
    NumbersRestart,
    Reset,
    Metadata,
    Other,
}

impl Build {
    fn kind(self, id: u8) -> RecordKind {
        use RecordKind::*;
        match (self, id) {
            (Self::Release, 1 | 11) | (Self::ByKeyword, 0 | 10) => Create,
            (Self::Release, 2 | 12) | (Self::ByKeyword, 1 | 11) => Resume,
            (Self::Release, 3 | 13) | (Self::ByKeyword, 2) => Suspend,
            (Self::Release, 4 | 14) | (Self::ByKeyword, 3 | 12) => Complete,
            (Self::ByKeyword, _) => Other,
            (Self::Release, 5 | 15) => Unwind,
            (Self::Release, 6) => CreatedStack,
            (Self::Release, 7 | 16) => ResumedStack,
            (Self::Release, 8) => SuspendedStack,
            (Self::Release, 19) => MoreCallers,
            (Self::Release, 20) => Reset,
            (Self::Release, 21) => NumbersRestart,
            (Self::Release, 22) => Metadata,
            (Self::Release, _) => Other,
        }
    }

    /// Reads the content of a record; `None` if its payload is too short.
    pub(super) fn read<'d>(
        self,
        id: u8,
        mut payload: Cursor<'d>,
        manifest: &mut AsyncManifest,
    ) -> Option<AsyncStepKind<'d>> {
        let kind = self.kind(id);
        let stack = |payload| AsyncStack::read(payload, kind, matches!(id, 16 | 19));
        Some(match kind {
            RecordKind::Create => AsyncStepKind::Create { parent: payload.varint()?, chain: payload.varint()? },
            RecordKind::Resume => AsyncStepKind::Resume { chain: payload.varint()? },
            RecordKind::Suspend => AsyncStepKind::Suspend,
            RecordKind::Complete => AsyncStepKind::Complete,
            RecordKind::Unwind => AsyncStepKind::Unwind { methods: payload.varint()? },
            RecordKind::CreatedStack => AsyncStepKind::CreatedStack(stack(payload)?),
            RecordKind::ResumedStack => AsyncStepKind::ResumedStack(stack(payload)?),
            RecordKind::SuspendedStack => AsyncStepKind::SuspendedStack(stack(payload)?),
            RecordKind::MoreCallers => AsyncStepKind::MoreCallers(stack(payload)?),
            RecordKind::NumbersRestart => AsyncStepKind::NumbersRestart,
            RecordKind::Reset => AsyncStepKind::Reset,
            RecordKind::Metadata => {
                manifest.take(payload)?;
                AsyncStepKind::Other
            }
            RecordKind::Other => AsyncStepKind::Other,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::AsyncBuffer;
    use super::*;

    fn buffer(records: u32, bytes: &[u8]) -> AsyncBuffer<'_> {
        let (start_ticks, end_ticks) = (10, 99);
        let total_bytes = bytes.len() as u32 + 37;
        AsyncBuffer { version: 1, total_bytes, context: 1, os_thread: 5, records, start_ticks, end_ticks, bytes }
    }

    /// Returns the records of a buffer that begins at 10.
    fn steps(records: u32, bytes: &[u8]) -> Option<Vec<(u64, AsyncStepKind<'_>)>> {
        let steps = buffer(records, bytes).steps(&mut AsyncManifest::default())?;
        Some(steps.into_iter().map(|step| (step.ticks, step.what)).collect())
    }

    #[test]
    fn records_become_chain_steps() {
        use AsyncStepKind::{Complete, Create, Other, Resume, Suspend};
        let bytes = [11, 1, 2, 0, 7, 12, 0x80, 1, 1, 7, 13, 2, 17, 0, 12, 1, 2, 7, 99, 14, 1];
        let expected = [
            (11, Create { parent: 0, chain: 7 }),
            (139, Resume { chain: 7 }),
            (141, Suspend),
            (141, Other),
            (142, Resume { chain: 7 }),
            (143, Complete),
        ];
        assert_eq!(steps(6, &bytes).expect("records"), expected, "bytes behind known ones belong to newer builds");
        assert_eq!(steps(5, &bytes), None, "as many as the header says");
        assert_eq!(steps(6, &bytes[..bytes.len() - 1]), None);
        assert_eq!(steps(1, &[25, 0, 1]), None);
        let by_keyword = [10, 1, 2, 0, 7, 11, 1, 1, 7, 12, 1, 0];
        let expected = [(11, Create { parent: 0, chain: 7 }), (12, Resume { chain: 7 }), (13, Complete)];
        assert_eq!(steps(3, &by_keyword).expect("records"), expected);
    }

    #[test]
    fn process_metadata_describes_later_buffers() {
        // In this manifest, a record that normally has no payload has one, and there is a record of a newer build.
        let metadata = [22, 0, 15, 0, 1, 1, 1, 1, 16, 2, 13, 1, 1, 40, 1, 2];
        let mut manifest = AsyncManifest::default();
        assert_eq!(buffer(1, &metadata).steps(&mut manifest).map(|steps| steps.len()), None, "shorter than it says");
        assert_eq!(manifest, AsyncManifest::default(), "of a buffer that can't be read nothing is taken");
        let metadata = [22, 0, 12, 0, 1, 1, 1, 1, 16, 2, 13, 1, 1, 40, 1, 2];
        assert_eq!(buffer(1, &metadata).steps(&mut manifest).map(|steps| steps.len()), Some(1));
        assert_eq!(manifest.wrappers, 16);
        let later = [13, 1, 1, 0, 40, 1, 1, 0, 9];
        assert_eq!(buffer(2, &later).steps(&mut manifest).map(|steps| steps.len()), Some(2));
        assert_eq!(steps(2, &later), None);
    }

    #[test]
    fn chain_stack_begins_with_next_method() {
        let addresses = |step: &AsyncStepKind<'_>| match step {
            AsyncStepKind::CreatedStack(stack)
            | AsyncStepKind::ResumedStack(stack)
            | AsyncStepKind::SuspendedStack(stack)
            | AsyncStepKind::MoreCallers(stack) => (stack.chain, stack.addresses().collect::<Vec<_>>()),
            _ => (0, Vec::new()),
        };
        // 0x80 0x20 is 0x1000; 0x80 0x40 is 0x1000 more, 0xff 0x3f 0x1000 less.
        let runtime = [7, 1, 10, 0, 0, 0, 3, 7, 0x80, 0x20, 0x80, 0x40, 0xff, 0x3f];
        let read = steps(1, &runtime).expect("records");
        assert_eq!(addresses(&read[0].1), (7, vec![0x1000, 0x2000, 0x1000]));
        let created = [6, 0, 7, 0, 0, 0, 2, 9, 7, 0x80, 0x20];
        let other = Some(vec![(10, AsyncStepKind::Other)]);
        assert_eq!(steps(1, &created), other, "one of two methods is missing, so it can only be of the older build");
        let created = [6, 0, 7, 0, 0, 0, 1, 9, 7, 0x80, 0x20];
        assert_eq!(addresses(&steps(1, &created).expect("records")[0].1), (7, vec![0x1000]), "its parent stands first");
        let machines = [16, 0, 10, 0, 0, 0, 2, 7, 0x80, 0x20, 3, 0x80, 0x40, 1];
        let read = steps(1, &machines).expect("records");
        assert_eq!(addresses(&read[0].1), (7, vec![0x1000, 0x2000]), "states stand between");
        assert!(matches!(read[0].1, AsyncStepKind::ResumedStack(stack) if stack.is_state_machines));
        let more = [19, 0, 7, 0, 0, 0, 1, 7, 0x80, 0x20, 3];
        assert_eq!(addresses(&steps(1, &more).expect("records")[0].1), (7, vec![0x1000]));
        let missing = [16, 0, 5, 0, 0, 0, 1, 7, 1];
        assert_eq!(steps(1, &missing), None, "without its state");
        let none = [7, 0, 4, 0, 0, 0, 0, 7];
        assert_eq!(addresses(&steps(1, &none).expect("records")[0].1), (7, Vec::new()));
    }

    #[test]
    fn zigzag_numbers_alternate_around_zero() {
        assert_eq!([0, 1, 2, 3].map(|number| zigzag(number) as i64), [0, -1, 1, -2]);
        assert_eq!(zigzag(u64::MAX) as i64, i64::MIN);
    }
}
