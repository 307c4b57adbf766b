//! Turns of the timelines in animation frames, so that each frame is short.
//!
//! A frame either changes the document, which the browser then lays out and paints, or draws canvases. A frame draws one
//! timeline; only while the user moves the view, it draws all of them, as far as there is time.

/// Duration in milliseconds after which a frame leaves further timelines to the next one.
const LONGEST_MS: f64 = 16.0;
/// Maximum duration in milliseconds for which tracks wait for further answers. Otherwise, each answer moves all tracks
/// below its own.
const LONGEST_WAIT_MS: f64 = 150.0;
/// Maximum number of frames in a row for the document: headings appear in several steps.
const MAX_FOR_DOCUMENT: u8 = 3;

/// What is to be drawn of a timeline. Each includes those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Due {
    /// Nothing.
    #[default]
    Nothing,
    /// The density in the minimap.
    Minimap,
    /// The lanes.
    Lanes,
    /// Everything.
    All,
    /// Everything, in the next frame, because the user moves or changes it.
    Now,
}

/// Timeline before a frame.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Timeline {
    /// What is to be drawn.
    pub due: Due,
    /// Time of the frame in which it was last drawn, in milliseconds.
    pub drawn_ms: f64,
    /// Time of the first answer that its tracks don't contain yet.
    pub news_ms: Option<f64>,
    /// True if it waits for further answers that can add tracks.
    pub expects_news: bool,
}

impl Timeline {
    fn is_to_be_arranged(&self, now_ms: f64) -> bool {
        self.news_ms.is_some_and(|since| !self.expects_news || now_ms - since >= LONGEST_WAIT_MS)
    }
}

/// Turns of the timelines from frame to frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Turns {
    is_document_changed: bool,
    /// Number of last frames that were for the document.
    for_document: u8,
}

impl Turns {
    /// Leaves the next frame to the browser, which lays out and paints changes of the document.
    pub fn leave_to_document(&mut self) {
        self.is_document_changed = true;
    }

    /// Starts a frame.
    pub fn frame(&mut self, timelines: &[Timeline], now_ms: f64) -> Frame {
        let is_moving = timelines.iter().any(|one| one.due == Due::Now);
        let is_due = timelines.iter().any(|one| one.due != Due::Nothing);
        let new = longest_ago(timelines, |_, one| one.is_to_be_arranged(now_ms));
        let is_changed = std::mem::take(&mut self.is_document_changed);
        let has_drawing = is_due && self.for_document >= MAX_FOR_DOCUMENT;
        let is_for_document = (is_changed || new.is_some()) && !has_drawing;
        let draws = is_moving || !is_for_document;
        self.for_document = if draws { 0 } else { (self.for_document + 1).min(MAX_FOR_DOCUMENT) };
        Frame { arranges: new.filter(|_| is_for_document), draws, drawn: Vec::new() }
    }
}

/// One animation frame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    arranges: Option<usize>,
    draws: bool,
    drawn: Vec<usize>,
}

impl Frame {
    /// Returns the timeline whose tracks are to be arranged.
    pub fn arranges(&self) -> Option<usize> {
        self.arranges
    }

    /// Returns the next timeline to draw, `spent_ms` after the start of the frame.
    pub fn next(&mut self, timelines: &[Timeline], spent_ms: f64) -> Option<usize> {
        let is_first = self.drawn.is_empty();
        if !self.draws || (!is_first && spent_ms > LONGEST_MS) {
            return None;
        }
        // What the user moves is drawn first.
        let is_moving = timelines.iter().any(|one| one.due == Due::Now);
        let least = if is_moving || !is_first { Due::Now } else { Due::Minimap };
        let at = longest_ago(timelines, |at, one| one.due >= least && !self.drawn.contains(&at))?;
        self.drawn.push(at);
        Some(at)
    }
}

/// Returns that of the meant timelines which was drawn longest ago.
fn longest_ago(timelines: &[Timeline], is_meant: impl Fn(usize, &Timeline) -> bool) -> Option<usize> {
    let meant = (0..timelines.len()).filter(|at| is_meant(*at, &timelines[*at]));
    meant.min_by(|one, other| timelines[*one].drawn_ms.total_cmp(&timelines[*other].drawn_ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due(due: Due, drawn_ms: f64) -> Timeline {
        Timeline { due, drawn_ms, ..Timeline::default() }
    }

    /// Returns the timelines that a frame draws, each of which takes `each_ms`.
    fn drawn(turns: &mut Turns, timelines: &mut [Timeline], now_ms: f64, each_ms: f64) -> Vec<usize> {
        let mut frame = turns.frame(timelines, now_ms);
        if let Some(at) = frame.arranges() {
            timelines[at].news_ms = None;
            timelines[at].due = timelines[at].due.max(Due::Lanes);
        }
        let mut drawn = Vec::new();
        while let Some(at) = frame.next(timelines, each_ms * drawn.len() as f64) {
            timelines[at] = due(Due::Nothing, now_ms);
            drawn.push(at);
        }
        drawn
    }

    #[test]
    fn frame_draws_one_timeline_and_next_frame_the_other() {
        let (mut turns, mut timelines) = (Turns::default(), [due(Due::All, 2.0), due(Due::Lanes, 1.0)]);
        assert_eq!(drawn(&mut turns, &mut timelines, 10.0, 1.0), [1]);
        timelines[1].due = Due::All;
        assert_eq!(drawn(&mut turns, &mut timelines, 20.0, 1.0), [0]);
        assert_eq!(drawn(&mut turns, &mut timelines, 30.0, 1.0), [1]);
        assert_eq!(drawn(&mut turns, &mut timelines, 40.0, 1.0), []);
    }

    #[test]
    fn moved_timelines_are_drawn_together_within_time() {
        let moved = [due(Due::Now, 2.0), due(Due::Now, 1.0), due(Due::Lanes, 0.0)];
        assert_eq!(drawn(&mut Turns::default(), &mut moved.clone(), 10.0, 5.0), [1, 0]);
        assert_eq!(drawn(&mut Turns::default(), &mut moved.clone(), 10.0, 20.0), [1]);
    }

    #[test]
    fn frame_changes_document_or_draws() {
        let (mut turns, mut timelines) = (Turns::default(), [due(Due::Lanes, 0.0), due(Due::Nothing, 0.0)]);
        timelines[1].news_ms = Some(5.0);
        assert_eq!(drawn(&mut turns, &mut timelines, 10.0, 1.0), []);
        assert_eq!(timelines[1].news_ms, None);
        assert_eq!(drawn(&mut turns, &mut timelines, 20.0, 1.0), [0]);
        assert_eq!(drawn(&mut turns, &mut timelines, 30.0, 1.0), [1]);
        // Changes in every frame don't keep it from drawing.
        timelines[0].due = Due::Lanes;
        let of_next = |_| {
            turns.leave_to_document();
            drawn(&mut turns, &mut timelines, 40.0, 1.0).len()
        };
        assert_eq!((0..5).map(of_next).collect::<Vec<_>>(), [0, 0, 0, 1, 0]);
    }

    #[test]
    fn moved_timeline_does_not_wait_for_document() {
        let (mut turns, mut timelines) = (Turns::default(), [due(Due::Now, 0.0)]);
        turns.leave_to_document();
        assert_eq!(drawn(&mut turns, &mut timelines, 10.0, 1.0), [0]);
    }

    #[test]
    fn tracks_wait_for_further_answers_but_not_long() {
        let news = Timeline { news_ms: Some(0.0), expects_news: true, ..Timeline::default() };
        let arranges = |news, now_ms| Turns::default().frame(&[news], now_ms).arranges();
        assert_eq!(arranges(news, 100.0), None);
        assert_eq!(arranges(news, 150.0), Some(0));
        assert_eq!(arranges(Timeline { expects_news: false, ..news }, 1.0), Some(0));
    }
}
