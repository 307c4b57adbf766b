//! GUID of an `EventSource`, which .NET derives from its name: a version 5 UUID of the name in uppercase.

use nettrace::Guid;

/// Prefix of every name in the hash.
const NAMESPACE: [u8; 16] =
    [0x48, 0x2C, 0x2D, 0xB2, 0xC3, 0x90, 0x47, 0xC8, 0x87, 0xF8, 0x1A, 0x15, 0xBF, 0xC1, 0x30, 0xFB];

/// Returns the GUID of an event source; `None` if the name isn't ASCII, because tables for converting other letters to
/// uppercase would be too large.
pub fn event_source_guid(name: &str) -> Option<Guid> {
    if !name.is_ascii() {
        return None;
    }
    let mut bytes = NAMESPACE.to_vec();
    bytes.extend(name.bytes().flat_map(|byte| [0, byte.to_ascii_uppercase()]));
    let hash = sha1(&bytes);
    let mut guid = [0; 16];
    guid.copy_from_slice(&hash[..16]);
    guid[7] = guid[7] & 0x0F | 0x50;
    Some(Guid(guid))
}

/// Returns the SHA-1 hash (FIPS 180-4), which isn't used for security here.
fn sha1(message: &[u8]) -> [u8; 20] {
    let mut padded = message.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8).next_multiple_of(64) - 8, 0);
    padded.extend_from_slice(&(message.len() as u64 * 8).to_be_bytes());
    let mut state = [0x6745_2301_u32, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0];
    for block in padded.chunks_exact(64) {
        let mut words = [0_u32; 80];
        for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = bytes.iter().fold(0, |word, &byte| word << 8 | u32::from(byte));
        }
        for at in 16..80 {
            words[at] = (words[at - 3] ^ words[at - 8] ^ words[at - 14] ^ words[at - 16]).rotate_left(1);
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (at, &word) in words.iter().enumerate() {
            let (mixed, constant) = match at {
                0..20 => (b & c | !b & d, 0x5A82_7999),
                20..40 => (b ^ c ^ d, 0x6ED9_EBA1),
                40..60 => (b & c | b & d | c & d, 0x8F1B_BCDC_u32),
                _ => (b ^ c ^ d, 0xCA62_C1D6),
            };
            let next = a.rotate_left(5).wrapping_add(mixed).wrapping_add(e).wrapping_add(constant).wrapping_add(word);
            (e, d, c, b, a) = (d, c, b.rotate_left(30), a, next);
        }
        for (sum, value) in state.iter_mut().zip([a, b, c, d, e]) {
            *sum = sum.wrapping_add(value);
        }
    }
    let mut hash = [0; 20];
    for (bytes, word) in hash.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sha1_matches_standard() {
        let hex = |message: &[u8]| sha1(message).map(|byte| format!("{byte:02x}")).concat();
        assert_eq!(hex(b"abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(hex(b""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
        assert_eq!(hex(&[b'a'; 119]), "ee971065aaa017e0632a8ca6c77bb3bf8b1dfc56");
    }

    #[test]
    fn event_source_guid_follows_from_name() {
        let guid = |name: &str| event_source_guid(name).map(|guid| guid.to_string()).unwrap_or_default();
        assert_eq!(guid("TestEventSource"), "f150d8fb-960c-5e38-a69d-49bae6f97289");
        assert_eq!(guid("Änderung"), "");
        assert_eq!(guid("System.Runtime"), "49592c0f-5a05-516d-aa4b-a64e02026c89");
        assert_eq!(guid("Microsoft-Diagnostics-DiagnosticSource"), "adb401e1-5296-51f8-c125-5fda75826144");
    }
}
