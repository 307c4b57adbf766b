//! Damaged ranges of the file, with their causes.

use nettrace::{Damage, Error};

/// Maximum number of ranges whose cause is stored.
const MAX: usize = 4096;

/// Damaged ranges of the file, in order.
#[derive(Clone, Debug, Default)]
pub struct Damages {
    pub stretches: Vec<DamagedStretch>,
}

/// Damaged range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedStretch {
    /// Absolute offset of the first byte.
    pub offset: u64,
    /// Number of bytes.
    pub bytes: u64,
    /// Reason.
    pub error: Error,
}

impl Damages {
    /// Returns the range that begins at an offset, if its cause is stored.
    pub fn at(&self, offset: u64) -> Option<&DamagedStretch> {
        let place = self.stretches.binary_search_by_key(&offset, |stretch| stretch.offset).ok()?;
        self.stretches.get(place)
    }

    pub fn heap_bytes(&self) -> usize {
        self.stretches.capacity() * (size_of::<DamagedStretch>() + 40)
    }

    /// Adds a range, or extends the last one.
    pub(crate) fn add(&mut self, damage: &Damage) {
        if damage.bytes == 0 {
            return;
        }
        let is_full = self.stretches.len() >= MAX;
        match self.stretches.last_mut() {
            Some(last) if damage.continued && last.offset + last.bytes == damage.offset => last.bytes += damage.bytes,
            _ if is_full => {}
            _ => {
                let (offset, bytes, error) = (damage.offset, damage.bytes, damage.error.clone());
                self.stretches.push(DamagedStretch { offset, bytes, error });
            }
        }
    }
}
