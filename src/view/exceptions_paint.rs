//! Exceptions: triangles in time, with a word on what they are when there are few.

use super::drawlist::{Align, CharacterWidths, DrawList, Label, TextSize};
use super::format;
use super::palette::Token;
use super::text_fit::fit;
use super::timescale::TimeScale;
use super::units::{CssPx, Rect};
use crate::protocol::tables::Exceptions;

/// Box of a triangle: width, height, distance from the track's top.
const TRIANGLE: (CssPx, CssPx, CssPx) = (10.0, 9.0, 6.0);
/// Triangles closer than this are one.
const MIN_DISTANCE: CssPx = 7.0;
/// With more triangles in view than this there is no label.
const LABELLED: usize = 20;

/// Draws the track of the exceptions; the chosen event gets a contour.
pub fn paint_exceptions(
    list: &mut DrawList,
    exceptions: &Exceptions,
    scale: &TimeScale,
    top: CssPx,
    selected: Option<u32>,
    characters: CharacterWidths,
) {
    let span = scale.span();
    let first = exceptions.time.partition_point(|time| *time < span.start.0);
    let end = exceptions.time.partition_point(|time| *time <= span.end.0);
    let mut last_x = f64::MIN;
    for row in first..end {
        let x = scale.x(exceptions.time[row]).round();
        let area = Rect::new(x - TRIANGLE.0 / 2.0, top + TRIANGLE.2, TRIANGLE.0, TRIANGLE.1);
        if selected == Some(exceptions.event[row]) {
            list.outlines.push((
                Token::Text,
                2.0,
                Rect::new(area.x - 3.0, area.y - 3.0, area.width + 6.0, area.height + 6.0),
            ));
        } else if x - last_x < MIN_DISTANCE {
            continue;
        }
        last_x = x;
        list.triangles.push((Token::Exception, area));
    }
    if (1..LABELLED).contains(&(end - first)) {
        label(list, exceptions, first..end, last_x + 12.0, scale, top, characters);
    }
}

fn label(
    list: &mut DrawList,
    exceptions: &Exceptions,
    rows: std::ops::Range<usize>,
    x: CssPx,
    scale: &TimeScale,
    top: CssPx,
    characters: CharacterWidths,
) {
    let name = exceptions.type_name.get(rows.start);
    let same = rows.clone().all(|row| exceptions.type_name.get(row) == name);
    let short = name.rsplit('.').next().unwrap_or(name);
    let text = match (rows.len(), same) {
        (1, _) => short.to_owned(),
        (count, true) => format!("{count} × {short}"),
        (count, false) => format::counted(count as u64, "exception"),
    };
    let text = fit(&text, scale.width() - x - 6.0, characters.normal).into_owned();
    if !text.is_empty() {
        let (size, align) = (TextSize::Normal, Align::Start);
        list.labels.push(Label {
            x,
            y: top + 15.0,
            text,
            ink: Token::ExceptionInk,
            size,
            strong: false,
            align,
            halo: true,
        });
    }
}

#[cfg(test)]
pub(crate) mod samples {
    use super::*;

    /// Exceptions of one type at the given times, events numbered from 100.
    pub fn exceptions(times: &[i64]) -> Exceptions {
        Exceptions {
            total: vec![times.len() as u64],
            time: times.to_vec(),
            thread: vec![1; times.len()],
            event: (100..100 + times.len() as u32).collect(),
            type_name: times.iter().map(|_| "System.Net.Http.HttpRequestException").collect(),
            message: times.iter().map(|_| "Connection refused").collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::drawlist::RecordingPainter;
    use super::*;
    use crate::model::time::Span;

    #[test]
    fn close_exceptions_are_one_triangle_and_few_are_named() {
        let mut list = DrawList::default();
        let scale = TimeScale::new(Span::new(0, 1000), 500.0);
        let exceptions = samples::exceptions(&[100, 104, 300]);
        paint_exceptions(&mut list, &exceptions, &scale, 0.0, None, CharacterWidths::default());
        let mut painter = RecordingPainter::default();
        list.paint_shapes(&mut painter);
        list.paint_labels(&mut painter);
        assert_eq!(
            painter.text(),
            "triangles Exception: 45,6 10x9; 145,6 10x9\ntext ExceptionInk 162,15: 3 × HttpRequestException"
        );
    }
}
