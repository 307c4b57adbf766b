//! State of the Metadata tab in a URL.

use super::part::{self, UrlPart};
use crate::keys::keymap::Command;
use protocol::base::time::Span;
use protocol::named;

named! {
    /// Part of the Metadata tab.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub enum MetadataPart {
        /// Header, processes, losses, parse issues.
        #[default]
        Trace: "trace", "Trace";
        /// Providers, events, fields.
        Schemas: "schemas", "Schemas";
        /// Bytes by purpose.
        Cost: "cost", "Size";
        Blocks: "blocks", "Blocks";
        /// Bytes with their meanings.
        Bytes: "bytes", "Hex";
    }
    /// Returns the name in URLs.
    fn slug;
    /// Returns the display name.
    fn title;
}

impl MetadataPart {
    /// Returns the command that opens the part.
    pub fn command(self) -> Command {
        match self {
            Self::Trace => Command::ShowTraceInfo,
            Self::Schemas => Command::ShowSchemas,
            Self::Cost => Command::ShowSizes,
            Self::Blocks => Command::ShowBlocks,
            Self::Bytes => Command::ShowHex,
        }
    }
}

/// State of the Metadata tab.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MetadataView {
    pub part: MetadataPart,
    /// Selected byte, by its absolute offset.
    pub byte: Option<u64>,
}

impl UrlPart for MetadataView {
    fn encode(&self, push: &mut impl FnMut(&str, &str)) {
        let byte = self.byte.map_or_else(String::new, |byte| byte.to_string());
        part::push_texts(push, &[("part", part::unless_default(self.part, MetadataPart::slug)), ("byte", &byte)]);
    }

    fn decode(&mut self, key: &str, value: &str) -> bool {
        match key {
            "part" => self.part = part::named_or(MetadataPart::ALL, MetadataPart::slug, value, self.part),
            "byte" => self.byte = value.parse().ok().or(self.byte),
            _ => return false,
        }
        true
    }

    /// Offsets differ between files.
    fn fit(&mut self, _whole: Span) {
        self.byte = None;
    }

    fn is_step_from(&self, before: &Self) -> bool {
        self.part != before.part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_part_is_default_and_invalid_byte_is_ignored() {
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
