//! Garbage collections: pauses by generation, background collections, and the bands that pauses leave on every thread.

use super::drawlist::{Align, CharacterWidths, DrawList, Label, Line, Painter, Stroke, TextSize};
use super::format;
use super::palette::{Fill, Token};
use super::timescale::TimeScale;
use super::units::{CssPx, Rect, whole_pixels};
use crate::protocol::tables::Collections;

/// Foot of the pauses, from the track's top.
const BASELINE: CssPx = 17.0;
/// Heights of pauses by generation: an older generation stands higher.
const PAUSE_HEIGHTS: [CssPx; 3] = [6.0, 9.0, 13.0];
/// Bar of a background collection: top, height.
const BACKGROUND_BAR: (CssPx, CssPx) = (20.0, 7.0);
/// Background collections from this width on are labelled, and so much room their label needs.
const BACKGROUND_LABEL_WIDTH: CssPx = 90.0;
/// A pause from this width on has edges on its band.
const EDGED_BAND_WIDTH: CssPx = 12.0;
/// `kind` of a background collection.
const BACKGROUND: u8 = 1;

/// Whether a collection runs in the background.
pub fn is_background(collections: &Collections, row: usize) -> bool {
    collections.kind[row] == BACKGROUND
}

/// The colour of a generation.
pub fn generation_color(generation: u8) -> Token {
    match generation {
        0 => Token::Gen0,
        1 => Token::Gen1,
        _ => Token::Gen2,
    }
}

/// Pixels of the first pause of a collection, none if it is not visible.
pub fn pause_pixels(collections: &Collections, row: usize, scale: &TimeScale) -> Option<(CssPx, CssPx)> {
    let end = collections.pause_end[row].max(collections.pause_start[row]);
    let (left, right) =
        (scale.x(collections.pause_start[row]), scale.x(end).max(scale.x(collections.pause_start[row]) + 1.0));
    whole_pixels(left, right, scale.width())
}

/// Draws the track of the collections; the chosen one gets a contour.
pub fn paint_collections(
    list: &mut DrawList,
    collections: &Collections,
    scale: &TimeScale,
    top: CssPx,
    selected: Option<u32>,
    characters: CharacterWidths,
) {
    let mut drawn_until = [f64::MIN; 3];
    let mut longest: Option<(usize, CssPx, CssPx)> = None;
    for row in 0..collections.number.len() {
        if is_background(collections, row) {
            paint_background_bar(list, collections, row, scale, top);
        }
        let Some((x, width)) = pause_pixels(collections, row, scale) else { continue };
        let level = usize::from(collections.generation[row].min(2));
        let area = Rect::new(x, top + BASELINE - PAUSE_HEIGHTS[level], width.max(2.0), PAUSE_HEIGHTS[level]);
        if selected == Some(collections.number[row]) {
            list.outlines.push((
                Token::Text,
                2.0,
                Rect::new(x - 2.0, area.y - 2.0, area.width + 4.0, area.height + 4.0),
            ));
        }
        if longest.is_none_or(|(best, _, _)| collections.pause_total[best] < collections.pause_total[row]) {
            longest = Some((row, x, area.width));
        }
        if area.right() > drawn_until[level] {
            drawn_until[level] = area.right();
            list.boxes.push_apart(Fill::Solid(generation_color(collections.generation[row])), area);
        }
    }
    if let Some((row, x, width)) = longest {
        label_longest(list, collections, row, (x, width), scale, top, characters);
    }
}

fn paint_background_bar(list: &mut DrawList, collections: &Collections, row: usize, scale: &TimeScale, top: CssPx) {
    let (left, right) = (scale.x(collections.start[row]), scale.x(collections.end[row]));
    let Some((x, width)) = whole_pixels(left, right, scale.width()) else { return };
    let bar = Rect::new(x, top + BACKGROUND_BAR.0, width.max(2.0), BACKGROUND_BAR.1);
    list.boxes.push_apart(Fill::BackgroundCollection, bar);
    list.outlines.push((Token::Background, 1.0, bar));
    if width >= BACKGROUND_LABEL_WIDTH && x >= BACKGROUND_LABEL_WIDTH {
        let text = format!("#{} background", collections.number[row]);
        let label = Label::small(x - 6.0, bar.bottom(), text, Token::BackgroundInk);
        list.labels.push(Label { align: Align::End, halo: true, ..label });
    }
}

/// Tells number, generation and length of the longest visible pause, beside it: on the left, else on the right, else,
/// where other pauses stand on both sides, not at all.
fn label_longest(
    list: &mut DrawList,
    collections: &Collections,
    row: usize,
    (x, width): (CssPx, CssPx),
    scale: &TimeScale,
    top: CssPx,
    characters: CharacterWidths,
) {
    let text = format!(
        "#{} gen {} · {}",
        collections.number[row],
        collections.generation[row],
        format::duration(collections.pause_total[row])
    );
    let length = text.chars().count() as CssPx * characters.normal + 12.0;
    let is_free = |left: CssPx, right: CssPx| {
        let pause = |other| pause_pixels(collections, other, scale).filter(|_| other != row);
        let stands_there = |(x, width): (CssPx, CssPx)| x < right && x + width.max(2.0) > left;
        left >= 0.0 && right <= scale.width() && !(0..collections.number.len()).filter_map(pause).any(stands_there)
    };
    let (x, align) = if is_free(x - length, x) {
        (x - 6.0, Align::End)
    } else if is_free(x + width, x + width + length) {
        (x + width + 6.0, Align::Start)
    } else {
        return;
    };
    list.labels.push(Label {
        x,
        y: top + 14.0,
        text,
        ink: Token::Gen2Ink,
        size: TextSize::Normal,
        strong: true,
        align,
        halo: true,
    });
}

/// Draws what pauses leave on the threads between `top` and `bottom`: every managed thread stands still.
pub fn paint_bands(
    painter: &mut impl Painter,
    collections: &Collections,
    scale: &TimeScale,
    top: CssPx,
    bottom: CssPx,
) {
    if bottom <= top {
        return;
    }
    let mut bands: [Vec<Rect>; 2] = [Vec::new(), Vec::new()];
    let mut edges = Vec::new();
    let mut drawn_until = f64::MIN;
    for row in 0..collections.number.len() {
        let Some((x, width)) = pause_pixels(collections, row, scale) else { continue };
        if x + width <= drawn_until {
            continue;
        }
        let x = x.max(drawn_until);
        drawn_until = drawn_until.max(x + width);
        let is_wide = width >= EDGED_BAND_WIDTH;
        bands[usize::from(is_wide)].push(Rect::new(x, top, width, bottom - top));
        if is_wide {
            edges.push(Line::vertical(x, top, bottom));
            edges.push(Line::vertical(x + width - 1.0, top, bottom));
        }
    }
    for (color, rects) in [Token::PauseBand, Token::LongPauseBand].into_iter().zip(&bands) {
        if !rects.is_empty() {
            painter.rects(Fill::Solid(color), rects);
        }
    }
    if !edges.is_empty() {
        painter.lines(Token::Gen1, Stroke::Dashed, &edges);
    }
}

#[cfg(test)]
pub(crate) mod samples {
    use super::*;

    /// Three collections: a short one, a long blocking one, a background one.
    pub fn collections() -> Collections {
        Collections {
            number: vec![36, 37, 41],
            generation: vec![0, 2, 2],
            kind: vec![0, 0, BACKGROUND],
            start: vec![105, 405, 700],
            end: vec![108, 595, 960],
            pause_start: vec![100, 400, 700],
            pause_end: vec![110, 600, 704],
            pause_total: vec![10, 200, 9],
            suspension: vec![2, 3, 1],
            reason: ["allocation", "induced", "allocation"].into_iter().collect(),
            thread: vec![1, 1, 2],
            event: vec![5, 6, 7],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::drawlist::RecordingPainter;
    use super::*;
    use crate::model::time::Span;

    #[test]
    fn pauses_stand_higher_the_older_the_generation_and_the_longest_is_named() {
        let mut list = DrawList::default();
        let scale = TimeScale::new(Span::new(0, 1000), 500.0);
        paint_collections(&mut list, &samples::collections(), &scale, 22.0, Some(36), CharacterWidths::default());
        let mut painter = RecordingPainter::default();
        list.paint_shapes(&mut painter);
        list.paint_labels(&mut painter);
        list.paint_outlines(&mut painter);
        assert_eq!(
            painter.text(),
            "Gen0: 50,33 5x6\n\
             Gen2: 200,26 100x13; 350,26 2x13\n\
             BackgroundCollection: 350,42 130x7\n\
             text BackgroundInk 344,49: #41 background\n\
             text Gen2Ink 194,36: #37 gen 2 · 200 ns\n\
             outline Text 2: 48,31 9x10\n\
             outline Background 1: 350,42 130x7"
        );
    }

    #[test]
    fn the_longest_pause_is_named_only_where_no_other_stands() {
        // Labels are 120 pixels long. Others stand at 100 and at 700, the longest from 400 to 600 of 1,000.
        let text = |width: CssPx| {
            let mut list = DrawList::default();
            let scale = TimeScale::new(Span::new(0, 1000), width);
            paint_collections(&mut list, &samples::collections(), &scale, 0.0, None, CharacterWidths::default());
            list.labels.iter().map(|label| (label.text.clone(), label.x)).find(|(text, _)| text.contains("gen 2"))
        };
        assert_eq!(text(500.0), Some(("#37 gen 2 · 200 ns".to_owned(), 194.0)), "on the left");
        assert_eq!(text(300.0), None, "the left has 87 pixels, the right 30");
        assert_eq!(text(100.0), None);
    }

    #[test]
    fn bands_of_pauses_cross_the_threads_and_never_overlap() {
        let scale = TimeScale::new(Span::new(0, 1000), 100.0);
        let mut painter = RecordingPainter::default();
        paint_bands(&mut painter, &samples::collections(), &scale, 44.0, 144.0);
        assert_eq!(
            painter.text(),
            "PauseBand: 10,44 1x100; 70,44 1x100\n\
             LongPauseBand: 40,44 20x100\n\
             Dashed Gen1: 40.5,44→40.5,144; 59.5,44→59.5,144"
        );
    }

    #[test]
    fn thousands_of_pauses_become_few_boxes() {
        let count = 10_000;
        let many = Collections {
            number: (0..count).collect(),
            generation: vec![0; count as usize],
            kind: vec![0; count as usize],
            start: (0..i64::from(count)).collect(),
            end: (0..i64::from(count)).collect(),
            pause_start: (0..i64::from(count)).collect(),
            pause_end: (1..=i64::from(count)).collect(),
            pause_total: vec![1; count as usize],
            ..Collections::default()
        };
        let mut list = DrawList::default();
        let scale = TimeScale::new(Span::new(0, i64::from(count)), 300.0);
        paint_collections(&mut list, &many, &scale, 0.0, None, CharacterWidths::default());
        assert!(list.boxes.len() <= 300, "{}", list.boxes.len());
    }
}
