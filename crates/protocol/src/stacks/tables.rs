//! The packed tables about stacks.

use crate::columns::Strings;
use crate::packed_table;
use crate::request::{EventName, StackSource, Weight};

/// How stacks can be weighed.
pub mod weight_kind {
    /// By a field of the payload.
    pub const FIELD: u8 = 0;
    /// One each.
    pub const COUNT: u8 = 1;
    /// By time.
    pub const TIME: u8 = 2;
}

/// What sources are.
pub mod source_kind {
    /// Events of a kind.
    pub const EVENTS: u8 = 0;
    /// Samples that show every thread, running or not.
    pub const WALL_CLOCK: u8 = 1;
    /// Samples that show threads on a processor.
    pub const ON_PROCESSOR: u8 = 2;
    /// Switches away from a thread: where it was while it was off the processor.
    pub const OFF_PROCESSOR: u8 = 3;
}

/// Name in the table of everything that has stacks.
pub const EVERYTHING: &str = "*";

packed_table!(
    /// What stacks can be asked about: samples first, then kinds of events, most stacks first; at the end all of them together.
    StackSources {
        /// Provider; empty for the samples.
        provider: Strings,
        /// Event name; empty for the samples.
        name: Strings,
        /// One of [`source_kind`].
        kind: Vec<u8>,
        /// How many of them, in the whole file.
        count: Vec<u64>,
        /// How many of these have a stack.
        with_stack: Vec<u64>,
        /// How they can be weighed, what tells most first: row of the source.
        weight_source: Vec<u32>,
        /// Field of the payload; empty for the others.
        weight_field: Strings,
        /// One of [`weight_kind`].
        weight_kind: Vec<u8>,
        /// Position in [`super::query::Unit::ALL`].
        weight_unit: Vec<u8>,
    }
);

impl StackSources {
    /// What a row can be asked as.
    pub fn source(&self, row: usize) -> Option<StackSource> {
        self.count.get(row)?;
        let (provider, name) = (self.provider.get(row).to_owned(), self.name.get(row).to_owned());
        Some(match (provider.as_str(), name.as_str()) {
            ("", "") => StackSource::Samples,
            ("", EVERYTHING) => StackSource::Everything,
            _ => StackSource::Events(EventName { provider, name }),
        })
    }

    /// The rows of weights of a row.
    pub fn weights(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.weight_source.len()).filter(move |weight| self.weight_source[*weight] as usize == row)
    }

    /// The source and the weight of a row of weights.
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

/// Bits that tell what a frame is.
pub mod frame_flag {
    /// Code of .NET or of the operating system.
    pub const FRAMEWORK: u8 = 2;
    /// Several functions shown as one.
    pub const GROUP: u8 = 4;
    /// No function: what stacks begin with.
    pub const ROOT: u8 = 8;
    /// Code without a name: what is known of it is its module, if there is one.
    pub const NAMELESS: u8 = 16;
    /// No function: how what stands below came about.
    pub const LINK: u8 = 32;
    /// All that is no single function.
    pub const NO_FUNCTION: u8 = GROUP | ROOT | LINK;
}

packed_table!(
    /// What a text finds in a tree.
    FoundFrames {
        /// Weight of the whole tree: one value.
        total: Vec<f64>,
        /// What of it goes through found frames: one value.
        weight: Vec<f64>,
        /// The found frames: functions, and numbers beyond them.
        function: Vec<u32>,
    }
);

/// Into how many parts [`When`] divides time.
pub const WHEN_BUCKETS: usize = 32;

packed_table!(
    /// When rows of a tree, or functions, were on stacks.
    When {
        /// Start of the first part of time, end of the last: two values.
        bounds: Vec<i64>,
        /// Row-major rows × [`WHEN_BUCKETS`]: the weight in that part in 255ths of the row's most.
        heights: Vec<u8>,
        /// Start of the shortest time in which the row has four fifths of its weight.
        bulk_start: Vec<i64>,
        /// Its end.
        bulk_end: Vec<i64>,
    }
);

packed_table!(
    /// A file for another program.
    ExportedFile {
        /// What to call it: one value.
        name: Strings,
        /// What is in it.
        bytes: Vec<u8>,
    }
);

packed_table!(
    /// What paths of frames weigh, by what frames are called: it means the same in any other trace. Callers stand before what
    /// they call; the first is the root, which has no frame.
    StackProfile {
        /// Row of the caller; of the root its own.
        caller: Vec<u32>,
        /// Position of the frame among the names.
        frame: Vec<u32>,
        /// What the path weighs alone.
        weight: Vec<u64>,
        /// How many make one: one value.
        per_one: Vec<u64>,
        /// Readable names of frames.
        name: Strings,
        /// Their modules.
        module: Strings,
        /// Their bits of [`frame_flag`].
        flags: Vec<u8>,
    }
);

packed_table!(
    /// Boxes of a flame graph. With a baseline they are as wide as both weights together.
    Flame {
        /// Weight of the shown root: one value.
        total: Vec<f64>,
        /// Weight of the same in the baseline: one value, none without a baseline.
        base_total: Vec<f64>,
        /// 0 the root of everything, `u32::MAX` a box that stands for several narrow ones, else a number of its own.
        node: Vec<u32>,
        /// Level below the shown root, which is 0.
        depth: Vec<u16>,
        /// Left edge as a share of the width.
        left: Vec<f64>,
        /// Right edge as a share of the width.
        right: Vec<f64>,
        /// Inclusive weight.
        inclusive: Vec<f64>,
        /// Exclusive weight.
        exclusive: Vec<f64>,
        /// Inclusive weight in the baseline; empty without one.
        base_inclusive: Vec<f64>,
        /// Exclusive weight in the baseline; empty without one.
        base_exclusive: Vec<f64>,
        /// [`crate::base::ids::FunctionId`]; of what is no function a number beyond them.
        function: Vec<u32>,
        /// Position in `names`.
        name: Vec<u32>,
        /// Position of the module in `names`.
        module: Vec<u32>,
        /// [`super::shape::NodeName::path`].
        path: Vec<u64>,
        /// Position of the family in `names` whose frames the box stands for; that of an empty text if it is not folded.
        family: Vec<u32>,
        /// Bits of [`frame_flag`].
        flags: Vec<u8>,
        /// Readable names of frames, modules and families.
        names: Strings,
    }
);

packed_table!(
    /// Nodes of a call tree.
    CallNodes {
        /// Weight of the whole tree: one value.
        total: Vec<f64>,
        /// Weight of the whole baseline: one value, none without a baseline.
        base_total: Vec<f64>,
        /// Inclusive weight.
        inclusive: Vec<f64>,
        /// Exclusive weight.
        exclusive: Vec<f64>,
        /// Inclusive weight in the baseline; empty without one.
        base_inclusive: Vec<f64>,
        /// Exclusive weight in the baseline; empty without one.
        base_exclusive: Vec<f64>,
        /// Whether it has children with weight.
        has_children: Vec<u8>,
        /// How far below what was asked about: 1 for its children. Children follow their parent.
        level: Vec<u32>,
        /// [`crate::base::ids::FunctionId`]; of what is no function a number beyond them.
        function: Vec<u32>,
        /// Readable name.
        name: Strings,
        /// Module.
        module: Strings,
        /// How well the code was optimized that stacks show; empty if that is not known.
        tier: Strings,
        /// [`super::shape::NodeName::path`].
        path: Vec<u64>,
        /// The family whose frames it stands for; empty if it is not folded.
        family: Strings,
        /// Bits of [`frame_flag`].
        flags: Vec<u8>,
    }
);

packed_table!(
    /// Functions.
    Functions {
        /// Weight of all samples: one value.
        total: Vec<f64>,
        /// Weight of the whole baseline: one value, none without a baseline.
        base_total: Vec<f64>,
        /// How many functions have weight, also beyond the limit: one value.
        count: Vec<u32>,
        /// [`crate::base::ids::FunctionId`]; of what is no function a number beyond them.
        function: Vec<u32>,
        /// Inclusive weight (recursion counted once).
        inclusive: Vec<f64>,
        /// Exclusive weight.
        exclusive: Vec<f64>,
        /// Inclusive weight in the baseline; empty without one.
        base_inclusive: Vec<f64>,
        /// Exclusive weight in the baseline; empty without one.
        base_exclusive: Vec<f64>,
        /// How many stacks it is in.
        stacks: Vec<u64>,
        /// Time of the first of them, in nanoseconds since the sync point; 0 if it is in none.
        first: Vec<i64>,
        /// Time of the last of them.
        last: Vec<i64>,
        /// Readable name.
        name: Strings,
        /// Module.
        module: Strings,
        /// How well the code was optimized that stacks show; empty if that is not known.
        tier: Strings,
        /// The family whose frames it stands for; empty if it is not folded.
        family: Strings,
        /// Bits of [`frame_flag`].
        flags: Vec<u8>,
    }
);

packed_table!(
    /// Where in a function stacks are, heaviest first. Together the places weigh what the function weighs.
    CodePlaces {
        /// Which function: one value.
        function: Vec<u32>,
        /// Source line, as `path:line`; empty if none is known.
        source: Strings,
        /// Offset in the IL of the method, of several the first; -1 if it is not known.
        il_offset: Vec<i64>,
        /// Address of the code, of several the first.
        address: Vec<u64>,
        /// How well the code was optimized; empty if that is not known.
        tier: Strings,
        /// Weight with callees, recursion counted once.
        inclusive: Vec<f64>,
        /// Weight without callees.
        exclusive: Vec<f64>,
    }
);

packed_table!(
    /// Code of stacks that has no name, by module, what weighs most first.
    UnresolvedCode {
        /// Weight of all stacks: one value.
        total: Vec<f64>,
        /// What such code weighs, in whatever module, with its callees: one value.
        inclusive: Vec<f64>,
        /// The same without its callees: one value.
        exclusive: Vec<f64>,
        /// Module; empty for code that is in none.
        module: Strings,
        /// What frames of it are called together.
        name: Strings,
        /// Addresses that stacks show.
        addresses: Vec<u64>,
        /// What they weigh without what they call.
        alone: Vec<f64>,
        /// Why it has no name.
        reason: Strings,
        /// What to do about it.
        advice: Strings,
    }
);
