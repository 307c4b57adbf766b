//! The recordings that come with the page, and what is said of them before one of them is fetched.

/// How many bars a sketch has.
pub const BARS: usize = 32;

/// What SVG calls a view box, of the sketches.
pub const VIEW_BOX: &str = "0 0 32 24";

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
    /// Its events over its time: the outline of [`crate::events::histogram::Histogram`], what SVG calls a path.
    pub outline: &'static str,
}

/// All of them, in the order in which they are offered.
pub const SAMPLES: [Sample; 4] = [
    Sample {
        name: "web",
        title: "A web server under load",
        line: "thread pool starvation · 4.8 s · 1.7 MB",
        outline: "M0 24V11H1V11H2V8H3V8H4V9H5V10H6V9H7V9H8V9H9V10H10V8H11V7H12V9H13V7H14V7H15V5H16V5H17V5H18V5H19V4H20V4H21V4H22V4H23V4H24V0H25V0H26V1H27V3H28V2H29V2H30V2H31V7H32V24Z",
    },
    Sample {
        name: "cpu",
        title: "Busy threads",
        line: "compute, waits, exceptions · 12.5 s · 0.4 MB",
        outline: "M0 24V14H1V14H2V11H3V11H4V16H5V12H6V15H7V11H8V14H9V14H10V16H11V10H12V10H13V12H14V8H15V12H16V12H17V12H18V13H19V11H20V12H21V9H22V13H23V10H24V8H25V12H26V11H27V10H28V8H29V11H30V11H31V0H32V24Z",
    },
    Sample {
        name: "gc",
        title: "GC churn",
        line: "40 GCs, 22 gen 2 · 7.3 s · 1.0 MB",
        outline: "M0 24V0H1V16H2V15H3V15H4V16H5V16H6V15H7V15H8V15H9V16H10V16H11V16H12V16H13V15H14V13H15V14H16V15H17V14H18V14H19V15H20V15H21V16H22V16H23V16H24V16H25V15H26V15H27V14H28V20H29V21H30V15H31V16H32V24Z",
    },
    Sample {
        name: "orders-v6",
        title: "Machine-wide Linux trace, v6",
        line: "on-CPU and off-CPU time · 4.0 s · 0.4 MB",
        outline: "M0 24V0H1V16H2V15H3V9H4V10H5V16H6V12H7V17H8V16H9V16H10V17H11V14H12V13H13V10H14V4H15V3H16V3H17V9H18V14H19V15H20V14H21V16H22V16H23V11H24V14H25V16H26V16H27V18H28V16H29V14H30V14H31V16H32V24Z",
    },
];
