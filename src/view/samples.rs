//! The recordings that come with the page, and what is said of them before one of them is fetched.

use super::histogram::outline;

/// How many bars a sketch has.
pub const BARS: usize = 32;

/// Units of a sketch from bottom to top; it is as many wide as it has bars.
const HEIGHT: u64 = 15;

/// A recording beside the page. What is said of it was taken from it; a test asks it again.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// The file, under `samples/`, without `.nettrace.gz`; links name it so.
    pub name: &'static str,
    /// What it is.
    pub title: &'static str,
    /// What is in it, how long it is, and how much is fetched. Written out: the first screen has no program that writes
    /// fractions.
    pub line: &'static str,
    /// Its events over its time: a hexadecimal digit a bar, the highest `f`; what is not nothing is one at least.
    pub bars: &'static str,
}

/// All of them, in the order in which they are offered.
pub const SAMPLES: [Sample; 4] = [
    Sample {
        name: "web",
        title: "A web server under load",
        line: "a starved thread pool, 4.8 s, 1.7 MB",
        bars: "89aaa99a99ababbccccdddddffeeeeeb",
    },
    Sample {
        name: "cpu",
        title: "Busy threads",
        line: "they compute, wait and throw, 12.5 s, 0.4 MB",
        bars: "66885868675998a888788a79a889a88f",
    },
    Sample {
        name: "gc",
        title: "Garbage-collection churn",
        line: "40 collections, 22 gen 2, 7.3 s, 1.0 MB",
        bars: "f5665566655556766666655556663265",
    },
    Sample {
        name: "orders-v6",
        title: "Machine-wide Linux trace, v6",
        line: "on and off the processor, 4.0 s, 0.4 MB",
        bars: "f5699575554779ddd966755865545765",
    },
];

impl Sample {
    /// What SVG calls a view box.
    pub fn view_box() -> String {
        format!("0 0 {BARS} {HEIGHT}")
    }

    /// The outline of the bars: what SVG calls a path.
    pub fn outline(&self) -> String {
        outline(self.bars.chars().map(|digit| u64::from(digit.to_digit(16).unwrap_or(0))), HEIGHT)
    }

    /// How `bars` is written, of counts of events in spans of equal length.
    pub fn bars_of(counts: &[u32]) -> String {
        let most = u64::from(counts.iter().copied().max().unwrap_or(0).max(1));
        let digit = |count: &u32| (u64::from(*count) * HEIGHT).div_ceil(most) as u32;
        counts.iter().filter_map(|count| char::from_digit(digit(count), 16)).collect()
    }
}
