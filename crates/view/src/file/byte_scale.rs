//! Scale of a strip of the file: converts between bytes and pixels.

use crate::draw::units::CssPx;

/// Minimum number of visible bytes.
const LEAST_BYTES: f64 = 64.0;

/// Part of a file across a pane. Offsets are integers far below 2^53, so they are exact.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ByteScale {
    /// First visible byte.
    pub start: f64,
    /// Offset after the last visible byte.
    pub end: f64,
    /// Width of the pane.
    pub width: CssPx,
}

impl ByteScale {
    /// Returns the scale that shows the whole file.
    pub fn whole(file_bytes: u64, width: CssPx) -> Self {
        Self { start: 0.0, end: (file_bytes as f64).max(1.0), width: width.max(1.0) }
    }

    /// Returns the number of visible bytes.
    pub fn bytes(&self) -> f64 {
        (self.end - self.start).max(1.0)
    }

    /// Returns the position of a byte's start.
    pub fn x(&self, offset: f64) -> CssPx {
        (offset - self.start) / self.bytes() * self.width
    }

    /// Returns the byte at a position.
    pub fn offset(&self, x: CssPx) -> f64 {
        self.start + x / self.width.max(1.0) * self.bytes()
    }

    /// Returns the scale zoomed out by a factor, or in if it is below 1. The byte at `x` keeps its position.
    pub fn zoomed(self, x: CssPx, factor: f64, file_bytes: u64) -> Self {
        let at = self.offset(x);
        let whole = (file_bytes as f64).max(1.0);
        let bytes = (self.bytes() * factor).clamp(LEAST_BYTES.min(whole), whole);
        let start = at - (at - self.start) / self.bytes() * bytes;
        Self { start, end: start + bytes, ..self }.inside(file_bytes)
    }

    /// Returns the scale moved by a distance.
    pub fn panned(self, pixels: CssPx, file_bytes: u64) -> Self {
        let by = pixels / self.width.max(1.0) * self.bytes();
        Self { start: self.start + by, end: self.end + by, ..self }.inside(file_bytes)
    }

    /// Returns the scale of the same length with a byte in the middle.
    pub fn centered(self, offset: f64, file_bytes: u64) -> Self {
        let half = self.bytes() / 2.0;
        Self { start: offset - half, end: offset + half, ..self }.inside(file_bytes)
    }

    /// Returns the scale of the same length, moved into the file.
    fn inside(self, file_bytes: u64) -> Self {
        let whole = (file_bytes as f64).max(1.0);
        let bytes = self.bytes().min(whole);
        let start = self.start.clamp(0.0, whole - bytes);
        Self { start, end: start + bytes, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: u64 = 10_000_000_000;

    #[test]
    fn zooming_keeps_byte_under_pointer() {
        let mut scale = ByteScale::whole(FILE, 1000.0);
        for _ in 0..40 {
            let before = scale.offset(250.0);
            scale = scale.zoomed(250.0, 0.7, FILE);
            assert!((scale.offset(250.0) - before).abs() < 1e-3);
        }
        assert_eq!(scale.bytes().round(), 6_367.0);
        assert_eq!(scale.zoomed(0.0, 1e-9, FILE).bytes(), 64.0);
        assert_eq!(scale.zoomed(900.0, 1e12, FILE), ByteScale::whole(FILE, 1000.0));
    }

    #[test]
    fn scale_stays_inside_file() {
        let part = ByteScale { start: 100.0, end: 300.0, width: 100.0 };
        assert_eq!(part.panned(-500.0, 1000), ByteScale { start: 0.0, end: 200.0, width: 100.0 });
        assert_eq!(part.panned(1e9, 1000), ByteScale { start: 800.0, end: 1000.0, width: 100.0 });
        assert_eq!(part.centered(990.0, 1000).start, 800.0);
        assert_eq!(part.centered(5.0, 50), ByteScale { start: 0.0, end: 50.0, width: 100.0 });
        assert_eq!(ByteScale::whole(0, 10.0).panned(5.0, 0).bytes(), 1.0);
    }
}
