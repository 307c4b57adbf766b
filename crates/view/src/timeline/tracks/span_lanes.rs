//! Spans of a thread below its stack: nested intervals between Start and Stop events of any provider.

use super::spans::OF_THREADS;
use super::thread_rows::SpanPlace;
use super::track::Place;
use crate::draw::drawlist::DrawList;
use crate::draw::tooltip::{Tooltip, TooltipContext, fixed_names, open_ends, shorten};
use crate::draw::units::CssPx;
use crate::format;
use crate::timeline::hit::REACH;
use crate::timeline::paint::intervals::paint_rows;
use crate::timeline::timescale::TimeScale;
use protocol::base::ids::ThreadId;
use protocol::tables::{Intervals, interval_flag, span_shade};

fn kind_words(shade: u8) -> &'static str {
    match shade {
        span_shade::IO => "request or networking",
        span_shade::JIT => "JIT compilation",
        span_shade::GC => "GC",
        span_shade::TASK => "task",
        span_shade::EXCEPTION => "exception handling",
        _ => "span",
    }
}

/// Draws the spans of a thread, with an outline around the selected one.
pub fn paint_spans(list: &mut DrawList, spans: &Intervals, rows: &SpanPlace, place: &Place<'_>) {
    paint_rows(list, spans, &OF_THREADS, rows.interval_rows(), place);
}

/// Returns the span nearest to `x` in the row at `y`, which is relative to the top of the track. Of equally near ones,
/// it is the shortest, so nested spans can be hit.
pub fn span_at(spans: &Intervals, rows: &SpanPlace, scale: &TimeScale, x: CssPx, y: CssPx) -> Option<usize> {
    let row = rows.row_at(y)?;
    let distance = |item: usize| (scale.x(spans.start[item]) - x).max(x - scale.x(spans.end[item])).max(0.0);
    let in_row = (0..spans.start.len()).filter(|item| spans.row[*item] == row);
    let near = in_row.map(|item| (distance(item), item)).filter(|(distance, _)| *distance <= REACH);
    let length = |item: usize| spans.end[item] - spans.start[item];
    near.min_by(|one, other| one.0.total_cmp(&other.0).then(length(one.1).cmp(&length(other.1)))).map(|found| found.1)
}

/// Returns the tooltip of a span.
pub fn about_span(spans: &Intervals, context: &TooltipContext<'_>, thread: ThreadId, item: usize) -> Option<Tooltip> {
    let (shade, flags, count) = (*spans.shade.get(item)?, *spans.flags.get(item)?, *spans.count.get(item)?);
    let text = |column: &Vec<u32>| spans.texts.get(column[item] as usize).to_owned();
    let name = shorten(&text(&spans.name));
    let mut lines = Vec::new();
    if count > 1 {
        lines.push(("Longest", name.clone()));
    }
    lines.push(("Kind", kind_words(shade).to_owned()));
    lines.push(("Source", text(&spans.note)));
    if flags & interval_flag::OPEN_START == 0 {
        lines.push(("Start", context.moment(spans.start[item])));
    }
    lines.push(("Thread", context.thread(thread)));
    lines.extend(open_ends(flags));
    lines.retain(|(_, value)| !value.is_empty());
    Some(Tooltip {
        swatch: OF_THREADS.colors(shade).0,
        title: if count > 1 { format::counted(count.into(), "span") } else { name },
        value: format::duration(spans.covered[item]),
        lines: fixed_names(lines),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::drawlist::{CharacterWidths, RecordingPainter};
    use crate::timeline::clock::ClockFace;
    use crate::timeline::tracks::track::Chosen;
    use protocol::base::time::Span;
    use protocol::tables::Threads;

    fn spans() -> Intervals {
        Intervals {
            rows: vec![2],
            row: vec![0, 0, 1],
            start: vec![100, 200, 250],
            end: vec![150, 900, 251],
            count: vec![1; 3],
            covered: vec![50, 700, 1],
            shade: vec![span_shade::OWN, span_shade::IO, span_shade::OWN],
            flags: vec![0, interval_flag::OPEN_END, 0],
            thread: vec![1; 3],
            event: vec![21, 22, 23],
            name: vec![0, 1, 0],
            note: vec![2, 2, 2],
            texts: ["Checkout", "GET /orders", "Shop"].into_iter().collect(),
            ..Intervals::default()
        }
    }

    #[test]
    fn spans_are_named_boxes_with_hatched_open_ends() {
        let rows = SpanPlace { top: 40.0, rows: 2, named: 1 };
        let scale = TimeScale::new(Span::new(0, 1000), 500.0);
        let chosen = Chosen { event: Some(22), ..Chosen::default() };
        let characters = CharacterWidths { small: 5.0, normal: 6.0 };
        let place = Place { scale: &scale, top: 100.0, height: 70.0, limits: Span::new(0, 1000), chosen, characters };
        let mut list = DrawList::default();
        paint_spans(&mut list, &spans(), &rows, &place);
        let mut painter = RecordingPainter::default();
        list.paint_shapes(&mut painter);
        list.paint_labels(&mut painter);
        list.paint_outlines(&mut painter);
        assert_eq!(
            painter.text(),
            "SpanSoft: 50,140 24x12\nIoSoft: 100,140 349x12\nSpan*3: 125,153 1x2\nSpan: 50,140 2x12\n\
             Unknown: 441,140 8x12\nIo: 100,140 2x12\ntext Text 106,149: GET /orders\n\
             outline Text 2: 98,138 354x16"
        );
        let found = |x: f64, y: f64| span_at(&spans(), &rows, &scale, x, y);
        assert_eq!(
            [found(60.0, 45.0), found(300.0, 45.0), found(127.0, 55.0), found(60.0, 55.0), found(127.0, 57.0)],
            [Some(0), Some(1), Some(2), None, None],
            "also in a low row"
        );
        let context = TooltipContext { threads: &Threads::default(), face: ClockFace::default() };
        let sentence = about_span(&spans(), &context, ThreadId(1), 1).expect("a span").sentence();
        assert_eq!(
            sentence,
            "GET /orders, 700 ns; Kind request or networking; Source Shop; Start 0.000000 s; Thread –; \
             End after the trace ended (or end event lost)"
        );
    }
}
