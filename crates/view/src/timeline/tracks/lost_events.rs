//! Track of lost events.

use super::interval_look::{Item, Look, total};
use crate::draw::palette::{Fill, Token};
use crate::draw::tooltip::{Tooltip, TooltipContext, fixed_names};
use crate::format;
use protocol::base::ids::ThreadId;
use protocol::tables::{Intervals, interval_flag};

/// Look of the time ranges in which events were lost.
pub const LOOK: Look =
    Look { tooltip: Some(tooltip), figures, ..Look::new("event", 14.0, &[(Fill::Solid(Token::Lost), Fill::Lost)]) };

fn figures(intervals: &Intervals) -> String {
    let is_unknown = intervals.flags.iter().any(|flags| flags & interval_flag::UNKNOWN != 0);
    if is_unknown { "unknown".to_owned() } else { format::count(total(intervals)) }
}

/// Returns the number of lost events and their time range.
fn tooltip(item: &Item<'_>, context: &TooltipContext<'_>) -> Tooltip {
    let (intervals, row) = (item.intervals, item.row);
    if intervals.flags[row] & interval_flag::UNKNOWN != 0 {
        let lines = vec![("Reason".into(), item.note().to_owned())];
        return Tooltip { swatch: item.swatch(), title: item.name().to_owned(), value: String::new(), lines };
    }
    let thread = ThreadId(intervals.thread[row]);
    let is_known = context.threads.thread.contains(&thread.0);
    let name = if is_known { context.thread(thread) } else { item.name().to_owned() };
    let after = match intervals.flags[row] & interval_flag::OPEN_START {
        0 => context.moment(intervals.start[row]),
        _ => "start of trace".to_owned(),
    };
    let lines = vec![
        ("Thread", name),
        ("After", after),
        ("Before", context.moment(intervals.end[row])),
        ("Source", item.note().to_owned()),
    ];
    Tooltip {
        swatch: item.swatch(),
        title: format!("{} lost", format::counted(intervals.count[row].into(), "event")),
        value: format!("within {}", format::duration(intervals.covered[row])),
        lines: fixed_names(lines),
    }
}
