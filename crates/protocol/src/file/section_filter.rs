//! Filter of blocks.

use serde::{Deserialize, Serialize};

/// Filter of blocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct SectionFilter {
    /// Kinds, one bit each: bit 0 is [`super::tables::section_kind::HEADER`]. 0 for all.
    pub kinds: u16,
    /// True to include only blocks with a problem.
    pub only_problems: bool,
}
