//! Touch gestures on the timeline: one finger pans, two also zoom.

use crate::draw::units::CssPx;

/// Minimum distance of two fingers: at a smaller one, any movement would zoom by a huge factor.
const NEAREST: CssPx = 24.0;

/// Fingers on the timeline; a third one is ignored.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Fingers {
    /// Pointer ID and position.
    down: Vec<(i32, CssPx, CssPx)>,
}

/// Effect of a finger's movement.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Movement {
    /// Pixels to pan; positive: later.
    pub pan: CssPx,
    /// Factor for the visible range, around [`Movement::at`]; 1 for no change.
    pub factor: f64,
    /// Position that doesn't move.
    pub at: CssPx,
}

impl Fingers {
    /// Adds a finger.
    pub fn put(&mut self, pointer: i32, x: CssPx, y: CssPx) {
        self.lift(pointer);
        if self.down.len() < 2 {
            self.down.push((pointer, x, y));
        }
    }

    /// Removes a finger that was lifted or that the browser took over.
    pub fn lift(&mut self, pointer: i32) {
        self.down.retain(|finger| finger.0 != pointer);
    }

    /// Returns the number of fingers, at most 2.
    pub fn count(&self) -> usize {
        self.down.len()
    }

    /// Moves a finger and returns the effect; `None` for an unknown finger.
    pub fn moved(&mut self, pointer: i32, x: CssPx, y: CssPx) -> Option<Movement> {
        let before = (self.middle(), self.distance());
        let finger = self.down.iter_mut().find(|finger| finger.0 == pointer)?;
        *finger = (pointer, x, y);
        let at = self.middle();
        let factor = before.1.zip(self.distance()).map_or(1.0, |(before, after)| before / after);
        Some(Movement { pan: before.0 - at, factor, at })
    }

    fn middle(&self) -> CssPx {
        self.down.iter().map(|finger| finger.1).sum::<CssPx>() / self.down.len().max(1) as CssPx
    }

    fn distance(&self) -> Option<CssPx> {
        let [one, other] = self.down.as_slice() else { return None };
        Some((one.1 - other.1).hypot(one.2 - other.2).max(NEAREST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::timescale::Viewport;
    use protocol::base::time::Span;

    #[test]
    fn one_finger_pans() {
        let mut fingers = Fingers::default();
        fingers.put(7, 100.0, 50.0);
        assert_eq!(fingers.moved(7, 130.0, 52.0), Some(Movement { pan: -30.0, factor: 1.0, at: 130.0 }));
        assert_eq!(fingers.moved(8, 130.0, 52.0), None, "another pointer");
        fingers.lift(7);
        assert_eq!(fingers.moved(7, 0.0, 0.0), None);
    }

    #[test]
    fn two_fingers_keep_times_below_them() {
        let mut viewport = Viewport::new(Span::new(0, 1_000_000), 1000.0);
        viewport.show(Span::new(400_000, 600_000));
        let scale = viewport.scale();
        let (left, right) = (scale.time(300.0), scale.time(500.0));
        let mut fingers = Fingers::default();
        fingers.put(1, 300.0, 10.0);
        fingers.put(2, 500.0, 10.0);
        fingers.put(3, 900.0, 10.0);
        assert_eq!(fingers.count(), 2);
        for (pointer, x) in [(1, 250.0), (2, 620.0), (1, 200.0)] {
            let moved = fingers.moved(pointer, x, 10.0).unwrap();
            viewport.pan(moved.pan);
            viewport.zoom_at(moved.at, moved.factor);
        }
        let scale = viewport.scale();
        assert!((scale.x(left.0) - 200.0).abs() < 1.0, "{}", scale.x(left.0));
        assert!((scale.x(right.0) - 620.0).abs() < 1.0, "{}", scale.x(right.0));
    }

    #[test]
    fn fingers_at_same_position_zoom_little() {
        let mut fingers = Fingers::default();
        fingers.put(1, 300.0, 10.0);
        fingers.put(2, 300.0, 10.0);
        assert_eq!(fingers.moved(2, 301.0, 10.0).map(|moved| moved.factor), Some(1.0));
        let apart = fingers.moved(2, 348.0, 10.0).unwrap();
        assert!((apart.factor - 0.5).abs() < 1e-9, "{apart:?}");
    }
}
