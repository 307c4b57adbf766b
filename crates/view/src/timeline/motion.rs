//! Movement by held keys: a tap is one step, and a held key accelerates.

use crate::draw::units::CssPx;

/// Distance of a tap.
const STEP_PIXELS: CssPx = 50.0;
/// Zoom factor of a tap.
const STEP_ZOOM: f64 = 1.15;
/// Maximum duration of a tap in milliseconds.
const TAP_MS: f64 = 180.0;
/// Time until the maximum speed, in milliseconds.
const RAMP_MS: f64 = 700.0;
/// Initial and maximum speed of panning, in pixels per millisecond.
const PAN_SPEED: (f64, f64) = (0.5, 2.4);
/// Initial and maximum speed of zooming, in shares of the visible range per millisecond.
const ZOOM_SPEED: (f64, f64) = (0.0012, 0.004);

/// Direction of a movement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    ZoomIn,
    ZoomOut,
    /// Pans to earlier times.
    Earlier,
    /// Pans to later times.
    Later,
}

/// Movement of one animation frame.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Step {
    /// Pixels to pan; positive: later.
    pub pan: CssPx,
    /// Factor for the visible range; below 1 zooms in.
    pub zoom: f64,
}

/// Held keys.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Motion {
    held: Vec<Held>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Held {
    direction: Direction,
    since_ms: f64,
    stepped: bool,
}

impl Motion {
    /// Handles a pressed key. Repeated events of a held key have no effect.
    pub fn press(&mut self, direction: Direction) {
        if !self.held.iter().any(|held| held.direction == direction) {
            self.held.push(Held { direction, since_ms: 0.0, stepped: false });
        }
    }

    /// Handles a released key. Returns the step of a tap that ended before the first animation frame.
    pub fn release(&mut self, direction: Direction) -> Option<Step> {
        let position = self.held.iter().position(|held| held.direction == direction)?;
        let held = self.held.remove(position);
        (!held.stepped).then(|| step(direction, STEP_PIXELS, STEP_ZOOM))
    }

    /// Releases all keys, for example when the focus moves.
    pub fn stop(&mut self) {
        self.held.clear();
    }

    /// Returns whether a key is held.
    pub fn is_moving(&self) -> bool {
        !self.held.is_empty()
    }

    /// Returns the movement of the last `elapsed_ms`.
    pub fn advance(&mut self, elapsed_ms: f64) -> Option<Step> {
        if self.held.is_empty() {
            return None;
        }
        let mut total = Step { pan: 0.0, zoom: 1.0 };
        for held in &mut self.held {
            held.since_ms += elapsed_ms;
            let part = if !held.stepped {
                held.stepped = true;
                step(held.direction, STEP_PIXELS, STEP_ZOOM)
            } else if held.since_ms > TAP_MS {
                let ramp = ((held.since_ms - TAP_MS) / RAMP_MS).min(1.0);
                let at = |(slow, fast): (f64, f64)| slow + (fast - slow) * ramp;
                step(held.direction, at(PAN_SPEED) * elapsed_ms, (at(ZOOM_SPEED) * elapsed_ms).exp())
            } else {
                continue;
            };
            total.pan += part.pan;
            total.zoom *= part.zoom;
        }
        Some(total)
    }
}

fn step(direction: Direction, pixels: CssPx, zoom: f64) -> Step {
    match direction {
        Direction::Earlier => Step { pan: -pixels, zoom: 1.0 },
        Direction::Later => Step { pan: pixels, zoom: 1.0 },
        Direction::ZoomIn => Step { pan: 0.0, zoom: 1.0 / zoom },
        Direction::ZoomOut => Step { pan: 0.0, zoom },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tap_is_one_step_with_or_without_frame() {
        let mut motion = Motion::default();
        motion.press(Direction::Later);
        assert_eq!(motion.release(Direction::Later), Some(Step { pan: 50.0, zoom: 1.0 }));
        motion.press(Direction::Later);
        assert_eq!(motion.advance(16.0), Some(Step { pan: 50.0, zoom: 1.0 }));
        assert_eq!(motion.advance(16.0), Some(Step { pan: 0.0, zoom: 1.0 }));
        assert_eq!(motion.release(Direction::Later), None);
        assert_eq!(motion.advance(16.0), None);
    }

    #[test]
    fn held_key_accelerates_up_to_limit() {
        let mut motion = Motion::default();
        motion.press(Direction::Earlier);
        motion.press(Direction::Earlier);
        let pans: Vec<f64> = (0..100).filter_map(|_| motion.advance(16.0)).map(|step| step.pan).collect();
        assert!(pans[20] < 0.0 && pans[40] < pans[20] && pans[99] == pans[98]);
        assert!((pans[99] + 2.4 * 16.0).abs() < 1e-9);
    }

    #[test]
    fn opposite_keys_cancel_out() {
        let mut motion = Motion::default();
        motion.press(Direction::ZoomIn);
        motion.press(Direction::ZoomOut);
        let step = motion.advance(16.0).unwrap();
        assert!((step.zoom - 1.0).abs() < 1e-12);
    }
}
