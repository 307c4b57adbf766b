//! Writers of events: the CPU and the capture thread, as combinations, of which a trace has few.

use protocol::base::hash::FastMap;

/// Maximum number of combinations. The writers of further events are unknown.
const MAX_WRITERS: usize = 65_536;
/// Numbers of CPUs that are looked up without hashing.
const USUAL_CPUS: usize = 1024;
const NONE: u32 = u32::MAX;

/// Writer of an event.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
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
    /// Numbers of the writers without another capture thread, by CPU plus 1.
    usual: Vec<u32>,
    numbers: FastMap<Writer, u32>,
    last: (Writer, u32),
}

impl Default for Writers {
    fn default() -> Self {
        let unknown = Writer::default();
        Self { writers: vec![unknown], usual: vec![0], numbers: FastMap::default(), last: (unknown, 0) }
    }
}

impl Writers {
    /// Returns the writer with a number; an unknown one for an unknown number.
    pub fn get(&self, number: u32) -> Writer {
        self.writers.get(number as usize).copied().unwrap_or_default()
    }

    /// Returns all writers, by number.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Writer> + '_ {
        self.writers.iter().copied()
    }

    /// Returns the number of a writer. `cpu` is [`u32::MAX`] if it is unknown, as in event headers.
    #[inline]
    pub(crate) fn number(&mut self, cpu: u32, capture_thread: Option<u64>) -> u32 {
        let usual = self.usual.get(cpu.wrapping_add(1) as usize).copied();
        match usual.filter(|&number| capture_thread.is_none() && number != NONE) {
            Some(number) => number,
            None => self.intern(Writer { cpu: (cpu != u32::MAX).then_some(cpu), capture_thread }),
        }
    }

    #[inline(never)]
    fn intern(&mut self, writer: Writer) -> u32 {
        if self.last.0 == writer {
            return self.last.1;
        }
        let number = match self.numbers.get(&writer) {
            Some(&number) => number,
            None if self.writers.len() >= MAX_WRITERS => return 0,
            None => self.add(writer),
        };
        self.last = (writer, number);
        number
    }

    fn add(&mut self, writer: Writer) -> u32 {
        let number = self.writers.len() as u32;
        self.writers.push(writer);
        self.numbers.insert(writer, number);
        if let Writer { cpu: Some(cpu), capture_thread: None } = writer
            && (cpu as usize) < USUAL_CPUS
        {
            let at = cpu as usize + 1;
            self.usual.resize(self.usual.len().max(at + 1), NONE);
            if let Some(usual) = self.usual.get_mut(at) {
                *usual = number;
            }
        }
        number
    }

    /// Returns the heap size in bytes.
    pub fn heap_bytes(&self) -> u64 {
        let entry = size_of::<Writer>() + size_of::<(Writer, u32)>();
        (self.writers.capacity() * entry + self.usual.capacity() * size_of::<u32>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writers_have_one_number_each() {
        let mut writers = Writers::default();
        let all = [(u32::MAX, None), (3, None), (3, Some(7)), (1 << 20, None), (u32::MAX, Some(7))];
        let numbers = all.map(|(cpu, thread)| writers.number(cpu, thread));
        assert_eq!(numbers, [0, 1, 2, 3, 4]);
        assert_eq!(all.map(|(cpu, thread)| writers.number(cpu, thread)), numbers);
        assert_eq!(writers.get(2), Writer { cpu: Some(3), capture_thread: Some(7) });
        assert_eq!([writers.get(0), writers.get(99)], [Writer::default(); 2]);
        assert_eq!(writers.iter().len(), 5);
    }

    #[test]
    fn writers_beyond_the_limit_are_unknown() {
        let mut writers = Writers::default();
        let numbers: Vec<u32> = (0..70_000).map(|cpu| writers.number(cpu, None)).collect();
        assert_eq!((numbers[65_534], numbers[65_535], numbers[69_999]), (65_535, 0, 0));
        assert_eq!(writers.number(69_999, None), 0);
    }
}
