//! What of the file is looked at, as a part of the address.

/// A part of what the file says about itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum MetadataPart {
    /// Header, process, losses, problems.
    #[default]
    Trace,
    /// Providers, events, fields.
    Schemas,
    /// What its bytes are spent on.
    Cost,
    /// The sections that it consists of.
    Blocks,
    /// Its bytes, and what each of them is.
    Bytes,
}

impl MetadataPart {
    /// All of them, in the order shown.
    pub const ALL: [Self; 5] = [Self::Trace, Self::Schemas, Self::Cost, Self::Blocks, Self::Bytes];

    /// The name in the address.
    pub fn slug(self) -> &'static str {
        match self {
            Self::Trace => "trace",
            Self::Schemas => "schemas",
            Self::Cost => "cost",
            Self::Blocks => "blocks",
            Self::Bytes => "bytes",
        }
    }
}

/// Active Metadata view.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MetadataView {
    /// The part that is shown.
    pub part: MetadataPart,
    /// The byte that is looked at, by its absolute offset.
    pub byte: Option<u64>,
}

impl MetadataView {
    /// Hands out the parts of an address, but for what is as in [`Default`].
    pub fn encode(&self, push: &mut impl FnMut(&str, &str)) {
        if self.part != MetadataPart::default() {
            push("part", self.part.slug());
        }
        if let Some(byte) = self.byte {
            push("byte", &byte.to_string());
        }
    }

    /// Takes a part of an address; whether it is one of these. What is malformed changes nothing.
    pub fn decode(&mut self, key: &str, value: &str) -> bool {
        match key {
            "part" => {
                let found = MetadataPart::ALL.into_iter().find(|part| part.slug() == value);
                self.part = found.unwrap_or(self.part);
            }
            "byte" => self.byte = value.parse().ok().or(self.byte),
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_is_not_known_is_the_first_and_a_byte_that_is_none_is_left_out() {
        let mut look = MetadataView::default();
        for (key, value) in [("part", "strings"), ("byte", "-1"), ("byte", "0x10")] {
            assert!(look.decode(key, value));
        }
        assert_eq!(look, MetadataView::default());
        assert!(look.decode("part", "bytes") && look.decode("byte", "20838932"));
        assert_eq!(look, MetadataView { part: MetadataPart::Bytes, byte: Some(20_838_932) });
        assert!(!look.decode("t0", "1"));
    }
}
