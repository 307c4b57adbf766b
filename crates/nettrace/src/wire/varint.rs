//! LEB128 numbers: seven bits per byte, low bits first; the high bit means that more bytes follow.

/// Reads an unsigned number of at most 64 bits (10 bytes).
///
/// Returns the value and its bytes, or `None` if the number doesn't end in `data` or doesn't fit; [`is_cut`] distinguishes
/// the two.
#[inline]
pub(crate) fn read_u64(data: &[u8]) -> Option<(u64, usize)> {
    match data.first() {
        Some(&byte) if byte < 0x80 => Some((u64::from(byte), 1)),
        _ => read_u64_long(data),
    }
}

fn read_u64_long(data: &[u8]) -> Option<(u64, usize)> {
    if let Some((value, length)) = read_short(data) {
        return Some((value.into(), length));
    }
    let mut value = 0u64;
    for (index, &byte) in data.iter().take(10).enumerate() {
        if index == 9 && byte > 1 {
            return None;
        }
        value |= u64::from(byte & 0x7F) << (7 * index);
        if byte < 0x80 {
            return Some((value, index + 1));
        }
    }
    None
}

/// Reads an unsigned number of at most 32 bits (5 bytes). See [`read_u64`].
#[inline]
pub(crate) fn read_u32(data: &[u8]) -> Option<(u32, usize)> {
    match data.first() {
        Some(&byte) if byte < 0x80 => Some((u32::from(byte), 1)),
        _ => read_u32_long(data),
    }
}

fn read_u32_long(data: &[u8]) -> Option<(u32, usize)> {
    if let Some(short) = read_short(data) {
        return Some(short);
    }
    let mut value = 0u32;
    for (index, &byte) in data.iter().take(5).enumerate() {
        if index == 4 && byte > 0x0F {
            return None;
        }
        value |= u32::from(byte & 0x7F) << (7 * index);
        if byte < 0x80 {
            return Some((value, index + 1));
        }
    }
    None
}

/// Reads a number of two or three bytes without a loop; most timestamps and sizes have this length. The first byte must
/// have its high bit set.
#[inline(always)]
fn read_short(data: &[u8]) -> Option<(u32, usize)> {
    let (&[low, middle], rest) = data.split_first_chunk::<2>()?;
    let value = u32::from(low & 0x7F) | u32::from(middle & 0x7F) << 7;
    match (middle, rest.first()) {
        (..0x80, _) => Some((value, 2)),
        (_, Some(&high @ ..0x80)) => Some((value | u32::from(high) << 14, 3)),
        _ => None,
    }
}

/// Returns whether `data` ends inside a number that may be well formed.
#[cold]
pub(crate) fn is_cut(data: &[u8], longest: usize) -> bool {
    data.len() < longest && data.iter().all(|&byte| byte >= 0x80)
}

/// Appends an unsigned number in LEB128, as in blocks of version 6.
pub fn write(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Decodes a zig-zag number: 0, −1, 1, −2, …
#[inline]
pub(crate) fn zig_zag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varint_that_does_not_fit_is_rejected() {
        assert_eq!(read_u64(&[0x7F, 0xFF]), Some((127, 1)));
        assert_eq!(read_u64(&[0x80, 0x01]), Some((128, 2)));
        assert_eq!(read_u64(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]), Some((u64::MAX, 10)));
        assert_eq!(read_u64(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02]), None);
        assert_eq!(read_u32(&[0xFF, 0xFF, 0xFF, 0xFF, 0x0F]), Some((u32::MAX, 5)));
        assert_eq!(read_u32(&[0xFF, 0xFF, 0xFF, 0xFF, 0x1F]), None);
        assert_eq!(read_u32(&[]), None);
    }

    #[test]
    fn varint_of_every_length_round_trips() {
        for bits in 0..64 {
            for value in [1_u64 << bits, (1_u64 << bits) - 1, u64::MAX >> bits] {
                let mut bytes = Vec::new();
                write(&mut bytes, value);
                assert_eq!(read_u64(&bytes), Some((value, bytes.len())));
                let narrow = u32::try_from(value).ok().map(|value| (value, bytes.len()));
                assert_eq!(read_u32(&bytes), narrow, "{value:#x}");
                for cut in 0..bytes.len() {
                    assert_eq!(read_u64(&bytes[..cut]), None);
                }
                bytes.extend([0xFF, 0x7F]);
                assert_eq!(read_u64(&bytes), Some((value, bytes.len() - 2)), "what follows does not count");
            }
        }
    }

    #[test]
    fn truncated_varint_differs_from_endless_one() {
        assert!(is_cut(&[0x80, 0x80], 5));
        assert!(!is_cut(&[0x80; 5], 5));
    }

    #[test]
    fn zigzag_has_full_range() {
        assert_eq!([0, 1, 2, 3].map(zig_zag), [0, -1, 1, -2]);
        assert_eq!(zig_zag(u64::MAX), i64::MIN);
        assert_eq!(zig_zag(u64::MAX - 1), i64::MAX);
    }
}
