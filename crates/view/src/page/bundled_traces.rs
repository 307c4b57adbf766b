//! Bundled traces, with descriptions that are shown before a trace is downloaded.

/// Number of bars of an outline.
pub const BARS: usize = 32;

/// SVG view box of the outlines.
pub const VIEW_BOX: &str = "0 0 32 24";

/// Bundled trace. A test checks the description against the trace.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// File name under `samples/`, without `.nettrace.gz`, as used in links.
    pub name: &'static str,
    pub title: &'static str,
    /// Content, duration and download size. Written out, because the start page doesn't include the formatting of
    /// fractions.
    pub line: &'static str,
    /// Events over time as an SVG path, see [`crate::events::histogram::Histogram`].
    pub outline: &'static str,
}

/// All bundled traces, in display order.
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
