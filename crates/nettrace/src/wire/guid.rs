//! GUIDs.

use std::fmt;

/// GUID in the byte order of .NET and Windows: one u32 and two u16 little endian, then eight bytes.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Guid(pub [u8; 16]);

impl Guid {
    /// GUID of zeros, which means "none".
    pub const ZERO: Self = Self([0; 16]);

    /// Parses a GUID as written by [`fmt::Display`]; case-insensitive, with or without hyphens. `None` if it isn't one.
    pub fn parse(text: &str) -> Option<Self> {
        let mut digits = text.chars().filter(|&character| character != '-').map(|character| character.to_digit(16));
        let mut bytes = [0; 16];
        // Byte of each pair of digits.
        for at in [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15] {
            bytes[at] = (digits.next()?? << 4 | digits.next()??) as u8;
        }
        digits.next().is_none().then_some(Self(bytes))
    }

    /// Returns whether this is [`Guid::ZERO`].
    pub fn is_zero(&self) -> bool {
        self.0 == [0; 16]
    }
}

impl fmt::Display for Guid {
    /// Writes lower-case hexadecimal with hyphens, the format "D" of .NET.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, f0, g, h, rest @ ..] = self.0;
        let first = u32::from_le_bytes([a, b, c, d]);
        let second = u16::from_le_bytes([e, f0]);
        let third = u16::from_le_bytes([g, h]);
        let [i, j, node @ ..] = rest;
        write!(f, "{first:08x}-{second:04x}-{third:04x}-{i:02x}{j:02x}-")?;
        node.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Guid({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guid_is_printed_in_dotnet_byte_order() {
        let guid =
            Guid([0x0D, 0xC0, 0xC1, 0xE0, 0xBC, 0xCC, 0x12, 0x4E, 0x93, 0x1B, 0xD9, 0xCC, 0x2E, 0xEE, 0x27, 0xE4]);
        assert_eq!(guid.to_string(), "e0c1c00d-ccbc-4e12-931b-d9cc2eee27e4");
        assert!(!guid.is_zero() && Guid::ZERO.is_zero());
        assert_eq!(Guid::parse("E0C1C00D-ccbc-4e12-931bd9cc2eee27e4"), Some(guid));
        for wrong in ["", "e0c1c00d", "e0c1c00d-ccbc-4e12-931b-d9cc2eee27e4a", "g0c1c00d-ccbc-4e12-931b-d9cc2eee27e4"] {
            assert_eq!(Guid::parse(wrong), None);
        }
    }
}
