//! What of the file cannot be read, and why.

use nettrace::{Damage, Error};

/// Stretches whose reason is kept.
const MAX: usize = 4096;

/// Stretches of the file that cannot be read, in the order of the file.
#[derive(Clone, Debug, Default)]
pub struct Damages {
    stretches: Vec<DamagedStretch>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedStretch {
    /// Absolute offset of its first byte.
    pub offset: u64,
    /// How many bytes.
    pub bytes: u64,
    /// Why they cannot be read.
    pub error: Error,
}

impl Damages {
    /// The stretch that begins at an offset, if its reason was kept.
    pub fn at(&self, offset: u64) -> Option<&DamagedStretch> {
        let place = self.stretches.binary_search_by_key(&offset, |stretch| stretch.offset).ok()?;
        self.stretches.get(place)
    }

    /// All whose reason was kept.
    pub fn stretches(&self) -> &[DamagedStretch] {
        &self.stretches
    }

    /// Bytes held.
    pub fn heap_bytes(&self) -> usize {
        self.stretches.capacity() * (size_of::<DamagedStretch>() + 40)
    }

    /// Notes another one, or that the last one goes on.
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
