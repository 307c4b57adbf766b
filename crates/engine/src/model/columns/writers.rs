//! Writers of events: combinations of CPU and capture thread, of which a trace has few.

use protocol::base::hash::FastMap;
use serde::{Deserialize, Serialize};

/// Maximum number of combinations. Events with further combinations have an unknown writer.
const MAX_WRITERS: usize = 65_536;

/// Writer of an event.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Writer {
    /// CPU; `None` if the file doesn't record it.
    pub cpu: Option<u32>,
    /// Capture thread, if it isn't the thread of the event: an OS thread ID, in version 6 an index into the file's
    /// thread table.
    pub capture_thread: Option<u64>,
}

/// All writers, by the number in the event columns. Number 0 is the thread of the event on an unknown CPU.
#[derive(Clone, Debug)]
pub struct Writers {
    writers: Vec<Writer>,
    numbers: FastMap<Writer, u32>,
    /// Last CPU without another capture thread, as in event headers, and the number of the writer.
    last: (u32, u32),
    last_other: (Writer, u32),
}

impl Default for Writers {
    fn default() -> Self {
        let unknown = Writer::default();
        Self { writers: vec![unknown], numbers: FastMap::default(), last: (u32::MAX, 0), last_other: (unknown, 0) }
    }
}

impl Writers {
    /// Returns the writer with a number. Unknown numbers give an unknown writer.
    pub fn get(&self, number: u32) -> Writer {
        self.writers.get(number as usize).copied().unwrap_or_default()
    }

    /// Returns all writers, by number.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Writer> + '_ {
        self.writers.iter().copied()
    }

    /// Returns the number of the writer in an event header.
    #[inline]
    pub(crate) fn number(&mut self, cpu: u32, thread: u64, capture_thread: u64) -> u32 {
        // The file groups events by thread, mostly on the same CPU.
        if thread == capture_thread && cpu == self.last.0 {
            return self.last.1;
        }
        self.other_number(cpu, (thread != capture_thread).then_some(capture_thread))
    }

    #[inline(never)]
    fn other_number(&mut self, cpu: u32, capture_thread: Option<u64>) -> u32 {
        let writer = Writer { cpu: (cpu != u32::MAX).then_some(cpu), capture_thread };
        if capture_thread.is_some() {
            if self.last_other.0 != writer {
                self.last_other = (writer, self.intern(writer));
            }
            return self.last_other.1;
        }
        self.last = (cpu, self.intern(writer));
        self.last.1
    }

    /// Forgets the last writer, which depends on how the file was read.
    pub(crate) fn without_last(self) -> Self {
        let Self { last, last_other, .. } = Self::default();
        Self { last, last_other, ..self }
    }

    /// Returns whether there is room for another combination.
    pub(crate) fn has_room(&self) -> bool {
        self.writers.len() < MAX_WRITERS
    }

    /// Returns the number of a writer, and adds the writer if it is new.
    pub(crate) fn intern(&mut self, writer: Writer) -> u32 {
        match self.numbers.get(&writer) {
            Some(&number) => number,
            None if writer == Writer::default() || self.writers.len() >= MAX_WRITERS => 0,
            None => {
                let number = self.writers.len() as u32;
                self.writers.push(writer);
                self.numbers.insert(writer, number);
                number
            }
        }
    }

    pub fn heap_bytes(&self) -> u64 {
        let entry = size_of::<Writer>() + size_of::<(Writer, u32)>();
        (self.writers.capacity() * entry) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writers_have_one_number_each() {
        let mut writers = Writers::default();
        let all = [(u32::MAX, None), (3, None), (3, Some(7)), (1 << 20, None), (u32::MAX, Some(7))];
        let mut number = |(cpu, capture): (u32, Option<u64>)| writers.number(cpu, 5, capture.unwrap_or(5));
        let numbers = all.map(&mut number);
        assert_eq!(numbers, [0, 1, 2, 3, 4]);
        assert_eq!(all.map(&mut number), numbers);
        assert_eq!(writers.get(2), Writer { cpu: Some(3), capture_thread: Some(7) });
        assert_eq!([writers.get(0), writers.get(99)], [Writer::default(); 2]);
        assert_eq!(writers.iter().len(), 5);
    }

    #[test]
    fn writers_beyond_the_limit_are_unknown() {
        let mut writers = Writers::default();
        let numbers: Vec<u32> = (0..70_000).map(|cpu| writers.number(cpu, 5, 5)).collect();
        assert_eq!((numbers[65_534], numbers[65_535], numbers[69_999]), (65_535, 0, 0));
        assert_eq!((writers.number(69_999, 5, 5), writers.number(7, 5, 5)), (0, 8));
    }
}
