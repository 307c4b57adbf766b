//! Activity IDs that are paths: `/#pid/1/2/`, as `EventSource` encodes them in a GUID
//! (docs/format/runtime-events.md#activities).

/// Checksum constant: the last word of a path ID is the sum of the first words plus this.
const CHECKSUM: u32 = 0x599D_99AD;
/// Number of nibbles: twelve bytes.
const NIBBLES: usize = 24;

/// Returns the path that an activity ID encodes; `None` for an ordinary GUID. Paths contain the ID of their process;
/// `is_process` returns whether the trace contains it.
pub fn activity_path(guid: &[u8; 16], is_process: impl Fn(u32) -> bool) -> Option<String> {
    let word = |index: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| guid[index * 4 + byte]));
    let sum = word(0).wrapping_add(word(1)).wrapping_add(word(2)).wrapping_add(CHECKSUM);
    let owner = sum ^ word(3);
    if owner != 0 && !is_process(owner) {
        return None;
    }
    let mut text = if owner == 0 { "/".to_owned() } else { format!("/#{owner}") };
    let nibble = |position: usize| guid[position / 2] >> (4 * (1 - position % 2)) & 15;
    let mut position = 0;
    let mut separator = '/';
    while position < NIBBLES {
        let code = nibble(position);
        position += 1;
        match code {
            0 => break,
            1..=0xA => append(&mut text, &mut separator, code.into()),
            0xB => {
                // Overflow ID: its number follows in bytes.
                if position >= NIBBLES || nibble(position) < 0xC {
                    return None;
                }
                separator = '$';
            }
            _ => {
                // The code is in the high nibble, so the low nibble holds the number's highest bits, and bytes follow.
                let mut high = 0;
                if position % 2 == 1 {
                    high = nibble(position);
                    position += 1;
                }
                let count = usize::from(code - 0xC) + 1;
                let bytes = guid[..NIBBLES / 2].get(position / 2..position / 2 + count)?;
                let number = bytes.iter().rev().fold(u64::from(high), |number, &byte| number << 8 | u64::from(byte));
                position += 2 * count;
                append(&mut text, &mut separator, number);
            }
        }
    }
    text.push('/');
    Some(text)
}

/// Returns the path that an activity ID encodes, given as text; `None` for ordinary GUIDs and other text.
pub fn path_of_text(activity: &str, is_process: impl Fn(u32) -> bool) -> Option<String> {
    activity_path(&guid_bytes(activity)?, is_process)
}

/// Parses a GUID of 32 hexadecimal digits, with or without hyphens, into the byte order of .NET.
fn guid_bytes(text: &str) -> Option<[u8; 16]> {
    let digits: String = text.chars().filter(|&character| character != '-').collect();
    // The standard library's parser also accepts a sign.
    let is_guid = digits.len() == 32 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let number = u128::from_str_radix(&digits, 16).ok().filter(|_| is_guid)?;
    let mut bytes = number.to_be_bytes();
    bytes[..4].reverse();
    bytes[4..6].reverse();
    bytes[6..8].reverse();
    Some(bytes)
}

fn append(text: &mut String, separator: &mut char, number: u64) {
    text.push(*separator);
    text.push_str(&number.to_string());
    *separator = '/';
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds a path ID from twelve bytes of nibbles.
    fn path_id(nibbles: &[u8], process: u32) -> [u8; 16] {
        let mut guid = [0u8; 16];
        guid[..nibbles.len()].copy_from_slice(nibbles);
        let word = |index: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| guid[index * 4 + byte]));
        let sum = word(0).wrapping_add(word(1)).wrapping_add(word(2)).wrapping_add(CHECKSUM);
        guid[12..].copy_from_slice(&(sum ^ process).to_le_bytes());
        guid
    }

    #[test]
    fn small_numbers_decode_from_nibbles() {
        assert_eq!(activity_path(&path_id(&[0x12, 0xA0], 77), |id| id == 77).as_deref(), Some("/#77/1/2/10/"));
        assert_eq!(activity_path(&path_id(&[0x12], 0), |id| id == 77).as_deref(), Some("//1/2/"));
        // Bytes 12 A0 00 … A9 9A 9D 59, the path above.
        assert_eq!(path_id(&[0x12, 0xA0], 77)[..4], [0x12, 0xA0, 0, 0]);
        let last = u32::from_le_bytes([0x12, 0xA0, 0, 0]).wrapping_add(CHECKSUM) ^ 77;
        let text = format!("0000a012-0000-0000-0000-0000{:08x}", last.swap_bytes());
        assert_eq!(path_of_text(&text, |id| id == 77).as_deref(), Some("/#77/1/2/10/"));
        for wrong in ["no GUID", "", "+000a012000000000000000000000000", &text[1..], &format!("{text}0")] {
            assert_eq!(path_of_text(wrong, |_| true), None, "{wrong}");
        }
    }

    #[test]
    fn larger_numbers_decode_from_bytes() {
        // C in the high nibble: one byte follows, and the low nibble holds its higher bits.
        assert_eq!(activity_path(&path_id(&[0xC1, 0x05], 77), |id| id == 77).as_deref(), Some("/#77/261/"));
        // D in the low nibble: two bytes follow.
        assert_eq!(activity_path(&path_id(&[0x1D, 0x34, 0x12], 77), |id| id == 77).as_deref(), Some("/#77/1/4660/"));
    }

    #[test]
    fn overflow_id_has_dollar_sign() {
        assert_eq!(activity_path(&path_id(&[0x1B, 0xC0, 0x20], 77), |id| id == 77).as_deref(), Some("/#77/1$32/"));
        assert_eq!(activity_path(&path_id(&[0x1B, 0x10], 77), |id| id == 77), None);
    }

    #[test]
    fn ordinary_guids_and_other_processes_have_no_path() {
        assert_eq!(activity_path(&[7; 16], |id| id == 77), None);
        assert_eq!(activity_path(&path_id(&[0x12], 78), |id| id == 77), None);
    }
}
