//! Time of threads, by thread and by role.

use crate::columns::Strings;
use crate::named;
use crate::packed_table;
use crate::tables::state;
use crate::timeline::thread_state::{Activity, ThreadState};

packed_table!(
    /// Time of threads: by role, most time first, and by thread.
    RoleTimes {
        /// By role: its name.
        role: Strings,
        /// By role: number of threads.
        threads: Vec<u32>,
        /// Row-major: nanoseconds by [`crate::tables::state`], [`crate::tables::state::COUNT`] a role.
        nanos: Vec<i64>,
        /// Threads with time: [`crate::base::ids::ThreadId`].
        thread: Vec<u32>,
        /// Row-major: nanoseconds by [`crate::tables::state`], [`crate::tables::state::COUNT`] a thread.
        thread_nanos: Vec<i64>,
        /// 1 if CPU samples and context switches show the states, 0 if wall-clock samples do: one value.
        is_on_cpu: Vec<u8>,
        /// 1 if context switches are recorded: one value.
        has_switches: Vec<u8>,
        /// By process of a machine-wide trace, most CPU time first: its name and ID.
        process: Strings,
        /// By process: number of threads.
        process_threads: Vec<u32>,
        /// Row-major: nanoseconds by [`CpuPart`], [`CpuPart::ALL`] a process.
        process_nanos: Vec<i64>,
    }
);

named! {
    /// Part of a process's time: on CPU, by the innermost frame, or off CPU, by reason.
    #[repr(u8)]
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum CpuPart {
        /// Managed code.
        Managed = 0: "Managed", "managed";
        /// Native code.
        Native = 1: "Native", "native";
        /// Code of the kernel.
        Kernel = 2: "Kernel", "kernel";
        /// Off CPU and blocked.
        Blocked = 3: "Blocked", "blocked";
        /// Off CPU though it could run.
        Runnable = 4: "Runnable", "runnable";
        /// Off CPU because it was idle or paused by the GC.
        Idle = 5: "Idle", "idle";
    }
    fn name;
    /// Returns its name for programs and style sheets.
    fn slug;
}

impl CpuPart {
    /// Returns whether threads are on a CPU.
    pub fn is_on_cpu(self) -> bool {
        matches!(self, Self::Managed | Self::Native | Self::Kernel)
    }
}

/// Nanoseconds of threads by state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StateTimes([i64; state::COUNT]);

impl StateTimes {
    /// Creates the times from nanoseconds by [`crate::tables::state`].
    pub fn of_row(nanos: &[i64]) -> Self {
        let mut times = Self::default();
        times.add_rows(nanos);
        times
    }

    /// Returns the nanoseconds in a state.
    pub fn of(&self, state: ThreadState) -> i64 {
        self.0.get(usize::from(state as u8)).copied().unwrap_or(0)
    }

    /// Returns the nanoseconds in states that match.
    pub fn sum(&self, wanted: impl Fn(ThreadState) -> bool) -> i64 {
        ThreadState::ALL
            .into_iter()
            .filter(|state| wanted(*state))
            .map(|state| self.of(state))
            .fold(0, i64::saturating_add)
    }

    /// Returns the nanoseconds in states of an activity.
    pub fn activity(&self, activity: Activity) -> i64 {
        self.sum(|state| state.activity() == Some(activity))
    }

    /// Returns the nanoseconds in any known state: all but [`ThreadState::NotSampled`].
    pub fn known(&self) -> i64 {
        self.sum(|state| state != ThreadState::NotSampled)
    }

    fn add_rows(&mut self, rows: &[i64]) {
        for row in rows.chunks_exact(state::COUNT) {
            self.0.iter_mut().zip(row).for_each(|(sum, nanos)| *sum = sum.saturating_add(*nanos));
        }
    }
}

impl RoleTimes {
    /// Returns the times of all threads.
    pub fn all(&self) -> StateTimes {
        let mut times = StateTimes::default();
        times.add_rows(&self.nanos);
        times
    }

    pub fn of_role(&self, row: usize) -> StateTimes {
        let mut times = StateTimes::default();
        times.add_rows(self.nanos.get(row * state::COUNT..(row + 1) * state::COUNT).unwrap_or_default());
        times
    }

    /// Returns the times of a thread; nothing if it has none.
    pub fn of_thread(&self, thread: u32) -> StateTimes {
        let row = self.thread.iter().position(|one| *one == thread);
        let nanos = row.and_then(|row| self.thread_nanos.get(row * state::COUNT..(row + 1) * state::COUNT));
        StateTimes::of_row(nanos.unwrap_or_default())
    }

    /// Returns the nanoseconds with a known state of the thread with the most: what bars of threads are shares of.
    pub fn longest_known(&self) -> i64 {
        let rows = self.thread_nanos.chunks_exact(state::COUNT);
        rows.map(|row| StateTimes::of_row(row).known()).max().unwrap_or(0)
    }

    /// Returns the nanoseconds of a process by [`CpuPart`]; `None` for parts that aren't recorded.
    pub fn of_process(&self, row: usize) -> [Option<i64>; CpuPart::ALL.len()] {
        let parts = CpuPart::ALL.len();
        let nanos: Option<[i64; CpuPart::ALL.len()]> =
            self.process_nanos.get(row * parts..(row + 1) * parts).and_then(|nanos| nanos.try_into().ok());
        let nanos = nanos.unwrap_or_default();
        CpuPart::ALL.map(|part| {
            let nanos = nanos[part as usize];
            (nanos > 0 || part.is_on_cpu() || self.has_switches()).then_some(nanos)
        })
    }

    /// Returns whether context switches record off-CPU time.
    pub fn has_switches(&self) -> bool {
        self.has_switches.first() == Some(&1)
    }

    /// Returns whether CPU samples and context switches show the states.
    pub fn is_of_cpus(&self) -> bool {
        self.is_on_cpu.first() == Some(&1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_by_state_activity_role_and_thread() {
        let mut row = [0i64; state::COUNT];
        row[usize::from(state::MANAGED)] = 5;
        row[usize::from(state::LOCK)] = 7;
        row[usize::from(state::NOT_SAMPLED)] = 9;
        let twice: Vec<i64> = row.iter().chain(&row).copied().collect();
        let table = RoleTimes { nanos: twice.clone(), thread: vec![3, 8], thread_nanos: twice, ..RoleTimes::default() };
        let times = table.all();
        assert_eq!((times.of(ThreadState::Managed), times.known()), (10, 24));
        assert_eq!(table.of_role(1).activity(Activity::Blocked), 7);
        assert_eq!((table.of_thread(8).activity(Activity::Running), table.of_thread(4).known()), (5, 0));
        assert_eq!((table.longest_known(), RoleTimes::default().longest_known()), (12, 0));
        assert_eq!(table.of_role(2), StateTimes::default());
    }

    #[test]
    fn off_cpu_time_is_unknown_without_context_switches() {
        let mut table = RoleTimes { process_nanos: vec![3, 0, 0, 0, 0, 0], ..RoleTimes::default() };
        assert_eq!(table.of_process(0), [Some(3), Some(0), Some(0), None, None, None]);
        table.has_switches = vec![1];
        assert_eq!(table.of_process(0)[3..], [Some(0), Some(0), Some(0)]);
    }
}
