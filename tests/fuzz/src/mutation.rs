//! Reproducible mutations of traces.

/// Reproducible random number generator.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates a generator with a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Returns the next number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % limit.max(1)
    }
}

/// Numbers that replace lengths and counts: zero, small, at the limits of types, huge.
const NUMBERS: [u32; 14] =
    [0, 1, 3, 19, 255, 256, 0x7FFF, 0xFFFF, 0x1_0000, 0x00FF_FFFF, 0x0100_0000, 0x7FFF_FFFF, 0x8000_0000, u32::MAX];

/// Mutates a trace in one to three places: bits, bytes, lengths; parts that are removed, duplicated, swapped, moved,
/// zeroed or randomized. `blocks` are the offsets of blocks, at which half of the cuts and swaps are.
pub fn mutate(trace: &[u8], blocks: &[u64], random: &mut Random) -> Vec<u8> {
    let mut data = trace.to_vec();
    for _ in 0..1 + random.below(3) {
        if data.is_empty() {
            break;
        }
        let at = random.below(data.len());
        match random.below(12) {
            0..=2 => data[at] ^= 1 << random.below(8),
            3 => data[at] = random.below(256) as u8,
            4 | 5 => {
                let number = NUMBERS[random.below(NUMBERS.len())].to_le_bytes();
                let length = (1 << random.below(3)).min(data.len() - at);
                data[at..at + length].copy_from_slice(&number[..length]);
            }
            6 => {
                let (start, end) = stretch(&data, blocks, random);
                data.drain(start..end);
            }
            7 => {
                let (start, end) = stretch(&data, blocks, random);
                let copy = data[start..end].to_vec();
                let place = cut(&data, blocks, random);
                data.splice(place..place, copy);
            }
            8 => swap(&mut data, blocks, random),
            9 => {
                let (start, end) = stretch(&data, blocks, random);
                data[start..end].fill(0);
            }
            10 => {
                let (start, end) = stretch(&data, blocks, random);
                data[start..end].iter_mut().for_each(|byte| *byte = random.below(256) as u8);
            }
            _ => data.truncate(cut(&data, blocks, random)),
        }
    }
    data
}

/// Returns a position for a cut: the start of a block, or any other.
fn cut(data: &[u8], blocks: &[u64], random: &mut Random) -> usize {
    let block = blocks.get(random.below(2 * blocks.len().max(1))).map(|&offset| offset as usize);
    block.filter(|&offset| offset <= data.len()).unwrap_or_else(|| random.below(data.len() + 1))
}

/// Returns a range, mostly a short one.
fn stretch(data: &[u8], blocks: &[u64], random: &mut Random) -> (usize, usize) {
    let start = cut(data, blocks, random);
    let end = match random.below(4) {
        0 => cut(data, blocks, random),
        _ => start + random.below(64),
    };
    (start.min(end), start.max(end).min(data.len()))
}

/// Swaps two adjacent ranges.
fn swap(data: &mut [u8], blocks: &[u64], random: &mut Random) {
    let mut places = [(); 3].map(|()| cut(data, blocks, random));
    places.sort_unstable();
    let [start, middle, end] = places;
    data[start..end].rotate_left(middle - start);
}
