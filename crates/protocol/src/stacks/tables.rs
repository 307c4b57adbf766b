//! Packed tables of stacks.

use crate::columns::Strings;
use crate::format::counted;
use crate::packed_table;
use crate::request::{EventName, StackSource, Weight};

pub mod weight_kind {
    pub const FIELD: u8 = 0;
    /// Number of events.
    pub const COUNT: u8 = 1;
    pub const TIME: u8 = 2;
}

/// Kinds of sources.
pub mod source_kind {
    pub const EVENTS: u8 = 0;
    /// Wall-clock samples.
    pub const WALL_CLOCK: u8 = 1;
    /// CPU samples.
    pub const ON_PROCESSOR: u8 = 2;
    /// Context switches: stacks of threads that are off CPU.
    pub const OFF_PROCESSOR: u8 = 3;
}

/// Name of the source with all stacks.
pub const EVERYTHING: &str = "*";

packed_table!(
    /// Sources of stacks: samples first, then event types, most stacks first, and all events last.
    StackSources {
        /// Provider; empty for samples.
        provider: Strings,
        /// Event name; empty for samples.
        name: Strings,
        /// One of [`source_kind`].
        kind: Vec<u8>,
        /// Number of events in the whole file.
        count: Vec<u64>,
        /// Number of events with a stack.
        with_stack: Vec<u64>,
        /// Weights, most relevant first: row of the source.
        weight_source: Vec<u32>,
        /// Payload field; empty for other weights.
        weight_field: Strings,
        /// One of [`weight_kind`].
        weight_kind: Vec<u8>,
    }
);

impl StackSources {
    pub fn source(&self, row: usize) -> Option<StackSource> {
        self.count.get(row)?;
        let (provider, name) = (self.provider.get(row).to_owned(), self.name.get(row).to_owned());
        Some(match (provider.as_str(), name.as_str()) {
            ("", "") => StackSource::Samples,
            ("", EVERYTHING) => StackSource::Everything,
            _ => StackSource::Events(EventName { provider, name }),
        })
    }

    /// Returns the rows of the weights of a source.
    pub fn weights(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.weight_source.len()).filter(move |weight| self.weight_source[*weight] as usize == row)
    }

    /// Returns the source and the weight of a row of weights.
    pub fn weighed(&self, weight: usize) -> Option<(StackSource, Weight)> {
        let source = self.source(*self.weight_source.get(weight)? as usize)?;
        let weight = match *self.weight_kind.get(weight)? {
            weight_kind::COUNT => Weight::Count,
            weight_kind::TIME => Weight::Time,
            _ => Weight::Field(self.weight_field.get(weight).to_owned()),
        };
        Some((source, weight))
    }
}

pub mod frame_flag {
    /// Code of .NET or of the operating system.
    pub const FRAMEWORK: u8 = 2;
    pub const GROUP: u8 = 4;
    /// Root frame that groups stacks.
    pub const ROOT: u8 = 8;
    /// Unresolved code. At most its module is known.
    pub const UNRESOLVED: u8 = 16;
    /// Link between stacks, such as an await.
    pub const LINK: u8 = 32;
    /// Category of folded framework code: "Task wait", "Other .NET code". Has [`GROUP`], too.
    pub const CATEGORY: u8 = 64;
    /// Idle time of all threads, without stacks.
    pub const IDLE: u8 = 128;
    /// Any flag of a frame that isn't a single function.
    pub const NO_FUNCTION: u8 = GROUP | ROOT | LINK;
}

/// Packs the minimum and maximum number of frames that a frame replaces; 0 if it replaces none.
pub fn folded_frames(fewest: u16, most: u16) -> u32 {
    u32::from(fewest) | u32::from(most) << 16
}

/// Returns the name of a frame with the number of frames that it replaces: "ASP.NET Core · 5 frames".
pub fn folded_name(name: &str, folded: u32) -> String {
    let (fewest, most) = (u64::from(folded & 0xffff), u64::from(folded >> 16));
    match most {
        0 => name.to_owned(),
        _ if fewest < most => format!("{name} · {fewest}–{}", counted(most, "frame")),
        _ => format!("{name} · {}", counted(most, "frame")),
    }
}

packed_table!(
    /// Frames found by a text.
    FoundFrames {
        /// Weight of the whole tree: one value.
        total: Vec<f64>,
        /// Weight of the stacks with a found frame: one value.
        weight: Vec<f64>,
        /// Found frames: functions, and larger numbers for other frames.
        function: Vec<u32>,
    }
);

/// Number of time buckets of [`When`].
pub const WHEN_BUCKETS: usize = 32;

packed_table!(
    /// Weights of tree rows or functions over time.
    When {
        /// Start of the first bucket, end of the last: two values.
        bounds: Vec<i64>,
        /// Row-major `rows × WHEN_BUCKETS`: weight in the bucket, in 255ths of the row's maximum.
        heights: Vec<u8>,
        /// Start of the shortest time range with 80% of the row's weight.
        bulk_start: Vec<i64>,
        /// End of that range.
        bulk_end: Vec<i64>,
    }
);

packed_table!(
    /// File for another program.
    ExportedFile {
        /// File name: one value.
        name: Strings,
        bytes: Vec<u8>,
    }
);

packed_table!(
    /// Weights of call paths by frame names, comparable across traces. Callers come before callees; the first row is
    /// the root, which has no frame.
    StackProfile {
        /// Row of the caller; for the root, its own.
        caller: Vec<u32>,
        /// Index of the frame in the names.
        frame: Vec<u32>,
        /// Exclusive weight.
        weight: Vec<u64>,
        /// Denominator of the fixed-point weights: one value.
        per_one: Vec<u64>,
        /// Readable names of frames.
        name: Strings,
        /// Modules of frames.
        module: Strings,
        /// Bits of [`frame_flag`].
        flags: Vec<u8>,
    }
);

packed_table!(
    /// Frames of a flame graph. With a baseline, the width is the sum of both weights.
    Flame {
        /// Weight of the visible root: one value.
        total: Vec<f64>,
        /// Weight of the visible root in the baseline: one value; empty without a baseline.
        base_total: Vec<f64>,
        /// 0 for the root, `u32::MAX` for several merged narrow frames, otherwise a unique number.
        node: Vec<u32>,
        /// Level below the visible root, which has level 0.
        depth: Vec<u16>,
        /// Left edge as a share of the width.
        left: Vec<f64>,
        /// Right edge as a share of the width.
        right: Vec<f64>,
        inclusive: Vec<f64>,
        exclusive: Vec<f64>,
        /// Inclusive weight in the baseline; empty without one.
        base_inclusive: Vec<f64>,
        /// Exclusive weight in the baseline; empty without one.
        base_exclusive: Vec<f64>,
        /// [`crate::base::ids::FunctionId`]; a larger number for other frames.
        function: Vec<u32>,
        /// Index into `names`.
        name: Vec<u32>,
        /// Index of the module in `names`.
        module: Vec<u32>,
        /// [`super::shape::NodeName::path`].
        path: Vec<u64>,
        /// Index of the family of folded frames in `names`; that of an empty text if the frame isn't folded.
        family: Vec<u32>,
        /// Number of frames that the frame replaces, packed by [`folded_frames`].
        folded: Vec<u32>,
        /// Bits of [`frame_flag`].
        flags: Vec<u8>,
        /// State of threads for most of the frame's time, one of [`crate::tables::state`]; 0 if unknown.
        state: Vec<u8>,
        /// Readable names of frames, modules and families.
        names: Strings,
    }
);

packed_table!(
    CallNodes {
        /// Weight of the whole tree: one value.
        total: Vec<f64>,
        /// Weight of the whole baseline: one value; empty without a baseline.
        base_total: Vec<f64>,
        inclusive: Vec<f64>,
        exclusive: Vec<f64>,
        /// Inclusive weight in the baseline; empty without one.
        base_inclusive: Vec<f64>,
        /// Exclusive weight in the baseline; empty without one.
        base_exclusive: Vec<f64>,
        /// 1 if the frame has children with weight, else 0.
        has_children: Vec<u8>,
        /// Level below the requested node; 1 for its children. Children follow their parent.
        level: Vec<u32>,
        /// [`crate::base::ids::FunctionId`]; a larger number for other frames.
        function: Vec<u32>,
        /// Readable name.
        name: Strings,
        module: Strings,
        /// JIT tier; empty if unknown.
        tier: Strings,
        /// [`super::shape::NodeName::path`].
        path: Vec<u64>,
        /// Family of folded frames; empty if the frame isn't folded.
        family: Strings,
        /// Number of frames that the frame replaces, packed by [`folded_frames`].
        folded: Vec<u32>,
        /// Bits of [`frame_flag`].
        flags: Vec<u8>,
    }
);

packed_table!(
    Functions {
        /// Weight of all samples: one value.
        total: Vec<f64>,
        /// Weight of the whole baseline: one value; empty without a baseline.
        base_total: Vec<f64>,
        /// Number of functions with weight, beyond the limit: one value.
        count: Vec<u32>,
        /// [`crate::base::ids::FunctionId`]; a larger number for other frames.
        function: Vec<u32>,
        /// Inclusive weight (recursion counted once).
        inclusive: Vec<f64>,
        exclusive: Vec<f64>,
        /// Inclusive weight in the baseline; empty without one.
        base_inclusive: Vec<f64>,
        /// Exclusive weight in the baseline; empty without one.
        base_exclusive: Vec<f64>,
        /// Number of stacks with the function.
        stacks: Vec<u64>,
        /// Time of the first stack, in nanoseconds since the sync point; 0 if there is none.
        first: Vec<i64>,
        /// Time of the last stack.
        last: Vec<i64>,
        /// Readable name.
        name: Strings,
        module: Strings,
        /// JIT tier; empty if unknown.
        tier: Strings,
        /// Family of folded frames; empty if the function isn't folded.
        family: Strings,
        /// Bits of [`frame_flag`].
        flags: Vec<u8>,
        /// State of most of its time, one of [`crate::tables::state`]; 0 if unknown.
        state: Vec<u8>,
    }
);

impl Functions {
    /// Returns the row with the most exclusive weight: of your functions, or of all if there are none of yours.
    pub fn hottest(&self) -> Option<usize> {
        use frame_flag::{FRAMEWORK, NO_FUNCTION, UNRESOLVED};
        let weight = |row: &usize| self.exclusive.get(*row).copied().unwrap_or(0.0);
        let among = |without: u8| {
            let rows = (0..self.flags.len()).filter(|row| self.flags[*row] & without == 0);
            rows.max_by(|a, b| weight(a).total_cmp(&weight(b)))
        };
        among(FRAMEWORK | UNRESOLVED | NO_FUNCTION).or_else(|| among(NO_FUNCTION))
    }
}

packed_table!(
    /// Hot locations in a function, heaviest first. Their weights add up to that of the function.
    CodePlaces {
        /// Function: one value.
        function: Vec<u32>,
        /// Source line as `path:line`; empty if unknown.
        source: Strings,
        /// IL offset, the first of several; -1 if unknown.
        il_offset: Vec<i64>,
        /// Code address, the first of several.
        address: Vec<u64>,
        /// JIT tier; empty if unknown.
        tier: Strings,
        /// Inclusive weight, recursion counted once.
        inclusive: Vec<f64>,
        exclusive: Vec<f64>,
    }
);

packed_table!(
    /// Unresolved frames by module, heaviest first.
    UnresolvedCode {
        /// Weight of all stacks: one value.
        total: Vec<f64>,
        /// Inclusive weight of all unresolved frames: one value.
        inclusive: Vec<f64>,
        /// Exclusive weight of all unresolved frames: one value.
        exclusive: Vec<f64>,
        /// Module; empty if there is none.
        module: Strings,
        /// Display name of the merged frames.
        name: Strings,
        /// Number of addresses in stacks.
        addresses: Vec<u64>,
        /// Exclusive weight.
        alone: Vec<f64>,
        /// Reason why the frames are unresolved.
        reason: Strings,
        /// Remedy.
        advice: Strings,
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hottest_function_is_yours_if_there_is_one() {
        use frame_flag::{FRAMEWORK, GROUP};
        let of = |flags: Vec<u8>| Functions { flags, exclusive: vec![9.0, 8.0, 1.0, 2.0], ..Functions::default() };
        assert_eq!(of(vec![GROUP, FRAMEWORK, 0, 0]).hottest(), Some(3));
        assert_eq!(of(vec![GROUP, FRAMEWORK, FRAMEWORK, GROUP]).hottest(), Some(1));
        assert_eq!(of(vec![GROUP; 4]).hottest(), None);
    }

    #[test]
    fn folded_name_ends_with_number_of_frames() {
        assert_eq!(folded_name("ASP.NET Core", folded_frames(5, 5)), "ASP.NET Core · 5 frames");
        assert_eq!(folded_name("Thread pool", folded_frames(3, 12)), "Thread pool · 3–12 frames");
        assert_eq!(folded_name("Thread start", folded_frames(1, 1)), "Thread start · 1 frame");
        assert_eq!(folded_name("Monitor.Wait", 0), "Monitor.Wait");
    }
}
