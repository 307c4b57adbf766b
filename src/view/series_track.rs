//! A track with one value over time: workers of the thread pool, counters, meters.

use super::drawlist::{Align, DrawList, Label};
use super::format;
use super::hit::Target;
use super::palette::{Fill, Token};
use super::series_paint::paint_steps;
use super::timescale::TimeScale;
use super::tooltip::{DECIMALS, Tooltip};
use super::track::{HeadWords, Place, RuntimeTrack, Subject, TrackContent};
use super::units::CssPx;
use crate::model::time::Span;
use crate::protocol::tables::{Series, Threads};
use crate::protocol::track::TrackKind;

/// Height of the track, and of the graph in it.
const HEIGHT: CssPx = 30.0;
const GRAPH: (CssPx, CssPx) = (4.0, 22.0);
/// The source of what the runtime tells of its thread pool.
const POOL: &str = "Thread pool";

/// A value over time.
pub struct SeriesTrack {
    /// Position in the table.
    position: u16,
    source: String,
    name: String,
    unit: String,
    values: Vec<(i64, f64)>,
}

impl SeriesTrack {
    /// The tracks of all series that have a value.
    pub fn all(table: &Series) -> Vec<Self> {
        let mut from = 0;
        let mut tracks = Vec::new();
        for (position, &until) in (0..=u16::MAX).zip(&table.until) {
            let rows = from..(until as usize).min(table.time.len());
            from = until as usize;
            let values: Vec<(i64, f64)> = rows.map(|row| (table.time[row], table.value[row])).collect();
            let of = |texts: &crate::protocol::columns::Strings| texts.get(position.into()).to_owned();
            if !values.is_empty() {
                let (source, name, unit) = (of(&table.source), of(&table.name), of(&table.unit));
                tracks.push(Self { position, source, name, unit, values });
            }
        }
        tracks
    }

    /// Whether it is told by a counter or meter, and not by the runtime's own events.
    pub fn is_counter(&self) -> bool {
        self.source != POOL
    }

    fn most(&self) -> f64 {
        self.values.iter().map(|value| value.1).fold(0.0, f64::max)
    }

    fn with_unit(&self, value: f64) -> String {
        let mut text = format::quantity(value);
        if !self.unit.is_empty() {
            text.push(' ');
            text.push_str(&self.unit);
        }
        text
    }
}

impl TrackContent for SeriesTrack {
    fn paint(&self, list: &mut DrawList, place: &Place<'_>) {
        let area = (place.top + GRAPH.0, GRAPH.1);
        let colors = (Token::Text2, Token::LineFaint);
        let steps = self.values.iter().copied();
        paint_steps(list, steps, place.limits.end.0, self.most(), place.scale, area, colors);
        // The axis: what the top of the graph stands for.
        let text = format!("{} at most", self.with_unit(self.most()));
        let label = Label::small(place.scale.width() - 4.0, area.0 + area.1 - 2.0, text, Token::Text3);
        list.labels.push(Label { align: Align::End, halo: true, ..label });
    }

    fn hit(&self, scale: &TimeScale, _height: CssPx, x: CssPx, _y: CssPx) -> Option<Target> {
        let at = scale.time(x).0;
        let item = self.values.partition_point(|value| value.0 <= at).checked_sub(1)?;
        Some(Target::Item { kind: self.kind(), item })
    }

    fn tooltip(&self, target: &Target, _threads: &Threads) -> Option<Tooltip> {
        let Target::Item { item, .. } = *target else { return None };
        let (time, value) = *self.values.get(item)?;
        Some(Tooltip {
            swatch: Fill::Solid(Token::Text2),
            title: self.name.clone(),
            value: self.with_unit(value),
            lines: vec![("Told by", self.source.clone()), ("Measured", format::seconds(time, DECIMALS))],
        })
    }

    fn bounds(&self, target: &Target) -> Option<(i64, i64)> {
        let Target::Item { item, .. } = *target else { return None };
        let start = self.values.get(item)?.0;
        Some((start, self.values.get(item + 1).map_or(start, |next| next.0)))
    }

    fn subject(&self, _target: &Target) -> Option<Subject> {
        None
    }
}

impl RuntimeTrack for SeriesTrack {
    fn kind(&self) -> TrackKind {
        TrackKind::Series(self.position)
    }

    fn height(&self) -> CssPx {
        HEIGHT
    }

    fn words(&self, _whole: Span) -> HeadWords {
        let least = self.values.iter().map(|value| value.1).fold(f64::MAX, f64::min);
        let (least, most) = (format::quantity(least), format::quantity(self.most()));
        let figures = if least == most { self.with_unit(self.most()) } else { self.with_range(&least, &most) };
        HeadWords { name: self.name.clone(), figures }
    }

    fn find(&self, _subject: Subject) -> Option<Target> {
        None
    }

    fn neighbour(&self, _from: i64, _later: bool) -> Option<Target> {
        None
    }
}

impl SeriesTrack {
    fn with_range(&self, least: &str, most: &str) -> String {
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        format!("{least} – {most}{unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::super::drawlist::{CharacterWidths, RecordingPainter};
    use super::super::hit::samples::small;
    use super::super::track::Chosen;
    use super::*;

    fn tracks() -> Vec<SeriesTrack> {
        SeriesTrack::all(&Series {
            source: ["Thread pool", "System.Runtime", "Shop"].into_iter().collect(),
            name: ["Workers", "Working Set", "never told"].into_iter().collect(),
            unit: ["threads", "MB", ""].into_iter().collect(),
            until: vec![2, 5, 5],
            time: vec![100, 500, 0, 200, 800],
            value: vec![2.0, 4.0, 110.5, 55.25, 110.5],
        })
    }

    #[test]
    fn a_series_is_drawn_in_steps_with_the_top_of_its_axis() {
        let tracks = tracks();
        assert_eq!(tracks.iter().map(SeriesTrack::is_counter).collect::<Vec<_>>(), [false, true]);
        let mut list = DrawList::default();
        let scale = TimeScale::new(Span::new(0, 1000), 500.0);
        let (chosen, characters) = (Chosen::default(), CharacterWidths::default());
        tracks[0].paint(
            &mut list,
            &Place { scale: &scale, top: 10.0, height: HEIGHT, limits: scale.span(), chosen, characters },
        );
        let mut painter = RecordingPainter::default();
        list.paint_shapes(&mut painter);
        list.paint_labels(&mut painter);
        assert_eq!(
            painter.text(),
            "LineFaint: 50,25 200x11; 250,14 250x22\n\
             Text2: 50,25 200x1; 250,14 1x12; 251,14 249x1\n\
             text Text3 496,34: 4 threads at most"
        );
    }

    #[test]
    fn the_value_under_the_pointer_is_told_with_its_unit() {
        let (tracks, small) = (tracks(), small());
        let scale = TimeScale::new(Span::new(0, 1000), 500.0);
        let target = tracks[1].hit(&scale, HEIGHT, 300.0, 10.0).unwrap();
        let tooltip = tracks[1].tooltip(&target, &small.threads).unwrap();
        assert_eq!(tooltip.sentence(), "Working Set, 55.25 MB; Told by System.Runtime; Measured 0.000000 s");
        assert_eq!(tracks[1].bounds(&target), Some((200, 800)));
        assert_eq!(tracks[0].hit(&scale, HEIGHT, 10.0, 10.0), None, "nothing was measured before");
        let words = |track: &SeriesTrack| track.words(Span::default()).figures;
        assert_eq!((words(&tracks[0]), words(&tracks[1])), ("2 – 4 threads".to_owned(), "55.25 – 110.5 MB".to_owned()));
    }
}
