//! Fingers on the timeline: one moves it, two also zoom it.

use crate::draw::units::CssPx;

/// Two fingers nearer to each other than this count as so far apart: between the last pixels every movement would be huge.
const NEAREST: CssPx = 24.0;

/// The fingers that are down; a third one is not looked at.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Fingers {
    /// Pointer, and where it is.
    down: Vec<(i32, CssPx, CssPx)>,
}

/// What a movement of a finger does to what is shown.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Movement {
    /// Moves what is shown by so many pixels; positive: later.
    pub pan: CssPx,
    /// Multiplies the shown range by this, around [`Movement::at`]; 1 leaves it.
    pub factor: f64,
    /// The place that stays where it is.
    pub at: CssPx,
}

impl Fingers {
    /// A finger went down.
    pub fn put(&mut self, pointer: i32, x: CssPx, y: CssPx) {
        self.lift(pointer);
        if self.down.len() < 2 {
            self.down.push((pointer, x, y));
        }
    }

    /// A finger went up, or the browser took it.
    pub fn lift(&mut self, pointer: i32) {
        self.down.retain(|finger| finger.0 != pointer);
    }

    /// How many are down, at most 2.
    pub fn count(&self) -> usize {
        self.down.len()
    }

    /// A finger is somewhere else now; none if it is not one of these.
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
    fn one_finger_takes_the_time_below_it_along() {
        let mut fingers = Fingers::default();
        fingers.put(7, 100.0, 50.0);
        assert_eq!(fingers.moved(7, 130.0, 52.0), Some(Movement { pan: -30.0, factor: 1.0, at: 130.0 }));
        assert_eq!(fingers.moved(8, 130.0, 52.0), None, "another pointer");
        fingers.lift(7);
        assert_eq!(fingers.moved(7, 0.0, 0.0), None);
    }

    #[test]
    fn what_is_below_two_fingers_stays_below_them() {
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
    fn fingers_in_one_place_zoom_by_little() {
        let mut fingers = Fingers::default();
        fingers.put(1, 300.0, 10.0);
        fingers.put(2, 300.0, 10.0);
        assert_eq!(fingers.moved(2, 301.0, 10.0).map(|moved| moved.factor), Some(1.0));
        let apart = fingers.moved(2, 348.0, 10.0).unwrap();
        assert!((apart.factor - 0.5).abs() < 1e-9, "{apart:?}");
    }
}
