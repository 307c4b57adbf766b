//! Output of `summary`, analyses and `compare`.

use super::shape::Shape::{Boolean, Either, Integer, List, Map, Number, Object, Open, Text, Word};
use super::shape::{Member, Shape, integer, member, number, text};

const FINDING: &[Member] = &[
    text("finding", "Machine-readable kind"),
    text("title", "Claim with the most important number"),
    text("sentence", "Evidence"),
    number("cost", "Cost in nanoseconds, bytes or as a count; costWords says of what"),
    text("costWords", ""),
    member("isMinimum", Boolean, "True if events were lost, so that the cost is a lower bound"),
    text("advice", "Fix"),
    text("details", "Further facts; may be empty"),
    member("times", List(&List(&Integer)), "Start and end of time ranges in nanoseconds"),
    member("filters", List(&Text), "Conditions for --filter that select the evidence"),
];

const PROCESS_TIME: &[Member] = &[text("process", "Name and ID"), integer("threads", "Number of threads")];

pub(super) const SUMMARY: Shape = Object(&[
    member("findings", List(&Object(FINDING)), "Most costly first"),
    member("threadTimeNs", Map(&Integer), "Time of all threads by state, in nanoseconds"),
    member(
        "processTimeNs",
        List(&Open(PROCESS_TIME, &Integer)),
        "Time of each process by kind, in nanoseconds, for a trace of several processes",
    )
    .optional(),
]);

/// Rows have the columns that the command prints without `--json`.
const ROWS: Shape = List(&Map(&Either(&[Text, Number])));

pub(super) const REPORT: Shape = Open(
    &[
        text("topic", "The command"),
        text("notRecorded", "Reason for the missing report").optional(),
        text("command", "Command that records the events").optional(),
        text("verdict", "Result in a sentence").optional(),
        text("explanation", "Leading cause").optional(),
        member("figures", Map(&Number), "Metrics; names that end with Ns are in nanoseconds").optional(),
        member("minimums", List(&Text), "Metrics that are lower bounds, because events were lost").optional(),
    ],
    &ROWS,
);

const SIDE: Shape = Object(&[number("seconds", "Duration"), number("requests", "Number of incoming requests")]);

const ONLY: Shape = Object(&[
    member("subjects", List(&Text), "Subjects that only this trace recorded"),
    member("providers", List(&Text), "Providers that only this trace recorded"),
    integer("runtimeEventTypes", "Number of runtime event types that only this trace recorded"),
]);

const CHANGE: &[Member] = &[
    text("subject", "Compared measure"),
    text("name", "Name of a route, method or type; empty for the whole trace"),
    integer("percentile", "Only for durations").optional(),
    member("change", Word(&["grew", "shrank", "new", "gone", "same"]), "\"same\" means not significant"),
    number("old", "Value in the old trace"),
    number("new", "Value in the new trace"),
    number("low", "Lower bound of the 95% confidence interval of new / old").optional(),
    number("high", "Upper bound").optional(),
    number("probability", "Probability that traces of the same behavior differ as much"),
    text("sentence", ""),
];

pub(super) const COMPARE: Shape = Object(&[
    member("old", SIDE, ""),
    member("new", SIDE, ""),
    member("per", Word(&["second", "request", "total"]), "Divisor of counts, bytes and times"),
    member("onlyOld", ONLY, ""),
    member("onlyNew", ONLY, ""),
    member("changes", List(&Object(CHANGE)), "Most important significant change first"),
    member("broken", List(&Text), "Rules that failed"),
]);
